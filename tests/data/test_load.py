import numpy as np
import pytest

from cscluster import bundle, load_dataset
from cscluster.data import index
from cscluster.data.recipe import Recipe
from cscluster.errors import DataError

CSV = "a,b,kind\n1,2,x\n3,4,y\n5,6,y\n"


def test_loads_by_name_by_path_and_by_recipe(tmp_path):
    (tmp_path / "mine.csv").write_text(CSV)
    assert load_dataset("iris").name == "iris"
    assert load_dataset("optdigits_3_8").name == "optdigits_3_8"
    mine = load_dataset(str(tmp_path / "mine.csv"), target="kind")
    assert (mine.name, mine.X.shape, mine.classes) == ("mine", (3, 2), ["x", "y"])
    part = load_dataset(Recipe(base=str(tmp_path / "mine.csv"), target="kind", size=2), name="two")
    assert (part.name, part.n_samples) == ("two", 2)
    assert load_dataset("iris", name="flowers").name == "flowers"


def test_paths_may_be_path_objects_and_begin_in_the_home_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text(CSV)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_dataset(tmp_path / "mine.csv", target="kind").n_samples == 3
    assert load_dataset("~/mine.csv", target="kind").n_samples == 3


def test_external_sets_come_from_the_users_folder(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"'usps' is not bundled: put usps.npz into .* CSCLUSTER_DATA"):
        load_dataset("usps")
    monkeypatch.setenv("CSCLUSTER_DATA", str(tmp_path))
    np.savez(tmp_path / "usps.npz", X=np.eye(256), y=np.arange(256) % 10)
    data = load_dataset("usps")
    assert data.n_samples == 256
    assert data.image == (16, 16)
    # Files named by their path are still found.
    (tmp_path / "mine.csv").write_text(CSV)
    assert load_dataset(str(tmp_path / "mine.csv"), target="kind").n_samples == 3
    assert load_dataset("mine", target="kind").n_samples == 3


def test_says_how_to_get_what_is_missing():
    with pytest.raises(DataError, match="or run 'cscluster data fetch usps' and call it openml:41082"):
        load_dataset("usps")
    with pytest.raises(DataError, match="There is no data set 'irsi'; did you mean 'iris'"):
        load_dataset("irsi")
    with pytest.raises(DataError, match=r"There is no data file 'lost\.csv'"):
        load_dataset("lost.csv")


def test_unknown_endings_are_told(tmp_path):
    (tmp_path / "mine.xls").write_text("")
    with pytest.raises(DataError, match=r"the ending '\.xls' is not one of"):
        load_dataset(str(tmp_path / "mine.xls"))


def test_a_damaged_bundle_is_told(tmp_path, monkeypatch):
    with np.load(bundle.folder("datasets") / "iris.npz") as archive:
        arrays = dict(archive)
    arrays["X"] = arrays["X"] + 1
    np.savez(tmp_path / "iris.npz", **arrays)
    monkeypatch.setattr(index, "find_file", lambda name: tmp_path / "iris.npz")
    with pytest.raises(DataError, match="The bundled file of 'iris' is damaged"):
        load_dataset("iris")


def test_a_selection_of_one_class_is_refused():
    with pytest.raises(DataError, match="has the one value 'setosa'"):
        load_dataset(Recipe(base="iris", classes=["setosa"]), name="one")
