"""The claims files of the papers, and verdicts from runs."""

import dataclasses
import itertools
import json

import pandas as pd
import pytest

from cscluster import bundle
from cscluster.errors import ConfigError
from cscluster.experiment.config.load import load as load_experiment
from cscluster.papers import claims
from cscluster.papers.printed import EVERY
from cscluster.report.aggregate import Results, collect
from tests.report.stored import entry, store, trial

PAPERS = ["baghshah2010", "bilenko2004", "yi2015", "zeng2012", "zhang2009"]
RECORDED_ALWAYS = {"seconds", "iterations", "acc", "nmi", "error", "balanced_error", "balanced_rand"}


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
    for claim in paper.claims:
        found = [experiment(paper, item) for item in claim.items]
        known = {label for e in found for label in labels(e.algorithms)}
        assert set(claim.rule.labels) <= known, claim.id
        assert set(claim.datasets or ()) <= {d.title for e in found for d in e.datasets}, claim.id
        assert set(claim.points or ()) <= {p for e in found for p in e.constraints.points}, claim.id
        assert set(claim.tiers or ()) <= {t + 1 for e in found for t in range(e.constraints.n_tiers)}, (
            claim.id
        )
        assert set(getattr(claim.rule, "sizes", {})) <= {d.title for e in found for d in e.datasets}, claim.id
        recorded = RECORDED_ALWAYS.union(*(e.metrics for e in found))
        assert set(claim.metrics) <= recorded, claim.id


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
        if hasattr(claim.rule, "table"):
            assert claim.rule.table in set(numbers["table"]), claim.id


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
    return verdict.status, verdict.ours


def test_the_four_verdicts(run):
    assert isinstance(run, Results)
    assert only(paper_with(), {"one": run, "two": run}, {}) == ("reproduced", "best in 1 of 1 case")
    worse = paper_with(rule={"kind": "best", "metric": "acc", "label": "B"})
    assert only(worse, {"one": run, "two": run}, {}) == ("differs", "best in 0 of 1 case; A in 1")
    assert only(paper_with(), {}, {}) == ("not run", "")
    gone = {"one": ["coil20"], "two": ["usps"]}
    assert only(paper_with(), {}, gone) == ("missing data", "needs coil20, usps")


def test_what_is_left_out_is_said(run):
    assert only(paper_with(), {"one": run}, {"one": ["usps"]}) == (
        "reproduced", "best in 1 of 1 case; without usps; not run: two",
    )  # fmt: skip
    other = paper_with(datasets=["iris"])
    assert only(other, {"one": run}, {"two": ["usps"]}) == ("reproduced", "best in 1 of 1 case")
    assert only(other, {}, {"one": ["usps"], "two": ["usps"]}) == ("not run", "")


def test_fewer_trials_than_in_the_paper_are_said(run):
    (verdict,) = claims.judge(paper_with(), {"one": run, "two": run}, {}, {"one": 20, "two": 2})
    assert verdict.ours == "best in 1 of 1 case; 2 of 20 trials in one"


def test_a_summary_in_one_line(run):
    paper = paper_with()
    verdicts = claims.judge(paper, {"one": run}, {}) + claims.judge(paper, {}, {})
    assert claims.summary(verdicts) == "reproduced 1 of 2 claims (1 not run)"


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
