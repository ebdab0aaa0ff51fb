import re

import pytest

from cscluster.errors import ConfigError
from cscluster.report.aggregate import at_last_point, collect
from cscluster.report.compose import legend
from cscluster.report.means import cell_text, means_tables
from tests.report.stored import entry, oracle, store, three_by_three, trial


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0.5, 0.1234, 20, 20, "acc"), "0.500 ± 0.123"),
        ((0.5, 0.1234, 19, 20, "acc"), "0.500 ± 0.123 (19/20)"),
        ((0.5, float("nan"), 1, 1, "acc"), "0.500"),
        ((0.5, float("nan"), 1, 20, "acc"), "0.500 (1/20)"),
        ((float("nan"), float("nan"), 0, 20, "acc"), "N/A (0/20)"),
        ((float("nan"), float("nan"), 0, 20, "acc", False), "–"),
        ((12.34, 1.0, 20, 20, "iterations"), "12.3 ± 1.0"),
    ],
)
def test_text_of_a_cell(arguments, text):
    assert cell_text(*arguments) == text


def best(table):
    """Return the names of the rows and the columns whose cells stand out."""
    return {(table.rows[i][0], table.heads[j]) for i, j in table.marks if table.is_best(i, j)}


def cell(table, name, head):
    (row,) = [row for row in table.rows if row[0] == name]
    return row[list(table.heads).index(head)]


def names(table):
    return [row[0] for row in table.rows]


def test_the_best_of_each_column_stands_out(tmp_path):
    records = [trial("a", 0.3), trial("b", 0.9), trial("c", 0.90004)]
    folder = store(tmp_path, [entry(n) for n in "abc"], records, metrics=["acc", "error"])
    for table in means_tables(collect(folder)):
        assert best(table) == {("B", "10"), ("C", "10")}  # means that read alike count alike


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
    (table,) = means_tables(collect(folder))
    assert best(table) == {(name, "10") for name in expected}


def test_nothing_is_best_where_all_failed(tmp_path):
    folder = store(tmp_path, [entry("a")], [trial("a", None), trial("a", None, trial=1)])
    (table,) = means_tables(collect(folder))
    assert cell(table, "A", "10") == "N/A (0/2)"
    assert table.marks == {(0, 1): "failed"}


def test_rows_and_columns_are_in_the_order_of_the_experiment(tmp_path):
    records = [trial(name, 0.5, point=point) for name in ("z", "a") for point in (100, 20)]
    (table,) = means_tables(collect(store(tmp_path, [entry("z"), entry("a")], records)))
    assert names(table) == ["Z", "A"]
    assert table.heads[1:] == ["100", "20"]


def test_a_missing_cell_is_empty(tmp_path):
    records = [trial("a", 0.5), trial("a", 0.5, point=20), trial("b", 0.5)]
    (table,) = means_tables(collect(store(tmp_path, [entry("a"), entry("b")], records)))
    assert cell(table, "B", "20") == ""
    assert ("B", "20") not in best(table)


def test_columns_of_tiers_tell_their_point(tmp_path):
    records = [trial("a", 0.5, point=point, tier=tier) for point in (5, 10) for tier in (1, 2)]
    (table,) = means_tables(collect(store(tmp_path, [entry("a")], records, kind="tiers")))
    assert table.heads[1:] == ["5 t1", "5 t2", "10 t1", "10 t2"]
    assert re.fullmatch(r"ACC \(majority\) on iris .*\btier", table.caption)


def test_data_sets_by_algorithms(tmp_path):
    results = at_last_point(collect(three_by_three(tmp_path)))
    (table,) = means_tables(results, "dataset")
    assert re.fullmatch(r"ACC \(majority\) .*data set, .*\b20", table.caption)
    assert table.heads[0] == "data set"
    assert names(table) == ["iris", "wine", "sonar", "mean rank"]
    assert table.rows[-1][1:] == ["3.00", "2.00", "1.00"]
    assert table.heads[1:] == ["A", "B", "C"]
    assert best(table) == {(name, "C") for name in ("iris", "wine", "sonar")}
    assert cell(table, "wine", "B").startswith("0.6")
    assert "best in its row" in legend(results, "dataset")[0]


def test_the_mean_rank_is_over_data_sets_that_all_have(tmp_path):
    scores = {"iris": (0.1, 0.2, 0.3), "wine": (0.3, 0.2, 0.2), "glass": (0.9, None, 0.5)}
    records = [
        trial(name, value, dataset=data, trial=t)
        for data, values in scores.items()
        for name, value in zip("abc", values, strict=True)
        for t in (0, 1)
    ]
    records += [trial("d", None, dataset=data, trial=t) for data in scores for t in (0, 1)]
    results = collect(store(tmp_path, [entry(n) for n in "abcd"], records))
    (table,) = means_tables(results, "dataset")
    # Ranks on iris 3, 2, 1; on wine 1, 2.5, 2.5; glass has a gap and D no result.
    assert table.rows[-1] == ["mean rank (2 data sets)", "2.00", "2.25", "1.75", "–"]


def test_cells_are_marked_against_a_reference(tmp_path):
    results = at_last_point(collect(three_by_three(tmp_path, metrics=("acc", "error"))))
    tables = means_tables(results, "dataset", "B")
    for table in tables:  # a higher accuracy is a lower error
        for name in ("iris", "wine", "sonar"):
            assert {head: cell(table, name, head)[-1] for head in "ABC"} == {"A": "-", "B": " ", "C": "+"}
    with pytest.raises(ConfigError, match=r"method 'D'.*A, B, C"):
        means_tables(results, "dataset", "D")


def test_data_sets_with_last_points_of_their_own(tmp_path):
    records = [trial("a", 0.5, dataset=data, point=point) for data, point in (("iris", 10), ("wine", 20))]
    (table,) = means_tables(collect(store(tmp_path, [entry("a")], records)), "dataset")
    assert table.caption == "ACC (majority) by data set"
    assert names(table) == ["iris (number of constraints 10)", "wine (number of constraints 20)"]


def test_oracles_have_a_star_and_tell_their_parameters(tmp_path):
    results = collect(oracle(tmp_path))
    (table,) = means_tables(results)
    assert names(table) == ["=A|<b>* *"]
    assert table.small == {(0, 1): "lam=2"}
    assert means_tables(results, "dataset")[0].heads[1:] == ["=A|<b>* *"]


def test_a_run_without_results(tmp_path):
    results = collect(store(tmp_path, [entry("a")], []))
    assert means_tables(results) == means_tables(results, "dataset") == []
