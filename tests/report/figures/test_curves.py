import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from cscluster.report.figures import curves
from cscluster.report.statistics import intervals

from .runs import caption, check_layout, drawn_lines, legend_texts, run


def test_a_panel_for_each_data_set_and_a_line_for_each_algorithm(tmp_path):
    figure = curves(run(tmp_path, ("A", "B", "C"), ("iris", "wine"), points=(30, 10, 20)), "acc")
    assert [axes.get_title() for axes in figure.axes] == ["iris", "wine"]
    assert legend_texts(figure) == ["A", "B", "C"]
    assert figure.get_supxlabel() == "number of constraints"
    assert [axes.get_ylabel() for axes in figure.axes] == ["ACC (majority)", ""]
    for axes in figure.axes:
        assert len(drawn_lines(axes)) == 3
        for line in drawn_lines(axes):
            assert line.get_xdata().tolist() == [10, 20, 30]


def test_lines_are_the_means_of_the_tables_and_bands_their_confidence_intervals(tmp_path):
    results = run(tmp_path, trials=5)
    (axes,) = curves(results, "acc").axes
    cells = results.cells[results.cells["label"] == "A"]
    assert drawn_lines(axes)[0].get_ydata() == pytest.approx(cells["mean"].to_numpy())
    half = stats.t.ppf(0.975, 4) * cells["std"].to_numpy() / np.sqrt(5)
    assert (cells["mean"] + half).max() < 1
    corners = axes.collections[0].get_paths()[0].vertices
    for x, mean, width in zip((10, 20, 30), cells["mean"], half, strict=True):
        ys = corners[corners[:, 0] == x, 1]
        assert (ys.min(), ys.max()) == pytest.approx((mean - width, mean + width))
    assert "mean of 5 trials. Band: 95 %" in caption(curves(results, "acc"))


def test_trials_on_one_draw_of_links_count_once_for_the_interval(tmp_path):
    results = run(tmp_path, ("A",), trials=3, repeats=2, points=(10,))
    values = results.trials["m:acc"].to_numpy()
    draws = values.reshape(3, 2).mean(axis=1)
    (row,) = intervals(results, "acc", ["label"]).to_dict("records")
    assert row["mean"] == pytest.approx(values.mean())
    half = stats.t.ppf(0.975, 2) * draws.std(ddof=1) / np.sqrt(3)
    low, high = max(values.mean() - half, 0), min(values.mean() + half, 1)
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert row["n"] == 6
    figure = curves(replace(run(tmp_path / "b", trials=6), repeats=2), "acc")
    assert re.match(r"ACC \(majority\), .*\b6 trials on 3\b", caption(figure))


def test_two_trials_have_no_interval(tmp_path):
    results = run(tmp_path, trials=2)
    assert intervals(results, "acc", ["label"])[["low", "high"]].isna().all(axis=None)
    assert caption(curves(results, "acc")) == "ACC (majority), mean of 2 trials"


def test_bands_stay_in_the_range_of_the_metric_and_end_where_there_are_too_few_trials(tmp_path):
    def value(label, dataset, point, at):
        return 1 - 0.3 * next(steps)

    steps = itertools.cycle([0, 0, 1])
    results = run(tmp_path, ("A",), trials=3, value=value)
    table = intervals(results, "acc", ["point"])
    assert (table["high"] == 1).all()  # 0.9 + 0.43 without the limit
    assert table["low"].tolist() == pytest.approx([0.9 - stats.t.ppf(0.975, 2) * 0.1] * 3)
    one = results.trials[(results.trials["point"] < 30) | (results.trials["trial"] == 0)]
    table = intervals(replace(results, trials=one), "acc", ["point"])
    assert table["low"].notna().tolist() == [True, True, False]
    assert table["n"].tolist() == [3, 3, 1]


@pytest.mark.parametrize(("level", "low", "high"), [(0.0, -0.1, 0.1), (1.0, 0.9, 1.1), (0.5, 0.4, 0.6)])
def test_lines_that_are_level_and_equal_keep_the_axes_in_the_range_of_the_metric(tmp_path, level, low, high):
    results = run(tmp_path, points=(8, 16, 32, 64), value=lambda *at: level)
    (axes,) = curves(results, "acc").axes
    assert axes.get_xlim()[0] > 6
    assert axes.get_xlim()[1] < 80
    bottom, top = axes.get_ylim()
    assert low < bottom < level < top < high
    assert all(0 <= tick <= 1 for tick in axes.get_yticks())


def test_means_over_fewer_trials_and_algorithms_without_result_are_named(tmp_path):
    def fails(label, dataset, number):
        return label == "C" or (label == "B" and number == 0)

    figure = curves(run(tmp_path, ("A", "B", "C"), fails=fails), "acc")
    assert "Some means are over fewer trials" in caption(figure)
    assert legend_texts(figure) == ["A", "B", "C (no result)"]


def test_a_run_that_is_not_finished_says_how_far_it_is(tmp_path):
    assert "mean of 2 of 3 trials" in caption(curves(run(tmp_path, fails=lambda a, d, n: n == 2), "acc"))


def test_the_draws_of_a_run_that_is_not_finished(tmp_path):
    results = run(tmp_path, trials=3, repeats=2, fails=lambda a, d, n: n >= 3)
    assert "3 of 6 trials on 3 " in caption(curves(results, "acc"))


def test_a_data_set_without_any_result_says_so(tmp_path):
    figure = curves(run(tmp_path, datasets=("iris", "wine"), fails=lambda a, d, n: d == "iris"), "acc")
    assert [[text.get_text() for text in axes.texts] for axes in figure.axes] == [["no result"], []]


def test_oracles_have_a_star_and_the_star_is_explained(tmp_path):
    results = run(tmp_path, ("A",), grid={"lam": (1, 2)}, select="oracle:acc")
    figure = curves(results, "acc")
    assert legend_texts(figure) == ["A *"]
    assert "true labels (oracle)" in caption(figure)


def test_seconds_are_logarithmic_where_they_differ(tmp_path):
    results = run(tmp_path, seconds=lambda label, dataset: {"A": 0.01, "B": 10.0}[label])
    (axes,) = curves(results, "seconds").axes
    assert (axes.get_yscale(), axes.get_xscale()) == ("log", "linear")
    (axes,) = curves(run(tmp_path / "same"), "seconds").axes
    assert axes.get_yscale() == "linear"


def test_many_lines_have_no_bands(tmp_path):
    figure = curves(run(tmp_path, tuple("ABCDEFGHI")), "acc")
    assert not any(len(band.get_paths()) for band in figure.axes[0].collections)
    assert caption(figure) == "ACC (majority), mean of 3 trials"
    assert "Band" in caption(curves(run(tmp_path / "b", tuple("ABCDEFGH")), "acc"))


def test_bands_of_seconds_stay_positive(tmp_path):
    times = iter([0.001, 0.001, 5.0] * 3)  # by Student's rule the band would begin below zero
    results = run(tmp_path, labels=("A",), metrics=("seconds",), seconds=lambda label, dataset: next(times))
    table = intervals(results, "seconds", ["point"])
    assert (table["low"] > 0).all()
    assert (table["low"] < table["mean"]).all()
    assert (table["mean"] < table["high"]).all()
    figure = curves(results, "seconds")
    assert figure.axes[0].get_ylim()[0] > 0


def test_lines_over_tiers(tmp_path):
    figure = curves(run(tmp_path, ("A", "B"), ("iris", "wine"), points=(100,), tiers=5, kind="tiers"), "acc")
    assert figure.get_supxlabel() == "tier of 100 constraints"
    assert legend_texts(figure) == ["A", "B"]
    for axes in figure.axes:
        assert [label.get_text() for label in axes.get_xticklabels()] == ["t1", "t2", "t3", "t4", "t5"]
        assert [line.get_xdata().tolist() for line in drawn_lines(axes)] == [[1, 2, 3, 4, 5]] * 2


def test_a_panel_for_each_size_of_a_tier(tmp_path):
    figure = curves(run(tmp_path, points=(50, 100), tiers=2, kind="tiers"), "acc")
    assert [axes.get_title() for axes in figure.axes] == [
        "iris, 50 constraints each",
        "iris, 100 constraints each",
    ]


def test_panels_can_share_the_vertical_axis(tmp_path):
    results = run(tmp_path, datasets=("iris", "wine"), value=lambda a, d, *_: 0.2 if d == "iris" else 0.9)
    own = [axes.get_ylim() for axes in curves(results, "acc").axes]
    assert own[0] != own[1]
    left, right = curves(results, "acc", share_y=True).axes
    assert left.get_ylim() == right.get_ylim()
    assert left.get_ylim()[0] < 0.2 < 0.9 < left.get_ylim()[1]
    assert left.get_yticks()[0] < 0.4 < 0.7 < left.get_yticks()[-1]
    check_layout(curves(results, "acc", share_y=True))
