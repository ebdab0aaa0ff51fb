"""``cscluster check``: whether a class keeps what algorithms promise."""

from __future__ import annotations

import typer

from cscluster.algorithms import registry
from cscluster.cli.console import out
from cscluster.cli.options import CheckOptions
from cscluster.testing import contract
from cscluster.words import plural

_SIGNS = {"kept": "ok", "broken": "MISSING", "advice": "advice", "exempt": "-"}


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
    out.table(["", ""], [_row(finding) for finding in findings])
    broken = [finding for finding in findings if finding.outcome == "broken"]
    missing = sum(finding.check.required for finding in broken)
    kept = sum(finding.outcome == "kept" for finding in findings)
    pieces = plural(len(broken) - missing, "piece")
    counts = f"{plural(kept, 'promise')} kept, {missing} missing, {pieces} of advice"
    out.say("", f"{algorithm.title}: {counts}")
    if missing:
        raise typer.Exit(1)


def _row(finding: contract.Finding) -> list[str]:
    sign = _SIGNS[finding.outcome if finding.check.required or finding.outcome != "broken" else "advice"]
    return [sign, "\n".join(filter(None, [finding.check.promise, finding.reason]))]
