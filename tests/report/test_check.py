import pandas as pd
import pytest

from cscluster.errors import ConfigError
from cscluster.report.aggregate import collect
from cscluster.report.check import drift, parse_tolerances, read_reference, tolerance_of
from cscluster.report.formats import spreadsheet
from tests.report.stored import entry, store, trial


@pytest.fixture
def results(tmp_path):
    records = [
        trial(name, value, trial=t, point=point, label=label)
        for name, label, value in (("a", "=A", 0.5), ("b", "B", 0.7), ("c", "C", None))
        for point in (10, 20)
        for t in (0, 1)
    ]
    entries = [entry("a", label="=A"), entry("b"), entry("c")]
    return collect(store(tmp_path / "run", entries, records, metrics=["acc", "error", "seconds"]))


def reference(tmp_path, results, change=lambda table: None):
    path = tmp_path / "reference.csv"
    path.write_text(spreadsheet.text([results]), encoding="utf-8")
    table = pd.read_csv(path)
    table = table if (changed := change(table)) is None else changed
    table.to_csv(path, index=False)
    return read_reference(path)


def put(row, column, value):
    def change(table):
        table.loc[row, column] = value

    return change


def test_a_run_agrees_with_its_own_summary(tmp_path, results):
    table, checked = drift(results, reference(tmp_path, results), parse_tolerances(["0"]))
    assert table.empty
    assert checked == 12  # the six cells of acc and error each; no seconds


def test_drift_is_sorted_by_size(tmp_path, results):
    def change(table):
        table.loc[0, "mean"] += 0.03
        table.loc[3, "mean"] -= 0.1
        table.loc[1, "mean"] += 0.01

    table, _ = drift(results, reference(tmp_path, results, change), parse_tolerances(["0.02"]))
    assert table["difference"].tolist() == pytest.approx([0.1, -0.03])
    assert table[["label", "point", "metric"]].to_numpy().tolist() == [["B", 20, "acc"], ["'=A", 10, "acc"]]


def test_a_difference_of_just_the_tolerance_is_none(tmp_path, results):
    table, _ = drift(results, reference(tmp_path, results, put(0, "mean", 0.52)), parse_tolerances(["0.02"]))
    assert table.empty


def test_missing_cells_are_drift_and_come_first(tmp_path, results):
    def change(table):
        table.loc[0, "mean"] += 0.5
        table.loc[1, "point"] = 99
        table.loc[4, "mean"] = 0.5  # C has failed everywhere

    table, _ = drift(results, reference(tmp_path, results, change), parse_tolerances([]))
    assert table["difference"].isna().tolist() == [True, True, False]
    assert set(table["point"][:2]) == {99, 10}


def test_cells_that_the_reference_lacks_do_not_matter(tmp_path, results):
    table, checked = drift(results, reference(tmp_path, results, lambda t: t.head(3)), parse_tolerances([]))
    assert (len(table), checked) == (0, 3)


def test_times_are_checked_only_if_asked(tmp_path, results):
    def slower(table):
        table.loc[table["metric"] == "seconds", "mean"] = 100.0

    old = reference(tmp_path, results, slower)
    assert drift(results, old, parse_tolerances([]))[0].empty
    # C has no time at all.
    assert len(drift(results, old, parse_tolerances(["seconds=1"]))[0]) == 6
    only = old[old["metric"] == "seconds"]
    with pytest.raises(ConfigError, match="only times"):
        drift(results, only, parse_tolerances([]))


def test_a_metric_can_have_its_own_tolerance(tmp_path, results):
    def change(table):
        table["mean"] += 0.05

    old = reference(tmp_path, results, change)
    assert set(drift(results, old, parse_tolerances(["0.01", "acc=0.1"]))[0]["metric"]) == {"error"}
    assert set(drift(results, old, parse_tolerances(["0.1", "error=0.01"]))[0]["metric"]) == {"error"}
    with pytest.raises(ConfigError, match=r"metric 'eror'.*'error'"):
        drift(results, old, parse_tolerances(["eror=1"]))


def test_tolerances():
    found = parse_tolerances(["0.1", "acc=0.01", "seconds=5"])
    assert found == {"": 0.1, "acc": 0.01, "seconds": 5}
    assert [tolerance_of(name, found) for name in ("acc", "acc@unseen", "nmi", "seconds")] == [
        0.01,
        0.01,
        0.1,
        5,
    ]
    assert tolerance_of("acc", parse_tolerances([])) == 0.02
    assert tolerance_of("seconds", parse_tolerances([])) is None


@pytest.mark.parametrize("text", ["", "x", "acc=", "acc=x", "=0.1", "-1", "nan", "inf", "acc=-1"])
def test_bad_tolerances(text):
    with pytest.raises(ConfigError, match=f"METRIC=NUMBER.*'{text}'"):
        parse_tolerances([text])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"),
        ("a,b\n1,2\n", "dataset"),
        ("", "No columns"),
        ("dataset,label,point,tier,metric,mean\n", "no line"),
        ("dataset,label,point,tier,metric,mean\niris,A,ten,1,acc,0.5\n", "'ten'"),
        ("dataset,label,point,tier,metric,mean\niris,A,10,1,acc,x\n", "'x'"),
        ("dataset,label,point,tier,metric,mean\n" + 2 * "iris,A,10,1,acc,0.5\n", "two lines"),
    ],
)
def test_bad_references(tmp_path, content, says):
    path = tmp_path / "reference.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=r"reference '.*reference\.csv': ") as error:
        read_reference(path)
    assert says in str(error.value)
