import io
import re

import pytest
from rich.console import Console

from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import terminal
from cscluster.report.page import BulletList, Heading, Page, Picture
from cscluster.report.table import PlainTable
from tests.report import stored
from tests.report.stored import entry, store, three_by_three, trial


def shown(results, width, brief=False, **more):
    console = Console(file=io.StringIO(), width=width, **more)
    terminal.show(compose(results), console, brief)
    return console.file.getvalue()


@pytest.fixture
def wide(tmp_path):
    return collect(stored.wide(tmp_path / "run"))


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
    needed = max(
        len(line) for line in shown(wide, 200).splitlines() if line.startswith("Pairwise") and "±" in line
    )
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


def test_what_stands_out_is_bold(tmp_path):
    text = shown(collect(three_by_three(tmp_path)), 120, force_terminal=True, color_system="standard")
    bold = [line for line in text.splitlines() if "\x1b[1;32m" in line]
    assert len(bold) == 3
    assert all(line.startswith("C") for line in bold)
    assert "> 0.7" not in text


@pytest.mark.parametrize(("width", "mark"), [(120, "> 0.7"), (38, ">0.7")])
def test_what_stands_out_has_a_mark_where_nothing_can_be_bold(tmp_path, width, mark):
    text = shown(collect(three_by_three(tmp_path)), width)
    marked = [line for line in text.splitlines() if mark in line]
    assert len(marked) == 3
    assert all(line.startswith("C") for line in marked)
    assert "(> in plain text): best" in " ".join(text.split())


def test_a_terminal_without_colours_has_the_mark_too(tmp_path):
    results = collect(three_by_three(tmp_path))
    text = shown(results, 120, force_terminal=True, color_system="standard", no_color=True)
    assert text.count("> 0.") == 6


@pytest.mark.parametrize("width", [80, 60, 40])
def test_data_sets_by_many_methods_fit_the_terminal(tmp_path, width):
    names = [f"Method number {i} + k-means" for i in range(9)]
    records = [
        trial(f"a{i}", 0.1 * i + 0.01 * t, trial=t, label=name, dataset=data)
        for i, name in enumerate(names)
        for data in ("iris", "a data set with a long name")
        for t in (0, 1)
    ]
    results = collect(store(tmp_path, [entry(f"a{i}", label=n) for i, n in enumerate(names)], records))
    console = Console(file=io.StringIO(), width=width, color_system=None)
    terminal.show(compose(results, "dataset", reference=names[0]), console, brief=True)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert all(text.replace(" ± ", "±").count(f"{0.1 * i + 0.005:.3f}±0.007") == 2 for i in range(9))


def test_tests_stand_below_the_tables(tmp_path):
    text = shown(collect(three_by_three(tmp_path)), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert [line for line in text.splitlines() if "A < B" in line] == [
        f"- {name}: A < B < C" for name in ("iris", "wine", "sonar")
    ]
    assert re.search(r"C .*ACC \(majority\) in 6 of 6", text)


def test_plain_text(wide):
    text = terminal.text([compose(wide), compose(wide)])
    assert text.count("A title") == 2
    assert "\x1b" not in text
    assert terminal.text([compose(wide), compose(wide)]) == text


def test_a_brief_report_leaves_out_the_details(tmp_path):
    results = collect(three_by_three(tmp_path / "run"))
    full, brief = shown(results, 120), shown(results, 120, brief=True)
    assert "A < B < C" in full
    assert "A < B < C" not in brief
    assert re.search(r"C .*ACC \(majority\) in 6 of 6", brief)
    assert [line for line in brief.splitlines() if line not in full.splitlines()] == []


def test_every_block_is_shown():
    blocks = [
        Heading(2, "Heading"),
        "paragraph",
        BulletList(["item"]),
        Picture("figures/p.png", b"", "what it shows"),
        PlainTable("", ["a", "b"], [["text [bold]", "other"]]),
    ]
    lines = terminal.text([Page("Title", blocks)]).split("\n\n")
    assert lines[:5] == ["Title", "Heading", "paragraph", "- item", "figures/p.png: what it shows"]
    assert "text [bold]  other" in lines[5]
