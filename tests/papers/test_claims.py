"""The claims files of the papers, and verdicts from runs."""

import dataclasses
import itertools
import json

import pandas as pd
import pytest
from pydantic import ValidationError

from cscluster import bundle
from cscluster.errors import ConfigError
from cscluster.experiment.config.load import load as load_experiment
from cscluster.papers import claims, page
from cscluster.papers.printed import EVERY
from cscluster.report.aggregate import Results, collect
from cscluster.report.formats import markdown
from cscluster.report.page import Page
from cscluster.store.frame import COSTS
from tests.report.stored import entry, store, trial

PAPERS = ["baghshah2010", "bilenko2004", "yi2015", "zeng2012", "zhang2009"]
RECORDED_ALWAYS = {*COSTS, "acc", "nmi", "error", "balanced_error", "balanced_rand"}


def rendered(report, command):
    return markdown.text([Page(page.TITLE, list(page.blocks([report], command)), marked=True)])


def experiment(paper, item, profile="full"):
    quick = paper.items[item].quick or []
    return load_experiment(f"papers/{paper.name}/{item}", quick if profile == "quick" else [])


def labels(entries):
    """Return the labels that the tables of an experiment have."""
    for e in entries:
        grid = {name: value for name, value in e.params.items() if isinstance(value, list)}
        if e.select != "none" or not grid:
            yield e.title
            continue
        for values in itertools.product(*grid.values()):
            words = ", ".join(
                f"{k}={v}" for k, v in sorted(zip(grid, json.loads(json.dumps(values)), strict=True))
            )
            yield f"{e.title} ({words})"


def test_every_paper_has_claims():
    assert claims.names() == PAPERS


@pytest.mark.parametrize("name", PAPERS)
def test_every_experiment_of_a_paper_is_an_item(name):
    there = {c.split("/")[2] for c in bundle.config_names() if c.startswith(f"papers/{name}/")}
    assert there == set(claims.load(name).items)


@pytest.mark.parametrize("name", PAPERS)
def test_claims_name_what_their_experiments_have(name):
    paper = claims.load(name)
    for check in (check for claim in paper.claims for check in (claim, *claim.causes)):
        found = [experiment(paper, item) for item in check.items]
        known = {label for e in found for label in labels(e.algorithms)}
        assert set(check.rule.labels) <= known, check.says
        assert set(check.datasets or ()) <= {d.title for e in found for d in e.datasets}, check.says
        assert set(check.points or ()) <= {p for e in found for p in e.constraints.points}, check.says
        tiers = {t + 1 for e in found for t in range(e.constraints.n_tiers)}
        assert set(check.tiers or ()) <= tiers, check.says
        sizes = set(getattr(check.rule, "sizes", {}))
        assert sizes <= {d.title for e in found for d in e.datasets}, check.says
        recorded = RECORDED_ALWAYS.union(*(e.metrics for e in found))
        assert set(check.rule.metrics) <= recorded, check.says


@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_says_why_its_rule_is_what_the_sentence_says(name):
    assert not [claim.id for claim in claims.load(name).claims if not claim.because]


@pytest.mark.parametrize("name", PAPERS)
def test_printed_numbers_are_by_our_names(name):
    paper = claims.load(name)
    found = [experiment(paper, item) for item in paper.items]
    known = {label for e in found for label in labels(e.algorithms)}
    datasets = {d.title for e in found for d in e.datasets} | {EVERY, "adult", "mnist8m"}
    numbers = paper.printed
    assert set(numbers.loc[numbers["metric"] != "order", "label"]) <= known
    assert set(numbers["dataset"]) <= datasets
    for claim in paper.claims:
        if table := getattr(claim.rule, "table", None):
            assert table in set(numbers["table"]), claim.id


@pytest.mark.parametrize("name", PAPERS)
def test_methods_have_their_published_values_and_plain_names(name):
    paper = claims.load(name)
    for item in paper.items:
        for each in experiment(paper, item).algorithms:
            assert each.preset == "published" or not left_at_default(each), (item, each.title)
            assert "published" not in each.title, item


def left_at_default(each):
    """Return the parameters of an entry that are left at a default that is not the published value."""
    return each.algorithm.published().keys() - each.params.keys() - each.algorithm.params.keys()


@pytest.mark.parametrize("name", PAPERS)
def test_the_quick_profile_is_made_of_legal_changes(name):
    paper = claims.load(name)
    quick = [item for item, about in paper.items.items() if about.quick is not None]
    assert quick
    for item in quick:
        assert experiment(paper, item, "quick").algorithms


def test_every_algorithm_of_the_papers_is_in_the_quick_profile():
    full, quick = set(), set()
    for paper in map(claims.load, PAPERS):
        for item, about in paper.items.items():
            full |= {entry.name for entry in experiment(paper, item).algorithms}
            if about.quick is not None:
                quick |= {entry.name for entry in experiment(paper, item, "quick").algorithms}
    assert quick == full


@pytest.fixture
def run(tmp_path):
    records = [trial("a", value, trial=t, point=10) for t, value in enumerate([0.9, 0.8])]
    records += [trial("b", value, trial=t, point=10) for t, value in enumerate([0.6, 0.7])]
    return collect(store(tmp_path, [entry("a"), entry("b")], records, metrics=("acc", "error")))


def paper_with(**claim):
    given = {"id": "c", "where": "Fig. 1", "says": "A is best", "items": ["one", "two"], **claim}
    rule = {"kind": "best", "metric": "acc", "label": "A"}
    items = {"one": {"shows": "Fig. 1"}, "two": {"shows": "Fig. 2"}}
    return claims.Paper.model_validate({"name": "p", "items": items, "claims": [{"rule": rule, **given}]})


def only(paper, runs, missing):
    (verdict,) = claims.judge(paper, runs, missing)
    return verdict.status, verdict.text


def test_the_verdicts(run):
    assert isinstance(run, Results)
    assert only(paper_with(), {"one": run, "two": run}, {}) == ("reproduced", "best in 1 of 1 case")
    worse = paper_with(rule={"kind": "best", "metric": "acc", "label": "B"})
    assert only(worse, {"one": run, "two": run}, {}) == ("differs", "best in 0 of 1 case; A in 1")
    assert only(paper_with(), {}, {}) == ("not run", "")
    gone = {"one": ["coil20"], "two": ["usps"]}
    assert only(paper_with(), {}, gone) == ("not decidable", "needs coil20, usps")


def test_what_is_left_out_is_said(run):
    assert only(paper_with(), {"one": run}, {"one": ["usps"]}) == (
        "reproduced", "best in 1 of 1 case; without usps; not run: two",
    )  # fmt: skip
    other = paper_with(datasets=["iris"])
    assert only(other, {"one": run}, {"two": ["usps"]}) == ("reproduced", "best in 1 of 1 case")
    assert only(other, {}, {"one": ["usps"], "two": ["usps"]}) == ("not run", "")


def test_fewer_trials_than_in_the_paper_are_said(run):
    (verdict,) = claims.judge(paper_with(), {"one": run, "two": run}, {}, {"one": 20, "two": 2})
    assert verdict.text == "best in 1 of 1 case; 2 of 20 trials in one"


def test_a_summary_in_one_line(run):
    paper = paper_with()
    verdicts = claims.judge(paper, {"one": run}, {}) + claims.judge(paper, {}, {})
    assert claims.summary(verdicts) == "reproduced 1 of 2 claims (1 not run)"


def two_starts(tmp_path, **more):
    """Return a run in which A beats B from other starts alone."""
    scores = {"A, other starts": [0.9, 0.8], "A": [0.5, 0.6], "B": [0.6, 0.7]}
    records = [trial("a", v, label=label, trial=t) for label, vs in scores.items() for t, v in enumerate(vs)]
    return collect(store(tmp_path, [entry("a", label=label) for label in scores], records, **more))


NOT_BEST = {"items": ["one"], "rule": {"kind": "best", "metric": "acc", "label": "A", "among": ["A", "B"]}}


def test_a_claim_about_methods_without_results_is_not_run(run):
    paper = paper_with(rule={"kind": "better", "metric": "acc", "label": "A", "than": ["B", "D", "C"]})
    assert only(paper, {"one": run}, {}) == ("not run", "no results of C, D")


CAUSE = {
    "says": "the start is another",
    "items": ["two"],
    "rule": {"kind": "better", "metric": "acc", "label": "A, other starts", "than": ["B"]},
}


def test_a_cause_names_an_experiment_of_the_paper():
    assert paper_with(causes=[CAUSE]).claims[0].causes[0].items == ["two"]
    with pytest.raises(ValidationError, match="names the item 'three'"):
        paper_with(causes=[{**CAUSE, "items": ["three"]}])


def test_a_cause_counts_where_its_rule_holds(tmp_path):
    runs = {"one": two_starts(tmp_path)}

    def causes(**change):
        (verdict,) = claims.judge(paper_with(**NOT_BEST, causes=[{**CAUSE, **change}]), runs, {})
        return [(tried.items, tried.outcome.holds, tried.outcome.text) for tried in verdict.explanations]

    assert causes() == [], "its experiment has not been run"
    assert causes(items=["one"]) == [(["one"], True, "in 1 of 1 case; mean 0.85 against 0.65")]
    wrong = causes(items=["one"], rule={**CAUSE["rule"], "label": "A"})
    assert wrong == [(["one"], False, "in 0 of 1 case; mean 0.55 against 0.65")]


def test_a_cause_whose_rule_does_not_hold_is_not_confirmed(tmp_path):
    wrong = {**CAUSE, "items": ["one"], "rule": {**CAUSE["rule"], "label": "A"}}
    paper, runs = paper_with(**NOT_BEST, causes=[wrong]), {"one": two_starts(tmp_path)}
    verdicts = claims.judge(paper, runs, {})
    assert not verdicts[0].explanations[0].outcome.holds
    report = page.PaperReport(paper, "Title", verdicts, {"one": page.State(6, 6), "two": page.State()}, runs)
    assert (
        "<br>Cause: not found<br>Hypothesis not confirmed: the start is another "
        "(`one`: in 0 of 1 case; mean 0.55 against 0.65)"
    ) in rendered(report, "x")


def test_a_claim_that_holds_needs_no_cause(run):
    wrong = {**CAUSE, "items": ["one"], "rule": {**CAUSE["rule"], "label": "B", "than": ["A"]}}
    (verdict,) = claims.judge(paper_with(items=["one"], causes=[wrong]), {"one": run}, {})
    assert (verdict.status, verdict.explanations) == ("reproduced", [])


def test_the_page_names_other_data(tmp_path):
    paper = paper_with(items=["one"], stand_in="x in place of z", changed="before, y")
    runs = {"one": two_starts(tmp_path)}
    states = {"one": page.State(6, 6), "two": page.State()}
    text = rendered(page.PaperReport(paper, "Title", claims.judge(paper, runs, {}), states, runs), "x")
    assert "A is best<br>Other data: x in place of z<br>Changed: before, y" in text


def test_missing_data_are_named_once():
    paper = paper_with()
    (verdict,) = claims.judge(paper, {}, {"one": ["protein"], "two": ["protein"]})
    assert verdict.text == "needs protein"


def test_the_page_shows_the_cause(tmp_path):
    paper = paper_with(**NOT_BEST, because="first of all means", causes=[{**CAUSE, "items": ["one"]}])
    runs = {"one": two_starts(tmp_path)}
    states = {"one": page.State(6, 6), "two": page.State()}
    report = page.PaperReport(paper, "Title", claims.judge(paper, runs, {}), states, runs)
    text = rendered(report, "a command")
    assert "| [p](#p) | 0 | 0 | 1 | 0 | 0 |" in text
    assert (
        "| Fig. 1 | A is best<br>Rule: first of all means | ✗ differs: best in 0 of 1 case; B in 1"
        "<br>Cause: the start is another (`one`: in 1 of 1 case; mean 0.85 against 0.65) |" in text
    )


def test_the_page_says_that_no_cause_was_found(tmp_path):
    paper, runs = paper_with(**NOT_BEST), {"one": two_starts(tmp_path)}
    states = {"one": page.State(6, 6), "two": page.State()}
    report = page.PaperReport(paper, "Title", claims.judge(paper, runs, {}), states, runs)
    assert "✗ differs: best in 0 of 1 case; B in 1<br>Cause: not found |" in rendered(report, "x")


def test_the_page_tells_trials_of_earlier_versions():
    state = page.State(6, 8, outdated={"A": 2, "B": 1})
    assert state.words() == "6 of 8 trials, 3 of them with earlier versions of A, B"


def test_the_page_names_the_machine_and_its_load():
    environment = {"cscluster": "1", "python": "3", "packages": {}, "cpu": "Some CPU", "cores": 2}
    state = page.State(6, 6, environments={"e": environment}, cpu_seconds=3600.0, clock_seconds=5400.0)
    report = page.PaperReport(paper_with(), "Title", [], {"one": state, "two": page.State()}, {})
    assert "Trials ran on Some CPU (2 cores), 1.0 CPU hours in all" in rendered(report, "a command")
    assert "a CPU second took 1.5 seconds of the clock" in page.machines([report])
    assert page.machines([]) == ""


def test_ours_beside_the_printed_numbers(run):
    found = claims.against(run, "zhang2009", "table4_small")
    assert found.empty  # the run has none of the paper's data sets
    renamed = collect_with_names(run)
    found = claims.against(renamed, "zhang2009", "table4_small").set_index(["table", "label"])
    assert found.loc[("IV", "k-means"), "paper"] == 8.0
    assert found.loc[("IV", "k-means"), "ours"] == pytest.approx(15.0)
    assert found.loc[("IV", "k-means"), "verdict"] == "differs"
    assert found.loc[("VI", "iterSVM"), "verdict"] == "reproduced"  # 6 iterations, printed 5


def collect_with_names(run):
    """Return the run as if A were k-means and B iterSVM on the digits 1 and 7."""
    names = {"A": "k-means", "B": "iterSVM"}
    cells = run.cells.assign(dataset="optdigits 1-7 (s)", label=run.cells["label"].map(names))
    more = cells[cells["metric"] == "error"].assign(metric="iterations", mean=6.0)
    return dataclasses.replace(run, cells=pd.concat([cells, more]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("items: {one: {shows: Fig. 1}}", "items: {two: {shows: Fig. 1}}"), "which is not listed"),
        (("kind: best", "kind: bestt"), "bestt"),
        (("where: Fig. 1", "were: Fig. 1"), "claims.0.w?here: "),
        (("claims:", "claims: ["), "not YAML"),
    ],
)
def test_a_damaged_claims_file_is_one_sentence(tmp_path, monkeypatch, change, message):
    text = """\
items: {one: {shows: Fig. 1}}
claims:
  - {id: a, where: Fig. 1, says: best, items: [one], rule: {kind: best, metric: acc, label: A}}
"""
    (tmp_path / "papers" / "p").mkdir(parents=True)
    (tmp_path / "papers" / "p" / "claims.yaml").write_text(text.replace(*change))
    monkeypatch.setattr(bundle, "folder", lambda name: tmp_path)
    with pytest.raises(ConfigError, match=message) as caught:
        claims.load("p")
    assert len(str(caught.value).splitlines()) == 1
    claims.load.cache_clear()


def test_an_unknown_paper_has_a_hint():
    with pytest.raises(ConfigError, match=r"There is no paper 'zeng2021'.*zeng2012"):
        claims.load("zeng2021")
