import contextlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat
from sklearn.datasets import dump_svmlight_file

from cscluster.data import readers
from cscluster.data.formats import ENDINGS, find
from cscluster.data.load import load_dataset, read_table
from cscluster.data.readers import read_frame
from cscluster.data.table import Columns
from cscluster.errors import DataError
from tests.fuzz.conftest import limited

X = np.array([[1.5, 0.0, -2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 1e-3], [5.0, 6.0, 7.0]])
Y = np.array([0, 1, 1, 0])
NAMES = np.array(["cat", "dog"])[Y]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=NAMES)


def put(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def loaded(path, target="kind", **more):
    return load_dataset(path, name="toy", target=target, **more)


def dense(data):
    return data.X.toarray() if sparse.issparse(data.X) else data.X


def write_arff(path):
    rows = "\n".join(",".join(map(str, row)) for row in FRAME.itertuples(index=False))
    numeric = "".join(f"@attribute {name} numeric\n" for name in "abc")
    path.write_text(f"@relation toy\n{numeric}@attribute kind {{cat,dog}}\n@data\n{rows}\n")


TABLES = {
    ".csv": lambda path: FRAME.to_csv(path, index=False),
    ".tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    ".csv.gz": lambda path: FRAME.to_csv(path, index=False),
    ".tsv.gz": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    ".parquet": lambda path: FRAME.to_parquet(path),
    ".xlsx": lambda path: FRAME.to_excel(path, index=False),
    ".arff": write_arff,
}
ARRAYS = {
    ".npz": lambda path: np.savez_compressed(path, X=X, y=Y, classes=["cat", "dog"]),
    ".mat": lambda path: savemat(path, {"X": X, "y": NAMES}),
    ".libsvm": lambda path: dump_svmlight_file(X, Y, str(path), zero_based=False),
    ".svm": lambda path: dump_svmlight_file(X, Y, str(path), zero_based=False),
}
TABLES_OF = {".csv": lambda frame, path: frame.to_csv(path, index=False), ".parquet": pd.DataFrame.to_parquet}
WRITERS = TABLES | ARRAYS | {".npy": lambda path: np.save(path, X)}


def test_each_format_has_a_test():
    assert set(WRITERS) == set(ENDINGS)


@pytest.mark.parametrize("ending", TABLES)
def test_tables_are_read_back(tmp_path, ending):
    TABLES[ending](tmp_path / f"toy{ending}")
    data = loaded(tmp_path / f"toy{ending}")
    assert data.name == "toy"
    assert data.X.dtype == np.float64
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, Y)
    assert data.classes == ["cat", "dog"]
    assert data.features == ["a", "b", "c"]
    assert len(data.checksum) == 64


@pytest.mark.parametrize("ending", ARRAYS)
def test_arrays_are_read_back(tmp_path, ending):
    ARRAYS[ending](tmp_path / f"toy{ending}")
    data = loaded(tmp_path / f"toy{ending}", target=None)
    assert np.array_equal(dense(data), X)
    assert np.array_equal(data.y, Y)
    assert data.classes == (["0", "1"] if "svm" in ending else ["cat", "dog"])


def test_npy_has_no_target(tmp_path):
    np.save(tmp_path / "toy.npy", X)
    data = loaded(tmp_path / "toy.npy", target=None)
    assert np.array_equal(data.X, X)
    assert data.y is None


def test_checksum_is_of_the_content(tmp_path):
    for name in ("one.csv", "two.csv"):
        TABLES[".csv"](tmp_path / name)
    assert loaded(tmp_path / "one.csv").checksum == loaded(tmp_path / "two.csv").checksum
    with (tmp_path / "two.csv").open("a") as file:
        file.write("1,2,3,cat\n")
    assert loaded(tmp_path / "one.csv").checksum != loaded(tmp_path / "two.csv").checksum


@pytest.mark.parametrize("separator", [";", "|", "\t", ","])
def test_csv_with_any_usual_separator(tmp_path, separator):
    FRAME.to_csv(tmp_path / "toy.csv", index=False, sep=separator)
    assert np.array_equal(loaded(tmp_path / "toy.csv").X, X)


@pytest.mark.parametrize(
    ("text", "features"),
    [
        (
            "sepal length (cm),sepal width (cm),kind\n1,2,cat\n3,4,dog\n",
            ["sepal length (cm)", "sepal width (cm)"],
        ),
        ('"a,b";c;kind\n1;2;cat\n3;4;dog\n', ["a,b", "c"]),
        ("\ufeffa,b,kind\r\n1,2,cat\r\n3,4,dog\r\n", ["a", "b"]),
        ("weight,kind\n1,cat\n3,dog\n", ["weight"]),
    ],
)
def test_csv_headers_of_all_sorts(tmp_path, text, features):
    data = loaded(put(tmp_path, "toy.csv", text))
    assert data.features == features
    assert data.X[:, 0].tolist() == [1, 3]


def test_csv_of_one_column(tmp_path):
    data = loaded(put(tmp_path, "toy.csv", "weight\n1.5\n2.5\n3.5\n"), target=None)
    assert data.X.tolist() == [[1.5], [2.5], [3.5]]


def test_targets_may_be_of_any_kind_and_whole_numbers_are_named_as_such(tmp_path):
    numbers = loaded(put(tmp_path, "toy.csv", "a,kind\n1,2\n2,10\n3,2\n"))
    assert numbers.classes == ["2", "10"]
    savemat(tmp_path / "toy.mat", {"fea": X, "gnd": Y[:, None] + 1.0})
    assert loaded(tmp_path / "toy.mat", target=None).classes == ["1", "2"]
    savemat(tmp_path / "cells.mat", {"data": X, "label": np.array(NAMES, dtype=object)})
    assert loaded(tmp_path / "cells.mat", target=None).classes == ["cat", "dog"]
    assert loaded(put(tmp_path, "b.csv", "a,kind\n1,true\n2,false\n")).classes == ["False", "True"]
    assert loaded(put(tmp_path, "c.csv", "a,kind\n1,0.5\n2,1.5\n")).classes == ["0.5", "1.5"]


def test_without_a_target_all_columns_are_features(tmp_path):
    FRAME.drop(columns="kind").to_csv(tmp_path / "toy.csv", index=False)
    data = loaded(tmp_path / "toy.csv", target=None)
    assert data.y is None
    assert data.X.shape == (4, 3)


def test_column_of_names(tmp_path):
    FRAME.assign(who=["p", "q", "r", "s"]).to_csv(tmp_path / "toy.csv", index=False)
    data = loaded(tmp_path / "toy.csv", id_column="who")
    assert data.ids == ["p", "q", "r", "s"]
    assert data.features == ["a", "b", "c"]


def test_sparse_arrays_stay_sparse(tmp_path):
    S = sparse.random_array((20, 30), density=0.05, format="csr", rng=np.random.default_rng(0))
    y = np.arange(20) % 2
    parts = {"X_data": S.data, "X_indices": S.indices, "X_indptr": S.indptr, "X_shape": S.shape}
    np.savez(tmp_path / "toy.npz", y=y, **parts)
    savemat(tmp_path / "toy.mat", {"X": sparse.csc_matrix(S), "y": y})
    dump_svmlight_file(S, y, str(tmp_path / "toy.libsvm"), zero_based=False)
    for ending in ("npz", "libsvm"):
        data = loaded(tmp_path / f"toy.{ending}", target=None)
        assert sparse.issparse(data.X)
        assert data.X.format == "csr"
        width = data.X.shape[1]  # LIBSVM files do not know of empty last columns
        assert np.allclose(data.X.toarray(), S.toarray()[:, :width], atol=1e-15)


def test_arrays_carry_names_and_the_test_part(tmp_path):
    test = np.array([True, False, False, True])
    np.savez(tmp_path / "toy.npz", X=X, labels=NAMES, feature_names=["a", "b", "c"], is_test=test)
    data = loaded(tmp_path / "toy.npz", target="labels")
    assert data.features == ["a", "b", "c"]
    assert data.is_test.tolist() == test.tolist()
    assert data.classes == ["cat", "dog"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "toy.csv'.*CSV.*empty"),
        ("\n\n", "toy.csv'.*CSV.*empty"),
        ("a,b,kind\n", r"'toy'.*\b0 rows"),
        ("a,b,kind\n1,2,x\n3,4,x\n", "target.*'toy'.*'x'"),
        ("a,b,kind\n1,2,x\n3,inf,y\n", " inf .*column 'b', row 1"),
        ("a,b,kind\n1,2,x\n3,-inf,y\n", " -inf .*column 'b', row 1"),
        ("name,kind\nAnna,x\nBert,y\n", r"no columns.*name \(text.*\b2\b"),
        ("a,b,kind\n1,2,x\n3,4,\n", "target.*'toy'.*row 1"),
        ("a,b,kinds\n1,2,x\n3,4,y\n", "column 'kind'.*'kinds'"),
        ("a,b,type\n1,2,x\n3,4,y\n", "column 'kind'.*a, b, type"),
        ("kind\nx\ny\n", "'toy'.*no columns"),
        ("a,b,kind\n1,2,x\n3,4,y,5\n", r"Line 3 .*toy.csv'.*\b4 values.*\b3\b"),
        ("a,kind\n1,2,x\n3,4,y\n", "more values.*header"),
        (b"a,kind\n1,\x81\n2,b\n", "toy.csv'.*CSV.*no text"),
    ],
)
def test_says_what_is_wrong_with_a_csv_file(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        loaded(put(tmp_path, "toy.csv", text))


def test_names_stay_as_they_are_written(tmp_path):
    path = put(tmp_path, "toy.csv", "who,a,kind\n007,1,x\n NA ,2,y\n1.50,3,y\n")
    assert loaded(path, id_column="who").ids == ["007", "NA", "1.50"]
    pd.DataFrame({"who": [1.0, 2.0], "a": [3, 4]}).to_parquet(tmp_path / "toy.parquet")
    assert loaded(tmp_path / "toy.parquet", target=None, id_column="who").ids == ["1", "2"]
    np.savez(tmp_path / "toy.npz", X=X, who=["p", "q", "r", "s"])
    assert loaded(tmp_path / "toy.npz", target=None, id_column="who").ids == ["p", "q", "r", "s"]


@pytest.mark.parametrize("ending", WRITERS)
def test_a_file_without_the_column_of_names_is_refused(tmp_path, ending):
    WRITERS[ending](tmp_path / f"toy{ending}")
    with pytest.raises(DataError, match=r"'toy'.*(column|array) 'who'"):
        loaded(tmp_path / f"toy{ending}", target=None, id_column="who")


def test_a_sample_without_a_name_is_refused(tmp_path):
    path = put(tmp_path, "toy.csv", "who,a,kind\np,1,x\n,2,y\n")
    with pytest.raises(DataError, match=r"'who'.*'toy'.*no value.*row 1"):
        loaded(path, id_column="who")


def test_repeated_names_of_samples_are_refused(tmp_path):
    path = put(tmp_path, "toy.csv", "who,a,kind\np,1,x\nq,2,y\np,3,y\n")
    with pytest.raises(DataError, match=r"'who'.*'toy'.*'p'"):
        loaded(path, id_column="who")


def test_a_first_line_of_numbers_is_no_header(tmp_path):
    path = put(tmp_path, "toy.csv", "5.1,3.5,0\n4.9,3.0,1\n")
    with pytest.raises(DataError, match=r"first line.*numbers"):
        loaded(path, target=None)
    numbered = put(tmp_path, "numbered.csv", "0,1,2\n4.9,3.0,1\n")
    assert loaded(numbered, target=None).features == ["0", "1", "2"]


def test_missing_files_and_unknown_formats(tmp_path):
    with pytest.raises(DataError, match=r"data file '.*lost\.csv'"):
        loaded(tmp_path / "lost.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=r"data file '.*folder\.csv'"):
        loaded(tmp_path / "folder.csv")
    with pytest.raises(DataError, match=r"'toy.xls'.*'\.xls'.*\.npz, "):
        loaded(put(tmp_path, "toy.xls", ""))


@pytest.mark.parametrize("ending", ENDINGS)
def test_empty_files(tmp_path, ending):
    with pytest.raises(DataError, match=f"toy{ending}'.*{find(ending).title}.*empty"):
        loaded(put(tmp_path, f"toy{ending}", b""), target=None)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"data": X, "labels": Y}, r"array 'X'.*data, labels"),
        ({"X": X[0]}, r"float64.*\(3,\)"),
        ({"X": X.astype(str)}, "numbers.*<U"),
        ({"X": X.astype(complex)}, "numbers.*complex128"),
        ({"X": X, "y": Y[:3]}, r"'y'.*'toy'.*\b3 values.*\b4 samples"),
        ({"X": X[:0], "y": Y[:0]}, r"\b0 samples.*\b3 features"),
        ({"X": X[:0], "y": Y[:0], "classes": ["p", "q"]}, r"\b0 samples.*\b3 features"),
        ({"X": X, "y": Y * 0, "classes": ["p", "q"]}, "target.*'p'"),
        (
            {"X_data": X[0], "X_indices": Y, "X_indptr": Y, "X_shape": [1, 2]},
            "toy.npz'.*NPZ",
        ),
    ],
)
def test_says_what_is_wrong_with_an_npz_file(tmp_path, arrays, message):
    np.savez(tmp_path / "toy.npz", **arrays)
    with pytest.raises(DataError, match=message):
        loaded(tmp_path / "toy.npz", target=None)


def test_missing_target_of_array_files(tmp_path):
    np.savez(tmp_path / "toy.npz", X=X, label=Y)
    with pytest.raises(DataError, match=r"'toy'.*array 'labels'.*'label'"):
        loaded(tmp_path / "toy.npz", target="labels")


def test_unknown_values_of_arff_are_missing(tmp_path):
    write_arff(tmp_path / "toy.arff")
    text = (tmp_path / "toy.arff").read_text()
    with pytest.raises(DataError, match=r"target.*'toy'.*row 1"):
        loaded(put(tmp_path, "target.arff", text.replace("0.0,3.0,0.0,dog", "0.0,3.0,0.0,?")))
    filled = loaded(put(tmp_path, "value.arff", text.replace("0.0,3.0,0.0,dog", "0.0,?,0.0,dog")))
    assert filled.X[1].tolist() == [0, 0, 0]  # the median of 0, 0 and 6


def test_the_last_nominal_column_of_arff_is_its_target(tmp_path):
    write_arff(tmp_path / "toy.arff")
    assert loaded(tmp_path / "toy.arff", target=None).classes == ["cat", "dog"]


WEKA = """% flowers
@RELATION 'my flowers'
@attribute 'the name' string
@attribute width REAL
@attribute kind {red, 'deep blue'}
@attribute remark string
@data
% the first
'f 1', 1.5, red, "tall, thin"
f2, ?, 'deep blue', ?
"""


def test_texts_and_quotes_of_arff(tmp_path):
    frame = read_frame(put(tmp_path, "flowers.arff", WEKA))
    assert list(frame.columns) == ["the name", "width", "kind", "remark"]
    assert frame.iloc[0].tolist() == ["f 1", 1.5, "red", "tall, thin"]
    assert frame.iloc[1].isna().tolist() == [False, True, False, True]
    assert frame["kind"].iloc[1] == "deep blue"
    assert "target" not in frame.attrs  # the last column is a text, not a class


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("f2, ?", "f2"), r"line 10 .*\b3 values.*\b4\b"),
        (("f2, ?, 'deep blue', ?", "{0 f2}"), r"line 10 .*\b1 values.*\b4\b"),
        (("REAL", "relational"), "type 'relational'"),
        (("@data", "@dta"), "line 7 .*header"),
        (("1.5", "wide"), "Unable to parse string"),
        (("width", "kind"), "two columns.*'kind'"),
    ],
)
def test_says_what_is_wrong_with_an_arff_file(tmp_path, change, message):
    assert change[0] in WEKA
    with pytest.raises(DataError, match=message):
        read_frame(put(tmp_path, "flowers.arff", WEKA.replace(*change)))


def test_names_in_arff_may_look_like_numbers(tmp_path):
    text = (
        WEKA.replace("'the name' string", "'the name' numeric").replace("'f 1'", "007").replace("f2,", "08,")
    )
    frame = read_frame(put(tmp_path, "flowers.arff", text), id_column="the name")
    assert frame["the name"].tolist() == ["007", "08"]


@pytest.mark.parametrize("cell", [" " * 10**6 + "x", "'" + "\\'" * 10**6, "'a'" + " " * 10**6 + "b"])
def test_a_line_of_arff_takes_time_of_its_length_not_of_its_square(tmp_path, cell):
    # With backtracking, such a line takes hours.
    path = put(tmp_path, "flowers.arff", WEKA.replace("'f 1'", cell))
    with limited(), contextlib.suppress(DataError):
        read_frame(path)


@pytest.mark.parametrize("cell", ["'f 1", "'f' 1", "'", "\"f 1'"])
def test_quotes_of_arff_must_match(tmp_path, cell):
    with pytest.raises(DataError, match="quotes of '"):
        read_frame(put(tmp_path, "flowers.arff", WEKA.replace("'f 1'", cell)))


def test_a_quote_inside_a_cell_of_arff_is_a_letter(tmp_path):
    frame = read_frame(put(tmp_path, "flowers.arff", WEKA.replace("'f 1'", "O'Neill")))
    assert frame["the name"].tolist() == ["O'Neill", "f2"]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_of_very_many_columns_are_refused(tmp_path, monkeypatch, ending):
    wide = pd.DataFrame(np.eye(2, 12), columns=[f"c{j}" for j in range(12)])
    TABLES_OF[ending](wide, tmp_path / f"wide{ending}")
    assert load_dataset(tmp_path / f"wide{ending}", name="wide").n_features == 12
    monkeypatch.setattr(readers, "MAX_COLUMNS", 10)
    with pytest.raises(DataError, match=r"\b12 columns.*\b10\b"):
        load_dataset(tmp_path / f"wide{ending}", name="wide")
    with pytest.raises(DataError, match=r"\b12 columns.*\b10\b"):
        read_frame(tmp_path / f"wide{ending}")


def test_a_table_of_200_000_columns_is_refused_at_its_first_line(tmp_path):
    path = put(
        tmp_path, "wide.csv", ",".join(f"c{j}" for j in range(200_000)) + "\n" + ",".join(["1"] * 200_000)
    )
    with pytest.raises(DataError, match="200,000 columns"):
        read_frame(path)


def test_sparse_files_may_not_declare_more_columns_than_memory_holds(tmp_path):
    parts = {"X_data": np.ones(2), "X_indices": [0, 1], "X_indptr": [0, 1, 2], "X_shape": [2, 10**10]}
    np.savez(tmp_path / "toy.npz", **parts)
    put(tmp_path, "toy.libsvm", "0 1:1\n1 10000000000:1\n")
    for ending in ("npz", "libsvm"):
        with pytest.raises(DataError, match=r"10,000,000|Cannot read"):
            load_dataset(tmp_path / f"toy.{ending}", name="toy")


def test_a_path_may_be_any_string():
    for name in ("a" * 5000 + ".csv", "a/" * 3000 + "b.csv", "a\0b.csv"):
        with pytest.raises(DataError, match="no data file"):
            load_dataset(Path(name), name="toy")


def test_one_label_for_all_rows_of_libsvm_is_none(tmp_path):
    data = loaded(put(tmp_path, "toy.libsvm", "0 1:1 2:2\n0 1:3 2:4\n"), target=None)
    assert data.y is None


def test_a_damaged_npz_file_is_not_said_to_be_loadable_unsafely(tmp_path):
    (tmp_path / "toy.npz").write_bytes(b"no archive at all")
    with pytest.raises(DataError, match=r"NPZ: .*archive"):
        loaded(tmp_path / "toy.npz")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x,x,y\n1,2,3\n", "two columns.*'x'"),
        ("x,y\n1,2\n2,3,4\n5,6\n", r"Line 3 .*\b3 values.*\b2\b"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_place(tmp_path, text, says):
    (tmp_path / "toy.csv").write_text(text)
    with pytest.raises(DataError, match=says):
        readers.read_frame(tmp_path / "toy.csv")


def test_text_as_excel_writes_it_is_read_and_said_so(tmp_path):
    rows = "gr\u00f6\u00dfe;gruppe\n1,5;m\u00e4nnlich\n2,5;weiblich\n3,5;m\u00e4nnlich\n4,5;weiblich\n"
    (tmp_path / "toy.csv").write_bytes(rows.encode("cp1252"))
    table = read_table(str(tmp_path / "toy.csv"), Columns())
    assert (table.features, table.X[:, 0].tolist()) == (["gr\u00f6\u00dfe"], [1.5, 2.5, 3.5, 4.5])
    assert set(table.categorical["gruppe"]) == {"m\u00e4nnlich", "weiblich"}
    assert "Windows-1252" in table.notes[0]
    assert load_dataset(tmp_path / "toy.csv").features[0] == "gr\u00f6\u00dfe"
    (tmp_path / "toy.csv").write_bytes(rows.encode("utf-16"))
    with pytest.raises(DataError, match=r"UTF-8.*Windows-1252"):
        read_table(str(tmp_path / "toy.csv"), Columns())


def test_a_data_file_that_is_nearly_there_is_named(tmp_path):
    (tmp_path / "flowers.csv").write_text("a\n1\n2\n")
    with pytest.raises(DataError, match=r"flower\.csv'.*'flowers\.csv'"):
        load_dataset(tmp_path / "flower.csv")
