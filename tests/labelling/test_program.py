"""Programs that answer."""

import json
import shlex
import sys

import pytest

from cscluster.errors import DataError
from cscluster.labelling import program
from cscluster.labelling.items import Items, Pictures
from cscluster.labelling.program import ask_program
from cscluster.labelling.session import Session


@pytest.fixture
def talk(heaps, tmp_path):
    with Session(heaps, tmp_path / "links.csv") as opened:
        yield opened


def python(code):
    return shlex.join(
        [sys.executable, "-c", f"import json, sys; q = json.loads(sys.stdin.readline()); {code}"]
    )


def ask(talk, code, count=1, pictures=None):
    ask_program(talk, Items(talk.table, "beads", set(), pictures), python(code), count)


def test_a_rule_answers_by_the_values_and_its_confidence_is_the_weight(talk, beads):
    far = "max(abs(float(q['a']['values'][c]) - float(q['b']['values'][c])) for c in 'xy') > 4.5"
    ask(talk, f"print('n 0.9' if {far} else 'yes .25')", 6)
    assert len(talk.answers) == 6
    assert all(link.together == (beads.y[link.a] == beads.y[link.b]) for link in talk.answers)
    assert all(link.weight == (0.25 if link.together else 0.9) for link in talk.answers)
    assert talk.path.read_text().startswith("a,b,link,weight\n")


def test_a_skip_is_a_question_too(talk):
    first = talk.question
    ask(talk, "print('skip')", 2)
    assert talk.answers == []
    assert talk.question[0] != first[0]


def test_pictures_are_told_as_pixels(talk, beads, tmp_path):
    seen = tmp_path / "seen.json"
    ask(talk, f"json.dump(q, open({str(seen)!r}, 'w')); print('n')", 1, Pictures(beads.X, (2, 1)))
    a, _ = talk.answers[0][:2]
    assert json.loads(seen.read_text())["a"]["pixels"] == Pictures(beads.X, (2, 1)).pixels(a).tolist()


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("print('maybe')", r"\by, n or skip\b.*'maybe'\.$"),
        ("print('y 1.5')", r"\bskip\b.*'y 1\.5'\.$"),
        ("print('n 0')", r"\bskip\b.*'n 0'\.$"),
        ("pass", r"\bskip\b.* ''\.$"),
        ("sys.exit('no key is set')", "no answer: .*status 1"),
        ("import time; time.sleep(60)", "no answer: .*timed out.*0.5"),
    ],
)
def test_failures_are_one_sentence(talk, monkeypatch, code, sentence):
    monkeypatch.setattr(program, "TIMEOUT", 0.5 if "sleep" in code else 60)
    with pytest.raises(DataError, match=sentence):
        ask(talk, code)
    assert talk.answers == []


@pytest.mark.parametrize("command", ["no-such-program-here", "", "'open"])
def test_what_cannot_be_started_is_named(talk, command):
    with pytest.raises(DataError, match=f"'{command}' .*no answer: "):
        ask_program(talk, Items(talk.table, "beads", set()), command, 1)
