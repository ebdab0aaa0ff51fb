"""How fast stored records become a report."""

import io
import itertools
import random
import time

import pytest
from rich.console import Console

from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import terminal
from tests.report.stored import entry, store, trial

pytestmark = pytest.mark.slow
DATASETS, ALGORITHMS, POINTS, TRIALS = 5, 10, 20, 100
METRICS = ["satisfied", "acc", "acc_hungarian", "error", "balanced_error", "nmi", "ari", "rand", "balanced_rand",
           "pairwise_f", "precision", "recall"]  # fmt: skip


def record(rng, algorithm, **place):
    value = None if rng.random() < 0.001 else rng.gauss(0.5 + 0.02 * algorithm, 0.05)
    made = trial(f"a{algorithm}", value, **place)
    made["metrics"] = {name: value + 0.01 * k for k, name in enumerate(METRICS)} if value else {}
    return made


def test_a_hundred_thousand_records(tmp_path):
    rng = random.Random(0)
    records = [
        record(rng, a, dataset=f"data{d}", point=10 * p, trial=t)
        for t in range(TRIALS)
        for p in range(1, POINTS + 1)
        for d in range(DATASETS)
        for a in range(ALGORITHMS)
    ]
    entries = [entry(f"a{a}") for a in range(ALGORITHMS)]
    directory = store(tmp_path, entries, records, metrics=["acc", "nmi"], trials=TRIALS)
    spent = [time.process_time()]
    results = collect(directory)
    spent.append(time.process_time())
    document = compose(results)
    spent.append(time.process_time())
    page = io.StringIO()
    terminal.show(document, Console(file=page, width=120))
    spent.append(time.process_time())
    assert page.getvalue().count("ACC (majority) on data") >= DATASETS
    collected, composed, shown = (b - a for a, b in itertools.pairwise(spent))
    print(
        f"\n{len(records)} records: collect {collected:.2f} s, compose {composed:.2f} s, show {shown:.2f} s "
        f"of processor time; {len(records) / (spent[-1] - spent[0]):.0f} records per second"
    )
