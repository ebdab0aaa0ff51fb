"""Every kind of rule, on records for which the claim holds and on records for which it does not."""

import pytest
from pydantic import TypeAdapter, ValidationError

from cscluster.papers.claims import AnyRule
from cscluster.papers.printed import relations
from cscluster.papers.rules import enough

from .made import NOTHING, observations, printed

RULE = TypeAdapter(AnyRule)


def judge(given, found, numbers=NOTHING):
    return RULE.validate_python({"metric": "acc", **given}).judge(found, numbers)


A_WINS = {"x": {"A": 0.9, "B": 0.8}, "y": {"A": 0.7, "B": 0.5}, "z": {"A": 0.6, "B": 0.6}}
LEVELS = {("x", 0): {"A": 0.5}, ("x", 10): {"A": 0.7}, ("x", 20): {"A": 0.75}}
DIP = {("x", 0): {"A": 0.5}, ("x", 10): {"A": 0.4}, ("x", 20): {"A": 0.6}}
NOISY = {"x": {"A": [0.9, 0.8, 0.95, 0.85], "B": [0.5, 0.45, 0.5, 0.42], "C": [0.9, 0.7, 0.99, 0.86]}}
FALLS = {"x": {"A": 0.9, "B": 0.8, "C": 0.7}}
LEAD = {("x", 0): {"A": 0.9, "B": 0.5}, ("x", 10): {"A": 0.9, "B": 0.8}}
TIERS = {("x", 5, 1): {"A": 0.1}, ("x", 5, 2): {"A": 0.2}}
GAPS = {"x": {"A": 0.5, "B": 0.4}, "y": {"A": 0.5, "C": 0.4}}
SIZED = {f"s{n}": {"A": n**1.1, "B": n**2.0} for n in (100, 200, 400)}
SIZES = {"s100": 100, "s200": 200, "s400": 400}
ORDER = {"x": {"A": [0.1, 0.2, 0.1, 0.2], "B": [0.5, 0.6, 0.5, 0.6], "C": [0.51, 0.58, 0.52, 0.6]}}

CASES = {
    "better": [
        ({"label": "A", "than": "B", "share": "most"}, A_WINS, True),
        ({"label": "A", "than": "B", "ties": True}, A_WINS, True),
        ({"label": ["C", "A"], "than": "B", "share": 0.66}, A_WINS, True),
        ({"label": "A", "than": ["B", "C"]}, GAPS, True),
        ({"label": "C", "than": ["A", "B"], "of": "std"}, NOISY, True),
        ({"label": "A", "than": "B"}, A_WINS, False),
        ({"label": "A", "than": ["B", "C"]}, {**GAPS, "y": {"A": 0.5, "C": 0.6}}, False),
        ({"label": "B", "than": "A", "share": "some"}, A_WINS, False),
        ({"label": "B", "than": "A", "of": "std", "share": "some"}, NOISY, False),
    ],
    "best": [
        ({"label": "A"}, A_WINS, True),
        ({"label": "B", "share": "some"}, A_WINS, True),
        ({"label": "B", "among": ["B", "C"]}, {"x": {"A": 0.9, "B": 0.5, "C": 0.4}}, True),
        ({"label": "B", "worst": True}, A_WINS, True),
        ({"label": "B", "share": "most"}, A_WINS, False),
        ({"label": "A", "worst": True, "share": "most"}, A_WINS, False),
    ],
    "limit": [
        ({"label": "A", "at_least": 0.6, "at_most": 0.9}, A_WINS, True),
        ({"label": "A", "below": 0.9, "share": "most"}, A_WINS, True),
        ({"label": "B", "of": "std", "at_most": 0.05}, NOISY, True),
        ({"label": "A", "of": "max", "at_most": 0.95}, NOISY, True),
        ({"label": "A", "of": "range", "at_least": 0.3}, A_WINS, True),
        ({"label": "A", "at_least": 0.65}, A_WINS, False),
        ({"label": "A", "below": 0.9}, A_WINS, False),
        ({"label": "A", "of": "std", "at_most": 0.01}, NOISY, False),
        ({"label": "A", "of": "max", "at_most": 0.94}, NOISY, False),
        ({"label": "A", "of": "range", "at_least": 0.31}, A_WINS, False),
        ({"label": "A", "of": "range", "at_least": 0.1}, DIP, None),
    ],
    "ratio": [
        ({"label": "A", "than": "B", "at_least": 1.0, "at_most": 1.5}, A_WINS, True),
        ({"label": "A", "than": "B", "by": "all", "at_least": 1.15, "at_most": 1.16}, A_WINS, True),
        ({"label": "A", "than": "B", "at_least": 1.2}, A_WINS, False),
        ({"label": "A", "than": "B", "by": "all", "at_least": 1.2}, A_WINS, False),
    ],
    "trend": [
        ({"shape": "rises", "label": "A"}, LEVELS, True),
        ({"shape": "rises", "along": ["C", "B", "A"]}, FALLS, True),
        ({"shape": "rises", "label": "A", "tolerance": 0.1}, DIP, True),
        ({"shape": "rises", "label": "A", "along": "tier"}, TIERS, True),
        ({"shape": "levels_off", "label": "A"}, LEVELS, True),
        ({"shape": "gains", "label": "A", "at_least": 0.2, "at_most": 0.3}, LEVELS, True),
        ({"shape": "shrinks", "label": "A", "than": "B"}, LEAD, True),
        ({"shape": "dips", "label": "A", "tolerance": 0.05}, DIP, True),
        ({"shape": "dips", "along": ["B", "C", "A"]}, FALLS, True),
        ({"shape": "rises", "label": "A"}, DIP, False),
        ({"shape": "rises", "along": ["A", "B", "C"]}, FALLS, False),
        ({"shape": "levels_off", "label": "A"}, DIP, False),
        ({"shape": "gains", "label": "A", "at_most": 0.2}, LEVELS, False),
        ({"shape": "shrinks", "label": "B", "than": "A"}, LEAD, False),
        ({"shape": "dips", "label": "A"}, LEVELS, False),
        ({"shape": "levels_off", "label": "A"}, TIERS, None),
        ({"shape": "shrinks", "label": "A", "than": "B"}, LEVELS, None),
        (
            {"shape": "shrinks", "label": "A", "than": "B"},
            {("x", 0): {"A": 0.9}, ("x", 9): {"A": 0.8}, ("y", 0): {"B": 0.5}, ("y", 9): {"B": 0.6}},
            None,
        ),
    ],
    "significant": [
        ({"label": "A", "than": "B", "losses": 0}, NOISY, True),
        ({"label": "A", "than": ["B", "C"]}, NOISY, False),
        ({"label": "B", "than": ["A", "C"], "share": 0.0, "losses": 0}, NOISY, False),
    ],
    "exponent": [
        ({"expected": {"A": 1}, "tolerance": 0.15, "sizes": SIZES}, SIZED, True),
        ({"expected": {"A": 1}, "tolerance": 0.05, "sizes": SIZES}, SIZED, False),
        ({"expected": {"A": 1, "B": 1}, "tolerance": 0.15, "sizes": SIZES}, SIZED, False),
        ({"expected": {"A": 1}, "tolerance": 0.15, "sizes": {"s100": 100, "s200": 200}}, SIZED, None),
    ],
}
EVERY_CASE = [({"kind": kind, **given}, *rest) for kind, cases in CASES.items() for given, *rest in cases]


@pytest.mark.parametrize(("given", "found", "verdict"), EVERY_CASE)
def test_a_claim_holds_or_not(given, found, verdict):
    outcome = judge(given, observations(found))
    assert (outcome and outcome.holds) is verdict
    assert outcome is None or outcome.text
    assert judge(given, observations({"x": {"Z": 0.5}})) is None


@pytest.mark.parametrize(
    ("given", "found", "text"),
    [
        (
            {"kind": "trend", "shape": "dips", "label": ["A", "B", "C"], "share": "some"},
            {
                ("x", 0): {"A": 0.5, "B": 0.5},
                ("x", 10): {"A": 0.6, "B": 0.3},
                ("x", 20): {"A": 0.7, "B": 0.6},
            },
            "in 1 of 2 curves; deepest 0.2 (B on x)",
        ),
        (
            {"kind": "trend", "shape": "shrinks", "label": "A", "than": "B"},
            LEAD,
            "in 1 of 1 data set; mean lead 0.4 to 0.1",
        ),
        (
            {"kind": "better", "label": "A", "than": "B", "by": "dataset", "share": 0.5},
            {("x", 1): {"A": 0.9, "B": 0.1}, ("x", 2): {"A": 0.5, "B": 0.6}, ("y", 1): {"A": 0.5, "B": 0.6}},
            "in 1 of 2 data sets; mean 0.6 against 0.475",
        ),
        (
            {"kind": "ratio", "label": "A", "than": "B", "by": "all"},
            {"x": {"A": 0.9, "B": 0.6}},
            "1.5 times; 0.9 against 0.6",
        ),
        (
            {"kind": "ratio", "label": "A", "than": "B", "by": "all"},
            A_WINS,
            "1.16 times; 0.733 against 0.633 in the mean of 3 data sets",
        ),
        (
            {"kind": "limit", "label": "A", "of": "range", "at_least": 0.3},
            A_WINS,
            "0.6 to 0.9 over 3 data sets",
        ),
    ],
)
def test_the_numbers_of_a_claim_that_holds(given, found, text):
    outcome = judge(given, observations(found))
    assert outcome.holds
    assert outcome.text == text


@pytest.mark.parametrize(
    ("power", "holds", "exceeds"), [(2.1, True, False), (1.1, False, True), (-1.0, False, False)]
)
def test_a_cost_that_grows_more_slowly_is_better_unless_it_falls(power, holds, exceeds):
    found = observations({name: {"A": n**power} for name, n in SIZES.items()}, "cpu_seconds")
    rule = {"kind": "exponent", "metric": "cpu_seconds", "sizes": SIZES, "tolerance": 0.2}
    numbers = printed(("VIII", "adult", "A", "exponent", 2.0))
    for given in ({"table": "VIII"}, {"expected": {"A": 2}}):
        outcome = judge({**rule, **given}, found, numbers)
        assert (outcome.holds, outcome.exceeds) == (holds, exceeds)


def test_printed_exponents():
    numbers = printed(("VIII", "adult", "A", "exponent", 1.0), ("VIII", "adult", "B", "exponent", 3))
    rule = {"kind": "exponent", "table": "VIII", "sizes": SIZES, "tolerance": 0.2, "share": 0.5}
    outcome = judge(rule, observations(SIZED), numbers)
    assert outcome.holds
    assert outcome.text == "1 of 2 within 0.2; ours (the paper's): A 1.10 (1.00), B 2.00 (3.00)"
    assert not judge({**rule, "share": "all"}, observations(SIZED), numbers).holds


def test_trials_that_share_their_constraints_are_one_observation():
    # Three constraint sets, twenty trials each: A is ahead with two of them, which sixty trials would take
    # for certain.
    found = {"x": {"A": [0.7] * 20 + [0.7] * 20 + [0.69] * 20, "B": [0.5] * 20 + [0.6] * 20 + [0.7] * 20}}
    line = printed(("Table 1", "x", "*", "order", "B < A"))
    for rule in (
        {"kind": "significant", "label": "A", "than": "B"},
        {"kind": "order", "table": "Table 1"},
    ):
        assert judge(rule, observations(found), line).holds
        assert not judge(rule, observations(found, repeats=20), line).holds
        assert judge({**rule, "unit": "trial"}, observations(found, repeats=20), line).holds, "as some papers"


def test_small_errors_and_times_are_good():
    found = {"x": {"A": 0.1, "B": 0.3}}
    for rule in (
        {"kind": "best", "metric": "error", "label": "A"},
        {"kind": "better", "metric": "seconds", "label": "A", "than": "B"},
        {"kind": "best", "worst": True, "metric": "error", "label": "B"},
    ):
        assert judge(rule, observations(found, rule["metric"])).holds


def test_two_metrics_that_are_close():
    unseen = {"x": {"A": 0.93}, "y": {"A": 0.6}}
    found = observations({"x": {"A": 0.90}, "y": {"A": 0.7}}, **{"acc@unseen": unseen})
    limits = {"at_least": -0.05, "at_most": 0.05}
    rule = {
        "kind": "limit",
        "of": "difference",
        "metric": "acc@unseen",
        "other": "acc",
        "label": "A",
        **limits,
    }
    assert not judge(rule, found).holds
    outcome = judge({**rule, "share": 0.5}, found)
    assert outcome.holds
    assert outcome.text == "difference -0.1 to 0.03; in 1 of 2 cases"


ERRORS = {"x": {"A": 0.10, "B": 0.30}, "y": {"A": 0.2}}


def test_printed_numbers_within_a_tolerance():
    numbers = printed(
        ("IV", "x", "A", "error_percent", 10.5),
        ("IV", "x", "B", "error_percent", 20),
        ("IV", "y", "A", "error_percent", 21),
        ("IV", "z", "A", "error_percent", 1),
        ("V", "x", "A", "seconds", 1),
        ("II", "*", "A", "error_percent", 15.2),
    )
    rule = {"kind": "numbers", "table": "IV", "metric": "error_percent", "tolerance": 1}
    found = observations(ERRORS, "error")
    outcome = judge(rule, found, numbers)
    assert not outcome.holds
    assert outcome.text == "2 of 3 numbers within 1; largest difference 10 (B on x: 30, printed 20)"
    assert judge({**rule, "share": 0.66}, found, numbers).holds
    assert judge({**rule, "table": "V", "metric": "seconds"}, found, numbers) is None
    mean = {**rule, "table": "II"}
    assert judge({**mean, "tolerance": 0.3}, found, numbers).holds
    assert not judge({**mean, "tolerance": 0.1}, found, numbers).holds


def test_numbers_that_are_better_than_printed_exceed_the_claim():
    line = printed(("IV", "x", "A", "error_percent", 20), ("IV", "x", "B", "error_percent", 20))
    rule = {"kind": "numbers", "metric": "error_percent", "table": "IV", "tolerance": 2}
    outcome = judge(rule, observations({"x": {"A": 0.10, "B": 0.21}}, "error"), line)
    assert (outcome.holds, outcome.exceeds) == (False, True)
    assert outcome.text.startswith("1 of 2 numbers within 2, 1 better; largest difference -10 (A on x")
    outcome = judge(rule, observations({"x": {"A": 0.10, "B": 0.25}}, "error"), line)
    assert (outcome.holds, outcome.exceeds) == (False, False)


def test_printed_times_are_upper_limits():
    found = observations({"x": {"A": 0.5, "B": 3.0}}, "seconds")
    numbers = printed(("V", "x", "A", "seconds", 800), ("V", "x", "B", "seconds", 2))
    rule = {"kind": "numbers", "table": "V", "metric": "seconds", "or_less": True, "share": 0.5}
    assert judge(rule, found, numbers).holds
    assert not judge({**rule, "share": "all"}, found, numbers).holds


@pytest.mark.parametrize(
    ("given", "line", "text"),
    [
        ({}, ("x", "A < B ~ C"), "3 of 3 pairs of methods alike on 1 data set, 0 significantly reversed"),
        ({}, ("x", "B ~ C < A"), "1 of 3 pairs of methods alike on 1 data set, 2 significantly reversed"),
        (
            {"among": ["B", "C"]},
            ("x", "B ~ C < A"),
            "1 of 1 pairs of methods alike on 1 data set, 0 significantly reversed",
        ),
        ({}, ("other", "A < B"), None),
    ],
)
def test_the_order_of_a_printed_line(given, line, text):
    dataset, order = line
    rule = {"kind": "order", "table": "5", **given}
    outcome = judge(rule, observations(ORDER), printed(("5", dataset, "", "order", order)))
    assert (outcome and outcome.text) == text
    assert outcome is None or outcome.holds is ("0 significantly" in text)


def test_the_relations_of_a_printed_line():
    assert relations("A ~ B < C ~ D") == {
        ("A", "B"): 0, ("A", "C"): 1, ("A", "D"): 1, ("B", "C"): 1, ("B", "D"): 1, ("C", "D"): 0,
    }  # fmt: skip


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
