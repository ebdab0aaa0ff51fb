"""``cscluster check``: whether a class keeps what algorithms promise."""

from __future__ import annotations

import typer

from cscluster.algorithms import registry
from cscluster.cli.console import out
from cscluster.cli.options import CheckOptions
from cscluster.testing import contract
from cscluster.words import plural

_SIGNS = {"passed": "ok", "failed": "FAILED", "advice": "advice", "skipped": "-"}


def check(options: CheckOptions) -> None:
    """Check an algorithm, and say in words what is missing.

    Raises
    ------
    typer.Exit
        With code 1 if a check fails that experiments depend on.
    """
    algorithm = registry.find(options.name)
    findings = []
    with out.working("checking") as update:
        for finding in contract.examine(algorithm):
            update(f"checked: {finding.check.promise}")
            findings.append(finding)
    out.table(["", ""], [_row(finding) for finding in findings])
    failed = [finding for finding in findings if finding.outcome == "failed"]
    required = sum(finding.check.required for finding in failed)
    passed = sum(finding.outcome == "passed" for finding in findings)
    pieces = plural(len(failed) - required, "piece")
    counts = f"{plural(passed, 'check')} passed, {required} failed, {pieces} of advice"
    out.say("", f"{algorithm.title}: {counts}")
    if required:
        raise typer.Exit(1)


def _row(finding: contract.Finding) -> list[str]:
    sign = _SIGNS[finding.outcome if finding.check.required or finding.outcome != "failed" else "advice"]
    return [sign, "\n".join(filter(None, [finding.check.promise, finding.reason]))]
