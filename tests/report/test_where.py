import pytest

from cscluster.errors import ConfigError
from cscluster.report.aggregate import collect
from cscluster.report.where import where
from tests.report.stored import entry, store, trial


@pytest.fixture
def results(tmp_path):
    records = [
        trial("a", 0.5, point=point, dataset=data, trial=t, grid={"lam": lam, "how": how})
        for data in ("iris", "wine", "sonar")
        for point in (10, 20, 60)
        for lam, how in ((0.1, "x"), (1, "y"))
        for t in (0, 1)
    ]
    records += [trial("b", 0.5, label="B, the margin", dataset=data) for data in ("iris", "wine")]
    return collect(store(tmp_path, [entry("a"), entry("b", label="B, the margin")], records))


@pytest.mark.parametrize(
    ("conditions", "field", "left"),
    [
        (["dataset=iris"], "dataset", {"iris"}),
        (["dataset=iris,wine"], "dataset", {"iris", "wine"}),
        (["dataset!=iris"], "dataset", {"wine", "sonar"}),
        (["dataset ~ IN"], "dataset", {"wine"}),
        (["point>=20"], "point", {20, 60}),
        (["point>10", "point<60"], "point", {20}),
        (["point<=20"], "point", {10, 20}),
        (["point=10,60"], "point", {10, 60}),
        (["point=10.0"], "point", {10}),
        (["tier=1"], "tier", {1}),
        (["trial<1"], "trial", {0}),
        (["algorithm=b"], "label", {"B, the margin"}),
        (["label=B, the margin"], "label", {"B, the margin"}),
        (["label~margin"], "label", {"B, the margin"}),
        (["lam=0.1"], "label", {"A (how=x, lam=0.1)"}),
        (["lam>0.5"], "label", {"A (how=y, lam=1)"}),
        (["how=y"], "label", {"A (how=y, lam=1)"}),
        (["lam!=1"], "label", {"A (how=x, lam=0.1)", "B, the margin"}),
    ],
)
def test_conditions(results, conditions, field, left):
    found = where(results, conditions)
    assert set(found.trials[field]) == left
    if field in found.cells:
        assert set(found.cells[field]) == left


def test_all_conditions_hold(results):
    found = where(results, ["dataset=iris", "point=20", "lam=1"])
    assert (found.datasets, found.labels) == (["iris"], ["A (how=y, lam=1)"])
    assert found.cells["n"].tolist() == [2]
    assert where(results, []) is results


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("dataset", "= != < <= > >= ~.*'dataset'"),
        ("=iris", "= != < <= > >= ~.*'=iris'"),
        ("dataste=iris", "field 'dataste'.*'dataset'"),
        ("x=iris", "field 'x'.*dataset, label, algorithm, point, tier, trial, how, lam"),
        ("dataset=irsi", "'run'.*'dataset=irsi'.*'iris'"),
        ("point=7", "'run'.*'point=7'.*10, 20, 60"),
        ("point>=many", ">=.*number.*'many'"),
        ("dataset>5", "'run'.*'dataset>5'"),
        ("point=", "'run'.*'point='"),
    ],
)
def test_errors(results, condition, says):
    with pytest.raises(ConfigError, match=says):
        where(results, [condition])


def test_two_conditions_that_exclude_each_other(results):
    with pytest.raises(ConfigError, match=r"'run'.*'point=20'.*\b10\b"):
        where(results, ["point=10", "point=20"])
