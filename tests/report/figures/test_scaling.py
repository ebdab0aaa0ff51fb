from dataclasses import replace

import pytest

from cscluster.errors import ConfigError
from cscluster.report.figures import scaling

from .runs import legend_texts, run

SIZES = {"s1": 100, "s2": 200, "s3": 400, "s4": 1000}


def timed(path, **shape):
    def seconds(label, dataset):
        return {"A": 1e-3, "B": 1e-6}[label] * SIZES.get(dataset, 50) ** {"A": 1, "B": 2.5}[label]

    results = run(path, datasets=("s3", "s1", "s2", "s4", "iris"), seconds=seconds, **shape)
    return replace(results, families={"rings": SIZES, "iris": {"iris": 150}})


def test_slopes_are_those_of_the_seconds(tmp_path):
    figure = scaling(timed(tmp_path))
    assert legend_texts(figure) == ["A: slope 1.00", "B: slope 2.50"]
    (axes,) = figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert figure.get_supxlabel() == "number of samples n"
    assert axes.get_ylabel() == "CPU seconds"
    markers = [line for line in axes.get_lines() if line.get_linestyle() == "None"]
    assert [line.get_xdata().tolist() for line in markers] == [[100, 200, 400, 1000]] * 2
    assert markers[0].get_ydata() == pytest.approx([0.1, 0.2, 0.4, 1.0])


def test_sizes_that_failed_are_left_out_of_the_fit(tmp_path):
    figure = scaling(timed(tmp_path, fails=lambda label, dataset, n: label == "B" and dataset == "s3"))
    assert legend_texts(figure) == ["A: slope 1.00", "B: slope 2.50"]
    two = scaling(
        timed(tmp_path / "b", fails=lambda label, dataset, n: label == "B" and dataset in ("s3", "s4"))
    )
    assert legend_texts(two) == ["A: slope 1.00", "B: no fit"]
    figure = scaling(timed(tmp_path / "c", fails=lambda label, dataset, n: label == "B"))
    assert legend_texts(figure) == ["A: slope 1.00", "B: no result"]


def test_of_tiers_the_seconds_of_all_count(tmp_path):
    (axes,) = scaling(timed(tmp_path, points=(10,), tiers=3, kind="tiers")).axes
    assert axes.get_lines()[0].get_ydata() == pytest.approx([0.3, 0.6, 1.2, 3.0])


def test_without_sizes_there_is_nothing_to_draw(tmp_path):
    with pytest.raises(ConfigError, match=r"'run'.*three sizes"):
        scaling(run(tmp_path, datasets=("iris", "wine")))


def test_data_sets_that_were_filtered_out_are_not_missed(tmp_path):
    results = timed(tmp_path)
    kept = results.trials["dataset"].isin(["s1", "s2", "s3"])
    (axes,) = scaling(replace(results, datasets=["s1", "s2", "s3"], trials=results.trials[kept])).axes
    assert axes.get_lines()[0].get_xdata().tolist() == [100, 200, 400]
