"""``cscluster label`` as a person meets it."""

import io
import os
import re
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

from cscluster.constraints.files import read_constraints


@pytest.fixture
def beads(tmp_path):
    """Write beads with names, a remark and their colour."""
    y = np.repeat([0, 1, 2], 15)
    X = np.random.default_rng(1).normal(size=(45, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[y]
    lines = [f"b{i},{a:.2f},{b:.2f},bead {i},{'xyz'[y[i]]}" for i, (a, b) in enumerate(X)]
    (tmp_path / "beads.csv").write_text("\n".join(["id,east,north,remark,colour", *lines, ""]))
    return tmp_path


def test_in_the_terminal_and_on_to_clusters(cscluster, beads, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\nn\ny\nu\nq\n"))
    line = "label beads.csv -k 3 --target colour --terminal --out mine.csv --seed 4"
    done = cscluster(*line.split())
    assert done.returncode == 0, done.stderr
    assert re.search(r"beads\.csv: 45 rows.*'id'", done.stdout)
    assert "remark bead" in done.stdout
    assert "colour" not in done.stdout.partition("the same clusters with:")[0]
    assert re.search(r"\b2 answers.*beads-links\.csv", done.stdout)
    use = done.stdout.splitlines()[-1].split()
    assert use[:3] == ["cscluster", "cluster", "beads.csv"]
    clustered = cscluster(*use[1:], "--out", "theirs.csv")
    assert clustered.returncode == 0, clustered.stderr
    assert (beads / "mine.csv").read_text() == (beads / "theirs.csv").read_text()
    assert re.search(r"beads-links\.csv: 0\b.*\b2 cannot-links", clustered.stdout)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert "going on from 2 answers" in cscluster(*line.split()).stdout
    assert len((beads / "beads-links.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("-k 50", "50 clusters.*45 rows"),
        ("-a hdbscan", "'label'.*noise.*'hdbscan'"),
        ("-k 3 --id name", "column 'name'"),
        ("-k 3 --image-shape 8x8", r"8x8.*\b64\b"),
        ("-k 3 --links nowhere/links.csv", "no directory 'nowhere'"),
        ("-k 3 --links beads.csv", r"beads\.csv'.*input"),
        ("-k 3 --links bad.csv", r"bad\.csv:2: .*'must'.*'cannot'.*'maybe'"),
    ],
)
def test_one_sentence_says_what_is_wrong(cscluster, beads, options, sentence):
    (beads / "bad.csv").write_text("a,b,link\nb1,b2,maybe\n")
    done = cscluster("label", "beads.csv", "--terminal", "--ignore", "colour", *options.split())
    assert done.returncode == 2
    assert re.search(sentence, done.stderr)
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_the_page_until_ctrl_c(beads):
    code = "from cscluster.cli.app import main; main()"
    words = ["label", "beads.csv", "-k", "3", "--target", "colour", "--links", "mine.csv", "--no-open"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=beads,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # ignored where tests run in the background
    ) as running:
        lines = []
        while not lines or not lines[-1].startswith("Ctrl-C ends"):
            lines.append(running.stdout.readline())
            assert lines[-1], lines
        address = next(line for line in lines if line.startswith("open ")).split()[1]
        assert address.startswith("http://127.0.0.1:")
        step = urllib.request.Request(
            address + "step", b'{"action": "no", "rows": [0, 20]}', {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(step, timeout=60) as reply:
            assert reply.status == 200
        running.send_signal(signal.SIGINT)
        try:
            out, _ = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == 0
    assert re.search(r"\b1 answer\b.*mine\.csv", out)
    assert "cscluster cluster beads.csv --links mine.csv -k 3 --closure --target colour" in out
    assert len(read_constraints(beads / "mine.csv", 45, [f"b{i}" for i in range(45)])) == 1


def test_names_of_clusters_survive_into_files_and_the_model(cscluster, beads, monkeypatch):
    (beads / "beads-links-names.csv").write_text("row,name\nb0,west\nb20,east\nb40,north\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\nq\n"))
    done = cscluster(
        *["label", "beads.csv", "-k", "3", "--ignore", "colour", "--terminal", "--out", "mine.csv"]
    )
    assert done.returncode == 0, done.stderr
    use = done.stdout.splitlines()[-1].split()
    clustered = cscluster(*use[1:], "--out", "theirs.csv", "--model", "model.zip")
    assert clustered.returncode == 0, clustered.stderr
    predicted = cscluster(*["predict", "model.zip", "beads.csv", "--out", "new.csv"])
    assert predicted.returncode == 0
    for name in ("west", "east", "north"):
        assert name in clustered.stdout
        assert name in predicted.stdout
    mine = (beads / "mine.csv").read_text()
    assert {line.split(",")[1] for line in mine.splitlines()[1:]} == {"west", "east", "north"}
    assert (beads / "theirs.csv").read_text() == (beads / "new.csv").read_text() == mine


def test_a_program_answers(cscluster, beads):
    rule = "import json, sys; q = json.load(sys.stdin); print('n .5')"
    command = f'{sys.executable} -c "{rule}"'
    line = ["label", "beads.csv", "-k", "3", "--ignore", "colour", "--questions", "2", "--answer"]
    done = cscluster(*line, command)
    assert done.returncode == 0, done.stderr
    assert (beads / "beads-links.csv").read_text().splitlines()[0] == "a,b,link,weight"
    assert "2 answers in beads-links.csv" in done.stdout
    done = cscluster(*line, f'{sys.executable} -c "print(1)"')
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert "must write y, n or skip" in done.stderr
