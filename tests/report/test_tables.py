import pytest

from cscluster.errors import ConfigError
from cscluster.report import tables
from cscluster.report.aggregate import at_last_point, collect
from cscluster.report.tables import cell_text, grids
from tests.report.stored import entry, oracle, store, three_by_three, trial


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0.5, 0.1234, 20, 20, "acc"), "0.500 ± 0.123"),
        ((0.5, 0.1234, 19, 20, "acc"), "0.500 ± 0.123 (19/20)"),
        ((0.5, float("nan"), 1, 1, "acc"), "0.500"),
        ((0.5, float("nan"), 1, 20, "acc"), "0.500 (1/20)"),
        ((float("nan"), float("nan"), 0, 20, "acc"), "N/A (0/20)"),
        ((12.34, 1.0, 20, 20, "iterations"), "12.3 ± 1.0"),
    ],
)
def test_text_of_a_cell(arguments, text):
    assert cell_text(*arguments) == text


def test_one_failure_is_one_trial(tmp_path):
    folder = store(tmp_path, [entry("a")], [trial("a", None), trial("a", 0.5, trial=1)])
    assert tables.notes(collect(folder))[-1] == "1 trial of A on iris: error: ValueError: it broke"


def test_the_best_of_each_column_stands_out(tmp_path):
    records = [trial("a", 0.3), trial("b", 0.9), trial("c", 0.90004)]
    folder = store(tmp_path, [entry(n) for n in "abc"], records, metrics=["acc", "error"])
    best = {grid.metric: grid.best["10"].to_dict() for grid in grids(collect(folder))}
    # Means that read alike count alike.
    assert best["acc"] == best["error"] == {"A": False, "B": True, "C": True}


TIES = [
    # scores of A, B, C: who stands out
    ((0.9, 0.8, 0.7, 0.9, 0.8), (0.8, 0.9, 0.8, 0.7, 0.8), (0.3, 0.4, 0.3, 0.4, 0.3), "AB"),
    ((0.9, 0.9, 0.9, 0.9, 0.9), (0.8, 0.8, 0.8, 0.8, 0.8), (0.8, 0.8, 0.8, 0.8, 0.8), "A"),
    ((0.9, 0.9, 0.9, 0.9, 0.9), (0.9, 0.9, 0.9, 0.9, 0.9), (0.8, 0.8, 0.8, 0.8, 0.8), "AB"),
    # A shows a better mean over the two trials that did not fail, fewer than half.
    ((0.9, 0.9, None, None, None), (0.7, 0.6, 0.7, 0.6, 0.7), (0.2, 0.3, 0.3, 0.3, 0.2), "B"),
    ((0.9, 0.8, 0.9, None, None), (0.5, 0.5, 0.6, 0.6, 0.5), (None, None, None, None, 0.5), "A"),
]


@pytest.mark.parametrize(("a", "b", "c", "expected"), TIES)
@pytest.mark.parametrize("metric", ["acc", "error"])
def test_statistical_ties_stand_out_together(tmp_path, a, b, c, expected, metric):
    records = [
        trial(n, v, trial=t) for n, column in zip("abc", (a, b, c), strict=True) for t, v in enumerate(column)
    ]
    folder = store(tmp_path, [entry(n) for n in "abc"], records, metrics=[metric], trials=5)
    (grid,) = grids(collect(folder))
    assert "".join(grid.best.index[grid.best["10"]]) == expected


def test_nothing_is_best_where_all_failed(tmp_path):
    folder = store(tmp_path, [entry("a")], [trial("a", None), trial("a", None, trial=1)])
    (grid,) = grids(collect(folder))
    assert grid.texts.loc["A", "10"] == "N/A (0/2)"
    assert not grid.best.to_numpy().any()


def test_rows_and_columns_are_in_the_order_of_the_experiment(tmp_path):
    records = [trial(name, 0.5, point=point) for name in ("z", "a") for point in (100, 20)]
    (grid,) = grids(collect(store(tmp_path, [entry("z"), entry("a")], records)))
    assert list(grid.texts.index) == ["Z", "A"]
    assert list(grid.texts.columns) == ["100", "20"]


def test_a_missing_cell_is_empty(tmp_path):
    records = [trial("a", 0.5), trial("a", 0.5, point=20), trial("b", 0.5)]
    (grid,) = grids(collect(store(tmp_path, [entry("a"), entry("b")], records)))
    assert grid.texts.loc["B", "20"] == ""
    assert not grid.best.loc["B", "20"]


def test_columns_of_tiers_tell_their_point(tmp_path):
    records = [trial("a", 0.5, point=point, tier=tier) for point in (5, 10) for tier in (1, 2)]
    (grid,) = grids(collect(store(tmp_path, [entry("a")], records, kind="tiers")))
    assert list(grid.texts.columns) == ["5 t1", "5 t2", "10 t1", "10 t2"]
    assert grid.heading == "ACC (majority) on iris by links of a tier"


def test_data_sets_by_algorithms(tmp_path):
    results = at_last_point(collect(three_by_three(tmp_path)))
    (grid,) = grids(results, "dataset")
    assert grid.heading == "ACC (majority) by data set, number of links 20"
    assert grid.corner == "data set"
    assert list(grid.texts.index) == ["iris", "wine", "sonar"]
    assert list(grid.texts.columns) == ["A", "B", "C"]
    assert grid.best["C"].all()
    assert not grid.best[["A", "B"]].any(axis=None)
    assert grid.texts.loc["wine", "B"].startswith("0.6")
    assert "bold: best in its row, or not significantly worse" in tables.notes(results, "dataset")[0]


def test_data_sets_with_last_points_of_their_own(tmp_path):
    records = [trial("a", 0.5, dataset=data, point=point) for data, point in (("iris", 10), ("wine", 20))]
    (grid,) = grids(collect(store(tmp_path, [entry("a")], records)), "dataset")
    assert grid.heading == "ACC (majority) by data set"
    assert list(grid.texts.index) == ["iris (number of links 10)", "wine (number of links 20)"]


def test_a_parameter_across(tmp_path):
    records = [
        trial("a", 0.1 * lam + 0.01 * t + (0.3 if eta == "x" else 0), trial=t, grid={"lam": lam, "eta": eta})
        for lam in (1, 2, 3)
        for eta in ("x", "y")
        for t in range(5)
    ]
    records += [trial("b", 0.99, trial=t) for t in range(5)]
    folder = store(tmp_path, [entry("a", select="oracle:acc"), entry("b")], records, trials=5)
    (grid,) = grids(collect(folder, every=True), "lam")
    assert grid.heading == "ACC (majority) on iris by lam, number of links 10"
    assert list(grid.texts.index) == ["A (eta=x)", "A (eta=y)"]
    assert list(grid.texts.columns) == ["1", "2", "3"]
    assert grid.texts.loc["A (eta=x)", "2"] == "0.520 ± 0.016"
    assert grid.best.to_numpy().tolist() == [[False, False, True]] * 2
    with pytest.raises(ConfigError, match="Cannot show 'run' by 'lma'; did you mean 'lam'"):
        grids(collect(folder, every=True), "lma")


def test_oracles_have_a_star(tmp_path):
    results = collect(oracle(tmp_path))
    assert list(grids(results)[0].texts.index) == ["=A|<b>* *"]
    assert list(grids(results, "dataset")[0].texts.columns) == ["=A|<b>* *"]
    assert any(
        "oracle: the parameters were picked with the true labels" in note for note in tables.notes(results)
    )


def test_a_run_without_results(tmp_path):
    results = collect(store(tmp_path, [entry("a")], []))
    assert grids(results) == grids(results, "dataset") == []
    assert tables.notes(results) == ["no trial is stored yet"]
