"""Every rule, on records for which the claim holds and on records for which it does not."""

import pytest
from pydantic import TypeAdapter, ValidationError

from cscluster.papers.claims import AnyRule
from cscluster.papers.printed import relations
from cscluster.papers.rule import enough

from .made import NOTHING, cases, join, printed

RULE = TypeAdapter(AnyRule)


def judge(given, found, numbers=NOTHING):
    return RULE.validate_python(given).judge(found, numbers)


A_WINS = {"x": {"A": 0.9, "B": 0.8}, "y": {"A": 0.7, "B": 0.5}, "z": {"A": 0.6, "B": 0.6}}
LEVELS = {("x", 0): {"A": 0.5}, ("x", 10): {"A": 0.7}, ("x", 20): {"A": 0.75}}
DIP = {("x", 0): {"A": 0.5}, ("x", 10): {"A": 0.4}, ("x", 20): {"A": 0.6}}
NOISY = {"x": {"A": [0.9, 0.8, 0.95, 0.85], "B": [0.5, 0.45, 0.5, 0.42], "C": [0.9, 0.7, 0.99, 0.86]}}
SIZED = {f"s{n}": {"A": n**1.1, "B": n**2.0} for n in (100, 200, 400)}
SIZES = {"s100": 100, "s200": 200, "s400": 400}
ORDER = {"x": {"A": [0.1, 0.2, 0.1, 0.2], "B": [0.5, 0.6, 0.5, 0.6], "C": [0.51, 0.58, 0.52, 0.6]}}

HOLDS = [
    ({"kind": "better", "label": "A", "than": ["B"], "share": "most"}, A_WINS),
    ({"kind": "better", "label": "A", "than": ["B"], "ties": True}, A_WINS),
    ({"kind": "better", "label": ["C", "A"], "than": ["B"], "share": 0.66}, A_WINS),
    (
        {"kind": "better", "label": "A", "than": ["B", "C"]},
        {"x": {"A": 0.5, "B": 0.4}, "y": {"A": 0.5, "C": 0.4}},
    ),
    ({"kind": "best", "label": "A"}, A_WINS),
    ({"kind": "best", "label": "B", "share": "some"}, A_WINS),
    ({"kind": "best", "label": "B", "among": ["B", "C"]}, {"x": {"A": 0.9, "B": 0.5, "C": 0.4}}),
    ({"kind": "worst", "label": "B"}, A_WINS),
    ({"kind": "limit", "label": "A", "at_least": 0.6, "at_most": 0.9}, A_WINS),
    ({"kind": "limit", "label": "A", "below": 0.9, "share": "most"}, A_WINS),
    ({"kind": "limit", "label": "B", "of": "std", "at_most": 0.05}, NOISY),
    ({"kind": "limit", "label": "A", "of": "max", "at_most": 0.95}, NOISY),
    ({"kind": "ratio", "label": "A", "than": "B", "at_least": 1.0, "at_most": 1.5}, A_WINS),
    ({"kind": "ratio", "label": "A", "than": "B", "by": "all", "at_least": 1.15, "at_most": 1.16}, A_WINS),
    ({"kind": "significant", "label": "A", "than": ["B"], "losses": 0}, NOISY),
    ({"kind": "wider", "label": "C", "than": ["A", "B"]}, NOISY),
    ({"kind": "rising", "label": "A"}, LEVELS),
    ({"kind": "rising", "along": ["C", "B", "A"]}, {"x": {"A": 0.9, "B": 0.8, "C": 0.7}}),
    ({"kind": "rising", "label": "A", "tolerance": 0.1}, DIP),
    ({"kind": "rising", "label": "A", "along": "tier"}, {("x", 5, 1): {"A": 0.1}, ("x", 5, 2): {"A": 0.2}}),
    ({"kind": "levels_off", "label": "A"}, LEVELS),
    ({"kind": "gain", "label": "A", "at_least": 0.2, "at_most": 0.3}, LEVELS),
    (
        {"kind": "lead_shrinks", "label": "A", "than": "B"},
        {("x", 0): {"A": 0.9, "B": 0.5}, ("x", 10): {"A": 0.9, "B": 0.8}},
    ),
    ({"kind": "dip", "label": "A", "tolerance": 0.05}, DIP),
    ({"kind": "slope", "label": "A", "sizes": SIZES, "at_least": 1.05, "at_most": 1.15}, SIZED),
    ({"kind": "spread", "label": "A", "at_least": 0.3}, A_WINS),
]
DOES_NOT = [
    ({"kind": "better", "label": "A", "than": ["B"]}, A_WINS),
    (
        {"kind": "better", "label": "A", "than": ["B", "C"]},
        {"x": {"A": 0.5, "B": 0.4}, "y": {"A": 0.5, "C": 0.6}},
    ),
    ({"kind": "better", "label": "B", "than": ["A"], "share": "some"}, A_WINS),
    ({"kind": "best", "label": "B", "share": "most"}, A_WINS),
    ({"kind": "worst", "label": "A", "share": "most"}, A_WINS),
    ({"kind": "limit", "label": "A", "at_least": 0.65}, A_WINS),
    ({"kind": "limit", "label": "A", "below": 0.9}, A_WINS),
    ({"kind": "limit", "label": "A", "of": "std", "at_most": 0.01}, NOISY),
    ({"kind": "limit", "label": "A", "of": "max", "at_most": 0.94}, NOISY),
    ({"kind": "ratio", "label": "A", "than": "B", "at_least": 1.2}, A_WINS),
    ({"kind": "ratio", "label": "A", "than": "B", "by": "all", "at_least": 1.2}, A_WINS),
    ({"kind": "significant", "label": "A"}, NOISY),
    ({"kind": "significant", "label": "B", "share": 0.0, "losses": 0}, NOISY),
    ({"kind": "wider", "label": "B", "than": ["A"], "share": "some"}, NOISY),
    ({"kind": "rising", "label": "A"}, DIP),
    ({"kind": "rising", "along": ["A", "B", "C"]}, {"x": {"A": 0.9, "B": 0.8, "C": 0.7}}),
    ({"kind": "levels_off", "label": "A"}, DIP),
    ({"kind": "gain", "label": "A", "at_most": 0.2}, LEVELS),
    (
        {"kind": "lead_shrinks", "label": "B", "than": "A"},
        {("x", 0): {"A": 0.9, "B": 0.5}, ("x", 10): {"A": 0.9, "B": 0.8}},
    ),
    ({"kind": "dip", "label": "A"}, LEVELS),
    ({"kind": "slope", "label": "B", "sizes": SIZES, "at_most": 1.2}, SIZED),
    ({"kind": "spread", "label": "A", "at_least": 0.31}, A_WINS),
]


@pytest.mark.parametrize(("given", "found"), HOLDS)
def test_a_claim_that_holds(given, found):
    outcome = judge({"metric": "acc", **given}, cases(found))
    assert outcome.holds
    assert outcome.text


@pytest.mark.parametrize(("given", "found"), DOES_NOT)
def test_a_claim_that_does_not_hold(given, found):
    outcome = judge({"metric": "acc", **given}, cases(found))
    assert not outcome.holds
    assert outcome.text


def test_a_cost_that_grows_more_slowly_is_better():
    rule = {"kind": "slope", "label": "A", "sizes": SIZES, "at_least": 1.5, "at_most": 2.5}
    assert judge({**rule, "metric": "seconds"}, cases(SIZED, metric="seconds")).exceeds
    assert not judge({**rule, "metric": "acc"}, cases(SIZED)).exceeds


def test_a_dip_is_looked_for_in_the_curves_of_all_labels():
    found = {
        ("x", 0): {"A": 0.5, "B": 0.5},
        ("x", 10): {"A": 0.6, "B": 0.3},
        ("x", 20): {"A": 0.7, "B": 0.6},
    }
    outcome = judge({"kind": "dip", "metric": "acc", "label": ["A", "B", "C"]}, cases(found))
    assert outcome.holds
    assert outcome.text == "in 1 of 2 curves; deepest 0.2 (B on x)"


def test_trials_that_repeat_a_draw_are_one_observation():
    # Three draws, repeated twenty times each: A is ahead on two of them, which sixty trials would take
    # for certain.
    found = {"x": {"A": [0.7] * 20 + [0.7] * 20 + [0.69] * 20, "B": [0.5] * 20 + [0.6] * 20 + [0.7] * 20}}
    rule = {"kind": "significant", "metric": "acc", "label": "A"}
    assert judge(rule, cases(found)).holds
    assert not judge(rule, cases(found, repeats=20)).holds
    assert judge({**rule, "unit": "trial"}, cases(found, repeats=20)).holds, "as some papers count"
    line = printed(("Table 1", "x", "*", "order", "B < A"))
    order = {"kind": "order", "metric": "acc", "table": "Table 1"}
    assert judge(order, cases(found), line).holds
    assert not judge(order, cases(found, repeats=20), line).holds
    assert judge({**order, "unit": "trial"}, cases(found, repeats=20), line).holds


def test_small_errors_and_times_are_good():
    found = {"x": {"A": 0.1, "B": 0.3}}
    assert judge({"kind": "best", "metric": "error", "label": "A"}, cases(found, "error")).holds
    assert judge(
        {"kind": "better", "metric": "seconds", "label": "A", "than": ["B"]}, cases(found, "seconds")
    ).holds
    assert judge({"kind": "worst", "metric": "error", "label": "B"}, cases(found, "error")).holds


def test_two_metrics_that_are_close():
    found = join(
        cases({"x": {"A": 0.90}, "y": {"A": 0.7}}), cases({"x": {"A": 0.93}, "y": {"A": 0.6}}, "acc@unseen")
    )
    rule = {"kind": "close", "metric": "acc@unseen", "other": "acc", "label": "A", "tolerance": 0.05}
    assert not judge(rule, found).holds
    outcome = judge({**rule, "share": 0.5}, found)
    assert outcome.holds
    assert outcome.text == "differ by -0.1 to 0.03; within 0.05 in 1 of 2 cases"


def test_data_sets_count_once_with_the_mean_over_their_points():
    found = cases(
        {("x", 1): {"A": 0.9, "B": 0.1}, ("x", 2): {"A": 0.5, "B": 0.6}, ("y", 1): {"A": 0.5, "B": 0.6}}
    )
    rule = {"kind": "better", "metric": "acc", "label": "A", "than": ["B"], "by": "dataset", "share": 0.5}
    assert judge(rule, found).text == "in 1 of 2 data sets; mean 0.6 against 0.475"


@pytest.mark.parametrize("given", [given for given, _ in HOLDS + DOES_NOT])
def test_nothing_to_judge_by(given):
    assert judge({"metric": "acc", **given}, cases({"x": {"Z": 0.5}})) is None


def test_printed_numbers_within_a_tolerance():
    found = cases({"x": {"A": 0.10, "B": 0.30}, "y": {"A": 0.2}}, "error")
    numbers = printed(
        ("IV", "x", "A", "error_percent", 10.5),
        ("IV", "x", "B", "error_percent", 20),
        ("IV", "y", "A", "error_percent", 21),
        ("IV", "z", "A", "error_percent", 1),
        ("V", "x", "A", "seconds", 1),
    )
    rule = {"kind": "numbers", "table": "IV", "metric": "error_percent", "tolerance": 1}
    outcome = judge(rule, found, numbers)
    assert not outcome.holds
    assert outcome.text == "2 of 3 numbers within 1; largest difference 10 (B on x: 30, printed 20)"
    assert judge({**rule, "share": 0.66}, found, numbers).holds
    assert judge({**rule, "table": "V", "metric": "seconds"}, found, numbers) is None


def test_numbers_that_are_better_than_printed_exceed_the_claim():
    line = printed(("IV", "x", "A", "error_percent", 20), ("IV", "x", "B", "error_percent", 20))
    rule = {"kind": "numbers", "metric": "error_percent", "table": "IV", "tolerance": 2}
    outcome = judge(rule, cases({"x": {"A": 0.10, "B": 0.21}}, "error"), line)
    assert (outcome.holds, outcome.exceeds) == (False, True)
    assert outcome.text.startswith("1 of 2 numbers within 2, 1 better; largest difference -10 (A on x")
    outcome = judge(rule, cases({"x": {"A": 0.10, "B": 0.25}}, "error"), line)
    assert (outcome.holds, outcome.exceeds) == (False, False)


def test_printed_means_over_all_data_sets():
    found = cases({"x": {"A": 0.10}, "y": {"A": 0.2}}, "error")
    numbers = printed(("II", "*", "A", "error_percent", 15.2))
    rule = {"kind": "numbers", "table": "II", "metric": "error_percent", "tolerance": 0.3}
    assert judge(rule, found, numbers).holds
    assert not judge({**rule, "tolerance": 0.1}, found, numbers).holds


def test_printed_times_are_upper_limits():
    found = cases({"x": {"A": 0.5, "B": 3.0}}, "seconds")
    numbers = printed(("V", "x", "A", "seconds", 800), ("V", "x", "B", "seconds", 2))
    rule = {"kind": "numbers", "table": "V", "metric": "seconds", "or_less": True, "share": 0.5}
    assert judge(rule, found, numbers).holds
    assert not judge({**rule, "share": "all"}, found, numbers).holds


def test_printed_exponents():
    numbers = printed(("VIII", "adult", "A", "exponent", 1.0), ("VIII", "adult", "B", "exponent", 3))
    rule = {"kind": "exponents", "table": "VIII", "sizes": SIZES, "tolerance": 0.2, "share": 0.5}
    outcome = judge(rule, cases(SIZED, "cpu_seconds"), numbers)
    assert outcome.holds
    assert outcome.text == "1 of 2 within 0.2; ours (printed): A 1.10 (1.00), B 2.00 (3.00)"
    assert not judge({**rule, "share": "all"}, cases(SIZED, "cpu_seconds"), numbers).holds


def test_seconds_that_fall_with_more_samples_are_not_ahead_of_a_printed_exponent():
    rule = {"kind": "exponents", "table": "VIII", "sizes": SIZES, "tolerance": 0.2}
    numbers = printed(("VIII", "adult", "A", "exponent", 2.0))
    for power, ahead in ((1.1, True), (-1.0, False)):
        found = cases({name: {"A": n**power} for name, n in SIZES.items()}, "cpu_seconds")
        outcome = judge(rule, found, numbers)
        assert not outcome.holds
        assert outcome.exceeds == ahead


def test_a_lead_needs_a_data_set_that_both_methods_have():
    found = cases({("x", 0): {"A": 0.9}, ("x", 9): {"A": 0.8}, ("y", 0): {"B": 0.5}, ("y", 9): {"B": 0.6}})
    assert judge({"kind": "lead_shrinks", "metric": "acc", "label": "A", "than": "B"}, found) is None


def test_the_mean_of_one_data_set_is_no_mean():
    rule = {"kind": "ratio", "metric": "acc", "label": "A", "than": "B", "by": "all"}
    assert judge(rule, cases({"x": {"A": 0.9, "B": 0.6}})).text == "1.5 times; 0.9 against 0.6"
    assert judge(rule, cases(A_WINS)).text.endswith(" against 0.633 in the mean of 3 data sets")


def test_the_order_of_a_printed_line():
    assert relations("A ~ B < C ~ D") == {
        ("A", "B"): 0, ("A", "C"): 1, ("A", "D"): 1, ("B", "C"): 1, ("B", "D"): 1, ("C", "D"): 0,
    }  # fmt: skip
    rule = {"kind": "order", "table": "5", "metric": "acc"}
    assert judge(rule, cases(ORDER), printed(("5", "x", "", "order", "A < B ~ C"))).holds
    outcome = judge(rule, cases(ORDER), printed(("5", "x", "", "order", "B ~ C < A")))
    assert not outcome.holds
    assert outcome.text == "1 of 3 pairs of methods alike on 1 data set, 2 significantly reversed"
    assert judge(
        {**rule, "among": ["B", "C"]}, cases(ORDER), printed(("5", "x", "", "order", "B ~ C < A"))
    ).holds
    assert judge(rule, cases(ORDER), printed(("5", "other", "", "order", "A < B"))) is None


@pytest.mark.parametrize(
    ("count", "share", "expected"),
    [
        (3, "all", True),
        (2, "all", False),
        (2, "most", True),
        (1, "some", True),
        (0, "some", False),
        (2, 0.75, False),
    ],
)
def test_how_many_are_enough(count, share, expected):
    assert enough(count, 3, share) is expected
    assert not enough(1, 2, "most")


def test_a_rule_with_a_wrong_key_is_refused():
    with pytest.raises(ValidationError, match="lable"):
        RULE.validate_python({"kind": "best", "metric": "acc", "lable": "A", "label": "A"})
