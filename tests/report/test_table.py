from cscluster.report.table import BEST, PlainTable

TABLE = PlainTable(
    "Numbers",
    ["name", "ten", "eleven", "twelve"],
    [["first", "1", "22", "333"], ["second", "4", "55", "666"]],
    numbers=3,
    marks={(0, 2): BEST, (1, 3): BEST, (1, 1): "failed"},
)


def test_a_table_that_fits_stays_as_it_is():
    assert TABLE.widths() == [6, 3, 6, 6]
    (whole,) = TABLE.divided(27)  # three gaps of two
    assert whole == TABLE


def test_a_wide_table_is_divided_between_its_numbers_and_keeps_their_marks():
    first, second = TABLE.divided(26)
    assert (first.caption, second.caption) == ("Numbers", "Numbers (continued)")
    assert (first.heads, second.heads) == (["name", "ten", "eleven"], ["name", "twelve"])
    assert (first.numbers, second.numbers) == (2, 1)
    assert second.rows == [["first", "333"], ["second", "666"]]
    assert first.marks == {(0, 2): BEST, (1, 1): "failed"}
    assert second.marks == {(1, 1): BEST}


def test_only_the_best_are_marked():
    assert TABLE.with_marks("<", ">").rows == [["first", "1", "<22>", "333"], ["second", "4", "55", "<666>"]]


def test_a_table_of_texts_is_never_divided():
    table = PlainTable("", ["a", "b"], [["long " * 20, "long " * 20]])
    assert table.divided(20) == [table]
