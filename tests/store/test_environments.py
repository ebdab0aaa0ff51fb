from cscluster.store.environments import version_changes
from tests.lines import assert_match

HERE = {
    "cscluster": "0.1.0",
    "python": "3.12.1",
    "packages": {"numpy": "2.1.0", "scipy": "1.14"},
    "blas": ["openblas 0.3.30 (Haswell)"],
    "cpu": "this one",
    "cores": 2,
    "revision": {"commit": "a" * 40, "dirty": False},
}


def test_one_environment_mixes_nothing():
    assert version_changes([]) == []
    assert version_changes([HERE]) == []
    assert version_changes([HERE, dict(HERE)]) == []


def test_another_machine_is_no_other_version():
    other = {**HERE, "cpu": "another", "cores": 8, "blas": ["openblas 0.3.30 (Zen)"]}
    assert version_changes([HERE, other]) == []


def test_what_changed_is_named_with_its_versions():
    other = {**HERE, "packages": {"numpy": "2.2.1", "scipy": "1.14", "numba": "0.61"}}
    assert version_changes([HERE, other]) == ["numpy from 2.1.0 to 2.2.1"]
    third = {**other, "packages": {"numpy": "2.3.0"}}
    assert version_changes([HERE, other, third]) == ["numpy from 2.1.0 to 2.2.1 to 2.3.0"]


def test_a_checkout_is_known_by_its_commit_and_a_blas_by_its_version():
    other = {**HERE, "revision": {"commit": "b" * 40, "dirty": True}, "blas": ["mkl 2025 (Haswell)"]}
    assert_match(
        version_changes([HERE, other, {**other, "revision": None}]),
        r"^cscluster .*0\.1\.0 \(aaaaaaa\).*0\.1\.0 \(bbbbbbb\).*0\.1\.0$",
        r"^BLAS .*openblas 0\.3\.30.*mkl 2025$",
    )
