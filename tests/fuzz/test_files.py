"""Damaged data, constraint and model files: read or refused, never worse."""

import io
import random
import re
import zipfile
from csv import QUOTE_ALL
from csv import reader as csv_reader
from csv import writer as csv_writer
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

from cscluster import cells
from cscluster.algorithms.build import build
from cscluster.constraints import Constraints
from cscluster.constraints.files import as_constraints, links_csv, list_links, read_constraints
from cscluster.constraints.sampling import random_pairs
from cscluster.data.features import Features
from cscluster.data.load import load_dataset, read_table
from cscluster.data.table import Columns
from cscluster.errors import DataError
from cscluster.models import files as model
from cscluster.tables.outputs import labels_csv

from .mutate import damaged, name

rng_ = np.random.default_rng(0)
X = np.round(rng_.normal(size=(24, 3)) + 3 * np.eye(3)[np.arange(24) % 3], 3)
Y = np.arange(24) % 3
IDS = [f"s{i}" for i in range(24)]


def csv(separator=","):
    rows = [["id", "p", "q", "r", "class"]]
    rows += [[IDS[i], *X[i], f"c{Y[i]}"] for i in range(24)]
    return "\n".join(separator.join(map(str, row)) for row in rows).encode()


def arff():
    head = "@relation toy\n@attribute p numeric\n@attribute q real\n@attribute r numeric\n@attribute class {c0,c1,c2}\n"
    return (
        head + "@data\n" + "\n".join(f"{p},{q},{r},c{k}" for (p, q, r), k in zip(X, Y, strict=True))
    ).encode()


def libsvm():
    return "\n".join(f"{k} 1:{p} 2:{q} 4:{r}" for (p, q, r), k in zip(X, Y, strict=True)).encode()


def npz(compressed=False, **arrays):
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, **arrays)
    return out.getvalue()


def sparse_npz():
    csr = sparse.csr_array(np.where(np.abs(X) < 1, 0, X))
    return npz(X_data=csr.data, X_indices=csr.indices, X_indptr=csr.indptr, X_shape=np.array(csr.shape), y=Y)


def npy():
    out = io.BytesIO()
    np.save(out, X)
    return out.getvalue()


def parquet(compression):
    out = io.BytesIO()
    table = pd.DataFrame(X, columns=["p", "q", "r"], index=IDS).assign(**{"class": [f"c{k}" for k in Y]})
    table.to_parquet(out, compression=compression)
    return out.getvalue()


def mat(arrays, **how):
    out = io.BytesIO()
    savemat(out, arrays, **how)
    head = b"MATLAB 5.0 MAT-file".ljust(116)  # without the time
    return out.getvalue() if how.get("format") == "4" else head + out.getvalue()[116:]


def inside_zip(content, rng):
    """Return an archive of which one member is damaged, its checksum that of the damage."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    members[name] = damaged(members[name], rng)
    if rng.random() < 0.1:
        members[rng.choice(["../owned", "/owned", "X.npy", "y", name + "2"])] = members.pop(name)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, inner in members.items():
            archive.writestr(member, inner)
    return out.getvalue()


def broken_zip(content, rng):
    return inside_zip(content, rng) if rng.random() < 0.7 else damaged(content, rng)


DATA = {
    "csv": (csv(), damaged, {"target": "class", "id_column": "id"}),
    "tsv": (csv("\t"), damaged, {"target": "class", "id_column": "id"}),
    "arff": (arff(), damaged, {}),
    "libsvm": (libsvm(), damaged, {}),
    "npz": (npz(X=X, y=Y, classes=np.array(["a", "b", "c"]), is_test=Y == 0), broken_zip, {}),
    "sparse.npz": (sparse_npz(), broken_zip, {}),
    "npy": (npy(), damaged, {}),
    "parquet": (parquet("snappy"), damaged, {"target": "class"}),
    "plain.parquet": (parquet(None), damaged, {"target": "class"}),
}
CELLS = np.array(["a", "b", "c"], dtype=object)
MATS = [
    mat({"X": X, "y": Y, "classes": CELLS}),
    mat({"fea": X, "gnd": Y}, do_compression=True),
    mat({"X": X, "y": Y}, format="4"),
    mat({"X": sparse.csc_array(X), "y": Y}),
    mat({"X": sparse.csc_array(X)}, format="4"),
]


def check(data):
    """What a reader lets through can be clustered."""
    dense = data.X.toarray() if sparse.issparse(data.X) and data.n_features < 10**5 else data.X
    if not sparse.issparse(dense):
        assert np.isfinite(np.asarray(dense, dtype=float)).all()
    assert data.X.sum(axis=0).shape == (data.n_features,)  # columns that memory has no room for
    assert data.y is None or (len(data.y) == data.n_samples and data.y.min() >= 0)
    assert data.y is None or data.y.max() < data.n_classes


@pytest.mark.parametrize("count", [40, pytest.param(700, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", DATA)
def test_data_files(fuzz, kind, count):
    whole, damage, columns = DATA[kind]

    def read(content):
        path = Path(f"input.{kind}")
        path.write_bytes(content)
        check(load_dataset(path, name="toy", **columns))

    fuzz(kind, count, lambda rng: damage(whole, rng), read)


def table_with_texts():
    head, *rows = csv().decode().splitlines()
    return "\n".join([f"{head},kind", *(f"{row},{'ab'[i % 2]}" for i, row in enumerate(rows))]).encode()


@pytest.mark.parametrize("count", [20, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["csv", "arff", "parquet"])
def test_tables_with_texts(fuzz, kind, count):
    """`cscluster cluster` takes numbers and texts as they come."""
    whole = table_with_texts() if kind == "csv" else DATA[kind][0]

    def read(content):
        Path(f"input.{kind}").write_bytes(content)
        table = read_table(f"input.{kind}", Columns())
        _, Z = Features.fit(table, ["standardize"])
        assert np.isfinite(Z).all()

    fuzz(f"table {kind}", count, lambda rng: damaged(whole, rng), read)


LINKS = "a,b,link,weight\n" + "".join(
    f"s{a},s{b},{kind},{w}\n"
    for a, b, kind, w in [(0, 3, "must", 1), (3, 6, "must", 2.5), (0, 1, "cannot", ""), (4, 8, "cannot", 0.5)]
)


@pytest.mark.parametrize("count", [80, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("named", [True, False])
def test_constraint_files(fuzz, named, count):
    whole = (LINKS if named else LINKS.replace("s", "").replace("mut", "must")).encode()

    def read(content):
        path = Path("input.csv")
        path.write_bytes(content)
        links = read_constraints(path, 24, IDS if named else None)
        assert links.must_links.max(initial=0) < 24
        assert links.cannot_links.max(initial=0) < 24

    fuzz(f"constraints {'by name' if named else 'by number'}", count, lambda rng: damaged(whole, rng), read)


def hostile_table(rng):
    """Return a table, some of whose names, labels and cells an attacker chose."""
    size = rng.choice([3, 5, 12])
    out = io.StringIO(newline="")
    writer = csv_writer(out, quoting=QUOTE_ALL, delimiter=rng.choice(",;\t"))
    writer.writerow(["id", name(rng), "class", "p"])
    for row in range(size):
        suffix = row if rng.random() < 0.95 else ""
        writer.writerow([f"{name(rng)}{suffix}", name(rng), f"c{row % 2}{name(rng)}", row * row + 3])
    return out.getvalue().encode()


@pytest.mark.parametrize("count", [150, pytest.param(3000, marks=pytest.mark.slow)])
def test_names_come_back_from_links_and_labels_as_they_are(fuzz, count):
    accepted = []

    def read(content):
        Path("input.csv").write_bytes(content)
        table = read_table("input.csv", Columns(id="id", target="class"))
        rng = np.random.default_rng(len(content))
        pairs = random_pairs(table.n_samples, 2, rng)
        links = Constraints.from_labels(pairs, rng.integers(0, 2, table.n_samples))
        text = links_csv(links, table.ids)
        listed = list_links(text, Path("links.csv"), table.n_samples, table.ids)
        assert as_constraints(listed, table.n_samples) == links
        Path("input-links.csv").write_bytes(text.encode())
        assert read_constraints(Path("input-links.csv"), table.n_samples, table.ids) == links
        labels = list(csv_reader(io.StringIO(labels_csv(table, table.y), newline="")))
        assert [row[0] for row in labels[1:]] == [cells.guarded(row) for row in table.ids]
        assert [row[1] for row in labels[1:]] == [str(label) for label in table.y]
        accepted.append(content)

    fuzz("hostile names", count, hostile_table, read)
    assert len(accepted) > count / 3


def stored_model(name, params):
    Path("whole.csv").write_bytes(csv())
    table = read_table("whole.csv", Columns(id="id", target="class"))
    features, Z = Features.fit(table, ["standardize"])
    links = Constraints([(0, 3), (1, 4)], [(0, 1), (4, 5)], n_samples=24)
    estimator = build(name, params, 3, 0).fit(Z, constraints=links)
    return model.to_bytes(model.StoredModel(3, "id", features, estimator))


def broken_model(content, rng):
    """Return a damaged model file, or one that says it has another number of clusters."""
    if rng.random() < 0.8:
        return broken_zip(content, rng)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    count = str(rng.choice([-5, 0, 2, 4, 10**6, 10**12, 10**30])).encode()
    everywhere = rng.random() < 0.5
    members["model.json"] = re.sub(
        rb'"n_clusters": \d+', b'"n_clusters": ' + count, members["model.json"], count=0 if everywhere else 1
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, inner in members.items():
            archive.writestr(member, inner)
    return out.getvalue()


MODELS = {
    "kmeans": {},
    "pckmeans": {},
    "mpckmeans": {"matrix": "full"},
    "rca": {},
    "pmmc": {"kernel": "gaussian"},
    "kernel_kmeans": {},
}


@pytest.mark.parametrize("count", [20, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MODELS)
def test_model_files(fuzz, name, count):
    whole = stored_model(name, MODELS[name])

    def read(content):
        Path("input.model").write_bytes(content)
        found = model.load_model(Path("input.model"))
        table = found.read_new("whole.csv")
        labels = found.predict(table)
        assert labels.shape == (24,)
        assert np.bincount(labels, minlength=found.n_clusters).sum() == 24

    fuzz(f"model of {name}", count, lambda rng: broken_model(whole, rng), read)


def test_undamaged_files_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, (whole, _, columns) in DATA.items():
        path = tmp_path / f"input.{kind}"
        path.write_bytes(whole)
        check(load_dataset(path, name="toy", **columns))
    for number, whole in enumerate(MATS):
        path = tmp_path / f"input{number}.mat"
        path.write_bytes(whole)
        check(load_dataset(path, name="toy"))
    (tmp_path / "links.csv").write_text(LINKS)
    assert len(read_constraints(tmp_path / "links.csv", 24, IDS)) == 4
    (tmp_path / "model").write_bytes(stored_model("kmeans", {}))
    assert model.load_model(tmp_path / "model").n_clusters == 3
    assert inside_zip(npz(X=X), random.Random(0)) != npz(X=X)


def test_sparse_matrices_of_wrong_indices_are_refused(tmp_path):
    # Compiled code would read and write beyond its arrays.
    wrong = {"X_data": np.ones(2), "X_indices": np.array([0, 10**7]), "X_indptr": np.array([0, 1, 2]), "X_shape": np.array([2, 3])}  # fmt: skip
    (tmp_path / "a.npz").write_bytes(npz(**wrong))
    matrix = sparse.csc_array(X)
    matrix.indices[3] = 10**7
    savemat(tmp_path / "a.mat", {"X": matrix})
    for file in ("a.npz", "a.mat"):
        with pytest.raises(DataError, match=r"Cannot read '.*a\.(npz|mat)' as (NPZ|MAT): .*ind"):
            load_dataset(tmp_path / file, name="a")
