"""The experiments of the papers: what to run, what their results say, and what to keep of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from cscluster.algorithms.registry import PAPERS
from cscluster.errors import ConfigError, did_you_mean, require_known
from cscluster.papers import claims, page, reference
from cscluster.papers.claims import Paper
from cscluster.papers.page import PaperReport, State
from cscluster.papers.suite import (
    PROFILES,
    StoredTrials,
    SuiteItem,
    in_complete_repetitions,
    outdated,
)
from cscluster.report.aggregate import collect_trials
from cscluster.store.definition import Definition
from cscluster.store.directory import RunDirectory


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

    def experiments(self) -> list[SuiteItem]:
        """Return what to run, one after another."""
        papers = {name: _load(name, self.profile) for name in self.items}
        return [self._item(papers[name], item) for name, items in self.items.items() for item in items]

    def outcome(self) -> list[PaperReport]:
        """Judge the claims about the items by all stored results of their papers."""
        return [self._report(_load(name, self.profile), items) for name, items in self.items.items()]

    def write(self, outcome: list[PaperReport]) -> Path:
        """Write the summaries of the runs and return their directory.

        Of the full profile first the trials, from which all else is made, and the page, which is about all
        papers, whichever were run now.
        """
        directory = self.results / "reference"
        command = f"cscluster reproduce --profile {self.profile} --write"
        if self.profile == "full":
            for report in outcome:
                for name in report.runs:
                    item = self._item(report.paper, name)
                    item.archive(_metrics(report.paper, name, item.experiment.metrics))
            outcome = self.outcome()
        for report in outcome:
            if report.runs:
                summary = self._summary(report.paper.name)
                reference.write(summary, report.runs, command, page.versions([report]))
        if self.profile == "full":
            whole = choose(None, self.profile, self.results)
            page.write(directory, outcome if whole.items == self.items else whole.outcome(), command)
        return directory

    def drift(self, outcome: list[PaperReport], tolerance: float) -> list[str]:
        """Return a sentence for each score that differs from its reference by more than a tolerance."""
        sentences = []
        for report in outcome:
            name, items = report.paper.name, self.items[report.paper.name]
            expected = reference.read(self._summary(name))
            runs = {item: run for item, run in report.runs.items() if item in items}
            drifted = reference.drift(runs, expected[expected["item"].isin(items)], tolerance)
            sentences += [f"{name}/{sentence}" for sentence in drifted]
        return sentences

    def _summary(self, paper: str) -> Path:
        """Return the committed summary of the runs of a paper."""
        prefix = "quick_" if self.profile == "quick" else ""
        return self.results / "reference" / f"{prefix}{paper}.csv"

    def _item(self, paper: Paper, item: str) -> SuiteItem:
        quick = paper.items[item].quick or []
        settings = [f"name={item}", *(quick if self.profile == "quick" else [])]
        name = f"{paper.name}/{item}"
        local = RunDirectory(self.results / f"papers{PROFILES[self.profile]}" / name)
        trials = (
            RunDirectory(self.results / "reference" / "trials" / name) if self.profile == "full" else None
        )
        return SuiteItem(name, f"papers/{name}", settings, local, trials)

    def _report(self, paper: Paper, items: list[str]) -> PaperReport:
        states, runs, trials = {}, {}, {}
        for item in paper.items:
            planned = self._item(paper, item)
            trials[item] = planned.experiment.trials * planned.experiment.repeats
            stored = planned.stored()
            states[item] = _state(planned, stored)
            if stored is not None and len(whole := _in_common_repetitions(in_complete_repetitions(stored))):
                metrics = _metrics(paper, item, stored.definition.experiment.metrics)
                runs[item] = collect_trials(*_plan_of_stored(stored.definition, whole), metrics)
        gone = {item: state.missing for item, state in states.items()}
        verdicts = [v for v in claims.judge(paper, runs, gone, trials) if set(v.claim.items) & set(items)]
        return PaperReport(paper, PAPERS.get(paper.name, paper.name), verdicts, states, runs)


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
            raise ConfigError(f"'{target}' is not part of the quick profile. It has: {', '.join(items)}.")
        wanted[paper] = [item] if item else items
    return Reproduction(wanted, profile, results)


def _load(name: str, profile: str) -> Paper:
    """Return the part of a paper that a profile is about."""
    paper = claims.load(name)
    return paper.quick() if profile == "quick" else paper


def _in_common_repetitions(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the trials of those repetitions on a data set that every method there has run."""
    methods = trials.groupby("dataset")["label"].transform("nunique")
    return trials[trials.groupby(["dataset", "repetition"])["label"].transform("nunique") == methods]


def _plan_of_stored(definition: Definition, trials: pd.DataFrame) -> tuple[Definition, pd.DataFrame]:
    """Return a plan of the repetitions that all data sets have, among whose trials an oracle may select."""
    n_done = int(trials.groupby("dataset")["repetition"].nunique().min())
    if n_done >= definition.plan.repetitions:
        return definition, trials
    plan = definition.plan.changed(repetitions=n_done)
    return definition.model_copy(update={"plan": plan}), trials[trials["repetition"] < n_done]


def _state(item: SuiteItem, stored: StoredTrials | None) -> State:
    """Return how far an experiment has been run."""
    if stored is None:
        return State(missing=item.missing)
    definition, trials = stored
    timed = trials[trials["m:cpu_seconds"].notna()]
    return State(
        len(trials),
        len(definition.plan.keys()),
        int((trials["status"] != "ok").sum()),
        item.unknown(stored),
        definition.environments,
        float(timed["m:cpu_seconds"].sum()),
        float(timed["m:seconds"].sum()),
        outdated(stored),
    )


def _metrics(paper: Paper, item: str, of_experiment: Sequence[str]) -> list[str]:
    """Return all metrics that an experiment or a claim about it names."""
    statements = (each for claim in paper.claims for each in (claim, *claim.ablations))
    named = [metric for each in statements if item in each.items for metric in each.rule.metrics]
    return list(dict.fromkeys([*of_experiment, *named]))
