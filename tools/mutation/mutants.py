"""Faults of the kind that people make: a sign, a side, an index, a forgotten term.

A mutant is one change of one expression of a module. Its name follows from the module, the function, the operator and
the occurrence within that function, so that it stays the same when lines move. Text, messages, annotations, decorators
and what is exported are left alone: they are no physics.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ANYWHERE", "Mutant", "generate", "known_attributes", "named_mutants", "sample"]


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Attributes
    ----------
    name
        ``module:function:operator:occurrence``, or ``named:...`` for those written by hand.
    module
        File, relative to the package.
    change
        What it was, and what it is now.
    begin, end, text
        What stands in the place of these bytes of the module.
    places
        Lines of the unchanged module, from the expression outwards: the first place that some test runs decides which
        tests can notice.
    """

    name: str
    module: str
    change: str
    begin: int
    end: int
    text: str
    places: tuple[tuple[int, int], ...]

    def applied(self, source: str) -> str:
        """The module's text with the fault."""
        original = source.encode()
        return (original[: self.begin] + self.text.encode() + original[self.end :]).decode()


#: Words that are exchanged in names, attributes and text that is nothing else.
_PAIRS = (
    ("sin", "cos"), ("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("nanmin", "nanmax"),
    ("floor", "ceil"), ("left", "right"), ("front", "rear"), ("fl", "fr"), ("rl", "rr"), ("x", "y"),
    ("vx", "vy"), ("ax", "ay"), ("fx", "fy"), ("mx", "my"), ("tx", "ty"), ("ix", "iy"), ("roll", "pitch"),
    ("first", "last"), ("low", "high"), ("lower", "upper"), ("driving", "braking"), ("throttle", "brake"),
    ("spring", "damper"), ("own", "opposite"), ("bump", "rebound"), ("toe", "camber"), ("steer", "inclination"),
    ("mass", "inertia"), ("start", "end"),
)  # fmt: skip
_OTHER = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
#: Whatever runs any line of the module.
ANYWHERE = (1, 10**9)
#: Calls that make no number (types, errors, records of text), and declarations in words or with ranges.
_NO_PHYSICS = re.compile(
    r"TypeVar|NewType|Error$|Problem$|Place$|^cast$|isinstance|^print$|^field$|^setting$|^Frame$|^SignRule$"
)
#: Smaller numbers are tolerances: a tenth more or less is no fault.
_SMALL = 1e-4
#: The order of their arguments does not matter.
_SYMMETRIC = {"min", "max", "minimum", "maximum", "hypot", "zip"}
#: Keyword arguments that guard or describe, and change no number.
_GUARDS = {"strict", "dtype", "name", "hint", "unit"}


def generate(module: str, source: str, known: frozenset[str]) -> list[Mutant]:
    """All mutants of a module, in the order of its text.

    Parameters
    ----------
    module
        File, relative to the package: first part of their names.
    source
        Its text.
    known
        Attributes that exist somewhere in the package: only to such a name is an attribute changed.
    """
    tree = ast.parse(source)
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) | {"min", "max"}
    starts = [0, *itertools.accumulate(len(line) for line in source.encode().splitlines(keepends=True))]
    count: Counter[str] = Counter()
    found = []
    for node, where, places in _expressions(tree, "", ()):
        for operator, new in _changes(node, names, known):
            stem = f"{module.removesuffix('.py')}:{where or 'module'}:{operator}"
            count[stem] += 1
            text = ast.unparse(new) if isinstance(new, ast.stmt) else f"({ast.unparse(new)})"
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            change = f"{ast.unparse(node)} → {ast.unparse(new)}"
            found.append(
                Mutant(f"{stem}:{count[stem]}", module, change, begin, end, text, tuple(dict.fromkeys(places)))
            )
    return found


def sample(mutants: Sequence[Mutant], number: int, seed: int) -> list[Mutant]:
    """So many of them, the same ones for the same seed, whatever else was added."""
    drawn = sorted(mutants, key=lambda m: hashlib.sha256(f"{seed} {m.name}".encode()).digest())[:number]
    return [mutant for mutant in mutants if mutant in drawn]


def named_mutants(table: Path, package: Path) -> list[Mutant]:
    """The mutants written by hand; ValueError names those whose text is not there exactly once."""
    found, wrong = [], []
    for entry in tomllib.loads(table.read_text())["mutant"]:
        source = (package / entry["module"]).read_text() if (package / entry["module"]).is_file() else ""
        if source.count(entry["old"]) != 1:
            wrong.append(f"{entry['name']}: {source.count(entry['old'])} times in {entry['module']}")
            continue
        before = source[: source.index(entry["old"])]
        first = before.count("\n") + 1
        places = _around(source, first, first + entry["old"].strip("\n").count("\n"))
        begin = len(before.encode())
        end = begin + len(entry["old"].encode())
        found.append(Mutant(f"named:{entry['name']}", entry["module"], entry["why"], begin, end, entry["new"], places))
    if wrong:
        raise ValueError("mutants that no longer apply: " + "; ".join(wrong))
    return found


def known_attributes(package: Path) -> frozenset[str]:
    """Every attribute that the package reads or declares."""
    found = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.AnnAssign | ast.Assign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.FunctionDef):
                found.add(node.name)
    return frozenset(found)


def _around(source: str, first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Some lines, those of the functions around them, and the module, from the inside."""
    tree = ast.parse(source)
    spans = [
        (node.body[0].lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= first and last <= (node.end_lineno or 0)
    ]
    return ((first, last), *sorted(spans, key=lambda span: span[1] - span[0]), ANYWHERE)


Places = tuple[tuple[int, int], ...]


def _expressions(node: ast.AST, where: str, places: Places) -> Iterator[tuple[ast.expr | ast.stmt, str, Places]]:
    """Nodes that may be changed, with the function that they are in and their lines, from the inside."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or name in ("annotation", "returns", "decorator_list", "bases"):
                continue
            if _no_physics(child):
                continue
            inner, lines = where, places
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{where}.{child.name}".lstrip(".")
            if isinstance(child, ast.FunctionDef):
                lines = ((child.body[0].lineno, child.end_lineno or child.lineno), *places)
            elif isinstance(child, ast.expr | ast.stmt) and not hasattr(child, "body"):
                lines = ((child.lineno, child.end_lineno or child.lineno), *places)
            if isinstance(child, ast.expr | ast.AugAssign):
                yield child, inner, (*lines, ANYWHERE)
            yield from _expressions(child, inner, lines)


def _no_physics(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(t, ast.Name) and t.id in ("__all__", "Array") for t in node.targets)
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation).startswith("TypeAlias")
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        return bool(_NO_PHYSICS.search(ast.unparse(node.func)))
    return isinstance(node, ast.keyword) and node.arg in _GUARDS


def _changes(node: ast.AST, names: frozenset[str], known: frozenset[str]) -> Iterator[tuple[str, ast.AST]]:
    """What a node may become, with the name of the operator."""
    if isinstance(node, ast.BinOp):
        yield from _of_operation(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.operand
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not", node.operand
    elif isinstance(node, ast.BoolOp):
        yield "and_or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.Compare):
        if ast.unparse(node.comparators[0]) == "None":
            return  # leads to an error at once
        for i, op in enumerate(node.ops):
            ops = [*node.ops[:i], _COMPARE[type(op)](), *node.ops[i + 1 :]]
            yield "comparison", ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if (other := _swapped(node.id)) and other in names:
            yield "name", ast.Name(other, ast.Load())
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        if (other := _swapped(node.attr)) and other in known:
            yield "attribute", ast.Attribute(node.value, other, ast.Load())
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.AugAssign):
        yield "no_update", ast.Pass()


def _of_operation(node: ast.BinOp) -> Iterator[tuple[str, ast.AST]]:
    if any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right)):
        return
    if new := _BINARY.get(type(node.op)):
        yield "operation", ast.BinOp(node.left, new(), node.right)
    if isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        yield "first_only", node.left
    if isinstance(node.op, ast.Add | ast.Mult):
        yield "second_only", node.right
    if isinstance(node.op, ast.Pow):
        yield "exponent", ast.BinOp(node.left, node.op, ast.BinOp(node.right, ast.Add(), ast.Constant(1)))
    if isinstance(node.op, ast.MatMult):
        yield "order", ast.BinOp(node.right, node.op, node.left)


def _of_constant(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield "truth", ast.Constant(not value)
    elif isinstance(value, int):
        yield "whole_number", ast.Constant({0: 1, 1: 0}.get(value, value + 1))
    elif isinstance(value, float) and (value == 0 or abs(value) > _SMALL):
        yield "number", ast.Constant(float(f"{1.1 * value:.6g}") if value else 0.1)
    elif isinstance(value, str) and (other := _swapped(value)):
        yield "word", ast.Constant(other)


def _of_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    function = ast.unparse(node.func).split(".")[-1]
    pairs = [] if function in _SYMMETRIC else zip(node.args, node.args[1:], strict=False)
    for i, (a, b) in enumerate(pairs):
        text = any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in (a, b))
        if type(a) is type(b) and not text and not isinstance(a, ast.Starred) and ast.dump(a) != ast.dump(b):
            args = [*node.args[:i], b, a, *node.args[i + 2 :]]
            yield "arguments", ast.Call(node.func, args, node.keywords)
    if function[:1].islower():  # fields of a record are needed: leaving one out is no likely fault
        for i, keyword in enumerate(node.keywords):
            if keyword.arg and keyword.arg not in _GUARDS:
                yield "keyword", ast.Call(node.func, node.args, [*node.keywords[:i], *node.keywords[i + 1 :]])


def _swapped(name: str) -> str | None:
    """A name with its first word that has a counterpart exchanged; None if there is none."""
    words = name.split("_")
    for i, word in enumerate(words):
        if other := _OTHER.get(word.lower()):
            new = other.upper() if word.isupper() else other
            return "_".join((*words[:i], new, *words[i + 1 :]))
    return None
