import pytest

from cscluster.report.aggregate import collect
from cscluster.report.formats import prose
from tests.report.stored import FIVE, entry, store, three_by_three, trial


def told(directory):
    return prose.text(collect(directory), directory.definition)


def test_a_run_in_one_paragraph(tmp_path):
    environments = {"e": {"cscluster": "1.2", "python": "3.12", "packages": {"numpy": "2.0", "dask": "9"}}}
    directory = three_by_three(tmp_path, datasets=FIVE, environments=environments)
    text = told(directory)
    assert text.count("\n") == 1
    assert text.startswith(
        "A, B and C were each run 8 times on each of 5 data sets: "
        "iris, wine, sonar, glass and soybean. Constraints: pairs drawn at random"
    )
    assert "(number of constraints: 10 and 20)" in text
    assert "8 random constraint sets" in text
    assert "paired t-tests over the 8 constraint sets at level 0.05" in text
    assert "Friedman's test and Nemenyi's" in text
    assert "too few" not in text


@pytest.mark.parametrize(("datasets", "warns"), [(FIVE[:3], True), (FIVE[:1], False)])
def test_too_few_data_sets_are_said_to_be_too_few(tmp_path, datasets, warns):
    text = told(three_by_three(tmp_path, datasets=datasets))
    assert "Friedman" not in text
    assert ("3 data sets are too few to test differences across them" in text) == warns


def test_what_is_no_default_is_said(tmp_path):
    entries = [
        {**entry("a", select="oracle:acc"), "params": {"lam": [1, 2]}},
        {**entry("b"), "params": {"eta": 0.5}, "preset": "published", "preprocess": ["pca"]},
        {**entry("c", select="heldout"), "params": {"lam": [1, 2]}},
    ]
    records = [trial("b", 0.5, trial=t) for t in (0, 1)]
    records += [trial(n, 0.5, trial=t, grid={"lam": lam}) for n in "ac" for t in (0, 1) for lam in (1, 2)]
    for record in records:
        record["metrics"]["heldout_links"] = 0.5
    text = told(store(tmp_path, entries, records))
    assert (
        "Parameters had their default values except for "
        "A: lam in {1, 2}, chosen by the best ACC (majority) (true labels, oracle); "
        "B: published values, eta = 0.5, preprocessing pca; "
        "C: lam in {1, 2}, chosen by held-out constraints."
    ) in text


def test_failed_trials_and_versions_are_said(tmp_path):
    environments = {"e": {"cscluster": "1.2", "python": "3.12", "packages": {"numpy": "2.0", "dask": "9"}}}
    records = [trial("a", value, trial=t, environment="e") for t, value in enumerate((0.5, None, 0.6))]
    text = told(store(tmp_path, [entry("a")], records, trials=4, environments=environments))
    assert "1 trial failed and 1 have not been run. They are not part of the means." in text
    assert text.endswith("Software: cscluster 1.2, python 3.12, numpy 2.0.\n")
