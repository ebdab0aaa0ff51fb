"""The page that says where we stand: claims, verdicts and figures of all papers, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from cscluster.atomic import put
from cscluster.data.load import load_dataset
from cscluster.papers.claims import STATUSES, Claim, Explanation, Paper, Verdict, against, counts, summary
from cscluster.report import write as writing
from cscluster.report.aggregate import Results
from cscluster.report.figures.draw import drawings
from cscluster.report.figures.gallery import gallery
from cscluster.report.figures.samples import samples
from cscluster.report.figures.save import rendered
from cscluster.report.figures.style import using
from cscluster.report.page import Block, Heading, Page, Picture
from cscluster.report.table import PlainTable

_MARKS = {
    "reproduced": "✓ reproduced",
    "better": "✓ better",
    "differs": "✗ differs",
    "not decidable": "not decidable",
    "not run": "not run",
}
TITLE = "The five papers, reproduced"


@dataclass(frozen=True)
class State:
    """How far an item has been run.

    Attributes
    ----------
    done, planned, failed : int
        Numbers of trials; none is planned where it has never been started.
    missing : list of str
        Data sets that are not there.
    environments : dict
        On what the trials ran.
    cpu_seconds, clock_seconds : float
        What the trials with CPU seconds took, by both clocks.
    outdated : dict
        Numbers of trials made with an earlier version of their method, by its label.
    """

    done: int = 0
    planned: int = 0
    failed: int = 0
    missing: list[str] = field(default_factory=list)
    environments: dict[str, Any] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    clock_seconds: float = 0.0
    outdated: Mapping[str, int] = field(default_factory=dict)

    def words(self) -> str:
        """Say it in words."""
        said = f"{self.done} of {self.planned} trials" if self.planned else "not run"
        said += f", {self.failed} failed" if self.failed else ""
        if self.outdated:
            said += (
                f", {sum(self.outdated.values())} of them with earlier versions of {', '.join(self.outdated)}"
            )
        return f"{said}; missing: {', '.join(self.missing)}" if self.missing else said


@dataclass(frozen=True)
class PaperReport:
    """All about one paper.

    Attributes
    ----------
    paper : Paper
        Items and claims.
    title : str
        Authors and title.
    verdicts : list of Verdict
        One for each claim.
    states : dict
        How far each item has been run.
    runs : dict
        Results of the items that have been run.
    """

    paper: Paper
    title: str
    verdicts: list[Verdict]
    states: dict[str, State]
    runs: dict[str, Results]


def write(folder: Path, reports: Sequence[PaperReport], command: str) -> None:
    """Write ``REPRODUCTION.md``, its figures and, for each paper, ours beside the printed numbers.

    Figures and numbers of an earlier page that are not part of this one go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for report in reports:
        name = report.paper.name
        for old in (*folder.glob(f"figures/{name}_*.png"), *folder.glob(f"printed_{name}.csv")):
            old.unlink()
        rows = [against(run, name, item).assign(item=item) for item, run in report.runs.items()]
        rows = [part for part in rows if len(part)]
        if rows:
            table = pd.concat(rows).to_csv(index=False, lineterminator="\n", float_format="%.4g")
            put(folder / f"printed_{name}.csv", table)
    writing.page(folder / "REPRODUCTION.md", Page(TITLE, list(blocks(reports, command)), marked=True))


def versions(reports: Sequence[PaperReport]) -> str:
    """Say on what the trials of some papers ran; several versions where they ran more than once."""
    found: dict[str, set[str]] = {}
    for state in (state for report in reports for state in report.states.values()):
        for environment in state.environments.values():
            own = {"cscluster": environment["cscluster"], "Python": environment["python"]}
            for name, version in {**own, **environment["packages"]}.items():
                found.setdefault(name, set()).add(version)
    return ", ".join(f"{name} {' / '.join(sorted(versions))}" for name, versions in found.items())


def machines(reports: Sequence[PaperReport]) -> str:
    """Say on what machines the trials ran, and beside what load: seconds of the clock over CPU seconds."""
    states = [state for report in reports for state in report.states.values()]
    named = {
        f"{environment['cpu']} ({environment['cores']} cores)": None
        for state in states
        for environment in state.environments.values()
        if environment.get("cpu")
    }
    cpu = sum(state.cpu_seconds for state in states)
    if not named or not cpu:
        return ""
    load = sum(state.clock_seconds for state in states) / cpu
    return (
        f"Trials ran on {' and '.join(named)}, {cpu / 3600:.1f} CPU hours in all, beside other work: a CPU "
        f"second took {load:.2g} seconds of the clock.  Claims about time are judged by CPU seconds, or by "
        "seconds of the clock where a part of a trial is left out."
    )


def blocks(reports: Sequence[PaperReport], command: str) -> Iterator[Block]:
    """Yield the blocks of the page."""
    everything = [verdict for report in reports for verdict in report.verdicts]
    yield (
        f"**{summary(everything)}.**  A claim is *reproduced* if its rule in "
        "`configs/papers/PAPER/claims.yaml` holds for the stored trials, *better* if it does not hold only "
        "because the numbers exceed the printed ones, and *differs* otherwise; it is *not decidable* where "
        "data are missing.  Methods have the parameter values of their publications (`preset: published`).  "
        "Where a claim differs, its cause is named if an experiment shows it; else it was not found.  A "
        "*hypothesis not confirmed* is what its experiment was asked, with the numbers that speak against "
        "it.  Tests compare random constraint sets (repetitions); a "
        "repetition counts for the methods that have run all of it."
    )
    yield f"Made by `{command}` with {versions(reports) or 'nothing run yet'}.  {machines(reports)}"
    rows = [
        [f"[{each.paper.name}](#{each.paper.name})", *map(str, counts(each.verdicts).values())]
        for each in reports
    ]
    yield PlainTable("", ["paper", *STATUSES], rows, numbers=len(STATUSES))
    for report in reports:
        yield from _report(report)
        yield from _figures(report)


def _figures(report: PaperReport) -> Iterator[Block]:
    """Yield the figures that a paper names, in its order, each with a heading of its own."""
    paper = report.paper
    if paper.illustrations:
        yield paper.illustrations
    named: list[tuple[str, str, str, Callable[[], Figure]]] = [
        (shown, ", ".join(names), "_".join(names), partial(_samples, names))
        for shown, names in paper.pictures.items()
    ]
    for item, run in report.runs.items():
        fitting = dict(drawings(run)) if paper.items[item].figures else {}
        for shown, kind in paper.items[item].figures.items():
            if kind in fitting:
                named.append((shown, item, f"{item}_{kind}", fitting[kind]))
    for shown, group in groupby(sorted(named, key=itemgetter(0, 2)), key=itemgetter(0)):
        yield Heading(3, f"{shown} of {paper.name}")
        for _, of, file, make in group:
            with using("page"):
                figure = make()
                content = rendered(figure)
            yield Picture(f"figures/{paper.name}_{file}.png", content, f"{of}: {figure.get_label()}.")


def _samples(names: Sequence[str]) -> Figure:
    """Return samples of data sets: of one whose samples are pictures, or of some in the plane."""
    sets = {name: load_dataset(name) for name in names}
    data = sets[names[0]]
    if data.image is None:
        return samples({name: (each.X, each.labels) for name, each in sets.items()})
    figure = gallery(data.X, np.asarray(data.classes)[data.labels], data.image)
    figure.set_label("samples of each class and their number, the nearest to their mean first")
    return figure


def _report(report: PaperReport) -> Iterator[Block]:
    name = report.paper.name
    yield Heading(2, name)
    yield f"{report.title}: {summary(report.verdicts)}."
    verdicts = [[v.claim.where, _said(v.claim), _found(v)] for v in report.verdicts]
    yield _table(["where", "the paper says", "verdict"], verdicts)
    items = [
        [f"`{name}/{item}`", about.shows, report.states[item].words()]
        for item, about in report.paper.items.items()
    ]
    yield _table(["experiment", "shows", "run"], items)


def _said(claim: Claim) -> str:
    """Return the sentence of the paper, why its rule is that, on what other data, and what was changed."""
    remarks = {"Rule": claim.because, "Other data": claim.stand_in, "Changed": claim.changed}
    return "<br>".join([claim.says, *(f"{name}: {text}" for name, text in remarks.items() if text)])


def _found(verdict: Verdict) -> str:
    """Return a verdict in words; where the claim differs, with its causes."""
    text = _MARKS[verdict.status] + (f": {verdict.text}" if verdict.text else "")
    if verdict.status != "differs":
        return text
    explained = [each for each in verdict.explanations if each.outcome.holds]
    causes = [f"Cause: {_explanation(each)}" for each in explained] or ["Cause: not found"]
    failed = [
        f"Hypothesis not confirmed: {_explanation(each)}"
        for each in verdict.explanations
        if each not in explained
    ]
    return "<br>".join([text, *causes, *failed])


def _explanation(tried: Explanation) -> str:
    return f"{tried.cause.says} ({', '.join(f'`{item}`' for item in tried.items)}: {tried.outcome.text})"


def _table(heads: list[str], rows: list[list[str]]) -> PlainTable:
    """Return a table whose stars are no marks."""
    return PlainTable("", heads, [[cell.replace("*", "\\*") for cell in row] for row in rows])
