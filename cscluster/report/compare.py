"""What differs between two runs: their definitions, their surroundings, their results."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cscluster.metrics.catalogue import lower_is_better
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.configuration import as_yaml
from cscluster.report.statistics import ALPHA, TOO_FEW, holm, paired_t
from cscluster.store.cells import changes
from cscluster.store.directory import RunDirectory
from cscluster.store.environments import facts
from cscluster.words import plural

_PLACE = ["dataset", "label", "point", "tier"]
_Scores = dict[Any, pd.DataFrame]
VERDICTS = ("better", "worse", "within noise", TOO_FEW, "same")
_OF_DATA = ["name", "data"]
_OF_ALGORITHM = ["algorithm", "version", "clusterer_version", "source", "params", "preprocess", "n_clusters"]


@dataclass(frozen=True)
class RunComparison:
    """What differs between two runs.

    Attributes
    ----------
    changes : list of str
        What changed in the experiment, the algorithms and the environment.
    cells : DataFrame
        Columns dataset, label, point, tier, metric, before, after, difference, n, p, verdict.  `p` is
        corrected for the number of cells (Holm); the verdict is ``same`` (all trials in common are
        equal), ``better``, ``worse``, ``within noise`` or, for different results of a single repetition,
        ``too few trials``.
    paired : bool
        Whether trials have the same constraints in both runs, so that they were compared one by one.
    only_before, only_after : int
        Cells of which only one of them has a result.
    """

    changes: list[str]
    cells: pd.DataFrame
    paired: bool
    only_before: int
    only_after: int

    @property
    def verdict(self) -> str:
        """The outcome in one line."""
        counts = self.cells["verdict"].value_counts()
        found = [f"{counts[name]} {name}" for name in VERDICTS if name in counts]
        sides = ((self.only_before, "first"), (self.only_after, "second"))
        only = "".join(f", {count} only in the {side}" for count, side in sides if count)
        return f"{plural(len(self.cells), 'common cell')}{': ' if found else ''}{', '.join(found)}{only}."


def compare(before: RunDirectory, after: RunDirectory, first: Results, second: Results) -> RunComparison:
    """Compare two runs, given as result directories and as results."""
    old, new = _identities(before), _identities(after)
    common = old.keys() & new.keys()
    by_trial = all(_draw(old[key]) == _draw(new[key]) for key in common)
    changes = [
        *_differences(
            *(as_yaml(run.definition.experiment.model_dump()).splitlines() for run in (before, after))
        ),
        *_changed_identities(old, new),
        *_differences(_environments(before, first), _environments(after, second)),
    ]
    metrics = [metric for metric in first.metrics if metric in second.metrics]
    scores = {metric: (_scores(first, metric), _scores(second, metric)) for metric in metrics}
    cells = pd.concat([_cells(metric, *scores[metric], by_trial) for metric in metrics], ignore_index=True)
    only_before = sum(len(a.keys() - b.keys()) for a, b in scores.values())
    only_after = sum(len(b.keys() - a.keys()) for a, b in scores.values())
    return RunComparison(changes, _with_verdicts(cells), by_trial, only_before, only_after)


def _identities(run: RunDirectory) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return what the results of each data set, label and grid point of a run depend on."""
    cells = [run.definition.cells[hash_] for hash_ in run.definition.plan.cells]
    return {
        (cell.dataset, cell.label, json.dumps(cell.grid, sort_keys=True)): cell.identity for cell in cells
    }


def _draw(identity: dict[str, Any]) -> list[Any]:
    """Return what the constraints of a trial depend on."""
    return [identity.get(name) for name in ("data", "recipe", "name", "schedule", "seed", "repeats")]


def _changed_identities(old: dict[Any, dict[str, Any]], new: dict[Any, dict[str, Any]]) -> Iterator[str]:
    """Yield what changed in settings that go by the same name, where the experiment does not say it."""
    found: dict[str, set[str]] = {}
    for (dataset, label, grid), identity in old.items():
        other = new.get((dataset, label, grid), identity)
        for names, prefix in ((_OF_DATA, ""), (_OF_ALGORITHM, f"{label}: ")):
            for change in changes(*({name: m.get(name) for name in names} for m in (identity, other))):
                found.setdefault(prefix + change, set()).add(dataset)
    for text, datasets in found.items():
        yield f"{text} ({plural(len(datasets), 'data set')})" if len(datasets) > 1 else text


def _environments(run: RunDirectory, results: Results) -> list[str]:
    """Return what the trials of a run were made with, one line for each part."""
    known = run.definition.environments
    used = [known[key] for key in results.trials["environment"].unique() if key in known]
    return sorted({f"{name}: {words}" for each in used for name, words in facts(each)})


def _differences(old: list[str], new: list[str]) -> Iterator[str]:
    """Yield the lines that are gone, marked ``-``, and those that are new, marked ``+``."""
    for line in list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]:
        if not line.startswith("@@"):
            yield f"{line[0]} {line[1:].strip()}"


def _cells(metric: str, before: _Scores, after: _Scores, by_trial: bool) -> pd.DataFrame:
    rows = []
    for place in [place for place in before if place in after]:
        a, b = before[place], after[place]
        both = a.index.intersection(b.index)
        together = by_trial and len(both) > 0
        d = b.loc[both, "score"] - a.loc[both, "score"]
        if together:
            a, b = a.loc[both], b.loc[both]
        draws = [part.groupby("draw")["score"].mean() for part in (a, b)]
        p = paired_t((draws[1] - draws[0]).to_numpy()[:, None]).item() if together else _welch(*draws)
        old, new = a["score"].mean(), b["score"].mean()
        same = len(both) > 0 and not d.round(12).any()
        n, n_draws = min(len(a), len(b)), min(map(len, draws))
        rows.append([*place, metric, old, new, new - old, n, p, same, n_draws])
    columns = [*_PLACE, "metric", "before", "after", "difference", "n", "p", "same", "draws"]
    return pd.DataFrame(rows, columns=columns)


def _scores(run: Results, metric: str) -> _Scores:
    """Return the score and the draw of each trial (index), by place; of places that have any."""
    trials = run.trials.assign(score=metric_values(run.trials, metric)).dropna(subset="score")
    places = trials.set_index("trial").groupby(_PLACE, sort=False)
    return {place: part[["score", "draw"]] for place, part in places}


def _welch(a: pd.Series, b: pd.Series) -> float:
    if len(a) < 2 or len(b) < 2:
        return 1.0
    if a.nunique() == b.nunique() == 1:
        return float(a.iloc[0] == b.iloc[0])
    summary = a.mean(), a.std(), len(a), b.mean(), b.std(), len(b)  # scipy would warn of equal values
    return float(stats.ttest_ind_from_stats(*summary, equal_var=False).pvalue)


def _with_verdicts(cells: pd.DataFrame) -> pd.DataFrame:
    if cells.empty:
        return cells.drop(columns=["same", "draws"]).assign(verdict=[])
    cells["p"] = holm(cells["p"].to_numpy())
    lower = cells["metric"].map(lower_is_better)
    ahead = np.where((cells["difference"] > 0) != lower, "better", "worse")
    tested = np.where(cells["p"] < ALPHA, ahead, np.where(cells["draws"] < 2, TOO_FEW, "within noise"))
    cells["verdict"] = np.where(cells["same"], "same", tested)
    return cells.drop(columns=["same", "draws"])
