import re

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
    assert re.match(r"A, B and C .*\b8 times.*\b5 data sets: iris, wine, sonar, glass and soybean\.", text)
    assert " Constraints: pairs " in text
    assert "(number of constraints: 10 and 20)" in text
    assert "8 random constraint sets" in text
    assert re.search(r"paired t-tests.*\b8 constraint sets.*\b0\.05\b", text)
    assert "Friedman's test and Nemenyi's" in text
    assert "too few" not in text


@pytest.mark.parametrize(("datasets", "warns"), [(FIVE[:3], True), (FIVE[:1], False)])
def test_too_few_data_sets_are_said_to_be_too_few(tmp_path, datasets, warns):
    text = told(three_by_three(tmp_path, datasets=datasets))
    assert "Friedman" not in text
    assert ("3 data sets are too few" in text) == warns


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
    oracle = r"A: lam in \{1, 2\},.*ACC \(majority\).*oracle"
    published = "B: published.*eta = 0.5.*pca"
    heldout = r"C: lam in \{1, 2\},.*held-out"
    assert re.search(f"default.*{oracle}.*{published}.*{heldout}", text)


def test_failed_trials_and_versions_are_said(tmp_path):
    environments = {"e": {"cscluster": "1.2", "python": "3.12", "packages": {"numpy": "2.0", "dask": "9"}}}
    records = [trial("a", value, trial=t, environment="e") for t, value in enumerate((0.5, None, 0.6))]
    text = told(store(tmp_path, [entry("a")], records, trials=4, environments=environments))
    assert re.search(r"\b1 trial failed\b.*\b1\b.*not been run", text)
    assert text.endswith("Software: cscluster 1.2, python 3.12, numpy 2.0.\n")
