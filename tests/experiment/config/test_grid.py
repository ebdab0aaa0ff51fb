import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ("1e-3 : 1 : x 10", [0.001, 0.01, 0.1, 1]),
        ("100:10:x0.5", [100, 50, 25, 12.5]),
        ("5:5:1", [5]),
        ("1, 2, 2:4:1", [1, 2, 3, 4]),
        ("linear,rbf", ["linear", "rbf"]),
        ("true,null,-2.5e-1", [True, None, -0.25]),
        ([1, "linear", "5:7:1"], [1, "linear", 5, 6, 7]),
        (7, [7]),
    ],
)
def test_what_is_written_and_what_is_meant(written, meant):
    found = values(written)
    assert found == meant
    assert [type(value) for value in found] == [type(value) for value in meant]


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "a value is missing; write for example 1,10,100"),
        ("1,,2", "a value is missing"),
        ([], "a value is missing"),
        ("1:2", "'1:2' is not a range; write START:STOP:STEP or START:STOP:xFACTOR"),
        ("1:2:y3", "is not a range"),
        ("1:10:0", "has no end"),
        ("5:1:1", "never gets from its start to its end"),
        ("1:100:x0.1", "never gets from its start to its end"),
        ("0:100:x10", "has no end"),
        ("1:100:x1", "has no end"),
        ("0:1:0.0001", "has more than 1000 values"),
    ],
)
def test_what_is_no_grid(written, says):
    with pytest.raises(ValueError, match=says):
        values(written)


@given(st.integers(-50, 50), st.integers(0, 40), st.integers(1, 9))
def test_whole_numbers_count_like_range(start, length, step):
    assert values(f"{start}:{start + length}:{step}") == list(range(start, start + length + 1, step))
