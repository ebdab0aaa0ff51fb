"""Files made to do harm: nothing in them is run, and nothing is written where it does not belong."""

import csv
import io
import pickle
from pathlib import Path

import numpy as np
import pytest

from cscluster.constraints import Constraints
from cscluster.constraints.files import links_csv, read_constraints
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.errors import ConfigError, CsclusterError, DataError
from cscluster.experiment.config.load import load, parse
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job
from cscluster.tables.outputs import labels_csv

CONFIG = """\
name: {name}
datasets: [iris]
constraints: {{kind: random_pairs, counts: [5]}}
algorithms: [kmeans]
trials: 1
"""


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_arrays_are_never_unpickled(tmp_path):
    bombs = np.array([[Bomb(tmp_path / "owned")]], dtype=object)
    np.savez(tmp_path / "a.npz", X=bombs, y=bombs)
    np.savez(tmp_path / "b.npz", X=np.eye(3), y=np.arange(3), classes=bombs)
    np.save(tmp_path / "c.npy", bombs)
    (tmp_path / "d.npy").write_bytes(pickle.dumps(bombs))
    (tmp_path / "e.npz").write_bytes(pickle.dumps(bombs))
    for name in ("a.npz", "b.npz", "c.npy", "d.npy", "e.npz"):
        with pytest.raises(DataError, match=f"Cannot read '.*{name}'"):
            load_dataset(tmp_path / name, name="x")
    assert not (tmp_path / "owned").exists()
    np.load(tmp_path / "a.npz", allow_pickle=True)["X"]
    assert (tmp_path / "owned").exists(), "the bomb is no bomb"


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.mkdir [owned]",
        "!!python/object/new:os.mkdir [owned]",
        "!!python/object/apply:subprocess.check_output [[mkdir, owned]]",
        "!!python/name:os.system",
        "!!python/module:os",
        "!<tag:yaml.org,2002:python/object/apply:os.mkdir> [owned]",
    ],
)
def test_yaml_makes_nothing_but_plain_values(tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text(CONFIG.format(name="x") + f"title: {value}\n")
    with pytest.raises(ConfigError, match=r"x\.yaml:6:8: YAML: a tag is not allowed"):
        load("x.yaml")
    with pytest.raises(ConfigError, match="is not allowed"):
        parse(CONFIG.format(name="x"), source="x", settings=[f"title={value}"])
    assert [path.name for path in tmp_path.iterdir()] == ["x.yaml"]


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        "../up",
        "a/b",
        "/tmp/abs",
        "~",
        ".hidden",
        "a\\\\b",
        "a\\n",
        "a\\0",
        "-x",
        " a",
        "ä",
        "a" * 101,
        "",
    ],
)
def test_runs_stay_inside_the_directory_of_results(tmp_path, monkeypatch, name):
    here = tmp_path / "above" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    Path("x.yaml").write_text(CONFIG.format(name=f'"{name}"'))
    with pytest.raises(ConfigError, match="must start with a letter or digit"):
        prepare("x.yaml")
    assert {path.name for path in tmp_path.rglob("*")} == {"above", "here", "x.yaml"}


def test_a_run_writes_nothing_but_its_directory(tmp_path, monkeypatch):
    here = tmp_path / "above" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    Path("x.yaml").write_text(CONFIG.format(name="x"))
    run_job(prepare("x.yaml"), Pool(1))
    made = {str(path.relative_to(here)) for path in here.rglob("*") if path.is_file()}
    assert {name for name in made if not name.startswith("results/x/")} == {"x.yaml"}
    assert [path.name for path in tmp_path.iterdir()] == ["above"]


@pytest.mark.parametrize("name", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_no_name_of_a_row_is_a_formula(name):
    table = Dataset("t", np.eye(2), ids=[name, "plain"], id_column=name)
    rows = list(csv.reader(io.StringIO(labels_csv(table, np.array([0, 1])), newline="")))
    harmless = f"'{name}"
    assert rows == [[harmless, "cluster"], [harmless, "0"], ["plain", "1"]]


@pytest.mark.parametrize("name", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "'quoted"])
def test_no_name_in_a_file_of_links_is_a_formula_and_all_are_read_back(tmp_path, name):
    links = Constraints([(0, 1)], [(1, 2)], n_samples=3)
    ids = [name, f"'{name}", "-3"]
    text = links_csv(links, ids)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not any(cell.startswith(("=", "+", "@")) or cell == "-2+3" for cell in cells)
    (tmp_path / "links.csv").write_text(text)
    assert read_constraints(tmp_path / "links.csv", 3, ids) == links


def test_a_folder_of_results_with_links_out_of_it_is_not_followed(tmp_path):
    (tmp_path / "x.yaml").write_text(CONFIG.format(name="x"))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").write_text("keep me")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "x").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CsclusterError, match="holds files but no results of cscluster"):
        prepare(str(tmp_path / "x.yaml"), out=tmp_path / "results")
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["precious"]
