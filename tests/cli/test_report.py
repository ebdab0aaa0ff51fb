"""report, compare and runs, on runs written by hand."""

import csv
import json
import os
import re
from types import SimpleNamespace

import pytest
from PIL import Image

from tests.report.stored import entry, store, three_by_three, trial
from tests.store.values import lines


@pytest.fixture
def runs(tmp_path):
    """Return a directory of results with three runs."""
    three_by_three(tmp_path / "results/first", n=6)
    three_by_three(tmp_path / "results/second", n=6, title="Another")
    records = [trial("a", 0.5, trial=t, dataset="glass", point=20) for t in range(6)]
    store(
        tmp_path / "results/third",
        [entry("a")],
        [*records, trial("a", None, dataset="glass", point=20, trial=6)],
        trials=7,
    )
    return SimpleNamespace(path=tmp_path)


FORMATS = {
    "terminal": ("table.txt", "ACC (majority) on iris by number of constraints\nalgorithm "),
    "markdown": ("table.md", "| algorithm | 10 | 20 |"),
    "latex": ("table.tex", "\\begin{tabular}{lrr}\n\\toprule"),
    "csv": ("table.csv", "dataset,label,oracle,params,point,tier,metric,mean,std,n,planned,missing\niris,A,"),
    "json": ("table.json", '"ordering": "A < B < C"'),
    "html": ("table.html", "<!DOCTYPE html>"),
}


@pytest.mark.parametrize("kind", FORMATS)
def test_formats_by_name_and_by_file(cscluster, runs, kind):
    name, says = FORMATS[kind]
    printed = cscluster("report", "first", "--format", kind)
    assert printed.returncode == 0, printed.stderr
    assert says in printed.stdout
    written = cscluster("report", "first", "--out", f"out/{name}")
    assert written.stdout == f"written: out/{name}\n"
    text = (runs.path / "out" / name).read_text(encoding="utf-8")
    assert says in text
    if kind != "terminal":  # which is as wide as the terminal
        assert text == printed.stdout
    again = cscluster("report", "first", "--out", f"again/{name}")
    assert again.returncode == 0
    assert (runs.path / "again" / name).read_bytes() == (runs.path / "out" / name).read_bytes()


def test_choices(cscluster, runs):
    done = cscluster(
        "report", "first", "-m", "error", "--where", "dataset=iris,wine", "--where", "label!=C", "-f", "csv"
    )
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert {row["metric"] for row in rows} == {"error"}
    assert {row["dataset"] for row in rows} == {"iris", "wine"}
    assert {row["label"] for row in rows} == {"A", "B"}


def test_runs_one_after_another_and_in_one_table(cscluster, runs):
    apart = cscluster("report", "first", "third")
    assert apart.stdout.count("A title\n") == 2
    assert re.search(r"\b6 trials", apart.stdout)
    together = cscluster("report", "first", "third", "--by", "dataset")
    assert together.stdout.startswith("A title + A title\n")
    (glass,) = [line for line in together.stdout.splitlines() if line.startswith("glass")]
    assert "".join(glass.split()) == "glass>0.500±0.000(6/7)"
    told = json.loads(cscluster("report", "first", "third", "-f", "json").stdout)
    assert [run["datasets"] for run in told["runs"]] == [["iris", "wine", "sonar"], ["glass"]]


def test_the_table_of_a_paper(cscluster, runs):
    arguments = ("report", "first", "--by", "dataset", "--where", "point=10")
    shown = cscluster(*arguments, "--reference", "B", "--caption", "Ours").stdout
    assert "\nOurs\ndata set" in shown
    assert [line.split()[0] for line in shown.splitlines()[4:8]] == ["iris", "wine", "sonar", "mean"]
    assert max(map(len, shown.splitlines())) <= 80
    wide = cscluster(*arguments, "-f", "csv").stdout.splitlines()
    assert re.match(r'"ACC \(majority\) .*\b10"$', wide[0])
    assert wide[1] == "data set,A,B,C"
    latex = cscluster(*arguments, "-f", "latex", "--caption", "Ours", "--label", "tab:ours").stdout
    assert "\\caption{Ours. Mean" in latex
    assert "\\label{tab:ours}" in latex


def test_a_paragraph_on_methods(cscluster, runs):
    text = cscluster("report", "first", "-f", "prose").stdout
    assert re.match(r"A, B and C .*\b6 times.*\b3 data sets", text)
    assert cscluster("report", "first", "third", "-f", "prose").stdout.count(" Constraints: ") == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["report", "frist"], "'frist'.*'results'.*'first'"),
        (["report", "first", "--results", "nowhere"], "'first'.*'nowhere'"),
        (["report", "first", "-m", "eror"], "'first'.*metric 'eror'.*'error'"),
        (["report", "first", "--format", "latx"], "format 'latx'.*'latex'"),
        (["report", "first", "--out", "table"], "'table'.*--format"),
        (["report", "first", "--out", "results"], "'results'.*--format"),
        (["report", "first", "--reference", "Z"], "method 'Z'"),
        (["report", "first", "--by", "lam"], "'lam'.*point, dataset"),
        (["report", "first", "--where", "dataset=irsi"], "'dataset=irsi'.*'iris'"),
        (["report", "first", "second", "--by", "dataset"], "'cscluster compare'"),
        (["report", "first", "--tol", "1"], "--tol.*--check"),
        (["report", "first", "second", "--check", "x.csv"], "--check.*one whole run"),
        (["report", "first", "--check", "x.csv"], r"reference 'x\.csv': No such file"),
        (["report", "first", "--out", "results/first/run.json/t.md"], r"write 'results/first/run\.json/t\.md'"),
        (["compare", "first", "secnd"], "'secnd'.*'results'.*'second'"),
        (["compare", "first", "second", "-m", "xyz"], "'first'.*metric 'xyz'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2(cscluster, runs, arguments, says):
    done = cscluster(*arguments)
    assert done.returncode == 2
    assert re.search(says, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_check(cscluster, runs):
    reference = runs.path / "reference.csv"
    cscluster("report", "first", "--out", reference)
    done = cscluster("report", "first", "--check", "reference.csv")
    assert done.returncode == 0
    assert re.fullmatch(r"0 of 18 .*'first'.*reference\.csv\n", done.stdout)
    lines = reference.read_text().splitlines()
    lines[1] = lines[1].replace("iris,A,", "iris,Z,")
    lines[2:4] = [",".join([*line.split(",")[:7], "0.1", *line.split(",")[8:]]) for line in lines[2:4]]
    reference.write_text("\n".join(lines) + "\n")
    done = cscluster("report", "first", "--check", "reference.csv", "--tol", "0.02")
    told = done.stdout.splitlines()
    assert done.returncode == 1
    assert told[0].startswith("acc of Z on iris at 10: 0.")
    assert told[0].endswith("-> missing")
    assert [line.partition(":")[0] for line in told[1:3]] == [
        "acc of A on wine at 10",
        "acc of A on sonar at 10",
    ]
    assert all(": 0.1000 -> 0.5" in line or ": 0.1000 -> 0.4" in line for line in told[1:3])
    assert re.fullmatch(r"3 of 18 .*'first'.*reference\.csv", told[3])
    assert cscluster("report", "first", "--check", "reference.csv", "--tol", "acc=1").returncode == 1


def test_compare(cscluster, runs):
    done = cscluster("compare", "first", "second")
    assert done.returncode == 0
    assert "+ title: Another" in done.stdout
    assert "18 common cells: 18 same." in done.stdout
    store_better(runs.path / "results/better")
    done = cscluster("compare", "first", "better")
    assert done.returncode == 0
    assert "18 common cells: 18 better." in done.stdout
    assert "ACC (majority) of A on iris at 10" in " ".join(done.stdout.split())
    assert "Holm" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_runs_without_a_common_cell_were_not_tested(cscluster, runs):
    done = cscluster("compare", "first", "third")
    assert "0 common cells" in done.stdout
    assert "Holm" not in done.stdout


def store_better(path):
    directory = three_by_three(path, n=6)
    records = [
        {**r, "metrics": {name: value + 0.2 for name, value in r["metrics"].items()}}
        for r in directory.records()
    ]
    with directory.writing() as writer:
        writer.put_lines(lines(*records))


def test_runs_lists_what_is_stored(cscluster, runs):
    (runs.path / "results/third/trials.jsonl").open("a").write("damaged\n")
    for moment, name in enumerate(["first", "second", "third"]):  # so long ago that all ages stay the same
        os.utime(runs.path / f"results/{name}/trials.jsonl", (moment, moment))
    done = cscluster("runs")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if not line.startswith(" ")}
    assert rows["second"].split()[1:3] == ["108/108", "0"]
    assert "run.yaml" in rows["second"]
    after = done.stdout.splitlines()[done.stdout.splitlines().index(rows["second"]) :]
    assert [line.split()[0] for line in after] == ["second", "first"]  # a line for each
    assert rows["third"].split()[1:3] == ["?", "?"]
    assert "damaged:results/third/trials.jsonl:8:" in "".join(done.stdout.split())
    assert list(rows)[-1] == "first"
    assert "no runs in 'nowhere' yet" in cscluster("runs", "--results", "nowhere").stdout


def test_failures_are_counted(cscluster, runs):
    (line,) = [line for line in cscluster("runs").stdout.splitlines() if line.startswith("third")]
    assert line.split()[1:3] == ["7/7", "1"]


def test_figures_are_drawn_into_a_folder(cscluster, runs):
    said = cscluster("report", "first", "--figures", "drawn", "--figure-format", "svg").stdout
    assert "drawn: drawn/curves_acc.svg" in said
    assert "<svg" in (runs.path / "drawn/curves_acc.svg").read_text()
    assert (runs.path / "drawn/curves_acc.caption.tex").read_text().startswith("ACC (majority), mean")
    for option, value in (("--figure-format", "jpg"), ("--figure-style", "poster")):
        wrong = cscluster("report", "first", "--figures", "drawn", option, value)
        assert wrong.returncode == 2
        assert value in wrong.stderr


def test_slides(cscluster, runs):
    done = cscluster("report", "first", "--figures", "s", "--figure-style", "slides", "--share-y")
    assert done.returncode == 0
    with Image.open(runs.path / "s/curves_acc.png") as picture:
        assert picture.width == 1920


def test_a_page_is_opened(cscluster, runs, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert cscluster("report", "first", "--open").returncode == 0
    page = runs.path / "results/first/report.html"
    assert opened == [page.as_uri()]
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "Leave out --format" in cscluster("report", "first", "--open", "--format", "csv").stderr


@pytest.mark.parametrize("command", [["report", "first"], ["show", "first"], ["merge", "first", "second"]])
def test_an_edited_definition_is_refused_in_one_sentence(cscluster, runs, command):
    file = runs.path / "results/first/run.json"
    file.write_text(file.read_text().replace('"repetitions":6', '"repetitions":5'))
    done = cscluster(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"first.run\.json': .*checksum", done.stderr)
    assert "damaged" in cscluster("runs").stdout
