import re

import numpy as np
import pytest

from cscluster.report.figures import boxes

from .runs import caption, run


def test_a_box_for_each_algorithm_in_their_order(tmp_path):
    results = run(tmp_path, ("A", "B", "C"), ("iris", "wine"), points=(30,), trials=8, kind="balanced_pairs")
    figure = boxes(results, "acc")
    assert figure.get_supxlabel() == "ACC (majority)"
    assert [axes.get_title() for axes in figure.axes] == ["iris", "wine"]
    left, right = figure.axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["A", "B", "C"]
    assert left.yaxis_inverted()
    assert not any(label.get_text() for label in right.get_yticklabels())
    assert re.match(r"ACC \(majority\) .*\b8 trials, .*\b30\. Box: quart", caption(figure))
    trials = results.trials[(results.trials["dataset"] == "wine") & (results.trials["label"] == "B")]
    quartiles = np.percentile(trials["m:acc"], [25, 75])
    xs = right.patches[1].get_path().vertices[:, 0]
    assert (xs.min(), xs.max()) == pytest.approx(quartiles)


def test_of_several_points_the_last(tmp_path):
    results = run(tmp_path, trials=6)
    assert "number of constraints: 30" in caption(boxes(results, "acc"))


def test_few_trials_are_drawn_one_by_one(tmp_path):
    figure = boxes(run(tmp_path, points=(10,), trials=3), "acc")
    (axes,) = figure.axes
    assert not axes.patches
    assert [len(line.get_xdata()) for line in axes.get_lines()] == [3, 3]
    assert "box" not in caption(figure)


def test_missing_trials_are_counted(tmp_path):
    figure = boxes(run(tmp_path, points=(10,), trials=8, fails=lambda a, d, n: a == "B" and n < 3), "acc")
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == ["5/8"]
