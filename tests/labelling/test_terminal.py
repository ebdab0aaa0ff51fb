"""The questions in the terminal."""

import io

import numpy as np
import pytest
from rich.console import Console

from cscluster.labelling import terminal
from cscluster.labelling.items import Items
from cscluster.labelling.session import Session


@pytest.fixture
def talk(beads, heaps, tmp_path):
    return Session(heaps, tmp_path / "links.csv")


def ask(session, items, monkeypatch, keys, width=80):
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
    console = Console(width=width, record=True, file=io.StringIO())
    terminal.ask(session, items, console)
    return console.export_text()


def test_answers_skips_and_undo(talk, beads, monkeypatch):
    out = ask(
        talk, Items(beads, "beads", set()), monkeypatch, ["y", "NO", "what?", "", "undo", "s", "q", "y"]
    )
    assert [link.together for link in talk.answers] == [True]
    assert len(talk.path.read_text().splitlines()) == 2
    assert "groups found: 2 of 3" in out
    assert max(len(line) for line in out.splitlines() if line.startswith(("│", "links"))) <= 80


def test_the_end_of_the_input_ends(talk, beads, monkeypatch):
    ask(talk, Items(beads, "beads", set()), monkeypatch, ["n"])
    assert len(talk.answers) == 1


def test_until_nothing_is_left(talk, beads, monkeypatch):
    out = ask(talk, Items(beads, "beads", set()), monkeypatch, ["y", *["s"] * 70])
    assert len(talk.answers) == 1
    assert "No question is left" in out


def test_pictures_are_blocks():
    picture = np.zeros((8, 8), dtype=np.uint8)
    picture[:, 4:] = 255
    picture[4:, :4] = 128
    lines = terminal.blocks(picture, 32).splitlines()
    assert len(lines) == 16
    assert lines[0] == " " * 16 + "█" * 16
    assert lines[-1] == "▒" * 16 + "█" * 16


@pytest.mark.parametrize("shape", [(1, 1), (28, 28), (5, 90), (90, 5), (64, 64)])
def test_pictures_of_any_shape_fit(shape):
    lines = terminal.blocks(np.full(shape, 255, dtype=np.uint8), 32).splitlines()
    assert {len(line) for line in lines} == {len(lines[0])}
    assert 1 <= len(lines[0]) <= 32
