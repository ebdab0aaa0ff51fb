"""What the results of an experiment are made of."""

import pandas as pd

from cscluster.papers.reproduce import _in_common_repetitions


def test_methods_are_compared_on_the_repetitions_that_all_have_run():
    rows = [("x", "A", 0), ("x", "A", 1), ("x", "B", 0), ("y", "A", 0), ("y", "A", 1)]
    trials = pd.DataFrame(rows, columns=["dataset", "label", "repetition"])
    kept = _in_common_repetitions(trials)
    assert list(kept.itertuples(index=False, name=None)) == [
        ("x", "A", 0),
        ("x", "B", 0),
        ("y", "A", 0),
        ("y", "A", 1),
    ]
