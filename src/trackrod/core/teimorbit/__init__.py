"""Reader and writer of TeimOrbit text, the format of Adams property, subsystem and assembly files.

::

    $ comment                         a line that starts with $ or !
    [BLOCK]                           blocks may repeat
     KEY          =  'text'           attribute; $, or ! after a blank, starts a comment
     key <unit>   =  1.5,2.5          with a unit, with a list of numbers
     KEY_LIST     =  'text' 'other'   with a list of texts
    {column  other <unit>}            table of the block, rows below
     1.0     2.0
    (SUBBLOCK)                        child of the block, with attributes and tables of its own

A document keeps every line as it stands in the file, so that writing it again gives the same bytes; what was
understood of the lines (blocks, attributes, tables, comments) lies beside them, each piece with its place.
``reader`` turns bytes into a ``document``, which its ``parser`` reads line by line into ``blocks``; ``composer``
writes blocks as new text; ``units`` gives the [UNITS] block its meaning.

Names are compared without regard to case. Strings are blank-padded in files and stripped here. Blanks and
commas separate values alike, so the row ``'shift'  'real'  60.0,90.0`` has four values.

Holds: ``parse(text).text() == text`` for every text that parses; ``parse(compose(blocks)).blocks`` has the
values of ``blocks``; reading takes time proportional to the length of the text.

Limits: a document can change the value of an attribute, not a table; the meaning of blocks, the references to
other files and the Adams/View commands inside a template are not read here.
"""

from trackrod.core.teimorbit.blocks import Attribute, Block, Comment, Row, Section, SubBlock, Table
from trackrod.core.teimorbit.composer import compose
from trackrod.core.teimorbit.document import Document, parse
from trackrod.core.teimorbit.literals import Value
from trackrod.core.teimorbit.reader import read, read_header
from trackrod.core.teimorbit.units import UserUnits

__all__ = [
    "Attribute",
    "Block",
    "Comment",
    "Document",
    "Row",
    "Section",
    "SubBlock",
    "Table",
    "UserUnits",
    "Value",
    "compose",
    "parse",
    "read",
    "read_header",
]
