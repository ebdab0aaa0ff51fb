import re
import subprocess
import sys

import pytest

from cscluster.report.aggregate import collect
from cscluster.report.compose import compose, legend, remarks
from cscluster.report.formats import latex, markdown, spreadsheet, structured, terminal
from cscluster.report.page import Fold, Note
from cscluster.report.table import PlainTable
from tests.report.stored import entry, oracle, store, three_by_three, trial


def of_kind(page, kind):
    return [block for block in page.blocks if isinstance(block, kind)]


def orderings(page):
    return [fold.blocks[0].items for fold in of_kind(page, Fold)]


def test_all_but_points_is_about_the_last_point(tmp_path):
    results = collect(three_by_three(tmp_path))
    everywhere, last = compose(results), compose(results, "dataset")
    assert "in 6 of 6 cases" in of_kind(everywhere, str)[0]
    assert "in 3 of 3 cases" in of_kind(last, str)[0]
    assert [len(of_kind(page, PlainTable)) for page in (everywhere, last)] == [3, 1]


def test_nothing_is_compared_with_nothing(tmp_path):
    single = store(tmp_path / "two", [entry("a"), entry("b")], [trial("a", 0.5), trial("b", 0.6)], trials=1)
    for directory in (oracle(tmp_path / "one"), single, store(tmp_path / "none", [entry("a")], [])):
        page = compose(collect(directory))
        assert of_kind(page, str) == of_kind(page, Fold) == []


def test_oracles_are_marked_in_the_order(tmp_path):
    records = [trial("a", 0.5 + lam, trial=t, grid={"lam": lam}) for lam in (0.1, 0.2) for t in (0, 1)]
    records += [trial("b", 0.2, trial=t) for t in (0, 1)]
    page = compose(collect(store(tmp_path, [entry("a", select="oracle:acc"), entry("b")], records)))
    assert orderings(page) == [["iris: B < A *"]]


def test_one_failure_is_one_trial(tmp_path):
    directory = store(tmp_path, [entry("a")], [trial("a", None), trial("a", 0.5, trial=1)])
    assert re.match(r"1 trial\b.*\bA on iris.*ValueError: it broke", remarks(collect(directory))[-1])


def test_missing_trials_are_told(tmp_path):
    records = [trial("a", 0.5), trial("b", 0.5), trial("b", 0.6, trial=1)]
    lines = remarks(collect(store(tmp_path, [entry("a"), entry("b")], records)))
    assert any(re.match(r"incomplete: 1\b.*\(A on iris 1 of 2\)", line) for line in lines)


def test_a_run_without_results(tmp_path):
    page = compose(collect(store(tmp_path, [entry("a")], [])))
    assert page.blocks == [Note("no trial is stored yet")]


FORMATS = {
    "terminal": lambda r: terminal.text([compose(r), compose(r, "dataset")]),
    "markdown": lambda r: markdown.text([compose(r), compose(r, "dataset")]),
    "latex": lambda r: latex.text([compose(r), compose(r, "dataset")]),
    "csv": lambda r: spreadsheet.text([r]),
    "json": lambda r: structured.text([r]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_input_gives_the_same_bytes(tmp_path, name):
    directory = three_by_three(tmp_path)
    assert FORMATS[name](collect(directory)) == FORMATS[name](collect(directory))


def test_the_same_bytes_whatever_the_hash_seed(tmp_path):
    directory = three_by_three(tmp_path)
    program = """
import hashlib, sys
from pathlib import Path
from cscluster.report.formats import latex, markdown, spreadsheet, structured, terminal
from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.store.directory import RunDirectory
results = collect(RunDirectory(Path(sys.argv[1])))
page = compose(results)
for text in (terminal.text([page]), markdown.text([page]), latex.text([page]),
             spreadsheet.text([results]), structured.text([results])):
    print(hashlib.sha256(text.encode()).hexdigest())
"""
    made = [
        subprocess.check_output(
            [sys.executable, "-c", program, directory.path],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )
        for seed in ("1", "2")
    ]
    assert made[0] == made[1]
    assert len(made[0].split()) == 5


def without_classes(path):
    """Two data sets, of which one has no true classes: trials succeed, and have no ACC."""
    records = [
        trial(
            name,
            0.5 + 0.1 * t,
            trial=t,
            dataset=data,
            metrics={"acc": None if data == "mine" else 0.5 + 0.1 * t},
        )
        for name in "ab"
        for data in ("iris", "mine")
        for t in (0, 1)
    ]
    return collect(store(path, [entry("a"), entry("b")], records))


@pytest.mark.parametrize("by", ["point", "dataset"])
def test_without_true_classes_there_are_dashes_and_one_line_why(tmp_path, by):
    results = without_classes(tmp_path)
    text = terminal.text([compose(results, by)])
    assert "N/A" not in text
    assert len(re.findall(r"–(?!:)", text)) == 2
    assert len(re.findall(r"–: ACC \(majority\).*\bmine\b.*classes", text)) == 1


def test_a_failed_trial_is_no_dash(tmp_path):
    records = [trial("a", None), trial("b", 0.5)]
    text = terminal.text([compose(collect(store(tmp_path, [entry("a"), entry("b")], records, trials=1)))])
    assert "N/A (0/1)" in text
    assert "–" not in text


def test_a_caption_replaces_that_of_one_table_and_leads_those_of_several(tmp_path):
    results = collect(three_by_three(tmp_path))
    (table,) = [b for b in compose(results, "dataset", caption="Mine").blocks if isinstance(b, PlainTable)]
    assert table.caption == "Mine"
    assert table.legend == legend(results, "dataset")
    captions = [b.caption for b in compose(results, caption="Mine").blocks if isinstance(b, PlainTable)]
    assert captions[0].startswith("Mine: ACC (majority) on iris")
