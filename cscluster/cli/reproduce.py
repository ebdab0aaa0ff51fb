"""``cscluster reproduce``: the experiments of the papers, and which of their claims hold."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cscluster.cli import complete

if TYPE_CHECKING:
    from rich.console import Console

    from cscluster.experiment.config.schema import Experiment
    from cscluster.experiment.engine.execute import Pool
    from cscluster.papers.claims import Paper
    from cscluster.papers.page import Chapter
    from cscluster.report.aggregate import Results
    from cscluster.store.folder import RunFolder

_FOLDERS = {"full": "papers", "quick": "papers-quick"}
_STYLES = {
    "reproduced": "green",
    "better": "green",
    "differs": "red",
    "not decidable": "yellow",
    "not run": "dim",
}


def command(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="PAPER[/ITEM]",
            help="What to run; all papers by default.",
            autocompletion=complete.papers,
        ),
    ] = None,
    profile: Annotated[
        str, typer.Option(help="full: as in the papers, hours; quick: less of everything, minutes.")
    ] = "full",
    stored: Annotated[
        bool, typer.Option("--stored", help="Run nothing: judge the results that are stored.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Compare scores with those in RESULTS/reference; exit with 1 on drift."),
    ] = False,
    tolerance: Annotated[
        float, typer.Option("--tol", min=0, help="Difference of a score that --check lets pass.")
    ] = 0.02,
    write: Annotated[
        bool,
        typer.Option("--write", help="Write RESULTS/reference: summaries, and REPRODUCTION.md if full."),
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of workers.")] = os.cpu_count()
    or 1,
    out: Annotated[Path, typer.Option("--results", "--out", help="Folder for results.")] = Path("results"),
) -> None:
    """Run the experiments of the papers and say which claims hold.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """
    from rich.console import Console

    from cscluster.errors import ConfigError

    if profile not in _FOLDERS:
        raise ConfigError(f"--profile takes 'quick' or 'full', got '{profile}'.")
    console = Console()
    wanted = _wanted(target, profile)
    if not stored:
        from cscluster.experiment.engine.execute import Pool

        _run_all(wanted, profile, out, Pool(jobs), console)
    chapters = [_chapter(_load(name, profile), items, profile, out) for name, items in wanted.items()]
    _show(chapters, profile, console)
    if write:
        _write(chapters, profile, out, console)
    if check and _drifted(chapters, wanted, profile, out, tolerance, console):
        raise typer.Exit(1)


def _wanted(target: str | None, profile: str) -> dict[str, list[str]]:
    """Return the items to look at, by paper."""
    from cscluster.errors import ConfigError, did_you_mean
    from cscluster.papers import claims

    name, _, item = (target or "").partition("/")
    wanted = {}
    for paper in [name] if name else claims.names():
        known, items = claims.load(paper).items, list(_load(paper, profile).items)
        if item and item not in known:
            raise ConfigError(f"'{paper}' has no item '{item}'{did_you_mean(item, known)}")
        if item and item not in items:
            raise ConfigError(f"'{target}' is no part of the quick profile; it has: {', '.join(items)}")
        wanted[paper] = [item] if item else items
    return wanted


def _load(name: str, profile: str) -> Paper:
    """Return the part of a paper that a profile is about."""
    from cscluster.papers import claims

    paper = claims.load(name)
    return paper.quick() if profile == "quick" else paper


def _experiment(paper: Paper, item: str, profile: str) -> tuple[Experiment, list[str], list[str]]:
    """Return an item's experiment, the changes that leave out data sets that are not there, and these."""
    import json

    from cscluster.experiment.config.load import load

    quick = paper.items[item].quick or []
    settings = [f"name={item}", *(quick if profile == "quick" else [])]
    experiment = load(f"papers/{paper.name}/{item}", settings)
    gone = [entry.title for entry in experiment.datasets if _is_missing(entry.base)]
    if gone:
        kept = [
            entry.model_dump(exclude_defaults=True)
            for entry in experiment.datasets
            if entry.title not in gone
        ]
        settings.append(f"datasets={json.dumps(kept)}")
    return experiment, settings, gone


def _is_missing(base: str | None) -> bool:
    from cscluster.data import index

    while base in index.recipes():
        base = index.recipes()[base].get("base")
    return base in index.external() and index.find_file(base) is None


def _run_all(wanted: dict[str, list[str]], profile: str, out: Path, pool: Pool, console: Console) -> None:
    """Run all items, one after another; an interrupt leaves what is finished on disk."""
    from cscluster.papers import claims

    total = sum(map(len, wanted.values()))
    number = 0
    try:
        for name, items in wanted.items():
            for item in items:
                number += 1
                _run(claims.load(name), item, profile, out, pool, console, f"[{number}/{total}]")
    except KeyboardInterrupt:
        console.print("\ninterrupted: finished trials are stored; the same command resumes")
        raise typer.Exit(130) from None


def _run(paper: Paper, item: str, profile: str, out: Path, pool: Pool, console: Console, number: str) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from cscluster.experiment.engine.run import carry_out, prepare

    experiment, settings, gone = _experiment(paper, item, profile)
    told = f"{number} {paper.name}/{item}"
    if len(gone) == len(experiment.datasets):
        console.print(
            f"{told}: missing data: {', '.join(gone)}", style="yellow", highlight=False, markup=False
        )
        return
    with console.status(told):
        job = prepare(
            f"papers/{paper.name}/{item}", settings=settings, out=out / _FOLDERS[profile] / paper.name
        )
    left = len(job.difference.todo)
    lacking = f"; missing data: {', '.join(gone)}" if gone else ""
    console.print(f"{told}: {len(job.plan)} trials, {left} to run{lacking}", highlight=False, markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not left) as bar:
        task = bar.add_task(item, total=left)
        carry_out(job, pool, lambda records: bar.update(task, advance=1))


def _chapter(paper: Paper, items: list[str], profile: str, out: Path) -> Chapter:
    """Judge a paper's claims about some items by all its results that are stored."""
    from cscluster.algorithms.registry import PAPERS
    from cscluster.papers import claims
    from cscluster.papers.page import Chapter, State
    from cscluster.store.folder import RunFolder

    states, runs, trials = {}, {}, {}
    for item in paper.items:
        experiment, _, gone = _experiment(paper, item, profile)
        trials[item] = experiment.trials * experiment.repeats
        folder = RunFolder(out / _FOLDERS[profile] / paper.name / item)
        if not folder.exists():
            states[item] = State(missing=gone)
            continue
        records = folder.planned_records()
        failed = sum(record["status"] != "ok" for record in records)
        states[item] = State(len(records), len(folder.plan()), failed, gone, folder.environments())
        if records:
            runs[item] = _collect(paper, item, folder)
    missing = {item: state.missing for item, state in states.items()}
    verdicts = [v for v in claims.judge(paper, runs, missing, trials) if set(v.claim.items) & set(items)]
    return Chapter(paper, PAPERS.get(paper.name, paper.name), verdicts, states, runs)


def _collect(paper: Paper, item: str, folder: RunFolder) -> Results:
    """Return the results with all metrics that the experiment or a claim names."""
    from cscluster.report.aggregate import collect

    named = [*folder.config()["experiment"]["metrics"]]
    named += [metric for claim in paper.claims if item in claim.items for metric in claim.metrics]
    return collect(folder, list(dict.fromkeys(named)))


def _show(chapters: list[Chapter], profile: str, console: Console) -> None:
    """Print one table: item, claim or number in the paper, ours, verdict."""
    from rich.table import Table
    from rich.text import Text

    from cscluster.papers.claims import summary

    for chapter in chapters:
        console.print(f"\n{chapter.title}", style="bold", highlight=False, markup=False)
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        for head, ratio in (("where", 3), ("the paper says", 7), ("our numbers", 6)):
            table.add_column(head, ratio=ratio, overflow="fold")
        table.add_column("as printed", no_wrap=True)
        table.add_column("ours", no_wrap=True)
        for verdict in chapter.verdicts:
            numbers = verdict.ours.text or verdict.printed.text
            marks = (verdict.printed.status, verdict.ours.status)
            cells = (Text(verdict.claim.where), Text(verdict.claim.says), Text(numbers))
            table.add_row(*cells, *(Text(mark, style=_STYLES[mark]) for mark in marks))
        console.print(table)
        for item, state in chapter.states.items():
            if state.failed or (state.missing and state.planned):
                console.print(f"{item}: {state.words()}", style="dim", highlight=False, markup=False)
    everything = [verdict for chapter in chapters for verdict in chapter.verdicts]
    console.print(f"\n{summary(everything)}", style="bold", highlight=False)
    if profile == "quick":
        console.print("quick profile: few trials on few data sets; the full profile decides", style="dim")


def _write(chapters: list[Chapter], profile: str, out: Path, console: Console) -> None:
    """Write the summaries of the runs and, of the full profile, the page."""
    from cscluster.papers import page, reference

    folder = out / "reference"
    told = f"cscluster reproduce --profile {profile} --write"
    for chapter in chapters:
        if chapter.runs:
            path = folder / _reference(chapter.paper.name, profile)
            reference.write(path, chapter.runs, told, page.versions([chapter]))
    if profile == "full":
        page.write(folder, chapters, told)
    console.print(f"written: {folder}", highlight=False, markup=False, soft_wrap=True)


def _reference(paper: str, profile: str) -> str:
    return f"quick_{paper}.csv" if profile == "quick" else f"{paper}.csv"


def _drifted(
    chapters: list[Chapter],
    wanted: dict[str, list[str]],
    profile: str,
    out: Path,
    tolerance: float,
    console: Console,
) -> bool:
    """Print what has drifted away from the reference; tell whether anything has."""
    from cscluster.papers import reference

    sentences = []
    for chapter in chapters:
        items = wanted[chapter.paper.name]
        known = reference.read(out / "reference" / _reference(chapter.paper.name, profile))
        runs = {item: run for item, run in chapter.runs.items() if item in items}
        found = reference.drift(runs, known[known["item"].isin(items)], tolerance)
        sentences += [f"{chapter.paper.name}/{sentence}" for sentence in found]
    for sentence in sentences:
        console.print(sentence, style="red", highlight=False, markup=False)
    told = f"{len(sentences)} scores have drifted" if sentences else "all scores are as in the reference"
    console.print(f"{told} (tolerance {tolerance:g})", highlight=False)
    return bool(sentences)
