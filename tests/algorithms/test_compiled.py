"""Functions that numba compiles."""

from cscluster.algorithms.compiled import compiled


def test_where_nothing_can_be_kept_a_function_is_compiled_all_the_same():
    namespace = {}
    exec("def double(x):\n    return 2 * x", namespace)  # it has no file, hence no place for one
    assert compiled()(namespace["double"])(3) == 6
