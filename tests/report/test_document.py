import subprocess
import sys

import pytest

from cscluster.report.aggregate import collect
from cscluster.report.document import compose, outcomes
from cscluster.report.formats import latex, markdown, spreadsheet, structured, terminal
from tests.report.stored import entry, oracle, store, three_by_three, trial


def test_all_but_points_is_about_the_last_point(tmp_path):
    results = collect(three_by_three(tmp_path))
    assert "in 6 of 6 cases" in compose(results).outcomes[0].sentence
    assert "in 3 of 3 cases" in compose(results, "dataset").outcomes[0].sentence
    assert len(compose(results).grids) == 3
    assert len(compose(results, "dataset").grids) == 1


def test_the_heading_says_where(tmp_path):
    (outcome,) = outcomes(collect(three_by_three(tmp_path)))
    assert outcome.heading == (
        "ACC (majority) from worst to best, number of links 20 (paired t-test at 0.05: < significant, ~ not significant)"
    )


def test_nothing_is_compared_with_nothing(tmp_path):
    assert outcomes(collect(oracle(tmp_path / "one"))) == []
    single = store(tmp_path / "two", [entry("a"), entry("b")], [trial("a", 0.5), trial("b", 0.6)], trials=1)
    assert outcomes(collect(single)) == []
    assert outcomes(collect(store(tmp_path / "none", [entry("a")], []))) == []


def test_oracles_are_marked_in_the_order(tmp_path):
    records = [trial("a", 0.5 + lam, trial=t, grid={"lam": lam}) for lam in (0.1, 0.2) for t in (0, 1)]
    records += [trial("b", 0.2, trial=t) for t in (0, 1)]
    (outcome,) = outcomes(collect(store(tmp_path, [entry("a", select="oracle:acc"), entry("b")], records)))
    assert outcome.orderings == {"iris": "B < A *"}


FORMATS = {
    "terminal": lambda r: terminal.text([compose(r), compose(r, "dataset")]),
    "markdown": lambda r: markdown.text([compose(r), compose(r, "dataset")]),
    "latex": lambda r: latex.text([compose(r), compose(r, "dataset")]),
    "csv": lambda r: spreadsheet.text([r]),
    "json": lambda r: structured.text([r]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_input_gives_the_same_bytes(tmp_path, name):
    folder = three_by_three(tmp_path)
    assert FORMATS[name](collect(folder)) == FORMATS[name](collect(folder))


def test_the_same_bytes_whatever_the_hash_seed(tmp_path):
    folder = three_by_three(tmp_path)
    program = """
import hashlib, sys
from pathlib import Path
from cscluster.report.formats import latex, markdown, spreadsheet, structured, terminal
from cscluster.report.aggregate import collect
from cscluster.report.document import compose
from cscluster.store.folder import RunFolder
results = collect(RunFolder(Path(sys.argv[1])))
document = compose(results)
for text in (terminal.text([document]), markdown.text([document]), latex.text([document]),
             spreadsheet.text([results]), structured.text([results])):
    print(hashlib.sha256(text.encode()).hexdigest())
"""
    made = [
        subprocess.check_output(
            [sys.executable, "-c", program, folder.path],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )
        for seed in ("1", "2")
    ]
    assert made[0] == made[1]
    assert len(made[0].split()) == 5
