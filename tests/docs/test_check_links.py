"""The check of the built site finds what leads nowhere."""

import runpy
from pathlib import Path

dead_links = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "check_links.py"))["dead_links"]


def test_files_and_places_that_do_not_exist_are_dead(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top"></h1> <a href="#top">a</a> <a href="sub/b.html#here">b</a> <a href="https://example.org/x">c</a>'
        '<a href="#bottom">d</a> <img src="none.png"> <a href="sub/b.html#there">e</a>'
    )
    (tmp_path / "sub" / "b.html").write_text(
        '<p id="here"></p> <a href="../index.html">up</a> <a href="..">up</a>'
    )
    assert dead_links(tmp_path) == [
        "index.html: #bottom",
        "index.html: none.png",
        "index.html: sub/b.html#there",
    ]
