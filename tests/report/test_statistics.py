import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cscluster.report import statistics
from cscluster.report.aggregate import collect
from cscluster.report.statistics import (
    against,
    friedman,
    holm,
    nemenyi,
    ordering,
    paired_t,
    pairwise,
    sentence,
)
from tests.report.stored import entry, store, trial

RNG = np.random.default_rng(0)
NOISE = RNG.normal(scale=0.01, size=(10, 3))
CLEAR = pd.DataFrame(NOISE + np.array([0.5, 0.8, 0.8]), columns=["A", "B", "C"])


def run(path, columns, *, points=(10,), datasets=("iris",), sources=None, **more):
    """Store a run whose algorithm 'a' scores columns['a'], or columns['a', data set], in its trials."""
    names = list(dict.fromkeys(key[0] for key in columns))
    records = [
        trial(name, value, trial=t, point=point, dataset=dataset)
        for dataset in datasets
        for point in points
        for name in names
        for t, value in enumerate(columns.get((name, dataset), columns.get(name, ())))
    ]
    n = max(len(values) for values in columns.values()) // more.get("repeats", 1)
    about = {name: {"source": source, "n_samples": 9} for name, source in (sources or {}).items()}
    return collect(store(path, [entry(name) for name in names], records, trials=n, datasets=about, **more))


def scores(results):
    """Return the draws of iris at its last point that all labels have a value of."""
    ((_, table),) = statistics.at_last(results, "acc")
    return table


def record(results, a, b, metric="acc"):
    """Return the numbers of places where label a wins, ties and loses against b."""
    table = statistics.paired(results, metric)
    return against(table, table.labels.index(a), table.labels.index(b), metric == "error")


def test_scores_are_those_of_draws_that_all_have(tmp_path):
    results = run(tmp_path, {"a": [0.1, None, 0.3], "b": [0.4, 0.5, 0.6]}, points=(10, 20))
    table = scores(results)
    assert table.columns.tolist() == ["A", "B"]
    assert table.index.tolist() == [0, 2]
    assert table.index.name == "draw"
    assert table["A"].tolist() == [0.1, 0.3]


def test_scores_leave_out_who_always_fails(tmp_path):
    results = run(tmp_path, {"a": [None, None], "b": [0.4, 0.5], "c": [0.4, 0.5]})
    assert scores(results).columns.tolist() == ["B", "C"]


def test_trials_that_repeat_a_draw_are_one_observation(tmp_path):
    columns = {"a": [0.1, 0.3, 0.5, 0.5, 0.9, 0.7], "b": [0.2, 0.6, 0.6, 0.8, 0.8, 1.0]}
    results = run(tmp_path, columns, repeats=2)
    table = scores(results)
    assert table.index.tolist() == [0, 1, 2]
    assert table["A"].tolist() == pytest.approx([0.2, 0.5, 0.8])
    assert table["B"].tolist() == pytest.approx([0.4, 0.7, 0.9])
    assert pairwise(table)["n"].tolist() == [3]
    assert pairwise(table)["t_p"].tolist() == pytest.approx([stats.ttest_rel(table["A"], table["B"]).pvalue])
    assert statistics.means(results, "acc").loc["iris"].tolist() == pytest.approx([0.5, 2 / 3])


def test_more_repeats_make_no_difference_significant(tmp_path):
    # Three draws, the same ten times: B is better on two of them.
    draws = {"a": [0.5, 0.6, 0.7], "b": [0.7, 0.7, 0.69]}
    for number, repeats in enumerate((1, 10)):
        columns = {name: np.repeat(values, repeats).tolist() for name, values in draws.items()}
        results = run(tmp_path / str(number), columns, repeats=repeats)
        assert record(results, "A", "B") == (0, 1, 0)
        assert statistics.leaders(statistics.paired(results, "acc").values).tolist() == [[True, True]]
    assert paired_t(np.subtract(columns["b"], columns["a"])[:, None])[0] < 0.01


def test_a_draw_needs_half_of_its_trials(tmp_path):
    columns = {"a": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "b": [0.9, None, None, 0.5, 0.7, None]}
    table = scores(run(tmp_path, columns, repeats=3))
    assert table.index.tolist() == [1]  # B has one of three trials on draw 0, two on draw 1
    assert table.loc[1].tolist() == pytest.approx([0.5, 0.6])


def test_scores_are_of_the_last_point_and_tier(tmp_path):
    records = [
        trial("a", point / 100 + tier / 1000, point=point, tier=tier) for point in (20, 10) for tier in (1, 2)
    ]
    results = collect(store(tmp_path, [entry("a")], records))
    assert scores(results)["A"].tolist() == [pytest.approx(0.202)]


def test_the_t_test_is_that_of_scipy_with_gaps_or_without():
    d = RNG.normal(0.3, size=(8, 4))
    expected = stats.ttest_1samp(d, 0).pvalue
    assert paired_t(d) == pytest.approx(expected, rel=1e-9)
    d[2, 1] = d[5, 1] = np.nan
    expected[1] = stats.ttest_1samp(d[~np.isnan(d[:, 1]), 1], 0).pvalue
    assert paired_t(d) == pytest.approx(expected, rel=1e-9)


def test_where_there_is_nothing_to_test():
    cases = {
        "all the same": ([0, 0, 0], 1.0),
        "rounding": ([0, 1e-17, -1e-17], 1.0),
        "always better by the same": ([0.1, 0.1, 0.1], 0.0),
        "one trial": ([0.5, np.nan, np.nan], 1.0),
        "no trial": ([np.nan] * 3, 1.0),
    }
    d = np.array([values for values, _ in cases.values()]).T
    assert paired_t(d).tolist() == [p for _, p in cases.values()]


def test_ordering_reads_as_in_the_paper():
    # 0.5 against 0.8 with a spread of 0.01 is clear; two columns of the same distribution are not.
    assert stats.ttest_rel(CLEAR["B"], CLEAR["C"]).pvalue > 0.05
    assert ordering(CLEAR) in ("A < B ~ C", "A < C ~ B")
    assert ordering(CLEAR, lower=True) in ("B ~ C < A", "C ~ B < A")
    assert ordering(CLEAR[["C", "A"]]) == "A < C"


def test_identical_columns_are_ties_in_the_order_they_came():
    same = pd.DataFrame({name: np.arange(8) / 10 for name in "BCA"})
    assert ordering(same) == "B ~ C ~ A"
    table = pairwise(same)
    assert table["winner"].tolist() == ["tie"] * 3
    numbers = table[["difference", "t_p", "wilcoxon_p", "holm_p", "cohen_dz", "rank_biserial"]]
    assert numbers.to_numpy().tolist() == [[0, 1, 1, 1, 0, 0]] * 3


def test_ordering_of_few():
    assert ordering(pd.DataFrame({"A": [0.5]})) == "A"
    assert ordering(pd.DataFrame({"A": [0.5], "B": [0.9]})) == "A ~ B"
    assert ordering(pd.DataFrame({"A": [], "B": []})) == ""


def test_pairwise_by_hand():
    a = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
    d = np.array([0.05, -0.01, 0.02, 0.03, 0.04])
    row = pairwise(pd.DataFrame({"A": a + d, "B": a})).iloc[0]
    assert (row["a"], row["b"], row["n"]) == ("A", "B", 5)
    assert row["difference"] == pytest.approx(0.026)
    assert row["t_p"] == pytest.approx(stats.ttest_rel(a + d, a).pvalue)
    # Signed ranks: 5, -1, 2, 3, 4.  Of the 32 sign patterns, two on either side are as extreme.
    assert row["wilcoxon_p"] == row["holm_p"] == pytest.approx(4 / 32)
    assert row["rank_biserial"] == pytest.approx((14 - 1) / 15)
    assert row["cohen_dz"] == pytest.approx(0.026 / np.std(d, ddof=1))
    assert row["winner"] == "too few trials"  # even five differences of one sign have p = 2 / 32


def test_too_few_draws_are_no_tie():
    # Six draws of one sign have p = 2 / 64: enough for one pair, not for three.
    better = pd.DataFrame({"A": np.zeros(6), "B": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
    assert pairwise(better)["winner"].tolist() == ["B"]
    assert pairwise(better.assign(C=np.arange(6)))["winner"].tolist() == ["too few trials"] * 3
    assert pairwise(better.head(5))["winner"].tolist() == ["too few trials"]


def test_copies_of_one_result_are_one_observation(tmp_path):
    columns = {"a": [0.5] * 10, "b": [0.7] * 10}
    copies = run(tmp_path / "file", columns, kind="file")
    assert scores(copies).index.tolist() == [0]
    assert record(copies, "B", "A") == (0, 1, 0)
    assert re.fullmatch(r"B .*highest ACC \(majority\) on iris, too few trials\b.*", sentence(copies, "acc"))
    drawn = run(tmp_path / "drawn", columns)
    assert record(drawn, "B", "A") == (1, 0, 0)


def test_holm_by_hand():
    # Sorted: 0.005 * 4, 0.01 * 3, 0.03 * 2, 0.04 * 1; the last is no smaller than the one before.
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]
    assert holm(np.array([])).tolist() == []


def test_holm_rejects_what_its_procedure_rejects():
    for p in RNG.beta(0.3, 2, size=(50, 7)):
        rejected = set()
        for step, i in enumerate(np.argsort(p)):
            if p[i] >= 0.05 / (len(p) - step):
                break
            rejected.add(int(i))
        assert set(np.flatnonzero(holm(p) < 0.05).tolist()) == rejected


def test_nemenyi_in_the_example_of_demsar():
    # Demsar (2006), 3.2.2: ranks of four classifiers on 14 data sets; the critical difference is 1.25 at
    # 0.05 and 1.12 at 0.10, so that only the first differs, at 0.10, from the second and the fourth.
    p = nemenyi(np.array([3.143, 2.000, 2.893, 1.964]), 14)
    assert 0.05 < p[0, 1] < 0.10
    assert 0.05 < p[0, 3] < 0.10
    assert (p[[0, 1, 1, 2], [2, 2, 3, 3]] > 0.10).all()
    assert (p == p.T).all()
    assert (np.diag(p) == 1).all()


def test_nemenyi_is_the_range_of_normal_variables():
    # p of two mean ranks is the chance that k standard normal variables spread further than q.
    k, n, gap = 5, 9, 1.7
    q = gap * np.sqrt(2) / np.sqrt(k * (k + 1) / (6 * n))
    draws = np.random.default_rng(1).normal(size=(200_000, k))
    chance = float((np.ptp(draws, axis=1) > q).mean())
    p = nemenyi(np.array([1.0, 1.0 + gap, 3.0, 3.0, 3.0]), n)[0, 1]
    assert p == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / len(draws)))


def test_holm_multiplies_the_smallest_p_by_the_number_of_pairs():
    table = pairwise(CLEAR).set_index(["a", "b"])
    small = 2 / 2**10  # ten trials, all differences of one sign
    assert table["wilcoxon_p"].tolist()[:2] == [small, small]
    assert table["holm_p"].tolist()[:2] == [3 * small, 3 * small]
    assert table["winner"].tolist() == ["B", "C", "tie"]
    assert pairwise(CLEAR, lower=True)["winner"].tolist() == ["A", "A", "tie"]


def test_differences_that_are_all_the_same_have_an_infinite_effect():
    table = pairwise(pd.DataFrame({"A": [0.5] * 9, "B": [0.7] * 9}))
    assert table["cohen_dz"].tolist() == [-np.inf]
    assert table["rank_biserial"].tolist() == [-1]
    assert table["winner"].tolist() == ["B"]
    assert pairwise(pd.DataFrame({"A": [0.5]})).empty


@pytest.mark.parametrize("metric", ["acc", "error"])
def test_wins_ties_and_losses_are_counted_by_place(tmp_path, metric):
    columns = {"a": CLEAR["A"], ("b", "iris"): CLEAR["B"], ("b", "wine"): CLEAR["A"]}
    results = run(tmp_path, columns, datasets=("iris", "wine"))
    assert record(results, "A", "B", metric) == (0, 1, 1)
    assert record(results, "B", "A", metric) == (1, 1, 0)


def test_places_where_one_has_nothing_are_left_out(tmp_path):
    columns = {"a": CLEAR["A"], ("b", "iris"): CLEAR["B"], ("b", "wine"): [None] * 10}
    results = run(tmp_path, columns, datasets=("iris", "wine"))
    assert record(results, "A", "B") == (0, 0, 1)


def test_friedman_by_hand():
    table = pd.DataFrame(
        {"A": [0.9, 0.8, 0.7, 0.9, 0.8], "B": [0.5, 0.8, 0.6, 0.5, 0.3], "C": [0.1, 0.2, 0.3, 0.6, 0.2]},
        index=["iris", "wine", "sonar", "glass", "balance"],
    )
    found = friedman(table)
    # Ranks: 1 2 3 | 1.5 1.5 3 | 1 2 3 | 1 3 2 | 1 2 3.
    assert found.mean_ranks.to_dict() == pytest.approx({"A": 5.5 / 5, "B": 10.5 / 5, "C": 14 / 5})
    assert found.n == 5
    assert found.p == pytest.approx(stats.friedmanchisquare(table["A"], table["B"], table["C"]).pvalue)
    # Demsar (2006), Table 5: the critical value of three algorithms is 2.343.
    assert found.critical_difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 5)), rel=1e-3)
    apart = np.abs(np.subtract.outer(found.mean_ranks.to_numpy(), found.mean_ranks.to_numpy()))
    assert ((found.nemenyi < 0.05) == (apart > found.critical_difference)).all(axis=None)
    assert found.nemenyi.loc["A", "C"] < 0.05 < found.nemenyi.loc["A", "B"]


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_critical_values_are_those_of_the_table(k, q):
    table = pd.DataFrame(RNG.normal(size=(6, k)))
    assert friedman(table).critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / 36), rel=1e-3)


def test_friedman_of_a_metric_whose_small_values_are_good():
    table = pd.DataFrame({"A": [1, 2, 3], "B": [2, 3, 4], "C": [3, 4, 5]})
    assert friedman(table, lower=True).mean_ranks.tolist() == [1, 2, 3]
    assert friedman(table).mean_ranks.tolist() == [3, 2, 1]
    # Perfect agreement of three rankings: chi2 = n (k - 1).
    assert friedman(table).statistic == pytest.approx(6)


def test_friedman_needs_three_data_sets_and_three_algorithms():
    table = pd.DataFrame({"A": [1.0, 2, 3], "B": [2, 3, 4], "C": [3, 4, np.nan]})
    assert friedman(table) is None
    assert friedman(table[["A", "B"]]) is None
    assert friedman(table.fillna(5)) is not None


def test_friedman_of_equals():
    found = friedman(pd.DataFrame(0.5, index=range(3), columns=list("ABC")))
    assert (found.statistic, found.p) == (0.0, 1.0)
    assert found.mean_ranks.tolist() == [2, 2, 2]
    assert (found.nemenyi == 1).all(axis=None)


def test_one_number_for_a_data_set(tmp_path):
    columns = {"a": [0.1, 0.3], "b": [0.4, None], ("a", "wine"): [0.5, 0.7]}
    results = run(tmp_path, columns, datasets=("wine", "iris"), points=(20, 10))
    table = statistics.means(results, "acc")
    assert table.index.tolist() == ["wine", "iris"]
    assert table.loc["iris"].tolist() == pytest.approx([0.2, 0.4])
    assert table.loc["wine", "A"] == pytest.approx(0.6)


def test_samples_of_one_source_are_one_data_set(tmp_path):
    names = ("small", "large", "iris", "wine", "sonar", "glass")
    value = {"a": [0.9, 0.1, *[0.9] * 4], "b": [0.5, 0.3, *[0.5] * 4], "c": [0.1, 0.2, *[0.1] * 4]}
    columns = {(label, name): [v] for label in value for name, v in zip(names, value[label], strict=True)}
    sources = {name: "rings" if name in ("small", "large") else name for name in names}
    six = run(tmp_path / "six", columns, datasets=names, sources=sources)
    found = statistics.rank_test(six, "acc")
    # The means over both samples of rings are 0.5, 0.4 and 0.15: all five sources agree.
    assert found.n == 5
    assert found.across == "5 sources of 6 data sets"
    assert found.mean_ranks.to_dict() == {"A": 1, "B": 2, "C": 3}
    assert "Across 5 sources of 6 data sets" in sentence(six, "acc")
    five = run(tmp_path / "five", columns, datasets=names[:5], sources=sources)
    assert statistics.rank_test(five, "acc") is None
    assert re.search(r"\b4 data sets.*too few.*\b5\b", sentence(five, "acc"))


def test_what_is_not_ranked_is_named(tmp_path):
    columns = {"a": [0.9], "b": [0.5], "c": [0.1], "d": [None], ("b", "glass"): [None]}
    results = run(tmp_path, columns, datasets=("iris", "wine", "sonar", "soybean", "balance", "glass"))
    said = sentence(results, "acc")
    assert "Across 5 data sets" in said
    assert "without D and glass, which have no results)" in said


def test_the_outcome_in_words(tmp_path):
    columns = {
        "a": CLEAR["A"],
        ("b", "iris"): CLEAR["B"],
        ("b", "wine"): CLEAR["A"] - 1e-4,
        "c": CLEAR["A"] - 0.1,
    }
    results = run(tmp_path / "two", columns, datasets=("iris", "wine", "sonar"))
    assert "Friedman" not in sentence(results, "acc")  # B has nothing on sonar
    results = run(tmp_path / "one", columns, datasets=("iris", "wine"))
    first, tests, across = sentence(results, "acc").split(". ")
    assert re.fullmatch(r"A .*highest ACC \(majority\) in 1 of 2\b.*", first)
    assert re.search(r"\b0\.05\b.*better than B in 1 of 2 \(worse in 1\) and C in 2 of 2$", tests)
    assert re.match(r"2 data sets.*too few.*\b5\b", across)
    assert re.match(r"A .*lowest error in 1 of 2\b", sentence(results, "error"))


def test_one_case_is_named(tmp_path):
    results = run(tmp_path, {"a": CLEAR["A"], "b": CLEAR["B"]})
    pattern = r"B .*highest ACC \(majority\) on iris\. .*\b0\.05\b.*better than A in 1 of 1\."
    assert re.fullmatch(pattern, sentence(results, "acc"))


def test_nothing_to_say(tmp_path):
    assert sentence(run(tmp_path / "one", {"a": [0.5, 0.6]}), "acc") == ""
    assert sentence(run(tmp_path / "none", {"a": [None], "b": [None]}), "acc") == ""
    assert sentence(run(tmp_path / "metric", {"a": [0.5], "b": [0.6]}), "nmi") == ""


def test_oracles_are_marked_in_words(tmp_path):
    records = [trial("a", 0.5 + lam * 0.1, trial=t, grid={"lam": lam}) for lam in (1, 2) for t in (0, 1)]
    records += [trial("b", 0.2, trial=t) for t in (0, 1)]
    results = collect(store(tmp_path, [entry("a", select="oracle:acc"), entry("b")], records))
    assert results.marks == {"A": "A *", "B": "B"}
    assert sentence(results, "acc").startswith("A * has the highest ACC (majority)")
