"""A paragraph on methods, to be pasted into a paper: what was run, how it was measured and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cscluster.experiment.config import schedules
from cscluster.metrics.catalogue import metric_title
from cscluster.report import statistics
from cscluster.report.aggregate import Results
from cscluster.report.means import points_word
from cscluster.report.statistics import enumerated
from cscluster.store.definition import Definition
from cscluster.words import listed, plural, setting

_SOFTWARE = ("cscluster", "python", "numpy", "scipy", "scikit-learn")
_RULES = {"heldout": "by held-out constraints", "none": "each reported"}


def text(results: Results, run: Definition) -> str:
    """Return the paragraph on one run, in one line."""
    experiment = run.experiment.model_dump()
    parts = [*_trials(results, run), *_constraints(results, run), *_settings(results, experiment)]
    return " ".join([*parts, *_statistics(results), *_versions(results, run)]) + "\n"


def _trials(results: Results, run: Definition) -> Iterator[str]:
    sizes = {name: run.datasets[name].n_samples for name in results.datasets if name in run.datasets}
    sets = [f"{name} ({sizes[name]} samples)" if name in sizes else name for name in results.datasets]
    names = [
        entry["label"]
        for entry in run.experiment.algorithms
        if entry["label"] in set(results.trials["entry"])
    ]
    times = "once" if results.planned == 1 else f"{results.planned} times"
    where = enumerated(sets) if len(sets) == 1 else f"each of {len(sets)} data sets: {enumerated(sets)}"
    yield f"{enumerated(names)} {'was' if len(names) == 1 else 'were each'} run {times} on {where}."
    bad = int(results.failures["count"].sum())
    if bad or len(results.missing):
        lost = int(results.missing["count"].sum())
        yield f"{plural(bad, 'trial')} failed and {lost} have not been run. They are not part of the means."


def _constraints(results: Results, run: Definition) -> Iterator[str]:
    schedule = schedules.MODELS.get(results.schedule)
    about = ((schedule.__doc__ or "") if schedule else results.schedule).partition("\n")[0]
    about = re.sub(r" \([^)]*\d{4}[^)]*\)", "", about).rstrip(".")
    points = enumerated([str(point) for point in sorted(results.trials["point"].unique())])
    yield f"Constraints: {about[:1].lower()}{about[1:]} ({points_word(results)}: {points})."
    draws = results.planned // results.repeats
    if draws > 1:
        yield f"There were {draws} random constraint sets of each size, the same ones for all methods."
    if noise := run.experiment.constraints.get("noise"):
        yield f"{noise:.0%} of the constraints were flipped."


def _settings(results: Results, experiment: dict[str, Any]) -> Iterator[str]:
    steps = experiment.get("preprocess")
    yield f"Preprocessing of the features: {listed(steps)}." if steps else "Features were not preprocessed."
    k = experiment.get("n_clusters")
    yield f"The number of clusters was {k or 'the number of true classes'}."
    special = [
        f"{entry['label']}: {', '.join(own)}"
        for entry in experiment["algorithms"]
        if entry["label"] in set(results.trials["entry"]) and (own := list(_own_settings(entry)))
    ]
    yield "Parameters had their default values" + (f" except for {'; '.join(special)}." if special else ".")


def _own_settings(entry: dict[str, Any]) -> Iterator[str]:
    """Yield what an algorithm has that is not a default."""
    if entry.get("preset"):
        yield f"{entry['preset']} values"
    select = entry["select"]
    rule = _RULES.get(select, f"by the best {metric_title(select.partition(':')[2])} (true labels, oracle)")
    for name, value in (entry.get("params") or {}).items():
        if isinstance(value, list):
            chosen = rule if select == "none" else f"chosen {rule}"
            yield f"{name} in {{{', '.join(map(setting, value))}}}, {chosen}"
        else:
            yield f"{name} = {setting(value)}"
    if entry.get("preprocess") is not None:
        yield f"preprocessing {listed(entry['preprocess']) or 'none'}"


def _statistics(results: Results) -> Iterator[str]:
    titles = enumerated([metric_title(metric) for metric in results.metrics])
    draws = results.planned // results.repeats
    if draws < 2:
        yield f"We report {titles}. A single constraint set allows no test."
        return
    yield f"We report the mean and the standard deviation of {titles}."
    yield (
        f"On each data set, methods were compared by two-sided paired t-tests over the {draws} "
        f"constraint sets at level {statistics.ALPHA}, not corrected for their number."
    )
    tests = [statistics.rank_test(results, metric) for metric in results.metrics]
    if any(tests):
        yield "Across data sets, mean ranks were compared by Friedman's test and Nemenyi's post-hoc test."
    few = [words for metric in results.metrics if (words := statistics.too_few_datasets(results, metric))]
    yield from few[:1]


def _versions(results: Results, run: Definition) -> Iterator[str]:
    for key in results.trials["environment"].unique():
        made = run.environments.get(key, {})
        known = {**made, **made.get("packages", {})}
        if used := [f"{name} {known[name]}" for name in _SOFTWARE if name in known]:
            yield f"Software: {', '.join(used)}."
