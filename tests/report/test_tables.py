import csv
import io
import os

import pytest
from rich.console import Console

from cscluster.errors import StoreError
from cscluster.report import tables
from cscluster.report.aggregate import collect
from cscluster.report.tables import cell_text

from .stored import entry, store, trial


def shown(results, width):
    console = Console(file=io.StringIO(), width=width)
    tables.show(results, console)
    return console.file.getvalue()


@pytest.fixture
def wide(tmp_path):
    """Five points, three algorithms, one of them with a long name and one that fails at times."""
    names = {"a": "K-means", "b": "Pairwise constrained maximum margin", "c": "C [bold]"}
    records = [
        trial(name, None if (name, t) == ("c", 0) else 0.1 * k + 0.01 * t, trial=t, label=label, point=point)
        for k, (name, label) in enumerate(names.items(), start=1)
        for point in (20, 40, 60, 80, 100)
        for t in (0, 1)
    ]
    algorithms = [entry(name, label=label) for name, label in names.items()]
    return collect(store(tmp_path / "run", algorithms, records))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0.5, 0.1234, 20, 20, "acc"), "0.500 ± 0.123"),
        ((0.5, 0.1234, 19, 20, "acc"), "0.500 ± 0.123 (19/20)"),
        ((0.5, float("nan"), 1, 1, "acc"), "0.500"),
        ((0.5, float("nan"), 1, 20, "acc"), "0.500 (1/20)"),
        ((float("nan"), float("nan"), 0, 20, "acc"), "N/A (0/20)"),
        ((12.34, 1.0, 20, 20, "iterations"), "12.3 ± 1.0"),
    ],
)
def test_text_of_a_cell(arguments, text):
    assert cell_text(*arguments) == text


@pytest.mark.parametrize("width", [200, 120, 81, 80, 79, 60, 50])
def test_tables_fit_the_terminal_and_lose_no_number(wide, width):
    text = shown(wide, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    squeezed = text.replace(" ± ", "±")
    assert [squeezed.count(v) for v in ("0.105±0.007", "0.205±0.007", "0.310 (1/2)")] == [5, 5, 5]
    heads = [line.split() for line in text.splitlines() if line.startswith("algorithm")]
    assert [point for head in heads for point in head[1:]] == ["20", "40", "60", "80", "100"]


def test_a_table_that_just_fits_is_not_divided(wide):
    needed = max(len(line) for line in shown(wide, 200).splitlines() if line.startswith("Pairwise"))
    assert "(continued)" not in shown(wide, needed)
    assert "…" not in shown(wide, needed)


def test_long_names_leave_room_for_numbers(tmp_path):
    label = "a very long name of an algorithm " * 4
    records = [trial("a", 0.5, trial=t, label=label, point=p) for t in (0, 1) for p in (10, 20)]
    text = shown(collect(store(tmp_path, [entry("a", label=label)], records)), 60)
    assert max(map(len, text.splitlines())) <= 60
    assert text.count("0.500±0.000") == 2
    assert "(continued)" not in text
    assert " ".join(text.split()).count("very long name") == 4


def test_the_table_says_what_it_shows(wide):
    text = shown(wide, 200)
    assert "ACC on iris by number of links" in text
    assert "C [bold]" in text
    assert "mean ± standard deviation over 2 trials" in text
    assert "5 trials of C [bold] on iris: error: ValueError: it broke" in text
    assert "oracle" not in text
    assert "(continued)" in shown(wide, 60)


def test_one_failure_is_one_trial(tmp_path):
    folder = store(tmp_path, [entry("a")], [trial("a", None), trial("a", 0.5, trial=1)])
    assert tables.notes(collect(folder))[-1] == "1 trial of A on iris: error: ValueError: it broke"


def test_the_best_of_each_column_stands_out(tmp_path):
    records = [trial("a", 0.3), trial("b", 0.9), trial("c", 0.90004)]
    folder = store(tmp_path, [entry(n) for n in "abc"], records, metrics=["acc", "error"])
    best = {metric: mask[10].to_dict() for _, metric, _, mask in tables.grids(collect(folder))}
    # Means that read alike count alike.
    assert best["acc"] == best["error"] == {"A": False, "B": True, "C": True}


def test_nothing_is_best_where_all_failed(tmp_path):
    folder = store(tmp_path, [entry("a")], [trial("a", None), trial("a", None, trial=1)])
    results = collect(folder)
    ((_, _, texts, best),) = tables.grids(results)
    assert texts.loc["A", 10] == "N/A (0/2)"
    assert not best.to_numpy().any()
    assert "N/A (0/2)" in shown(results, 80)


def test_rows_and_columns_are_in_the_order_of_the_experiment(tmp_path):
    records = [trial(name, 0.5, point=point) for name in ("z", "a") for point in (100, 20)]
    ((_, _, texts, _),) = tables.grids(collect(store(tmp_path, [entry("z"), entry("a")], records)))
    assert list(texts.index) == ["Z", "A"]
    assert list(texts.columns) == [100, 20]


def test_a_missing_cell_is_empty(tmp_path):
    records = [trial("a", 0.5), trial("a", 0.5, point=20), trial("b", 0.5)]
    ((_, _, texts, _),) = tables.grids(collect(store(tmp_path, [entry("a"), entry("b")], records)))
    assert texts.loc["B", 20] == ""


def test_columns_of_tiers_tell_their_point(tmp_path):
    records = [trial("a", 0.5, point=point, tier=tier) for point in (5, 10) for tier in (1, 2)]
    results = collect(store(tmp_path, [entry("a")], records, kind="tiers"))
    assert "5 t1" in shown(results, 100)
    assert "10 t2" in shown(results, 100)
    assert "| 5 t1 | 5 t2 | 10 t1 | 10 t2 |" in tables.markdown(results)


def oracle(tmp_path):
    records = [
        trial("a", 0.1 * lam, trial=t, label="=A|<b>*", grid={"lam": lam}) for lam in (1, 2) for t in (0, 1)
    ]
    return collect(store(tmp_path / "run", [entry("a", label="=A|<b>*", select="oracle:acc")], records))


def test_oracle_is_marked_everywhere(tmp_path):
    results = oracle(tmp_path)
    assert "=A|<b>* *" in shown(results, 80)
    for text in (shown(results, 80), tables.markdown(results)):
        assert "oracle: the parameters were picked with the true labels" in text


def test_markdown(tmp_path):
    text = tables.markdown(oracle(tmp_path))
    lines = text.splitlines()
    assert lines[0] == "# A title"
    assert "## ACC on iris by number of links" in lines
    start = lines.index("| algorithm | 10 |")
    assert lines[start + 1] == "|---|---:|"
    assert lines[start + 2] == r"| =A\|&lt;b>\* \* | **0.200 ± 0.000** |"
    assert all(line.replace(r"\|", "").count("|") == 3 for line in lines[start : start + 3])


@pytest.mark.parametrize("label", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a\n=1"])
def test_formulas_in_csv_are_made_harmless(tmp_path, label):
    folder = store(tmp_path, [entry("a", label=label)], [trial("a", 0.5, label=label)])
    tables.write(collect(folder), folder.path)
    with (folder.path / "summary.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    line = label.replace("\r", " ").replace("\n", " ")
    assert row["label"] == (line if line[0] == "a" else "'" + line)
    assert (row["dataset"], row["mean"], row["n"], row["planned"]) == ("iris", "0.5", "1", "2")


def test_report_and_summary_are_written_beside_the_records(wide, tmp_path):
    assert tables.write(wide, tmp_path) == tmp_path / "report.md"
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == tables.markdown(wide)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "summary.csv").read_text(encoding="utf-8"))))
    assert len(rows) == len(wide.cells) == 15
    assert not list(tmp_path.glob(".*.part"))


def test_a_full_disk_is_told(wide, tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreError, match=r"Cannot write '.*summary\.csv': No space left on device"):
        tables.write(wide, tmp_path)
    assert not list(tmp_path.glob(".*.part"))


def test_a_run_without_results(tmp_path):
    folder = store(tmp_path, [entry("a")], [])
    results = collect(folder)
    assert "mean ± standard deviation" in shown(results, 80)
    assert tables.write(results, tmp_path).read_text(encoding="utf-8").startswith("# A title")
