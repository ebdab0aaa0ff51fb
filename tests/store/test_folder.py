import errno
import json
import os
import subprocess
import sys
import textwrap

import pytest

from cscluster.errors import StoreError
from cscluster.store.folder import Progress, RunFolder
from cscluster.store.records import to_line
from tests.store.values import record

EXPERIMENT = {"name": "n", "metrics": ["acc"], "algorithms": []}
CONFIG = {"source": "x.yaml", "experiment": EXPERIMENT}


def keys(folder):
    return [r["key"] for r in folder.records()]


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "results" / "run")


@pytest.fixture
def filled(folder):
    with folder.writing() as writer:
        writer.put_json("config.json", CONFIG)
        writer.put_json("plan.json", {"keys": ["c", "a", "z"], "cells": {"h": {"seed": 1}}})
        writer.append([record("a", trial=1), record("b")])
        writer.append([record("c")])
    return folder


def test_records_are_read_in_the_order_written(filled):
    assert keys(filled) == ["a", "b", "c"]
    assert filled.trials.read_text() == "".join(map(to_line, filled.records()))


def test_a_new_folder_has_no_records(folder):
    assert not folder.exists()
    assert keys(folder) == []
    assert folder.environments() == {}
    with pytest.raises(StoreError, match=r"is not a result directory: it has no config\.json"):
        folder.config()


def test_small_files(filled):
    assert filled.exists()
    assert filled.config() == CONFIG
    assert filled.plan() == ["c", "a", "z"]
    assert filled.cells() == {"h": {"seed": 1}}
    assert filled.datasets() == {}
    with filled.writing() as writer:
        writer.put_json("environments.json", {"e": {"title": "naïve \udcff"}})
    assert filled.environments() == {"e": {"title": "naïve \udcff"}}


def test_damaged_small_files_are_named(filled):
    (filled.path / "plan.json").write_text('{"keys": [')
    with pytest.raises(StoreError, match=r"Cannot read '.*plan\.json'"):
        filled.plan()
    for content in ("[]", "{}", "3"):
        (filled.path / "plan.json").write_text(content)
        for ask in (filled.plan, filled.cells):
            with pytest.raises(
                StoreError, match=r"Cannot read '.*plan\.json': it (has no|is not a JSON object)"
            ):
                ask()


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", "3", "null", '{"source": "x", "experiment": []}', '{"source": "x", "experiment": {}}',
     '{"experiment": {"name": "n", "metrics": [], "algorithms": []}}', '["source", "experiment"]', "[" * 100_000],
)  # fmt: skip
def test_a_config_that_is_none_is_named(filled, content):
    (filled.path / "config.json").write_text(content)
    with pytest.raises(StoreError, match=r"Cannot read '.*config\.json': "):
        filled.config()


@pytest.mark.parametrize("content", ['{"keys": [1], "cells": {"h": 3}}', '{"keys": {}, "cells": []}'])
def test_a_plan_of_other_types_is_named(filled, content):
    (filled.path / "plan.json").write_text(content)
    for ask in (filled.plan, filled.whole_plan, filled.cells):
        with pytest.raises(StoreError, match=r"Cannot read '.*plan\.json': it has no"):
            ask()


def test_a_record_of_other_types_behind_a_right_checksum_is_named(filled):
    with filled.trials.open("a") as file:
        file.write(to_line(record("d", metrics=[1])))
    with pytest.raises(StoreError, match=r"trials\.jsonl:4: this line cannot be trusted: .* metrics: "):
        keys(filled)


def test_the_present_plan_selects_and_orders_records(filled):
    assert [r["key"] for r in filled.planned_records()] == ["c", "a"]
    frame = filled.to_frame()
    assert frame["trial"].tolist() == [0, 1]
    assert frame["acc"].tolist() == [0.5, 0.5]
    assert frame["seconds"].tolist() == [0.1, 0.1]
    first = filled.planned_records()[0]
    assert frame["algorithm"][0] == first["algorithm"]
    assert {f"params.{name}": value for name, value in first["params"].items()}.items() <= dict(
        frame.loc[0]
    ).items()


def test_of_two_records_with_one_key_the_later_counts(filled):
    with filled.writing() as writer:
        writer.append([record("a", trial=9)])
    assert [r["trial"] for r in filled.planned_records()] == [0, 9]


@pytest.mark.parametrize("cut", [1, 2, 40, 150])
def test_a_torn_last_line_is_left_out_and_overwritten(filled, cut):
    whole = filled.trials.read_bytes()
    filled.trials.write_bytes(whole[:-cut])
    assert keys(filled) == ["a", "b"]
    with filled.writing() as writer:
        writer.append([record("d")])
    assert keys(filled) == ["a", "b", "d"]


def test_a_torn_line_longer_than_any_buffer(filled):
    with filled.trials.open("ab") as file:
        file.write(b'{"key":"' + b"x" * 300_000)
    with filled.writing() as writer:
        writer.append([record("d")])
    assert keys(filled) == ["a", "b", "c", "d"]


def test_a_file_that_is_one_torn_line(folder):
    folder.path.mkdir(parents=True)
    folder.trials.write_bytes(to_line(record("a")).encode()[:-1])
    assert keys(folder) == []
    with folder.writing() as writer:
        writer.append([record("b")])
    assert keys(folder) == ["b"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_edited_line_is_named(filled, number):
    lines = filled.trials.read_text().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace('"acc":0.5', '"acc":0.9')
    filled.trials.write_text("".join(lines))
    with pytest.raises(
        StoreError, match=rf"trials\.jsonl:{number}: this line cannot be trusted: its checksum"
    ):
        keys(filled)


@pytest.mark.parametrize("content", [b"\n", b"\xff\xfe\n", b"\x00\x00\n", b"[" * 100_000 + b"\n", b"{}\n"])
def test_a_line_of_anything_else_is_named(filled, content):
    with filled.trials.open("ab") as file:
        file.write(content)
    with pytest.raises(StoreError, match=r"trials\.jsonl:4: this line cannot be trusted"):
        keys(filled)


def test_a_record_is_on_disk_when_append_returns(folder):
    with folder.writing() as writer:
        writer.append([record("a")])
        assert keys(folder) == ["a"]
        writer.append([record("b")])
        assert keys(folder) == ["a", "b"]


def test_only_one_process_writes(filled):
    with (
        filled.writing(),
        pytest.raises(
            StoreError, match=r"Another run is writing to '.*run'; wait for it or choose another directory"
        ),
        RunFolder(filled.path).writing(),
    ):
        pass
    with filled.writing() as writer:
        writer.append([record("d")])


def test_a_killed_writer_leaves_no_lock(filled):
    code = f"""
        import os, signal
        from pathlib import Path
        from cscluster.store.folder import RunFolder
        with RunFolder(Path({str(filled.path)!r})).writing():
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert done.returncode == -9
    with filled.writing() as writer:
        writer.append([record("d")])
    assert keys(filled) == ["a", "b", "c", "d"]


def test_what_a_killed_writer_left_is_removed(filled):
    (filled.path / ".summary.csv.99999999.part").write_text("half of")
    with filled.writing():
        assert not list(filled.path.glob(".*.part"))


def test_records_are_replaced_in_one_step(filled):
    with filled.writing() as writer:
        writer.put_records([record("a"), record("c")])
        assert keys(filled) == ["a", "c"]
        writer.append([record("d")])
    assert keys(filled) == ["a", "c", "d"]
    assert not list(filled.path.glob(".*.part"))


def test_replacing_leaves_the_old_file_where_it_fails(filled, monkeypatch):
    before = filled.trials.read_bytes()

    def broken(*args):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "replace", broken)
    with (
        filled.writing() as writer,
        pytest.raises(StoreError, match=r"Cannot write to '.*run': Input/output error"),
    ):
        writer.put_records([record("a")])
    assert filled.trials.read_bytes() == before
    assert not list(filled.path.glob(".*.part"))


def full(*args):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_whole_lines(filled, monkeypatch):
    message = (
        r"No space left for '.*run'; free some and start the same command again: finished trials are kept"
    )
    with filled.writing() as writer:
        writer.append([record("d")])
        monkeypatch.setattr(os, "fsync", full)
        for _ in range(2):
            with pytest.raises(StoreError, match=message):
                writer.append([record("e")])
            assert keys(filled) == ["a", "b", "c", "d"]
            assert filled.trials.read_bytes().endswith(b"}\n")
        with pytest.raises(StoreError, match=message):
            writer.put_json("plan.json", {})
        monkeypatch.undo()
        writer.append([record("f")])
    assert keys(filled) == ["a", "b", "c", "d", "f"]
    assert filled.plan() == ["c", "a", "z"]


def test_a_file_that_may_not_grow_takes_whole_records_only(tmp_path):
    # The limit is met in the middle of a record: the system then writes a part of it and reports no error.
    code = f"""
        import resource
        from pathlib import Path
        from cscluster.errors import StoreError
        from cscluster.store.folder import RunFolder
        from cscluster.store.records import to_line
        from tests.store.values import record
        record = record("x")
        size = len(to_line(record))
        folder = RunFolder(Path({str(tmp_path / "run")!r}))
        with folder.writing() as writer:
            resource.setrlimit(resource.RLIMIT_FSIZE, (3 * size + size // 2, -1))
            written = 0
            try:
                while True:
                    writer.append([record])
                    written += 1
            except StoreError as error:
                print(written, len(list(folder.records())), folder.trials.stat().st_size / size, error)
    """
    out = subprocess.check_output([sys.executable, "-c", textwrap.dedent(code)], text=True)
    assert out.startswith("3 3 3.0 Cannot write to")
    assert "File too large" in out


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreError, match=r"Cannot write to '.*run': Not a directory"),
        RunFolder(tmp_path / "file" / "run").writing(),
    ):
        pass


def test_a_file_system_without_locks_is_told(filled, monkeypatch):
    def no_locks(*args):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(StoreError, match=r"Cannot lock '.*run': No locks available"), filled.writing():
        pass


def test_an_unreadable_file_of_records_is_told(folder):
    folder.trials.mkdir(parents=True)
    with pytest.raises(StoreError, match=r"Cannot read '.*trials\.jsonl': Is a directory"):
        keys(folder)


def test_small_files_can_be_read_by_other_tools(filled):
    assert json.loads((filled.path / "config.json").read_text())["source"] == "x.yaml"


def test_a_notebook_shows_progress_and_means(filled):
    with filled.writing() as writer:
        writer.put_json("config.json", {**CONFIG, "experiment": {**EXPERIMENT, "title": "A < B"}})
    shown = filled._repr_html_()
    assert "<b>A &lt; B</b>" in shown
    assert "2 of 3 trials are stored, 0 of them failed" in shown
    assert "<td>0.500</td>" in shown
    assert str(filled.path) in shown
    assert repr(filled) == f"RunFolder('{filled.path}')"


def test_a_notebook_escapes_what_it_shows(filled):
    with filled.writing() as writer:
        writer.put_json("config.json", CONFIG)
        writer.append([record("a", label="<script>", grid={"lam": "<b>"})])
    shown = filled._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "lam=&lt;b&gt;" in shown
    assert "<script>" not in shown
    assert "lam=<b>" not in shown


def test_a_notebook_shows_a_run_that_has_nothing_yet(tmp_path):
    empty = RunFolder(tmp_path / "<none>")
    assert "&lt;none&gt;" in empty._repr_html_()
    with empty.writing() as writer:
        writer.put_json("config.json", CONFIG)
        writer.put_json("plan.json", {"keys": ["a"], "cells": {}})
    assert "0 of 1 trials are stored" in empty._repr_html_()


def test_progress_is_left_behind_for_who_does_not_read_records(filled, monkeypatch):
    with filled.writing() as writer:
        writer.append([record("c", status="error")])
        writer.put_progress(filled.table(), filled.plan())
    monkeypatch.setattr(RunFolder, "records", None)
    assert filled.progress() == Progress(planned=3, stored=2, failed=1)


def test_progress_that_is_out_of_date_is_not_used(filled):
    with filled.writing() as writer:
        writer.put_progress(filled.table(), filled.plan())
        writer.append([record("z")])
    assert filled.progress() == Progress(planned=3, stored=3, failed=0)
    with filled.writing() as writer:
        writer.put_records([record("z", trial=1), record("x"), record("y"), record("w")])
    assert filled.progress() == Progress(planned=3, stored=1, failed=0)


def test_progress_of_other_keys_is_not_used(filled):
    content = {"bytes": filled.n_bytes(), "stored": 9}
    (filled.path / "progress.json").write_text(json.dumps(content))
    assert filled.progress() == Progress(planned=3, stored=2, failed=0)


def test_what_another_run_has_begun_to_write_is_not_taken_for_files_of_the_user(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    (folder.path / ".lock").touch()
    (folder.path / ".config.json.1.part").touch()
    folder.check_free()
    (folder.path / "thesis.tex").touch()
    with pytest.raises(StoreError, match="holds files but no results"):
        folder.check_free()
