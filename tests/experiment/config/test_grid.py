import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster.errors import ConfigError
from cscluster.experiment.config.grid import values


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.01,0.1,1,10,100", [0.01, 0.1, 1, 10, 100]),
        ("50:300:50", [50, 100, 150, 200, 250, 300]),
        ("0:1:0.1", [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),  # no 0.30000000000000004
        ("1:10:4", [1, 5, 9]),
        ("3:1:-1", [3, 2, 1]),
        ("0.01:100:x10", [0.01, 0.1, 1, 10, 100]),
        ("1e-3:1:x10", [0.001, 0.01, 0.1, 1]),
        ("100:10:x0.5", [100, 50, 25, 12.5]),
        ("5:5:1", [5]),
        ("1, 2, 2:4:1", [1, 2, 3, 4]),
        ("linear,rbf", ["linear", "rbf"]),
        ("true,null,-2.5e-1", [True, None, -0.25]),
        ("1,linear,5:7:1", [1, "linear", 5, 6, 7]),
        ("7", [7]),
    ],
)
def test_what_is_written_and_what_is_meant(written, meant):
    found = values(written, "--grid")
    assert found == meant
    assert [type(value) for value in found] == [type(value) for value in meant]


def test_no_values_are_no_grid():
    with pytest.raises(ValueError, match="value is missing"):
        values("", "--grid")


@pytest.mark.parametrize(
    "written",
    ["1:10:0", "5:1:1", "1:100:x0.1", "0:100:x10", "-1:100:x10", "1:100:x1", "1:100:x-2", "0:1:0.0001", "1:1e99:1"],
)  # fmt: skip
def test_a_range_without_an_end(written):
    with pytest.raises(ValueError, match=f"'{written}'.*start.*end"):
        values(written, "--grid")


def test_a_list_that_is_not_one_names_its_place():
    with pytest.raises(ConfigError, match="sweep w=1,,2:1:4: "):
        values("1,,2", "sweep w=1,,2")


@given(st.integers(-50, 50), st.integers(0, 40), st.integers(1, 9))
def test_whole_numbers_count_like_range(start, length, step):
    assert values(f"{start}:{start + length}:{step}", "--grid") == list(
        range(start, start + length + 1, step)
    )
