"""The page that says where we stand: claims, verdicts and figures of all papers, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from cscluster.atomic import put
from cscluster.data.load import load_dataset
from cscluster.papers.claims import (
    STATUSES,
    Claim,
    Finding,
    Paper,
    Verdict,
    against,
    counts,
    summary,
)
from cscluster.report.aggregate import Results
from cscluster.report.figures.draw import drawings
from cscluster.report.figures.gallery import gallery
from cscluster.report.figures.samples import samples
from cscluster.report.figures.save import save
from cscluster.report.figures.style import using
from cscluster.report.formats.pipes import pipe_table

_MARKS = {
    "reproduced": "✓ reproduced",
    "better": "✓ better",
    "differs": "✗ differs",
    "not decidable": "not decidable",
    "not run": "not run",
}
Figures = dict[tuple[str, str, str], tuple[str, str]]
"""Paths and captions of figures, by paper, what they are in it, and item."""


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
class Chapter:
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


def write(folder: Path, chapters: Sequence[Chapter], command: str) -> None:
    """Write ``REPRODUCTION.md``, its figures and, for each paper, ours beside the printed numbers.

    Figures and numbers of an earlier page that are not part of this one go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    figures: Figures = {}
    for chapter in chapters:
        name = chapter.paper.name
        for old in (*folder.glob(f"figures/{name}_*.png"), *folder.glob(f"printed_{name}.csv")):
            old.unlink()
        figures |= _draw(chapter, folder)
        parts = [against(run, name, item) for item, run in chapter.runs.items()]
        rows = [part.assign(item=item) for item, part in zip(chapter.runs, parts, strict=True) if len(part)]
        if rows:
            table = pd.concat(rows).to_csv(index=False, lineterminator="\n", float_format="%.4g")
            put(folder / f"printed_{name}.csv", table)
    put(folder / "REPRODUCTION.md", render(chapters, command, figures))


def _draw(chapter: Chapter, folder: Path) -> Figures:
    """Draw the figures that the items of a paper name; return their paths from the page."""
    drawn: Figures = {}
    paper = chapter.paper
    for item, results in chapter.runs.items():
        fitting = dict(drawings(results))
        for shown, kind in paper.items[item].figures.items():
            if kind in fitting:
                with using("page"):
                    figure = fitting[kind]()
                    path = save(figure, folder / "figures" / f"{paper.name}_{item}_{kind}.png")
                place = path.relative_to(folder).as_posix()
                drawn[paper.name, shown, item] = (place, str(figure.get_label()))
    for shown, names in paper.pictures.items():
        with using("page"):
            figure = _samples(names)
            path = save(figure, folder / "figures" / f"{paper.name}_{'_'.join(names)}.png")
        place = path.relative_to(folder).as_posix()
        drawn[paper.name, shown, ", ".join(names)] = (place, str(figure.get_label()))
    return drawn


def _samples(names: Sequence[str]) -> Figure:
    """Return samples of data sets: of one whose samples are pictures, or of some in the plane."""
    sets = {name: load_dataset(name) for name in names}
    data = sets[names[0]]
    if data.image is None:
        return samples({name: (each.X, each.labels) for name, each in sets.items()})
    figure = gallery(data.X, np.asarray(data.classes)[data.labels], data.image)
    figure.set_label("samples of each class and their number, the nearest to their mean first")
    return figure


def versions(chapters: Sequence[Chapter]) -> str:
    """Say on what the trials of some papers ran; several versions where they ran more than once."""
    found: dict[str, set[str]] = {}
    for state in (state for chapter in chapters for state in chapter.states.values()):
        for environment in state.environments.values():
            own = {"cscluster": environment["cscluster"], "Python": environment["python"]}
            for name, version in {**own, **environment["packages"]}.items():
                found.setdefault(name, set()).add(version)
    return ", ".join(f"{name} {' / '.join(sorted(versions))}" for name, versions in found.items())


def machines(chapters: Sequence[Chapter]) -> str:
    """Say on what machines the trials ran, and beside what load: seconds of the clock over CPU seconds."""
    states = [state for chapter in chapters for state in chapter.states.values()]
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


def render(chapters: Sequence[Chapter], command: str, figures: Figures) -> str:
    """Return the page."""
    everything = [verdict for chapter in chapters for verdict in chapter.verdicts]
    lines = [
        "# The five papers, reproduced",
        "",
        f"**{summary(everything)}.**  A claim is *reproduced* if its rule in "
        "`configs/papers/PAPER/claims.yaml` holds for the stored trials, *better* if it does not hold only "
        "because the numbers exceed the printed ones, and *differs* otherwise; it is *not decidable* where "
        "data are missing.  Each claim is judged twice: with the methods *as printed*, which is the verdict "
        "on the paper, and with *ours*, the forms that this package recommends.  Where a claim differs, its "
        "cause is named if an experiment shows it; else it was not found, and what an experiment ruled out "
        "is named instead.  Tests compare draws of links; a draw counts for the methods that have run all of "
        "it.",
        "",
        f"Made by `{command}` with {versions(chapters) or 'nothing run yet'}.  {machines(chapters)}",
        "",
        *pipe_table(
            ["paper", "form", *STATUSES],
            [
                [_link(chapter), name, *map(str, counts(findings).values())]
                for chapter in chapters
                for name, findings in (
                    ("as printed", [verdict.printed for verdict in chapter.verdicts]),
                    ("ours", [verdict.ours for verdict in chapter.verdicts]),
                )
            ],
            len(STATUSES),
        ),
    ]
    for chapter in chapters:
        lines += ["", *_chapter(chapter), *_figures(chapter.paper, figures)]
    return "\n".join(lines) + "\n"


def _figures(paper: Paper, figures: Figures) -> Iterator[str]:
    """Yield the figures in the order of the paper, each with a heading of its own."""
    mine = sorted((shown, item) for name, shown, item in figures if name == paper.name)
    if paper.illustrations:
        yield from ("", paper.illustrations)
    for shown, group in groupby(mine, key=itemgetter(0)):
        yield from ("", f"### {shown} of {paper.name}")
        for _, item in group:
            path, caption = figures[paper.name, shown, item]
            yield from ("", f"![{shown}: {item}]({path})", "", f"{item}: {caption}.")


def _link(chapter: Chapter) -> str:
    return f"[{chapter.paper.name}](#{chapter.paper.name})"


def _chapter(chapter: Chapter) -> list[str]:
    name = chapter.paper.name
    verdicts = [[v.claim.where, _said(v.claim), _found(v.printed), _found(v.ours)] for v in chapter.verdicts]
    items = [
        [f"`{name}/{item}`", about.shows, chapter.states[item].words()]
        for item, about in chapter.paper.items.items()
    ]
    return [
        f"## {name}",
        "",
        f"{chapter.title}: {summary(chapter.verdicts)}.",
        "",
        *_table(["where", "the paper says", "as printed", "ours"], verdicts),
        "",
        *_table(["experiment", "shows", "run"], items),
    ]


def _said(claim: Claim) -> str:
    """Return the sentence of the paper, why its rule is that, and what was changed."""
    because = [f"Rule: {claim.because}"] if claim.because else []
    changed = [f"Changed: {claim.changed}"] if claim.changed else []
    return "<br>".join([claim.says, *because, *changed])


def _found(finding: Finding) -> str:
    """Return a finding in words; where the claim differs, with its causes."""
    text = _MARKS[finding.status] + (f": {finding.text}" if finding.text else "")
    if finding.status != "differs":
        return text
    causes = [f"Cause: {cause}" for cause in finding.causes or ["not found"]]
    return "<br>".join([text, *causes, *(f"Ruled out: {cause}" for cause in finding.ruled_out)])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table whose stars are no marks."""
    return pipe_table(heads, [[cell.replace("*", "\\*") for cell in row] for row in rows])
