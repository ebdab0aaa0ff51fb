"""Every metric says what it is, in one place."""

import math

import pytest

from cscluster.metrics.catalogue import METRICS, SCOPES, find_metric, lower_is_better, metric_title
from cscluster.metrics.scores import scores


def test_titles_are_words():
    titles = [metric_title(f"{name}@{scope}") for name in METRICS for scope in SCOPES]
    assert len(set(titles)) == len(titles)
    assert not any("_" in title or "@" in title for title in titles)
    assert metric_title("pairwise_f@heldout") == "pairwise F (held-out fold)"
    assert metric_title("acc") == "ACC (majority)"
    assert metric_title("acc_hungarian") == "ACC (one-to-one)"
    assert metric_title("acc@unseen") == "ACC (majority, unseen samples)"


@pytest.mark.parametrize("name", ["my_own", "my_own@place"])
def test_metrics_made_elsewhere(name):
    metric = find_metric(name)
    assert metric.title == ("my own" if name == "my_own" else "my own (place)")
    assert (metric.lowest, metric.highest) == (-math.inf, math.inf)
    assert not lower_is_better(name)


def test_direction_and_range_hold_for_the_best_and_for_other_partitions():
    classes = [0, 0, 0, 1, 1, 2]
    best = scores(classes, classes)
    for name, value in best.items():
        metric = METRICS[name]
        assert value == pytest.approx(metric.lowest if lower_is_better(name) else metric.highest)
    for labels in ([0] * 6, range(6), [0, 1, 0, 1, 0, 1], [0, 1, 2, 0, 1, 0]):
        for name, value in scores(classes, labels).items():
            assert METRICS[name].lowest <= value <= METRICS[name].highest
            assert lower_is_better(name) == (value >= best[name]) or value == pytest.approx(best[name])
