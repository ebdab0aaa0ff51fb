"""No text that others wrote steers the terminal, whichever command prints it."""

import csv
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cscluster.cli import console
from cscluster.cli.console import Console
from tests.report.stored import entry, store, trial

HOSTILE = "\x1b]0;owned\x07\x9b31m\x08\x7f\u202e\u2028[/red]"
"""Sets the title of the window, colours, deletes, turns the direction of writing; closes markup."""
ID = HOSTILE.replace("\u2028", "")
FORBIDDEN = {"\x1b]", "\x07", "\x9b", "\x08", "\x7f", "\u202e", "\u2028"}


class Terminal(io.StringIO):
    """What a command writes to, as if it were a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def in_terminal(cscluster, monkeypatch):
    """Return a function that runs the command line on a terminal."""

    def call(*arguments, answers=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        return cscluster(*arguments, stream=Terminal)

    return call


@pytest.fixture
def hostile(tmp_path):
    """Write a table with hostile names, ids and cells, and links between them."""
    y = np.repeat([0, 1], 10)
    X = np.random.default_rng(0).normal(size=(20, 2)) + 9 * y[:, None]
    ids = [f"{ID}{i}" for i in range(20)]
    kinds = [f"{HOSTILE}{k}" for k in "ab"]
    rows = [[ids[i], *map(str, X[i]), kinds[i % 2], f"{HOSTILE} {i}", kinds[y[i]]] for i in range(20)]
    links = [[ids[0], ids[1], "must"], [ids[0], ids[11], "must"]]
    for name, table in (
        ("table.csv", [["id", "x", f"y{HOSTILE}", f"bed{HOSTILE}", "remark", "kind"], *rows]),
        ("links.csv", [["a", "b", "link"], *links]),
        ("numbers.csv", [["x", "kind"], *([row[1], row[5]] for row in rows)]),
    ):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(table)
    return tmp_path


def assert_harmless(done, code=0):
    text = done.stdout + done.stderr
    assert done.returncode == code, text
    assert not {sign for sign in FORBIDDEN if sign in text}
    return text


def test_a_hostile_table(in_terminal, hostile):
    words = ["cluster", "table.csv", "--links", "links.csv", "--target", "kind", "-k", "2", "-a", "kmeans"]
    assert "\\x1b]0;owned\\x07" in assert_harmless(in_terminal(*words, "--model", "m.zip"))
    assert_harmless(in_terminal(*words, "--out", "-"))
    assert_harmless(in_terminal("predict", "m.zip", "table.csv", "--out", "-"))
    label = ["label", "table.csv", "-k", "2", "--target", "kind", "--terminal"]
    assert "remark" in assert_harmless(in_terminal(*label, answers="y\nn\nq\n"))
    assert_harmless(in_terminal("data", "info", "numbers.csv", "--target", "kind"))
    (hostile / "links.csv").write_text(f"a,b,link\n{HOSTILE}x,y,must\n", encoding="utf-8")
    assert_harmless(in_terminal(*words), code=2)


def test_a_hostile_run(in_terminal, tmp_path):
    for name in ("first", "second"):
        records = [
            trial("a", 0.5 + t / 9, trial=t, label=HOSTILE, dataset=f"iris{HOSTILE}") for t in range(3)
        ]
        failed = [
            trial(
                "a",
                None,
                trial=3,
                label=HOSTILE,
                dataset=f"iris{HOSTILE}",
                error={"type": "E", "message": HOSTILE},
            )
        ]
        store(
            tmp_path / "results" / name,
            [entry("a", label=HOSTILE)],
            [*records, *failed],
            title=f"{name} {HOSTILE}",
            trials=4,
        )
    for words in (
        ["report", "first"],
        *(["report", "first", "--format", kind] for kind in ("markdown", "latex", "csv", "json", "html")),
        ["report", "first", "--where", f"label={HOSTILE}"],
        ["compare", "first", "second"],
        ["show", "first"],
        ["runs"],
    ):
        assert_harmless(in_terminal(*words))
    assert_harmless(in_terminal("report", HOSTILE), code=2)


def test_a_hostile_experiment(in_terminal, hostile):
    quoted = (
        HOSTILE.replace("\x1b", "\\e").replace("\x07", "\\a").replace("\x08", "\\b").replace("\x7f", "\\x7f")
    )
    quoted = quoted.replace("\x9b", "\\x9b").replace("\u202e", "\\u202e").replace("\u2028", "\\L")
    (hostile / "run.yaml").write_text(
        f'name: run\ntitle: "{quoted}"\n'
        f'datasets: [{{base: table.csv, target: kind, id: id, features: [x], name: "d{quoted}"}}]\n'
        "constraints: {kind: random_pairs, counts: [2]}\n"
        f'algorithms: [{{name: kmeans, label: "{quoted}"}}]\ntrials: 1\n'
    )
    done = in_terminal("run", "run.yaml", "-j", "1")
    assert_harmless(done, code=done.returncode)


def test_texts_are_shown_as_they_are():
    console = Console()
    console.file = io.StringIO()
    console.say("[red]:smile: 1.5", "a\tb")
    console.table(["what"], [["[/x] a b c 日本　語"]])
    assert console.file.getvalue().split("\n")[0] == "[red]:smile: 1.5"
    assert "[/x] a b c 日本　語" in console.file.getvalue()


def test_what_goes_into_a_file_stays_as_it_is(cscluster, hostile):
    printed = cscluster(
        *["cluster", "table.csv", "--target", "kind", "-k", "2", "-a", "kmeans", "--out", "-"]
    ).stdout
    assert [row[0] for row in csv.reader(io.StringIO(printed))][1] == f"{ID}0"


def test_without_a_terminal_progress_is_a_line_for_each_tenth(capsys):
    with console.trials("trials", 20) as advance:
        for number in range(20):
            advance(number == 15)
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in told] == [f"{done}/20" for done in range(2, 21, 2)]
    assert told[-1] == "trials: 20/20 after 0 s, 1 failed"


@pytest.mark.parametrize("width", [80, 40, 20])
def test_no_terminal_is_too_narrow_for_numbers(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    heads, numbers = (
        ["experiment", "planned", "CPU hours left", "missing data"],
        ["planned", "CPU hours left"],
    )
    rows = [["baghshah2010/figs3_5_table5_external", "234,000", "0.25", "protein, covtype"]]
    Console().table(heads, rows, numbers)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert sum("234,000" in line and "0.25" in line for line in lines) == 1
    assert {"planned", "missing"} <= {word for line in lines for word in line}


def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [Path(sys.executable).with_name("cscluster"), "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert re.fullmatch(r"cscluster: .*standard output: .*no space.*\n", ended.stderr)
