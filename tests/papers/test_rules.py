"""Every kind of rule, on records for which the claim holds and on records for which it does not."""

import re

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from cscluster.papers.claims import AnyRule
from cscluster.papers.printed import relations
from cscluster.papers.rules import enough

from .made import NOTHING, observations, printed

RULE = TypeAdapter(AnyRule)
HOLDS, FAILS, OPEN = "holds", "does not hold", "undecided"


def judge(given, found, numbers=NOTHING):
    return RULE.validate_python({"metric": "acc", **given}).judge(found, numbers)


def wins(count, total=7):
    """Return data sets on which A beats B in the first `count`."""
    return {f"d{i}": {"A": 0.9 if i < count else 0.4, "B": 0.5} for i in range(total)}


TIE = {"x": {"A": 0.9, "B": 0.8}, "y": {"A": 0.6, "B": 0.6}}
UNEVEN = {  # data sets with numbers of constraints of their own, as in Zeng and Cheung (2012)
    ("x", 20): {"A": 0.5},
    ("x", 40): {"A": 0.56},
    ("y", 200): {"A": 0.6},
    ("y", 400): {"A": 0.68},
    ("y", 600): {"A": 0.7},
}
LEVELS = {("x", 0): {"A": 0.5}, ("x", 10): {"A": 0.7}, ("x", 20): {"A": 0.75}}
DIP = {("x", 0): {"A": 0.5}, ("x", 10): {"A": 0.4}, ("x", 20): {"A": 0.6}}
NOISY = {"x": {"A": [0.9, 0.8, 0.95, 0.85], "B": [0.5, 0.45, 0.5, 0.42], "C": [0.9, 0.7, 0.99, 0.86]}}
FALLS = {"x": {"A": 0.9, "B": 0.8, "C": 0.7}}
LEAD = {("x", 0): {"A": 0.9, "B": 0.5}, ("x", 10): {"A": 0.9, "B": 0.8}}
TIERS = {("x", 5, 1): {"A": 0.1}, ("x", 5, 2): {"A": 0.2}}
GAPS = {"x": {"A": 0.5, "B": 0.4}, "y": {"A": 0.5, "C": 0.4}}
ORDER = {"x": {"A": [0.1, 0.2, 0.1, 0.2], "B": [0.5, 0.6, 0.5, 0.6], "C": [0.51, 0.58, 0.52, 0.6]}}

CASES = {
    "compare": [
        ({"label": "A", "than": "B", "share": "most"}, wins(5), HOLDS),
        ({"label": "A", "than": "B", "share": "most"}, wins(4), OPEN),
        ({"label": "A", "than": "B", "share": "most"}, wins(3), OPEN),
        ({"label": "A", "than": "B", "share": "most"}, wins(2), FAILS),
        ({"label": "A", "than": "B"}, wins(7), HOLDS),
        ({"label": "A", "than": "B"}, wins(6), OPEN),
        ({"label": "A", "than": "B"}, wins(5), FAILS),
        ({"label": "A", "than": "B", "share": "some"}, wins(1), HOLDS),
        ({"label": "A", "than": "B", "share": "some"}, wins(0), FAILS),
        ({"label": "A", "than": "B", "ties": True}, TIE, HOLDS),
        ({"label": "A", "than": "B"}, TIE, OPEN),
        ({"label": ["C", "A"], "than": "B"}, {"x": {"A": 0.9, "B": 0.5, "C": 0.4}}, HOLDS),
        ({"label": "A", "than": ["B", "C"]}, GAPS, HOLDS),
        ({"label": "A"}, FALLS, HOLDS),
        ({"label": "C", "worst": True}, FALLS, HOLDS),
        ({"label": "B", "worst": True}, FALLS, FAILS),
        ({"label": "C", "than": ["A", "B"], "of": "std"}, NOISY, HOLDS),
        ({"label": "B", "than": "A", "of": "std"}, NOISY, FAILS),
        ({"label": "A", "than": "B"}, NOISY, HOLDS),
        ({"label": "A", "than": "C"}, NOISY, OPEN),
        (
            {"label": "A", "than": "B", "clear": True},
            NOISY | {"y": {"A": [0.5, 0.7], "B": [0.7, 0.6]}},
            HOLDS,
        ),
        ({"label": "C", "than": "A", "clear": True}, NOISY, OPEN),
    ],
    "limit": [
        ({"label": "A", "at_least": 0.4, "at_most": 0.9}, wins(5), HOLDS),
        ({"label": "A", "at_least": 0.5}, wins(5), FAILS),
        ({"label": "A", "at_least": 0.5, "share": "most"}, wins(5), HOLDS),
        ({"label": "B", "of": "std", "at_most": 0.05}, NOISY, HOLDS),
        ({"label": "B", "of": "cv", "at_most": 0.05}, NOISY, FAILS),
        ({"label": "B", "of": "cv", "at_most": 0.1}, NOISY, HOLDS),
        ({"label": "A", "of": "max", "at_most": 0.95}, NOISY, HOLDS),
        ({"label": "A", "of": "max", "at_most": 0.94}, NOISY, FAILS),
        ({"label": "A", "than": "B", "at_least": 1.7, "by": "dataset"}, wins(7), HOLDS),
        ({"label": "A", "than": "B", "by": "all", "at_least": 1.08, "at_most": 1.09}, wins(2), HOLDS),
        ({"label": "A", "than": "B", "by": "all", "at_least": 1.2}, wins(2), FAILS),
        ({"label": "A", "by": "all", "at_most": 0.6}, wins(2), HOLDS),
    ],
    "alike": [
        ({"pairs": {"A": "C"}}, NOISY, HOLDS),
        ({"pairs": {"A": "B"}}, NOISY, FAILS),
        ({"pairs": {"B": "C"}}, ORDER, HOLDS),
    ],
    "trend": [
        ({"shape": "varies", "label": "A", "tolerance": 0.2}, LEVELS, HOLDS),
        ({"shape": "varies", "label": "A", "tolerance": 0.3}, LEVELS, FAILS),
        ({"shape": "rises", "label": "A"}, LEVELS, HOLDS),
        ({"shape": "rises", "along": ["C", "B", "A"]}, FALLS, HOLDS),
        ({"shape": "rises", "label": "A", "tolerance": 0.1}, DIP, HOLDS),
        ({"shape": "rises", "label": "A", "along": "tier"}, TIERS, HOLDS),
        ({"shape": "levels_off", "label": "A"}, LEVELS, HOLDS),
        ({"shape": "gains", "label": "A", "at_least": 0.2, "at_most": 0.3}, LEVELS, HOLDS),
        ({"shape": "shrinks", "label": "A", "than": "B"}, LEAD, HOLDS),
        ({"shape": "dips", "label": "A", "tolerance": 0.05}, DIP, HOLDS),
        ({"shape": "flat", "along": ["A", "B", "C"], "tolerance": 0.2}, FALLS, HOLDS),
        ({"shape": "flat", "along": ["A", "B", "C"], "tolerance": 0.1}, FALLS, FAILS),
        ({"shape": "rises", "label": "A"}, DIP, FAILS),
        ({"shape": "rises", "along": ["A", "B", "C"]}, FALLS, FAILS),
        ({"shape": "levels_off", "label": "A"}, DIP, FAILS),
        ({"shape": "gains", "label": "A", "at_most": 0.2}, LEVELS, FAILS),
        ({"shape": "shrinks", "label": "B", "than": "A"}, LEAD, FAILS),
        ({"shape": "dips", "label": "A"}, LEVELS, FAILS),
        ({"shape": "levels_off", "label": "A"}, TIERS, None),
        ({"shape": "shrinks", "label": "A", "than": "B"}, LEVELS, None),
        ({"shape": "gains", "label": "A", "at_least": 0.05, "at_most": 0.15}, UNEVEN, HOLDS),
        ({"shape": "gains", "label": "A", "at_most": 0.05}, UNEVEN, FAILS),
        ({"shape": "levels_off", "label": "A"}, UNEVEN, HOLDS),
    ],
    "significant": [
        ({"label": "A", "than": "B", "losses": 0}, NOISY, HOLDS),
        ({"label": "A", "than": ["B", "C"]}, NOISY, FAILS),
        ({"label": "A", "than": ["B", "C"], "not_worse": True}, NOISY, HOLDS),
        ({"label": "B", "than": ["A", "C"], "not_worse": True}, NOISY, FAILS),
    ],
}
EVERY_CASE = [({"kind": kind, **given}, *rest) for kind, cases in CASES.items() for given, *rest in cases]


@pytest.mark.parametrize(("given", "found", "verdict"), EVERY_CASE)
def test_a_claim_holds_or_not_or_hangs_on_one_data_set(given, found, verdict):
    outcome = judge(given, observations(found))
    assert (outcome and outcome.status) == verdict
    assert outcome is None or outcome.text
    assert judge(given, observations({"x": {"Z": 0.5}})) is None or "than" not in given


def test_the_numbers_of_a_claim():
    lead = judge({"kind": "compare", "label": "A", "than": "B"}, observations(NOISY))
    gaps = np.array(NOISY["x"]["A"]) - np.array(NOISY["x"]["B"])
    error = gaps.std(ddof=1) / 2
    assert re.fullmatch(rf"in 1 of 1 .*\b0\.875\b.*\b0\.468 \(s\.e\. {error:.2g}\)", lead.text)
    ratio = judge({"kind": "limit", "label": "A", "than": "B", "by": "all"}, observations(wins(7)))
    assert ratio.text == "1.8 times"
    tied = judge(
        {"kind": "compare", "label": "A", "than": "B", "clear": True},
        observations(NOISY | {"y": {"A": [0.5, 0.7], "B": [0.7, 0.6]}}),
    )
    assert tied.text.endswith("1 tie within two standard errors")


def test_an_undecided_claim_has_the_interval_of_its_share():
    outcome = judge({"kind": "compare", "label": "A", "than": "B", "share": "most"}, observations(wins(4)))
    assert re.search(r"\(95 % .*\b0\.25 to 0\.84\)$", outcome.text)
    # Wilson's interval solves (p - share)^2 = z^2 p (1 - p) / n.
    for bound in (0.2505, 0.8418):
        assert (bound - 4 / 7) ** 2 == pytest.approx(1.96**2 * bound * (1 - bound) / 7, rel=1e-3)


def test_all_points_of_one_data_set_count_as_one():
    found = {("x", p): {"A": 0.9, "B": 0.5} for p in range(5)} | {
        ("y", p): {"A": 0.1, "B": 0.5} for p in range(4)
    }
    rule = {"kind": "compare", "label": "A", "than": "B", "share": "most"}
    assert judge(rule, observations(found)).status == OPEN
    assert judge({**rule, "share": 0.4}, observations(found)).status == OPEN
    single = {place: scores for place, scores in found.items() if place[0] == "x"}
    assert judge(rule, observations(single)).status == HOLDS


SIZES = {f"s{n}": n for n in (100, 200, 400, 800, 1600)}


def exponents(power, noise=0.0, sizes=SIZES):
    rng = np.random.default_rng(0)
    return {name: {"A": n**power * np.exp(noise * rng.normal())} for name, n in sizes.items()}


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (exponents(2.1), HOLDS),
        (exponents(1.5), FAILS),
        (exponents(2.5), FAILS),
        (exponents(2.0, noise=1.5), OPEN),
        (exponents(2.0, sizes={"s100": 100, "s200": 200, "s400": 400}), OPEN),
    ],
)
def test_an_exponent_is_as_printed_or_not_and_never_better(found, verdict):
    rule = {"kind": "exponent", "metric": "cpu_seconds", "sizes": SIZES, "tolerance": 0.2}
    numbers = printed(("VIII", "adult", "A", "exponent", 2.0))
    for given in ({"table": "VIII"}, {"expected": {"A": 2}}):
        assert judge({**rule, **given}, observations(found, "cpu_seconds"), numbers).status == verdict


def test_trials_that_share_their_constraints_are_one_observation():
    # Three constraint sets, twenty trials each: A is ahead with two of them, which sixty trials would take
    # for certain.
    found = {"x": {"A": [0.7] * 20 + [0.7] * 20 + [0.69] * 20, "B": [0.5] * 20 + [0.6] * 20 + [0.7] * 20}}
    line = printed(("Table 1", "x", "*", "order", "B < A"))
    for rule in (
        {"kind": "significant", "label": "A", "than": "B"},
        {"kind": "order", "table": "Table 1"},
    ):
        assert judge({**rule, "unit": "trial"}, observations(found, repeats=20), line).status == HOLDS
        assert judge(rule, observations(found, repeats=20), line).status == FAILS


def test_small_errors_and_times_are_good():
    found = {"x": {"A": 0.1, "B": 0.3}}
    for rule in (
        {"metric": "error", "label": "A"},
        {"metric": "seconds", "label": "A", "than": "B"},
        {"worst": True, "metric": "error", "label": "B"},
    ):
        given = {"kind": "compare", **rule}
        assert judge(given, observations(found, rule["metric"])).status == HOLDS


def test_two_metrics_that_are_close():
    unseen = {"x": {"A": 0.93}, "y": {"A": 0.6}}
    found = observations({"x": {"A": 0.90}, "y": {"A": 0.7}}, **{"acc@unseen": unseen})
    limits = {"at_least": -0.05, "at_most": 0.05}
    outcome = judge({"kind": "limit", "metric": "acc@unseen", "other": "acc", "label": "A", **limits}, found)
    assert (outcome.status, outcome.text.split(" (")[0]) == (OPEN, "difference -0.1 to 0.03 in 1 of 2 cases")


def test_printed_standard_deviations_within_a_factor():
    numbers = printed(("6", "x", "A", "acc", 0.8), ("6", "x", "B", "acc", 0.5)).assign(std=[0.05, 0.01])
    rule = {"kind": "numbers", "table": "6", "of": "std", "tolerance": 2}
    outcome = judge(rule, observations(NOISY), numbers)  # 0.065 and 0.039
    assert (outcome.status, outcome.text) == (FAILS, "1 of 2 within a factor of 2")
    assert judge({**rule, "share": 0.5}, observations(NOISY), numbers).status == HOLDS


ERRORS = {"x": {"A": 0.10, "B": 0.30}, "y": {"A": 0.2}}


def test_printed_numbers_within_a_tolerance():
    numbers = printed(
        ("IV", "x", "A", "error_percent", 10.5),
        ("IV", "x", "B", "error_percent", 20),
        ("IV", "y", "A", "error_percent", 21),
        ("IV", "z", "A", "error_percent", 1),
        ("II", "*", "A", "error_percent", 15.2),
    )
    rule = {"kind": "numbers", "table": "IV", "metric": "error_percent", "tolerance": 1}
    found = observations(ERRORS, "error")
    outcome = judge({**rule, "share": 1.0}, found, numbers)
    assert re.match(r"2 of 3 numbers within 1, .*\b10 \(B on x: 30, printed 20\)", outcome.text)
    assert judge({**rule, "tolerance": 0.1}, found, numbers).status == FAILS
    assert judge({**rule, "table": "V"}, found, numbers) is None
    mean = {**rule, "table": "II"}
    assert judge({**mean, "tolerance": 0.3}, found, numbers).status == HOLDS
    assert judge({**mean, "tolerance": 0.1}, found, numbers).status == FAILS


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (("x", "A < B ~ C"), r"3 of 3 pairs.*\b1 data set, 0\b.*reversed"),
        (("x", "B ~ C < A"), r"1 of 3 pairs.*\b1 data set, 2\b.*reversed"),
        (("other", "A < B"), None),
    ],
)
def test_the_order_of_a_printed_line(line, text):
    dataset, order = line
    rule = {"kind": "order", "table": "5"}
    outcome = judge(rule, observations(ORDER), printed(("5", dataset, "", "order", order)))
    assert re.fullmatch(text, outcome.text) if text else outcome is None


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
        RULE.validate_python({"kind": "compare", "metric": "acc", "lable": "A", "label": "A"})
