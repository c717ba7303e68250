"""``python -m trackrod``: the command line."""

from trackrod.cli.app import main

main()
