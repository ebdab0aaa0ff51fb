import re

import pytest

from cscluster.errors import ConfigError
from cscluster.report.figures import critical_difference
from cscluster.report.figures.critical_difference import alike
from cscluster.report.statistics import friedman, means

from .runs import caption, run

MANY = tuple(f"d{i}" for i in range(15))


def by_name(label, dataset, point, at):
    return {"A": 0.9, "B": 0.8, "C": 0.5, "D": 0.4}[label]


def texts(figure):
    return [text.get_text().replace("\n", " ").replace("\u00a0", " ") for text in figure.axes[0].texts]


def test_names_with_mean_ranks_and_the_critical_difference(tmp_path):
    results = run(tmp_path, ("D", "C", "B", "A"), MANY, points=(10,), trials=2, value=by_name)
    figure = critical_difference(results, "acc")
    shown = texts(figure)
    assert {"A (1.00)", "B (2.00)", "C (3.00)", "D (4.00)"} <= set(shown)
    difference = friedman(means(results, "acc")).critical_difference
    assert f"CD = {difference:.2f}" in shown
    assert figure.axes[0].get_title() == "mean rank by ACC (majority)"
    assert re.match(r"Across 15 data sets.*differ \(Friedman, p = ", caption(figure))
    assert re.search(r"ACC \(majority\), 1 is best \(.*\b10\)", caption(figure))
    bars = [line for line in figure.axes[0].get_lines() if line.get_linewidth() > 2]
    # 15 data sets and 4 algorithms: ranks that are one apart are alike, two apart are not.
    assert 1 < difference < 2
    assert len(bars) == 3


def test_small_errors_have_the_first_ranks(tmp_path):
    results = run(tmp_path, ("A", "B", "C"), MANY, points=(10,), trials=1, value=by_name)
    assert "C (1.00)" not in texts(critical_difference(results, "error"))
    assert "A (1.00)" in texts(critical_difference(results, "error"))


def test_what_is_left_out_is_counted(tmp_path):
    def fails(label, dataset, number):
        return label == "D" or (label == "B" and dataset in ("d0", "d1"))

    results = run(tmp_path, ("A", "B", "C", "D"), MANY, points=(10,), trials=1, value=by_name, fails=fails)
    figure = critical_difference(results, "acc")
    assert "Across 13 data sets" in caption(figure)
    assert "without D, d0 and d1, which have no results" in caption(figure)
    assert not any(text.startswith("D ") for text in texts(figure))


@pytest.mark.parametrize("name", ["A", "Maximum margin clustering of pairs", "x" * 80])
def test_the_line_of_ranks_takes_half_of_the_width(tmp_path, name):
    results = run(tmp_path, ("B", "C", "D", name), MANY[:5], points=(10,), trials=1)
    figure = critical_difference(results, "acc")
    assert figure.axes[0].bbox.width >= 0.49 * figure.bbox.width


def test_too_little_for_ranks(tmp_path):
    with pytest.raises(ConfigError, match=r"'run'.*three algorithms.*'acc'"):
        critical_difference(run(tmp_path / "a", ("A", "B"), MANY[:5], points=(10,)), "acc")
    with pytest.raises(ConfigError, match=r"'run'.*'acc'.*\b5 data sets"):
        critical_difference(run(tmp_path / "b", ("A", "B", "C"), MANY[:4], points=(10,)), "acc")


@pytest.mark.parametrize(
    ("ranks", "difference", "groups"),
    [
        ([1, 2, 3], 0.5, []),
        ([1, 2, 3], 5, [(0, 2)]),
        ([1, 1.5, 2, 4, 4.4], 1, [(0, 2), (3, 4)]),
        ([1, 1.9, 2.8, 3.7], 1, [(0, 1), (1, 2), (2, 3)]),
        ([2, 2, 2], 0.1, [(0, 2)]),
    ],
)
def test_groups_are_the_largest_ones(ranks, difference, groups):
    assert alike(ranks, difference) == groups
