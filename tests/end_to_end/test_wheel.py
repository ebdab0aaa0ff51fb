"""The wheel carries everything that a user needs."""

import subprocess
import sys
import zipfile
from pathlib import Path

from cscluster import bundle

ROOT = Path(__file__).parents[2]


def test_the_wheel_holds_experiments_and_data(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
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
