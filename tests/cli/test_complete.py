"""What the shell completes."""

import os
import subprocess
import sys

import pytest

from cscluster.cli import complete


def test_names_are_completed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_table.csv").touch()
    (tmp_path / "my_run.yaml").touch()
    assert "mnist0689" in complete.configs("mn")
    assert complete.configs("my_") == ["my_run.yaml"]
    assert complete.configs(f"{tmp_path}/my_r") == [f"{tmp_path}/my_run.yaml"]
    assert complete.data("my_ta") == ["my_table.csv"]
    assert complete.datasets("letterI") == ["letterIJL"]
    assert complete.algorithms("mpck") == ["mpckmeans", "mpckmeans_full"]
    assert complete.papers("zha") == ["zhang2009"]
    assert complete.tracks("l") == ["links", "labelled", "large"]
    assert "zhang2009/table4_balanced" in complete.papers("zhang2009/ta")
    assert {"pckmeans", "pendigit389"} <= {*complete.names("p")}
    assert complete.runs("") == []
    assert complete.metrics("acc@un") == ["acc@unconstrained", "acc@unseen"]


def shell_offers(words, folder):
    """Return what the shell offers for the last of some words, and the modules that were imported for it."""
    script = "import sys; from cscluster.cli.app import main; sys.argv = ['cscluster']; main()"
    variables = {"_CSCLUSTER_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words)}
    answer = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", script],
        env={**os.environ, **variables, "COMP_CWORD": str(len(words) - 1)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.split(), {line.rpartition("|")[2].strip() for line in answer.stderr.splitlines()}


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        (["cscluster", "report", "mine", "--metric", "balanced_"], ["balanced_error", "balanced_rand"]),
        (["cscluster", "run", "mnist0689", "--backend", "d"], ["dask"]),
        (["cscluster", "cluster", "t.csv", "--preprocess", "s"], ["standardize", "scale01"]),
        (["cscluster", "cluster", "t.csv", "--features", "width,le"], ["width,length", "width,left"]),
        (["cscluster", "label", "t.csv", "--ignore", "wi"], ["width"]),
        (["cscluster", "report", "st"], ["stored"]),
        (["cscluster", "report", "stored", "--figure-style", "s"], ["slides"]),
    ],
)
def test_the_shell_completes_options_without_a_large_library(words, offers, tmp_path):
    (tmp_path / "t.csv").write_text("name;width;length;left\n1;2;3;4\n")
    (tmp_path / "results" / "stored").mkdir(parents=True)
    (tmp_path / "results" / "stored" / "run.json").touch()
    offered, modules = shell_offers(words, tmp_path)
    assert offered == offers
    assert not {"numpy", "pandas", "scipy", "sklearn", "matplotlib", "pydantic"} & modules


def test_a_table_that_cannot_be_read_has_no_columns_to_complete(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\xff\xfe")
    assert shell_offers(["cscluster", "cluster", "t.csv", "--id", "a"], tmp_path)[0] == []
