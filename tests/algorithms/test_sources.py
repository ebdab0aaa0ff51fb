"""What a user's own algorithm consists of: its file and the user's modules that it imports."""

import sys

import pytest

from cscluster.algorithms import registry
from cscluster.algorithms.sources import own_files

CLASS = "class Mine:\n    def fit(self, X, constraints=None):\n        return self\n"
FILES = {
    "mine.py": f"import json\nimport numpy as np\nfrom helper import WEIGHT\nimport package.part as part\n{CLASS}",
    "helper.py": "import cscluster.errors\nWEIGHT = 1\n\ndef later():\n    from lazy import thing\n",
    "lazy.py": "import mine\nthing = 1\n",
    "other.py": "unrelated = 1\n",
    "package/__init__.py": "",
    "package/part.py": "from . import sibling\nfrom .sibling import VALUE\n",
    "package/sibling.py": "VALUE = 1\n",
    "package/unused.py": "",
}
USED = ["helper.py", "lazy.py", "mine.py", "package/__init__.py", "package/part.py", "package/sibling.py"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "package").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_text(content.replace("", ""))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    forget()


def forget():
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."), None)


def test_all_modules_of_the_user_that_an_algorithm_imports_identify_it(place):
    algorithm = registry.find("mine:Mine")
    before = algorithm.source()
    assert [name for name, _ in before] == USED
    for name in USED[1:]:
        (place / name).write_text((place / name).read_text() + "# changed\n")
        after = algorithm.source()
        assert [old[0] for old, new in zip(before, after, strict=True) if old != new] == [name]
        before = after
    (place / "other.py").write_text("unrelated = 2\n")
    assert algorithm.source() == before


def test_it_does_not_matter_where_the_files_lie_nor_what_is_loaded(place, tmp_path_factory, monkeypatch):
    here = registry.find("mine:Mine").source()
    forget()
    place.rename(elsewhere := tmp_path_factory.mktemp("elsewhere") / "deep")
    monkeypatch.chdir(elsewhere)
    monkeypatch.syspath_prepend(str(elsewhere))
    import lazy  # noqa: F401

    assert registry.find("mine:Mine").source() == here


def test_a_file_imports_what_lies_beside_it_wherever_the_command_is_called(
    place, tmp_path_factory, monkeypatch
):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    own = [name for name, _ in registry.find(f"{place}/mine.py:Mine").source()]
    assert own == USED
    assert str(place) not in sys.path


def test_a_file_that_cannot_be_read_as_python_counts_by_its_content(place):
    (place / "lazy.py").write_text("not python (\n")
    assert "lazy.py" in [name for name, _ in registry.find("mine:Mine").source()]


def test_what_is_installed_is_not_the_users():
    assert own_files("sklearn.base") == own_files("json.decoder") == own_files("cscluster.errors") == ()


class Distribution:
    name, version = "their-package", "1.5"


def test_a_plug_in_is_identified_by_the_version_of_its_distribution(monkeypatch):
    class Point:
        name, value, dist = "theirs", "tests.toys:Trivial", Distribution

    monkeypatch.setattr(registry, "entry_points", lambda group, name="theirs": [Point])
    registry.algorithms.cache_clear()
    try:
        assert registry.find("theirs").source() == (("their-package", "1.5"),)
    finally:
        registry.algorithms.cache_clear()


def test_a_directory_without_init_is_searched_before_it_is_loaded(tmp_path, monkeypatch):
    (tmp_path / "outer_space" / "inner").mkdir(parents=True)
    (tmp_path / "outer_space" / "inner" / "part.py").write_text("A = 1\n")
    (tmp_path / "asks.py").write_text("from outer_space.inner.part import A\n")
    monkeypatch.chdir(tmp_path)
    assert [name for name, _ in own_files("asks")] == ["asks.py", "outer_space/inner/part.py"]
