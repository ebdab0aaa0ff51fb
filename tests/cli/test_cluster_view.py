"""What is shown while the user waits."""

from numba import njit

from cscluster.cli.cluster_view import when_compiling


def test_compilation_is_told_of_when_it_begins():
    told = []
    double = njit(lambda x: 2 * x)
    with when_compiling(lambda: told.append("compiling")):
        assert told == []
        assert double(2) == 4
        assert told == ["compiling"]
        assert double(3) == 6
    assert told == ["compiling"]
