"""The page with the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tools.mutation.mutants import Mutant
from tools.mutation.runner import Result

__all__ = ["score_page"]

_HEAD = """\
# Mutation score

This page shows how well the tests detect faults. `make mutation` writes it. Small faults are planted in one module,
one at a time (a sign, a side, an index, a factor, a missing term); each row shows how many of them the tests detect.
A seed selects the faults from all possible ones; the named faults are written by hand in `tools/mutation/named.toml`.
A fault that changes no result is *equivalent* and does not count. Undetected faults are listed below with the reason
from `tools/mutation/survivors.toml`.

"""


def score_page(
    mutants: Sequence[Mutant], results: Mapping[str, Result], reasons: Mapping[str, Mapping[str, str]]
) -> str:
    """The table by module, and the survivors.

    Parameters
    ----------
    mutants, results
        What was run, and what became of it, by name.
    reasons
        ``equivalent`` and ``accepted``: names of mutants with a reason each.
    """
    equivalent = reasons.get("equivalent", {})
    groups: dict[str, list[str]] = {}
    for mutant in mutants:
        group = "named" if mutant.name.startswith("named:") else mutant.module
        if mutant.name in results:
            groups.setdefault(group, []).append(mutant.name)
    rows = [(group, _count(names, results, equivalent)) for group, names in groups.items()]
    total = tuple(sum(column) for column in zip(*(count for _, count in rows), strict=True))
    lines = ["| module | mutants | equivalent | noticed | score |", "|---|---|---|---|---|"]
    for group, (made, same, noticed) in [*rows, ("**all**", total)]:
        lines.append(f"| {group} | {made} | {same} | {noticed} | {100 * noticed / max(made - same, 1):.0f} % |")
    if missing := len(mutants) - len(results):
        lines += ["", f"{missing} mutants have not been run yet."]
    lines += ["", "## Not noticed", "", "| mutant | change | why |", "|---|---|---|"]
    for mutant in mutants:
        if mutant.name in results and results[mutant.name].outcome != "noticed":
            kind = next((kind for kind in reasons if mutant.name in reasons[kind]), None)
            why = f"{kind}: {reasons[kind][mutant.name]}" if kind else f"{results[mutant.name].outcome}, open"
            change = mutant.change.replace("|", "\\|").replace("](", "] (")  # no cell, no link
            lines.append(f"| `{mutant.name}` | `{change}` | {why} |")
    return _HEAD + "\n".join(lines) + "\n"


def _count(names: Sequence[str], results: Mapping[str, Result], equivalent: Mapping[str, str]) -> tuple[int, int, int]:
    noticed = sum(results[name].outcome == "noticed" for name in names)
    same = sum(name in equivalent and results[name].outcome != "noticed" for name in names)
    return len(names), same, noticed
