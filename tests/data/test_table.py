import numpy as np
import pandas as pd
import pytest

from cscluster.data.features import Features
from cscluster.data.load import load_dataset, read_table
from cscluster.data.table import Columns, from_pandas
from cscluster.errors import DataError
from cscluster.tables.table import read_new
from tests.lines import assert_match


def put(folder, text, name="toy.csv"):
    (folder / name).write_text(text)
    return str(folder / name)


def test_columns_get_their_parts(tmp_path):
    path = put(
        tmp_path,
        "ID,who,colour,size,weight,kind\n007,Ann,red,1,,x\n008,Bob,blue,2,4.5,x\n009,Cyd,red,,5.5,y\n010,Dan,red,7,1,y\n",
    )
    table = read_table(path, Columns(target="kind"))
    assert table.ids == ["007", "008", "009", "010"]
    assert table.id_column == "ID"
    assert table.features == ["size", "weight"]
    assert np.isnan(table.X).sum() == 2
    assert table.categorical["colour"].tolist() == ["red", "blue", "red", "red"]
    assert table.y.tolist() == [0, 0, 1, 1]
    assert_match(table.notes, r"left out: who \(text.*\b4\b")


def test_what_the_user_says_goes_first(tmp_path):
    path = put(tmp_path, "id,nr,a,b\nx,1,2,3\nx,2,5,6\ny,3,1,1\n")
    plain = read_table(path, Columns())
    assert plain.ids == []  # names that are not unique name nothing
    assert plain.features == ["a", "b"]
    assert_match(plain.notes, r"left out: id \(text.*\b2\b.*\bnr \(counts")
    assert read_table(path, Columns(features=["nr", "b"])).features == ["nr", "b"]
    assert read_table(path, Columns(ignore=["a"])).features == ["b"]
    assert read_table(path, Columns(id="nr")).ids == ["1", "2", "3"]


def test_many_columns_with_decimal_commas_are_one_note(tmp_path):
    path = put(tmp_path, "a;b;c\n1,5;2,5;x\n2,5;1,5;x\n0,5;1,5;y\n3,5;0,25;y\n")
    table = read_table(path, Columns())
    assert table.X[0].tolist() == [1.5, 2.5]
    assert_match(table.notes, "2 columns: decimal commas")


def test_cells_that_are_not_quite_numbers(tmp_path):
    path = put(
        tmp_path, "a;b;c\n" + "".join(f"{i * 7 % 5};{i},5;{'?' if i == 3 else i % 4}\n" for i in range(20))
    )
    table = read_table(path, Columns())
    assert table.features == ["a", "b", "c"]
    assert table.X[:3, 1].tolist() == [0.5, 1.5, 2.5]
    assert np.isnan(table.X[3, 2])
    assert_match(table.notes, "column 'b': decimal commas", r"column 'c': '\?'.*missing")


def column(cells, separator="\t"):
    """How a column is read that stands beside one of plain numbers."""
    rows = "".join(f"{i * 3 % 7}{separator}{cell}\n" for i, cell in enumerate(cells))
    return f"a{separator}b\n{rows}"


@pytest.mark.parametrize(
    ("cells", "numbers", "note"),
    [
        (
            ["37.715,63", "1.053,2", "950", "-2,5"],
            [37715.63, 1053.2, 950, -2.5],
            "'37.715,63' is read as 37715.63",
        ),
        (["1,234.5", "7", "1,000", "-0.5"], [1234.5, 7, 1000, -0.5], "'1,234.5' is read as 1234.5"),
        (["20,3 %", "5 %", "0,7%", "100 %"], [20.3, 5, 0.7, 100], "'20,3 %' is read as 20.3"),
        (["$1200", "$ 7", "-$3", "0"], [1200, 7, -3, 0], "'$1200' is read as 1200"),
        (["€ 5", "7,5 €", "5 EUR", "6"], None, None),  # two units, though they mean the same
        (["1 200", "12 000 000", "7", "8"], [1200, 12e6, 7, 8], "'1 200' is read as 1200"),
        (["1\u202f200,5", "1\u00a0000", "7", "8"], [1200.5, 1000, 7, 8], "'1\u202f200,5' is read as 1200.5"),
        (["1'200.5", "7", "8", "9"], [1200.5, 7, 8, 9], "'1'200.5' is read as 1200.5"),
        (["0,123", "1,234", "2,345", "7"], [0.123, 1.234, 2.345, 7], "decimal commas are read as points"),
        (
            ["1,234", "2,345", "3,456", "7"],
            [1234, 2345, 3456, 7],
            "'1,234' is read as 1234, but may mean 1.234",
        ),
        (["$5", "$1,234", "$7", "$8"], [5, 1234, 7, 8], "'$1,234' is read as 1234, but may mean 1.234"),
        (["1.5,2", "1,5.2", "12.34.5", "1 20"], None, None),
        (["5 %", "0.05", "7 %", "8 %"], None, None),  # 0.05 may be five per cent
        (["030 123", "031 456", "040 7", "1"], None, None),  # telephones
    ],
)
def test_numbers_are_read_as_people_write_them(tmp_path, cells, numbers, note):
    table = read_table(put(tmp_path, column(cells), "toy.tsv"), Columns())
    if numbers is None:
        assert table.features == ["a"]
        return
    assert table.X[:, 1].tolist() == numbers
    assert table.notes[0] == f"column 'b': {note}"


def test_other_columns_tell_what_a_comma_means(tmp_path):
    head, *rows = column(["1,234", "2,345", "3,456", "7"]).splitlines()
    for other, first in (("0,5", 1.234), ("1,234.5", 1234)):
        text = "\n".join([f"{head}\tc", *(f"{row}\t{other}" for row in rows)])
        table = read_table(put(tmp_path, text + "\n", "toy.tsv"), Columns())
        assert table.X[0, 1] == first
        assert not any("may mean" in note for note in table.notes)


def test_a_few_strange_cells_do_not_hide_the_convention(tmp_path):
    cells = [*(str(i) for i in range(30)), "1.053,2", "2.053", "unknown"]
    table = read_table(put(tmp_path, column(cells), "toy.tsv"), Columns())
    assert table.X[30:32, 1].tolist() == [1053.2, 2053]
    assert np.isnan(table.X[32, 1])
    assert_match(table.notes, r"column 'b': '1\.053,2'.*\b1053\.2\b.*'unknown'.*missing")


def test_a_column_that_looks_like_numbers_names_the_cell_that_is_none(tmp_path):
    cells = [f"{i},5" if i % 3 else f"{i} km" for i in range(1, 31)]
    table = read_table(put(tmp_path, column(cells), "toy.tsv"), Columns())
    assert_match(table.notes, r"left out: b \(text.*\b30\b.*'3 km' in row 2\b")


@pytest.mark.parametrize("head", ["nr", "", "Index"])
def test_a_first_column_that_counts_names_the_rows(tmp_path, head):
    table = read_table(put(tmp_path, f"{head},a\n1,5\n2,7\n3,6\n"), Columns())
    assert table.ids == ["1", "2", "3"]  # so that a link of row 1 is one of the first row
    assert table.id_column == (head or "Unnamed: 0")
    assert read_table(put(tmp_path, "a,nr\n5,1\n7,2\n6,3\n"), Columns()).ids == []


def test_a_text_column_that_could_name_the_rows_is_found(tmp_path):
    rows = "".join(f"{i * 7 % 20},car {i}\n" for i in range(20))
    assert read_table(put(tmp_path, f"a,\n{rows}"), Columns()).naming == {
        "Unnamed: 1": [f"car {i}" for i in range(20)]
    }
    doubled = rows.replace("car 7\n", "car 3\n")
    assert read_table(put(tmp_path, f"a,car\n{doubled}"), Columns()).naming["car"].count("car 3") == 2
    few = "".join(f"{i * 7 % 20},{i % 3}x\n" for i in range(20))
    assert read_table(put(tmp_path, f"a,car\n{few}"), Columns()).naming == {}


def test_columns_that_are_strange_get_a_remark(tmp_path):
    rows = "".join(f"{i * 7 % 5},{1900 + 2 * i},{'ab'[i % 2]}\n" for i in range(12))
    table = read_table(put(tmp_path, f"a,year,Species\n{rows}"), Columns())
    assert_match(table.notes, "column 'year' rises", "column 'Species'.*classes.*target")
    assert read_table(put(tmp_path, f"a,year,Species\n{rows}"), Columns(target="Species")).notes[1:] == []


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["1970-01-02", "1970-01-03", "", "1970-01-11"], [1, 2, np.nan, 10]),
        (["1970-01-02 12:00", "1970-01-03T00:00", "1970-01-05", "1970-01-11"], [1.5, 2, 4, 10]),
        (["02.01.1970", "13.01.1970", "05.01.1970", "11.01.1970"], [1, 12, 4, 10]),
    ],
)
def test_dates_become_days(tmp_path, cells, days):
    table = read_table(
        put(tmp_path, "a,born\n" + "".join(f"{i % 3},{c}\n" for i, c in enumerate(cells))), Columns()
    )
    assert np.array_equal(table.X[:, 1], days, equal_nan=True)
    assert table.dates == {"born"}
    assert table.notes == ["column 'born': dates, taken as days"]
    new = read_new(put(tmp_path, f"a,born\n1,{cells[3]}\n"), known(["a", "born"], ["born"]), None, None)
    assert new.X[0, 1] == 10


def test_dates_that_may_be_read_in_two_ways_are_left_alone(tmp_path):
    path = put(tmp_path, "a,born\n1,01/02/1970\n2,03/04/1970\n3,05/06/1970\n2,07/08/1970\n")
    assert_match(read_table(path, Columns()).notes, r"left out: born \(text.*\b4\b")


def test_labels_of_some_rows(tmp_path):
    path = put(tmp_path, "a,kind\n1,x\n2,\n5,y\n6, x \n3,\n")
    table = read_table(path, Columns(labels="kind"))
    assert table.partial_labels.tolist() == [0, -1, 1, 0, -1]
    assert table.features == ["a"]
    assert not table.categorical


def test_an_excel_file_is_read_or_its_reader_is_named(tmp_path):
    path = tmp_path / "toy.xlsx"
    try:
        pd.DataFrame({"id": ["x", "y"], "a": [1.5, 2.5]}).to_excel(path, index=False)
    except ImportError:
        path.write_bytes(b"PK")
        with pytest.raises(DataError, match=r"'cscluster\[excel\]'"):
            read_table(str(path), Columns())
        return
    assert read_table(str(path), Columns()).ids == ["x", "y"]


def test_a_data_frame_is_a_table_too():
    frame = pd.DataFrame({"a": [1, 2, 4], 7: ["p", "p", "q"]}, index=["x", "y", "z"])
    table = from_pandas(frame, Columns())
    assert (table.ids, table.features, list(table.categorical)) == (["x", "y", "z"], ["a"], [])
    assert frame.columns.tolist() == ["a", 7]
    assert from_pandas(frame.reset_index(drop=True), Columns()).ids == []
    born = frame.assign(born=pd.to_datetime(["1970-01-02", "1970-01-03", None]))
    assert np.array_equal(from_pandas(born, Columns()).X[:, 1], [1, 2, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("text", "columns", "says"),
    [
        ("a,b\n1,2\n", Columns(), r"\b1 row\b"),
        (
            "a,kind\n1,x\n2,\n",
            Columns(labels="kind"),
            "'kind'.*class 'x'",
        ),
        ("a,kind\n1,\n2,\n", Columns(labels="kind"), "'kind'.*no labels"),
        ("a,b\n1,2\n3,4\n", Columns(labels="kind"), "column 'kind'"),
        ("a,b\n1,2\n3,4\n", Columns(id="who"), "column 'who'"),
        ("a,weight\n1,2\n3,4\n", Columns(features=["wieght"]), "'wieght'.*'weight'"),
        ("a,b\n", Columns(), r"\b0 rows"),
        (
            "a,b\n1,x\n1,y\n1,z\n",
            Columns(),
            r"no columns.*\ba \(.*\bb \(text.*\b3\b",
        ),
        ("a,b\n1,\n2,\n", Columns(ignore=["a"]), r"no columns.*\bb \(empty\)"),
        ("who,b\np,1\np,2\n", Columns(id="who"), "'who'.*'p'"),
        ("who,b\np,1\n,2\n", Columns(id="who"), "'who'.*no value.*row 1"),
    ],
)
def test_bad_tables_are_one_sentence(tmp_path, text, columns, says):
    with pytest.raises(DataError, match=says):
        read_table(put(tmp_path, text), columns)


def test_data_sets_by_name_and_their_columns():
    iris = read_table("iris", Columns())
    assert iris.X.shape == (150, 4)
    assert iris.classes == ["setosa", "versicolor", "virginica"]
    names = iris.features
    assert read_table("iris", Columns(ignore=names[:2])).features == names[2:]
    with pytest.raises(DataError, match="column 'petals'"):
        read_table("iris", Columns(features=["petals"]))
    assert read_table("mnist0689", Columns()).image


def test_arrays(tmp_path):
    np.save(tmp_path / "toy.npy", np.arange(12.0).reshape(6, 2))
    assert read_table(str(tmp_path / "toy.npy"), Columns()).X.shape == (6, 2)
    with pytest.raises(DataError, match="no data file"):
        read_table(str(tmp_path / "other.npy"), Columns())


def known(numbers, dates=(), **values):
    """Return what a model knows of its columns."""
    return Features(numbers, np.zeros(len(numbers)), [], values, list(dates))


def test_new_rows_have_the_columns_in_any_order(tmp_path):
    path = put(tmp_path, "extra,colour,b,id,a\nz,red,1,01,5\nz,blue,,02,6\n")
    table = read_new(path, known(["a", "b"], colour=["red"]), None, "id")
    assert np.array_equal(table.X, [[5, 1], [6, np.nan]], equal_nan=True)
    assert table.categorical["colour"].tolist() == ["red", "blue"]
    assert table.ids == ["01", "02"]
    assert_match(table.notes, "^1 empty cell.*model")
    assert read_new(path, known(["a"]), None, "nr").ids == []


@pytest.mark.parametrize(
    ("text", "id_column", "says"),
    [
        ("a\n1\n", None, r"column 'b'.*\ba\b"),
        ("a,B\n1,2\n", None, "column 'b'.*'B'"),
        (
            "a,b\n1,2\n3,many\n",
            None,
            "'b'.*numbers.*1.*'many'",
        ),
        ("a,b\n1,2\n", "who", "column 'who'"),
        ("a,b\n", None, r"\b0 rows"),
    ],
)
def test_new_rows_that_do_not_suit(tmp_path, text, id_column, says):
    with pytest.raises(DataError, match=says):
        read_new(put(tmp_path, text), known(["a", "b"]), id_column, "id")


def test_an_array_cannot_stand_for_a_table(tmp_path):
    np.save(tmp_path / "toy.npy", np.zeros((3, 2)))
    with pytest.raises(DataError, match="no column 'a'"):
        read_new(str(tmp_path / "toy.npy"), known(["a", "b"]), None, None)
    with pytest.raises(DataError, match="array without names"):
        read_new(put(tmp_path, "a,b\n1,2\n"), known([]), None, None)


def test_truth_values_with_a_gap_are_numbers(tmp_path):
    path = put(tmp_path, "a,b\nTrue,1.5\nFalse,2\n,3\nTrue,4.5\n")
    table = read_table(path, Columns())
    assert table.features == ["a", "b"]
    assert table.X[:, 0].tolist() == pytest.approx([1.0, 0.0, np.nan, 1.0], nan_ok=True)
    assert table.notes == []


def test_names_that_mean_nothing_to_pandas_name_rows(tmp_path):
    path = put(tmp_path, "id,x,y\nNA,1,2\nNone,2,3\nnull,8,9\nb,9,8\n")
    for columns in (Columns(), Columns(id="id")):
        assert read_table(path, columns).ids == ["NA", "None", "null", "b"]


def test_numbers_called_id_with_gaps_stay_numbers(tmp_path):
    path = put(tmp_path, "ID,x\n3.5,1\n,5\n,3\n7.5,9\n")
    for columns in (Columns(), Columns(features=["ID", "x"])):
        table = read_table(path, columns)
        assert table.features == ["ID", "x"]
        assert np.isnan(table.X).sum() == 2
        assert not any("among numbers" in note for note in table.notes)


def test_an_empty_id_is_still_missing(tmp_path):
    path = put(tmp_path, "id,x,y\na,1,2\n,2,3\n")
    with pytest.raises(DataError, match=r"'id'.*'toy'.*no value.*row 1"):
        read_table(path, Columns(id="id"))


def test_three_decimals_are_decimals_where_semicolons_separate(tmp_path):
    cells = "x{0}y\n0,125{0}1,250\n0,250{0}2,500\n7,125{0}8,125\n"
    table = read_table(put(tmp_path, cells.format(";")), Columns())
    assert table.X[:, 0].tolist() == [0.125, 0.25, 7.125]
    with_tabs = read_table(put(tmp_path, cells.format("\t"), "toy.tsv"), Columns())
    assert np.array_equal(with_tabs.X, table.X)  # 0,125 has no thousands, and so the other column


def test_dates_far_away_are_days(tmp_path):
    path = put(tmp_path, "x,end\n1,2024-01-01\n2,1066-10-14\n5,9999-12-31\n")
    table = read_table(path, Columns())
    assert table.dates == {"end"}
    assert table.X[:, 1].tolist() == [19723.0, -329893.0, 2932896.0]


def test_columns_that_are_clustered_by_as_numbers_do_not_name_rows(tmp_path):
    text = "x,y\n" + "".join(f"{i}.5,{i * i}\n" for i in range(20)) + "?,3\n"
    assert read_table(put(tmp_path, text), Columns()).naming == {}


def test_days_that_rise_are_no_row_numbers(tmp_path):
    text = "x,day\n" + "".join(f"{i % 3},2024-01-{i + 1:02}\n" for i in range(12))
    assert not any("rises" in note for note in read_table(put(tmp_path, text), Columns()).notes)


def test_new_rows_are_read_as_those_of_the_model(tmp_path):
    path = put(tmp_path, "x,kind,day\n1,01,2024-01-01\n?,02,2024-01-02\n" + "3,01,2024-01-03\n" * 18)
    new = read_new(path, known(["x", "day"], ["day"], kind=["a"]), None, None)
    assert new.categorical["kind"][:2].tolist() == ["01", "02"]
    assert_match(new.notes, r"column 'x': '\?'.*missing", "^1 empty cell.*model")
    with pytest.raises(DataError, match=r"'day'.*numbers.*dates"):
        read_new(path, known(["x", "day"], [], kind=["a"]), None, None)
    with pytest.raises(DataError, match=r"'x'.*dates.*numbers"):
        read_new(path, known(["x", "day"], ["x", "day"], kind=["a"]), None, None)


def test_a_table_of_which_most_columns_drop_out_is_refused_with_a_list(tmp_path):
    rows = "".join(f"{i},{i} km,x{i},{i * 7 % 5}\n" for i in range(1, 31))
    path = put(tmp_path, f"nr,way,who,a\n{rows}")
    with pytest.raises(DataError, match=r"\b2 of 3 columns") as caught:
        read_table(path, Columns())
    assert "  who: text with 30 different values" in str(caught.value)
    assert read_table(path, Columns(ignore=["way"])).features == ["a"]
    assert load_dataset(path).features == ["a"]  # an experiment goes on, as it did


def test_rows_are_counted_whatever_a_data_frame_calls_them():
    cells = [*(f"{i},5" for i in range(20)), None, "3 km", "4 km", "5 km"]
    frame = pd.DataFrame({"a": [i * 7 % 5 for i in range(24)], "b": cells}, index=["x"] * 24)
    says = "left out: b (text with 24 different values, '3 km' in row 21 is not a number)"
    assert from_pandas(frame, Columns()).notes[-1] == says


def test_points_separate_thousands_beside_decimal_commas(tmp_path):
    rows = "950;1,5;2.5\n1.053;2,25;3.5\n12.400;-1,5;4.5\n;3,5;1.5\n"
    table = read_table(put(tmp_path, f"visits;share;points\n{rows}"), Columns())
    assert np.array_equal(table.X[:, 0], [950, 1053, 12400, np.nan], equal_nan=True)
    assert table.X[:, 2].tolist() == [2.5, 3.5, 4.5, 1.5]  # no thousands
    assert "column 'visits': '1.053' is read as 1053" in table.notes
    plain = read_table(put(tmp_path, "visits;share\n950;1.5\n1.053;2.25\n"), Columns())
    assert plain.X[:, 0].tolist() == [950, 1.053]  # nothing speaks for decimal commas
