"""The claims files of the papers, and verdicts from runs."""

import dataclasses
import itertools
import json
import re

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


def rendered(blocks):
    return markdown.text([Page(page.TITLE, list(blocks), marked=True)])


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
    assert len({claim.id for claim in paper.claims}) == len(paper.claims)
    for check in (check for claim in paper.claims for check in (claim, *claim.ablations)):
        assert set(check.items) <= set(paper.items), check.rule
        found = [experiment(paper, item) for item in check.items]
        known = {label for e in found for label in labels(e.algorithms)}
        assert set(check.rule.labels) <= known, check.rule
        assert set(check.datasets or ()) <= {d.title for e in found for d in e.datasets}, check.rule
        assert set(check.points or ()) <= {p for e in found for p in e.constraints.points}, check.rule
        tiers = {t + 1 for e in found for t in range(e.constraints.n_tiers)}
        assert set(check.tiers or ()) <= tiers, check.rule
        sizes = set(getattr(check.rule, "sizes", {}))
        assert sizes <= {d.title for e in found for d in e.datasets}, check.rule
        recorded = RECORDED_ALWAYS.union(*(e.metrics for e in found))
        assert set(check.rule.metrics) <= recorded, check.rule


@pytest.mark.parametrize("name", PAPERS)
def test_readings_name_experiments(name):
    items = set(claims.load(name).items)
    assert not [each.id for each in claims.readings(name) if not items.issuperset(each.items)]


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
    assert any(paper.items[item].figures for item in quick), "one figure is drawn again"
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
    records += [trial("b", value, trial=t, point=10) for t, value in enumerate([0.6, 0.5])]
    return collect(store(tmp_path, [entry("a"), entry("b")], records, metrics=("acc", "error")))


def paper_with(**claim):
    given = {"id": "c", "where": "Fig. 1", "quote": "A is best", "because": "the best mean", **claim}
    rule = {"kind": "compare", "metric": "acc", "label": "A"}
    items = {"one": {"shows": "Fig. 1"}, "two": {"shows": "Fig. 2"}}
    claim = {"items": ["one", "two"], "rule": rule, **given}
    about = {"name": "p", "title": "P (2000)", "right": "Right.", "wrong": "Wrong."}
    return claims.Paper.model_validate({**about, "items": items, "claims": [claim]})


def only(paper, runs, missing):
    (verdict,) = claims.judge(paper, runs, missing)
    return verdict.status, ", ".join(filter(None, [verdict.text, verdict.notes]))


BEST = "in 1 of 1 case, mean 0.85 against 0.55"
LESS = {"kind": "compare", "metric": "acc", "label": "B"}


def test_the_verdicts(run):
    assert isinstance(run, Results)
    assert only(paper_with(), {"one": run, "two": run}, {}) == ("holds", BEST)
    assert only(paper_with(rule=LESS), {"one": run, "two": run}, {})[0] == "does not hold"
    other = paper_with(not_comparable="another machine")
    assert only(other, {"one": run, "two": run}, {}) == ("not comparable", BEST)
    assert only(paper_with(), {}, {}) == ("not run", "")
    gone = {"one": ["coil20"], "two": ["usps"]}
    assert only(paper_with(), {}, gone) == ("not run", "needs coil20, usps")


def test_what_is_left_out_is_said(run):
    assert only(paper_with(), {"one": run}, {"one": ["usps"]}) == (
        "holds", f"{BEST}, without usps, not run: two",
    )  # fmt: skip
    other = paper_with(datasets=["iris"])
    assert only(other, {"one": run}, {"two": ["usps"]}) == ("holds", BEST)
    assert only(other, {}, {"one": ["usps"], "two": ["usps"]}) == ("not run", "")


def test_fewer_trials_than_in_the_paper_are_said(run):
    (verdict,) = claims.judge(paper_with(), {"one": run, "two": run}, {}, {"one": 20, "two": 2})
    assert (verdict.text, verdict.notes) == (BEST, "2 of 20 trials in one")


def test_a_summary_in_one_line(run):
    paper = paper_with()
    verdicts = claims.judge(paper, {"one": run}, {}) + claims.judge(paper, {}, {})
    assert claims.summary(verdicts) == "2 claims: 1 hold, 1 not run"


def test_a_claim_about_methods_without_results_is_not_run(run):
    paper = paper_with(rule={"kind": "compare", "metric": "acc", "label": "A", "than": ["B", "D", "C"]})
    assert only(paper, {"one": run}, {}) == ("not run", "")


ABLATION = {"changed": "another start", "items": ["one"], "rule": LESS, "post_hoc": True}


def report_of(paper, runs, **more):
    states = {"one": page.State(6, 6, **more), "two": page.State()}
    return page.PaperReport(paper, "Authors: Title", claims.judge(paper, runs, {}), states, runs)


def test_the_page_of_a_paper(run):
    paper = paper_with(
        items=["one"], stand_in="x in place of z", rule=LESS, cause="the start", ablations=[ABLATION]
    )
    text = rendered(page.paper_blocks(report_of(paper, {"one": run})))
    assert "1 claim: 1 do not hold" in text
    assert re.search(r"✘ does not hold \(other data\): c, Fig\. 1, “A is best”.*\b0 of 1\b", text)
    assert "- Other data: x in place of z\n- Cause: the start\n- Experiments: `one`" in text
    assert "| another start | in 0 of 1 case" in text
    assert "| no | post hoc |" in text
    assert "| `one` | Fig. 1 | 6 of 6 trials |" in text


def test_one_figure_of_a_paper_is_drawn(run, tmp_path):
    paper = paper_with()
    assert page.draw_one(tmp_path, report_of(paper, {"one": run})) is None
    figures = {"Fig. 1": "no such figure", "Fig. 2": "boxes_acc"}
    items = {"one": claims.Item(shows="Fig. 2", figures=figures)}
    named = paper.model_copy(update={"items": items})
    path = page.draw_one(tmp_path, report_of(named, {"one": run}))
    assert path == tmp_path / "p_one_boxes_acc.png"
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_page_says_that_no_cause_was_found(run):
    text = rendered(page.paper_blocks(report_of(paper_with(rule=LESS, items=["one"]), {"one": run})))
    assert "- Cause: Not found." in text


def test_the_page_of_all_papers(run):
    text = rendered(page.blocks([report_of(paper_with(), {"one": run})], "a command"))
    assert "| [P (2000)](reproduction/p.md) | 1 | 0 | 0 | 0 | 0 |" in text
    assert "- **P (2000).**  Right.  Wrong." in text


def test_missing_data_are_named_once():
    paper = paper_with()
    (verdict,) = claims.judge(paper, {}, {"one": ["protein"], "two": ["protein"]})
    assert verdict.text == "needs protein"


def test_the_page_tells_trials_of_earlier_versions():
    state = page.State(6, 8, outdated={"A": 2, "B": 1})
    assert re.fullmatch(r"6 of 8 trials, 3\b.*versions.*\bA, B", state.words())


def test_the_page_names_the_machine_and_its_load():
    environment = {"cscluster": "1", "python": "3", "packages": {}, "cpu": "Some CPU", "cores": 2}
    report = report_of(
        paper_with(), {}, environments={"e": environment}, cpu_seconds=3600.0, clock_seconds=5400.0
    )
    text = rendered(page.blocks([report], "a command"))
    assert re.search(r"Some CPU \(2 cores\), 1\.0 CPU hours", text)
    assert "wall-clock time was 1.5 times CPU time" in page.machines([report])
    assert page.machines([]) == ""


def test_a_printed_table_stands_beside_ours(run):
    runs = {"table4_small": with_names(run)}
    paper = claims.load("zhang2009")
    states = {item: page.State() for item in paper.items}
    report = page.PaperReport(paper, "Title", claims.judge(paper, runs, {}), states, runs)
    text = rendered(page.paper_blocks(report))
    assert "| k-means | 15 (8) ○ |\n| iterSVM | 45 (1) ○ |" in text


def with_names(run):
    """Return the run as if A were k-means and B iterSVM on the digits 1 and 7."""
    names = {"A": "k-means", "B": "iterSVM"}
    renamed = run.trials.assign(dataset="optdigits 1-7 (s)", label=run.trials["label"].map(names))
    return dataclasses.replace(run, trials=renamed.assign(**{"m:iterations": 6.0}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("kind: compare", "kind: comparee"), "comparee"),
        (("where: Fig. 1", "were: Fig. 1"), "claims.0.where"),
    ],
)
def test_a_wrong_claims_file_is_refused(tmp_path, monkeypatch, change, message):
    text = """\
items: {one: {shows: Fig. 1}}
claims:
  - {id: a, where: Fig. 1, quote: q, because: b, items: [one], rule: {kind: compare, metric: acc, label: A}}
title: P (2000)
right: R
wrong: W
"""
    (tmp_path / "papers" / "p").mkdir(parents=True)
    (tmp_path / "papers" / "p" / "claims.yaml").write_text(text.replace(*change))
    monkeypatch.setattr(bundle, "folder", lambda name: tmp_path)
    with pytest.raises(ValidationError, match=message):
        claims.load("p")


def test_an_unknown_paper_has_a_hint():
    with pytest.raises(ConfigError, match=r"paper 'zeng2021'.*'zeng2012'"):
        claims.load("zeng2021")
