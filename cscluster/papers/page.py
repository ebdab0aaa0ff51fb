"""The pages that say where we stand: one of all papers, and one for each with tables, figures and claims."""

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

from cscluster.data.load import load_dataset
from cscluster.papers import claims
from cscluster.papers.claims import STATUSES, Claim, Paper, Reading, Verdict, counts
from cscluster.papers.printed import EVERY, Numbers
from cscluster.report import write as writing
from cscluster.report.aggregate import Results
from cscluster.report.figures.draw import drawings
from cscluster.report.figures.gallery import gallery
from cscluster.report.figures.links_map import samples
from cscluster.report.figures.save import rendered, save
from cscluster.report.figures.style import using
from cscluster.report.page import Block, BulletList, Fold, Heading, Page, Picture
from cscluster.report.table import PlainTable

MARKS = {
    "holds": "\N{HEAVY CHECK MARK}",
    "does not hold": "\N{HEAVY BALLOT X}",
    "not comparable": "\N{APPROXIMATELY EQUAL TO}",
    "undecided": "?",
    "not run": "\N{EN DASH}",
}
TITLE = "The five papers, reproduced"
_FOLDER = "reproduction"
PaperFigure = tuple[str, str, str, Callable[[], Figure]]
"""A figure of a paper: its name there, what it shows, the name of the file, and what draws it."""


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
        return f"{said}, missing: {', '.join(self.missing)}" if self.missing else said


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
    """Write ``REPRODUCTION.md``, a page for each paper, and their figures; earlier figures go."""
    for report in reports:
        for old in folder.glob(f"figures/{report.paper.name}_*.png"):
            old.unlink()
        page = Page(report.paper.title, list(paper_blocks(report)), marked=True)
        writing.page(folder / _FOLDER / f"{report.paper.name}.md", page)
    writing.page(folder / "REPRODUCTION.md", Page(TITLE, list(blocks(reports, command)), marked=True))


def _states(reports: Sequence[PaperReport]) -> list[State]:
    return [state for report in reports for state in report.states.values()]


def versions(reports: Sequence[PaperReport]) -> str:
    """Say on what the trials of some papers ran; several versions where they ran more than once."""
    found: dict[str, set[str]] = {}
    for environment in (each for state in _states(reports) for each in state.environments.values()):
        own = {"cscluster": environment["cscluster"], "Python": environment["python"]}
        for name, version in {**own, **environment["packages"]}.items():
            found.setdefault(name, set()).add(version)
    return ", ".join(f"{name} {' / '.join(sorted(versions))}" for name, versions in found.items())


def machines(reports: Sequence[PaperReport]) -> str:
    """Say on what machines the trials ran, and how busy these were: wall-clock time over CPU time."""
    states = _states(reports)
    used = (each for state in states for each in state.environments.values() if each.get("cpu"))
    named = dict.fromkeys(f"{each['cpu']} ({each['cores']} cores)" for each in used)
    cpu = sum(state.cpu_seconds for state in states)
    if not named or not cpu:
        return ""
    load = sum(state.clock_seconds for state in states) / cpu
    return (
        f"Trials ran on {' and '.join(named)}, {cpu / 3600:.1f} CPU hours in all, on a shared machine "
        f"(wall-clock time was {load:.2g} times CPU time).  Claims about time are judged by CPU seconds, or "
        "by wall-clock seconds where a part of a trial is left out."
    )


def blocks(reports: Sequence[PaperReport], command: str) -> Iterator[Block]:
    """Yield the blocks of the page about all papers."""
    everything = [verdict for report in reports for verdict in report.verdicts]
    yield f"**{claims.summary(everything)}.**"
    rows = [
        [f"[{each.paper.title}]({_FOLDER}/{each.paper.name}.md)", *map(str, counts(each.verdicts).values())]
        for each in reports
    ]
    total = ["all five", *map(str, counts(everything).values())]
    yield PlainTable("", ["paper", *STATUSES], [*rows, total], numbers=len(STATUSES))
    yield Heading(2, "What holds, and what does not")
    yield BulletList([f"**{each.paper.title}.**  {each.paper.right}  {each.paper.wrong}" for each in reports])
    yield Heading(2, "How a claim is judged")
    yield (
        "A claim is a sentence of a paper.  A rule decides it from the stored trials alone.  Methods have "
        "the parameter values of their publications.  A claim is *undecided* if one data set with the "
        "opposite result would change the verdict, or where a difference on a single data set is within two "
        "standard errors.  It is *not comparable* where the sentence is about a program or a machine that "
        "was not used.  Claims that rest on other data than the paper's say so."
    )
    every = [reading for each in reports for reading in claims.readings(each.paper.name)]
    pending = sum(reading.now is not None for reading in every)
    if pending:
        yield (
            f"The stored trials do not follow {pending} of {len(every)} readings of the texts yet, and some "
            "have fewer trials than the paper.  The pages of the papers list both."
        )
    yield f"Made by `{command}` with {versions(reports) or 'nothing run yet'}.  {machines(reports)}"


def paper_blocks(report: PaperReport) -> Iterator[Block]:
    """Yield the blocks of the page of a paper."""
    paper = report.paper
    yield f"{report.title}.  **{claims.summary(report.verdicts)}.**"
    yield f"{paper.right}  {paper.wrong}"
    yield Heading(2, "Claims")
    yield (
        "Open a line to read the sentence, how it is judged, why it does not hold, and what was tried.  "
        "s.e.: standard error of the difference of the means."
    )
    for verdict in report.verdicts:
        yield Fold(_line(verdict), list(_details(verdict)))
    tables = list(_tables(report))
    if tables:
        yield Heading(2, "Printed tables and our results")
        yield (
            "Each cell has our result, then the printed one in brackets.  \N{BLACK CIRCLE} is within the "
            "tolerance of the claim, \N{CIRCLE WITH LEFT HALF BLACK} within twice of it, "
            "\N{WHITE CIRCLE} further off.  Seconds have no mark."
        )
        yield from tables
    figures = list(_figures(report))
    if figures:
        yield Heading(2, "Figures")
        yield f"{paper.illustrations}  The curves that the paper prints are not in its text.".strip()
        yield from figures
    yield Heading(2, "What was run")
    yield from _what_was_run(report)


def _line(verdict: Verdict) -> str:
    """Return a claim in one line: verdict, name, place, the core of the quotation, numbers."""
    claim = verdict.claim
    flag = " (other data)" if claim.stand_in else ""
    place = ", ".join(dict.fromkeys([claim.id, claim.where.replace("section ", "\u00a7 ")]))
    said = f"{MARKS[verdict.status]} {verdict.status}{flag}: {place}, \u201c{claim.core or claim.quote}\u201d"
    return f"{said}, {verdict.text.removeprefix('in ')}" if verdict.text else said


def _details(verdict: Verdict) -> Iterator[Block]:
    """Yield what stands behind a claim."""
    claim = verdict.claim
    lines = {"Quotation": f"\u201c{claim.quote}\u201d" if claim.core else None, "Rule": claim.because}
    lines |= {"Not comparable": claim.not_comparable, "Other data": claim.stand_in, "Trials": verdict.notes}
    if verdict.status in ("does not hold", "undecided"):
        lines["Cause"] = claim.cause or ("Not found." if verdict.status == "does not hold" else None)
    lines["Experiments"] = ", ".join(f"`{item}`" for item in claim.items)
    yield BulletList([f"{name}: {_plain(said)}" for name, said in lines.items() if said])
    if verdict.ablations:
        rows = [
            [
                _plain(each.changed),
                _plain(said.text),
                {"holds": "yes", "does not hold": "no"}.get(said.status, "undecided"),
                "post hoc" if each.post_hoc else "planned",
            ]
            for each, said in verdict.ablations
        ]
        yield PlainTable("", ["changed", "result", "claim holds then?", "planned or post hoc"], rows)


def _tables(report: PaperReport) -> Iterator[PlainTable]:
    """Yield each printed table beside our results."""
    seen = set()
    for verdict in report.verdicts:
        claim, rule = verdict.claim, verdict.claim.rule
        if not isinstance(rule, Numbers) or rule.table in seen:
            continue
        seen.add(rule.table)
        found = rule.beside(claim.observations(report.runs), report.paper.printed)
        if len(found):
            yield _side_by_side(found, claim, rule)


def _side_by_side(found: pd.DataFrame, claim: Claim, rule: Numbers) -> PlainTable:
    """Return a table of data sets x methods, the longer of the two as rows."""
    names = found["dataset"].replace(EVERY, "mean of all")
    texts = [
        f"{row.ours:.3g} ({row.value:.3g}){_mark(row.difference, claim, rule)}" for row in found.itertuples()
    ]
    cells = pd.Series(texts, [names, found["label"]]).unstack(fill_value="")
    cells = cells.reindex(index=names.unique(), columns=found["label"].unique())
    is_wide = len(cells.columns) > len(cells)
    caption = f"Table {rule.table}, {rule.metric.replace('_', ' ')}"
    return PlainTable.of(caption, "method" if is_wide else "data set", cells.T if is_wide else cells)


def _mark(difference: float, claim: Claim, rule: Numbers) -> str:
    """Return the sign for the size of a difference."""
    if claim.not_comparable:
        return ""
    steps = "\N{BLACK CIRCLE}\N{CIRCLE WITH LEFT HALF BLACK}\N{WHITE CIRCLE}"
    return " " + steps[min(int(np.ceil(abs(difference) / rule.tolerance - 1e-9)) - 1, 2) if difference else 0]


def _what_was_run(report: PaperReport) -> Iterator[Block]:
    """Yield the experiments, and how the text was read."""
    items = [
        [f"`{item}`", about.shows, report.states[item].words()] for item, about in report.paper.items.items()
    ]
    yield PlainTable("", ["experiment", "shows", "trials"], items)
    readings = claims.readings(report.paper.name)
    pending = [
        f"{each.id}: {_plain(each.value)}.  Run so far: {_plain(each.now)}." for each in readings if each.now
    ]
    if pending:
        yield f"The stored trials do not follow {len(pending)} of {len(readings)} readings yet:"
        yield BulletList(pending)
    if readings:
        heads = ["choice", "value", "source", "why"]
        table = PlainTable(
            "", heads, [[each.id, _plain(each.value), _source(each), _plain(each.why)] for each in readings]
        )
        yield Fold(f"How we read the text: {len(readings)} choices and their sources", [table])


def _source(reading: Reading) -> str:
    """Return where a choice comes from, with the sentence of the text."""
    source = {"guess": "our guess"}.get(reading.source, reading.source)
    sentence = f"\u201c{_plain(reading.sentence)}\u201d" if reading.sentence else ""
    return ": ".join(filter(None, [source, ", ".join(filter(None, [sentence, reading.where]))]))


def _plain(words: str) -> str:
    """Return a text whose stars are no marks."""
    return words.replace("*", "\\*")


def _figures(report: PaperReport) -> Iterator[Block]:
    """Yield the figures that a paper names, in its order, with their claims; of each, one is open."""
    paper = report.paper
    named: list[PaperFigure] = [
        (shown, ", ".join(names), "_".join(names), partial(_samples, names))
        for shown, names in paper.pictures.items()
    ]
    named += _of_runs(report)
    named.sort(key=lambda figure: (figure[0], -figure[1].count(","), figure[2]))
    for shown, group in groupby(named, key=itemgetter(0)):
        yield Heading(3, shown)
        about = [f"{v.claim.id} ({v.status})" for v in report.verdicts if _is_about(v.claim, shown)]
        if about:
            yield f"Claims: {', '.join(about)}."
        for number, (_, of, file, make) in enumerate(group):
            with using("page"):
                figure = make()
                content = rendered(figure)
            caption = f"{of}: {figure.get_label()}."
            picture = Picture(f"../figures/{paper.name}_{file}.png", content, caption)
            yield Fold(of, [picture]) if number else picture


def _is_about(claim: Claim, shown: str) -> bool:
    return any(figure in claim.where for figure in shown.split(", "))


def _of_runs(report: PaperReport) -> Iterator[PaperFigure]:
    """Yield the figures of results that a paper names."""
    for item, run in report.runs.items():
        fitting = dict(drawings(run))
        for shown, kind in report.paper.items[item].figures.items():
            if kind in fitting:
                yield shown, ", ".join(run.datasets), f"{item}_{kind}", fitting[kind]


def draw_one(folder: Path, report: PaperReport) -> Path | None:
    """Draw the first figure of a paper that its results allow; return its path."""
    for _, _, file, make in _of_runs(report):
        with using("page"):
            return save(make(), folder / f"{report.paper.name}_{file}.png")
    return None


def _samples(names: Sequence[str]) -> Figure:
    """Return samples of data sets: of one whose samples are pictures, or of some in the plane."""
    sets = {name: load_dataset(name) for name in names}
    data = sets[names[0]]
    if data.image is None:
        return samples({name: (each.X, each.labels) for name, each in sets.items()})
    figure = gallery(data.X, np.asarray(data.classes)[data.labels], data.image)
    figure.set_label("samples of each class and their number, the nearest to their mean first")
    return figure
