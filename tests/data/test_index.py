import hashlib
from pathlib import Path

import numpy as np
import pytest

from cscluster import bundle, load_dataset
from cscluster.algorithms.registry import PAPERS
from cscluster.data import index
from cscluster.data.recipe import Recipe


@pytest.mark.parametrize("name", index.files())
def test_bundled_file_is_as_the_index_says(name):
    entry = index.files()[name]
    content = (bundle.folder("datasets") / f"{name}.npz").read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["sha256"]
    data = load_dataset(name)
    assert (data.n_samples, data.n_features, data.n_classes) == (entry["n"], entry["d"], entry["classes"])
    assert np.unique(data.y).tolist() == list(range(entry["classes"]))
    assert data.image == (tuple(entry["image"]) if "image" in entry else None)
    if data.image:
        assert np.prod(data.image) == data.n_features


def test_every_bundled_file_is_in_the_index():
    there = {path.stem for path in bundle.folder("datasets").glob("*.npz")}
    assert there == set(index.files())


def test_every_entry_says_where_it_comes_from():
    for name, entry in index.files().items():
        assert {"title", "source", "licence", "sha256"} <= set(entry), name
    for name, entry in (index.files() | index.external()).items():
        assert set(entry.get("papers", [])) <= set(PAPERS), name
        assert set(entry.get("openml", {"name", "id"})) == {"name", "id"}, name


def test_the_notice_names_source_and_licence_of_every_data_set():
    notice = (Path(bundle.folder("datasets")).parent / "NOTICE").read_text(encoding="utf-8")
    for name, entry in index.files().items():
        source = " ".join(entry["source"].split())
        assert f"{name}: {entry['title']}\n  source: {source}\n  licence: {entry['licence']}\n" in notice


def test_every_recipe_is_legal_and_has_a_known_base():
    for name, recipe in index.recipes().items():
        base = Recipe(**recipe).base
        assert base is None or base in index.files() or base in index.external(), name


def test_names_are_unique():
    assert len(set(index.names())) == len(index.names())


def test_every_pair_of_digits_has_a_recipe():
    assert index.recipes()["optdigits_3_8"] == {"base": "optdigits", "part": "test", "classes": ["3", "8"]}
    # The paper takes this one from the training part.
    assert index.recipes()["optdigits_3_9"]["part"] == "train"
    assert sum(name.startswith("optdigits_") and len(name) == 13 for name in index.recipes()) == 45


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setenv("CSCLUSTER_DATA", str(tmp_path))
    return tmp_path


def test_finds_files_in_the_users_folder_and_the_folders_in_it(own):
    assert index.find_file("usps") is None
    (own / "images").mkdir()
    (own / "images" / "usps.npz").touch()
    assert index.find_file("usps") == own / "images" / "usps.npz"
    (own / "usps.csv").touch()
    assert index.find_file("usps") == own / "usps.csv"


def test_a_file_may_have_another_name_than_its_data_set(own):
    (own / "ringnorm.npz").touch()
    assert index.find_file("ringnorm_ida") == own / "ringnorm.npz"


def test_looks_only_for_files_that_can_be_read(own):
    for name in ("usps.md", "usps.npz", "usps.txt", "usps.csv.part"):
        (own / name).touch()
    (own / "usps.csv").mkdir()
    assert index.find_file("usps") == own / "usps.npz"


@pytest.mark.parametrize("name", ["/abs/olute.csv", "../usps", "us*", "", ".", "a/b", "[", "\0"])
def test_only_plain_names_are_looked_for_in_the_users_folder(own, name):
    (own / "usps.npz").touch()
    assert index.find_file(name) is None


def test_a_name_too_long_for_a_path_is_not_found(own):
    assert index.find_file("a" * 5000) is None


def test_bundled_files_come_first(own):
    (own / "iris.npz").touch()
    assert index.find_file("iris") == bundle.folder("datasets") / "iris.npz"


def test_a_folder_that_is_not_there_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv("CSCLUSTER_DATA", str(tmp_path / "none"))
    assert index.find_file("usps") is None
    monkeypatch.setenv("CSCLUSTER_DATA", "~/data")
    assert index.own_folder().is_absolute()
