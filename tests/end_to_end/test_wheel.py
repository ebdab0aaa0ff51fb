"""The wheel carries everything that a user needs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cscluster import bundle

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    place = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, ROOT],
        check=True,
        capture_output=True,
    )
    (path,) = place.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_works_without_the_optional_packages(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv" / "bin"
    installed = subprocess.run(
        [programs / "python", "-m", "pip", "install", "--quiet", wheel],
        capture_output=True,
        text=True,
        check=False,
    )
    if installed.returncode:
        pytest.skip(f"its dependencies cannot be installed: {installed.stderr.strip()[-200:]}")
    few = (
        "--set trials=1 --set datasets=[iris] --set algorithms=[kmeans,rca] --set constraints.counts=[5] -j 1"
    )
    for line in (
        "new example",
        "cluster flowers.csv --links links.csv -k 3 --out labels.csv",
        f"run mnist0689 {few}",
        "report mnist0689",
    ):
        done = subprocess.run(
            [programs / "cscluster", *line.split()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert "No module named 'pyarrow'" in subprocess.run(
        [programs / "python", "-c", "import pyarrow"], capture_output=True, text=True, check=False
    ).stderr  # fmt: skip


def test_the_wheel_holds_experiments_and_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("configs", "datasets"):
        for path in bundle.folder(folder).rglob("*.*"):
            inside = path.relative_to(bundle.folder(folder)).as_posix()
            assert f"cscluster/_bundle/{folder}/{inside}" in names
    for name in (
        "assets/page.html",
        "assets/report.js",
        "vendor/echarts/echarts.min.js",
        "vendor/echarts/LICENSE",
    ):
        assert f"cscluster/report/html/{name}" in names
    assert {"cscluster/py.typed", "cscluster/algorithms/_sklearn.pyi"} <= names
    vendor = "cscluster/report/html/vendor/echarts"
    for name in (
        "LICENSE",
        "NOTICE",
        f"{vendor}/LICENSE",
        f"{vendor}/NOTICE",
        f"{vendor}/licenses/LICENSE-d3",
    ):
        assert any(inside.endswith(f".dist-info/licenses/{name}") for inside in names)
    for name in ("page.html", "page.js", "page.css"):
        assert f"cscluster/labelling/page/{name}" in names
    assert "cscluster/base.css" in names
    assert not any(name.startswith("tests/") for name in names)
