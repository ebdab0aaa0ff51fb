"""``cscluster check``: whether a class keeps what algorithms promise."""

from __future__ import annotations

from typing import Annotated

import typer

from cscluster.cli import complete

_SIGNS = {"kept": "ok", "broken": "MISSING", "exempt": "-"}


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="module:Class, file.py:Class, or a registered name.",
            autocompletion=complete.algorithms,
        ),
    ],
) -> None:
    """Check an algorithm, and say in words what is missing.

    Exit code 1 if a promise is broken that experiments depend on.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from cscluster.algorithms import contract, registry

    algorithm = registry.find(name)
    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    findings = []
    with console.status("checking") as status:
        for finding in contract.examine(algorithm):
            status.update(f"checked: {finding.check.promise}")
            findings.append(finding)
    for finding in findings:
        words = Text(finding.check.promise)
        if finding.reason:
            words.append(f"\n{finding.reason}", style="red" if finding.outcome == "broken" else "dim")
        sign = _SIGNS[finding.outcome]
        if finding.outcome == "broken" and not finding.check.required:
            sign = "advice"
        table.add_row(sign, words)
    console.print(table)
    missing = [f for f in findings if f.outcome == "broken" and f.check.required]
    advice = [f for f in findings if f.outcome == "broken" and not f.check.required]
    kept = sum(finding.outcome == "kept" for finding in findings)
    outcome = f"{kept} promises kept, {len(missing)} missing, {len(advice)} pieces of advice"
    console.print(f"\n{algorithm.title}: {outcome}", highlight=False, markup=False)
    if missing:
        raise typer.Exit(1)
