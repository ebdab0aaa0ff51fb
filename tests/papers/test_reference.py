import pytest

from cscluster.errors import StoreError
from cscluster.papers import reference
from cscluster.report.aggregate import collect
from tests.lines import assert_match
from tests.report.stored import entry, store, trial


@pytest.fixture
def runs(tmp_path):
    def make(values):
        records = [trial("a", value, trial=t) for t, value in enumerate(values)]
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        return {"fig1": collect(store(folder, [entry("a")], records, metrics=("acc", "seconds"), trials=2))}

    return make


def test_what_is_written_is_read_back_and_has_not_drifted(tmp_path, runs):
    path = tmp_path / "reference" / "p.csv"
    reference.write(path, runs([0.9, 0.8]), "cscluster reproduce", "numpy 2.0")
    head = path.read_text().splitlines()[:3]
    assert head[:2] == ["# cscluster reproduce", "# numpy 2.0"]
    assert head[2] == "item,dataset,label,params,point,tier,metric,mean,std,n"
    table = reference.read(path)
    assert table["metric"].tolist() == ["acc", "seconds"]
    assert reference.drift(runs([0.9, 0.8]), table, 0.0) == []
    assert reference.drift(runs([0.88, 0.8]), table, 0.02) == []


ACC = r"fig1: acc of A on iris \(10 constraints, tier 1\): "
FAILED = "of A on iris: ValueError: it broke"


@pytest.mark.parametrize(
    ("values", "sentences"),
    [
        ([0.7, 0.8], [rf"^{ACC}0\.7500, .*\b0\.8500$"]),
        ([1.0, 0.9], [rf"^{ACC}0\.9500, .*\b0\.8500$"]),
        ([0.85, None], [rf"^fig1: 1 trial\b.*{FAILED}$"]),
        ([None, None], [rf"^{ACC}.*, .*\b0\.8500$", f"^fig1: 2 trials.*{FAILED}$"]),
    ],
)
def test_better_worse_failed_and_gone_is_drift(tmp_path, runs, values, sentences):
    path = tmp_path / "p.csv"
    reference.write(path, runs([0.9, 0.8]), "", "")
    assert_match(reference.drift(runs(values), reference.read(path), 0.02), *sentences)


def test_an_item_without_results_is_drift(tmp_path, runs):
    path = tmp_path / "p.csv"
    reference.write(path, runs([0.9, 0.8]), "", "")
    assert reference.drift({}, reference.read(path), 0.02) == ["fig1: has no results"]


def test_a_reference_that_is_not_there_or_none(tmp_path):
    with pytest.raises(StoreError, match=r"no reference '.*p\.csv'"):
        reference.read(tmp_path / "p.csv")
    (tmp_path / "p.csv").write_text("a,b\n1,2\n")
    with pytest.raises(StoreError, match=r"p\.csv' is not a reference"):
        reference.read(tmp_path / "p.csv")


def test_a_failure_that_the_reference_has_too_is_no_drift(tmp_path, runs):
    path = tmp_path / "p.csv"
    reference.write(path, runs([None, None]), "cscluster reproduce", "")
    assert reference.drift(runs([None, None]), reference.read(path), 0.0) == []
