"""``cscluster check``: whether a class keeps what algorithms promise."""

from __future__ import annotations

import typer
from rich.table import Table
from rich.text import Text

from cscluster.algorithms import registry
from cscluster.cli.console import out
from cscluster.cli.options import CheckOptions
from cscluster.testing import contract
from cscluster.words import plural

_SIGNS = {"kept": "ok", "broken": "MISSING", "exempt": "-"}


def check(options: CheckOptions) -> None:
    """Check an algorithm, and say in words what is missing.

    Raises
    ------
    typer.Exit
        With code 1 if a promise is broken that experiments depend on.
    """
    algorithm = registry.find(options.name)
    findings = []
    with out.working("checking") as update:
        for finding in contract.examine(algorithm):
            update(f"checked: {finding.check.promise}")
            findings.append(finding)
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        words = Text(finding.check.promise)
        if finding.reason:
            words.append(f"\n{finding.reason}", style="red" if finding.outcome == "broken" else "dim")
        advice = finding.outcome == "broken" and not finding.check.required
        table.add_row("advice" if advice else _SIGNS[finding.outcome], words)
    out.print(table)
    broken = [finding for finding in findings if finding.outcome == "broken"]
    missing = sum(finding.check.required for finding in broken)
    kept = sum(finding.outcome == "kept" for finding in findings)
    pieces = plural(len(broken) - missing, "piece")
    counts = f"{plural(kept, 'promise')} kept, {missing} missing, {pieces} of advice"
    out.say("", f"{algorithm.title}: {counts}")
    if missing:
        raise typer.Exit(1)
