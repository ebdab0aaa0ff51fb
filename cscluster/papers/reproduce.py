"""The experiments of the papers: what to run, what their results say, and what to keep of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cscluster.algorithms.registry import PAPERS
from cscluster.errors import ConfigError, did_you_mean, require_known
from cscluster.experiment.config.schema import Experiment
from cscluster.papers import claims, page, reference
from cscluster.papers.claims import Paper
from cscluster.papers.items import Item
from cscluster.papers.page import Chapter, State
from cscluster.papers.shelf import PROFILES, Shelf, in_complete_draws, of_earlier_versions
from cscluster.report.aggregate import collect
from cscluster.store.folder import RunFolder
from cscluster.store.packed import as_packed
from cscluster.store.table import RecordTable


@dataclass(frozen=True)
class Reproduction:
    """Some items of some papers.

    Attributes
    ----------
    items : mapping
        Names of items, by paper.
    profile : str
        ``full`` is as in the papers, ``quick`` less of everything.
    results : Path
        Directory of all results.
    """

    items: Mapping[str, list[str]]
    profile: str
    results: Path

    def experiments(self) -> list[Item]:
        """Return what to run, one after another."""
        papers = {name: _load(name, self.profile) for name in self.items}
        return [self._item(papers[name], item) for name, items in self.items.items() for item in items]

    def outcome(self) -> list[Chapter]:
        """Judge the claims about the items by all stored results of their papers."""
        return [self._chapter(_load(name, self.profile), items) for name, items in self.items.items()]

    def write(self, outcome: list[Chapter]) -> Path:
        """Write the summaries of the runs and return their directory.

        Of the full profile also the page, which is about all papers, whichever were run now, and the trials.
        """
        folder = self.results / "reference"
        command = f"cscluster reproduce --profile {self.profile} --write"
        for chapter in outcome:
            if chapter.runs:
                summary = self._shelf(chapter.paper.name).summary
                reference.write(summary, chapter.runs, command, page.versions([chapter]))
        if self.profile == "full":
            whole = choose(None, self.profile, self.results)
            page.write(folder, outcome if whole.items == self.items else whole.outcome(), command)
            for chapter in outcome:
                shelf = self._shelf(chapter.paper.name)
                for item in (item for item, state in chapter.states.items() if state.done):
                    shelf.pack(item, _metrics(chapter.paper, item, shelf.run(item)))
        return folder

    def drift(self, outcome: list[Chapter], tolerance: float) -> list[str]:
        """Return a sentence for each score that differs from its reference by more than a tolerance."""
        sentences = []
        for chapter in outcome:
            name, items = chapter.paper.name, self.items[chapter.paper.name]
            expected = reference.read(self._shelf(name).summary)
            runs = {item: run for item, run in chapter.runs.items() if item in items}
            drifted = reference.drift(runs, expected[expected["item"].isin(items)], tolerance)
            sentences += [f"{name}/{sentence}" for sentence in drifted]
        return sentences

    def _shelf(self, paper: str) -> Shelf:
        return Shelf(self.results, "papers", paper, self.profile)

    def _item(self, paper: Paper, item: str) -> Item:
        quick = paper.items[item].quick or []
        settings = [f"name={item}", *(quick if self.profile == "quick" else [])]
        name = f"{paper.name}/{item}"
        return Item(name, f"papers/{name}", settings, self._shelf(paper.name))

    def _chapter(self, paper: Paper, items: list[str]) -> Chapter:
        states, runs, trials = {}, {}, {}
        shelf = self._shelf(paper.name)
        for item in paper.items:
            planned = self._item(paper, item)
            trials[item] = planned.experiment.trials * planned.experiment.repeats
            shelf.restore(item)
            folder = shelf.run(item)
            if not folder.exists():
                states[item] = State(missing=planned.missing)
                continue
            records = [as_packed(record) for record in folder.planned_records()]
            failed = sum(record["status"] != "ok" for record in records)
            timed = [record for record in records if record.get("cpu_seconds") is not None]
            states[item] = State(
                len(records),
                len(folder.plan()),
                failed,
                planned.not_known(records),
                folder.environments(),
                sum(record.get("cpu_seconds") or 0.0 for record in timed),
                sum(sum(record["seconds"].values()) for record in timed),
                of_earlier_versions(folder, records),
            )
            ran = Experiment.model_validate(folder.config()["experiment"])
            if whole := in_complete_draws(ran, records):
                runs[item] = collect(folder, _metrics(paper, item, folder), table=RecordTable(whole))
        gone = {item: state.missing for item, state in states.items()}
        verdicts = [v for v in claims.judge(paper, runs, gone, trials) if set(v.claim.items) & set(items)]
        return Chapter(paper, PAPERS.get(paper.name, paper.name), verdicts, states, runs)


def choose(target: str | None, profile: str, results: Path) -> Reproduction:
    """Return all papers, or the paper or the item that is named as ``PAPER`` or ``PAPER/ITEM``.

    Raises
    ------
    ConfigError
        If there is no such paper, item or profile.
    """
    require_known("profile", profile, PROFILES)
    name, _, item = (target or "").partition("/")
    wanted = {}
    for paper in [name] if name else claims.names():
        every, items = claims.load(paper).items, list(_load(paper, profile).items)
        if item and item not in every:
            raise ConfigError(f"Paper '{paper}' has no item '{item}'{did_you_mean(item, every)}")
        if item and item not in items:
            raise ConfigError(f"'{target}' is not part of the quick profile; it has: {', '.join(items)}.")
        wanted[paper] = [item] if item else items
    return Reproduction(wanted, profile, results)


def _load(name: str, profile: str) -> Paper:
    """Return the part of a paper that a profile is about."""
    paper = claims.load(name)
    return paper.quick() if profile == "quick" else paper


def _metrics(paper: Paper, item: str, folder: RunFolder) -> list[str]:
    """Return all metrics that an experiment or a claim about it names."""
    named = [*folder.config()["experiment"]["metrics"]]
    for claim in paper.claims:
        named += [
            metric for check in (claim, *claim.causes) if item in check.items for metric in check.metrics
        ]
    return list(dict.fromkeys(named))
