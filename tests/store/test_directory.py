"""The result directory of a run: what a crash, an edit or a full disk leaves."""

import errno
import json
import os
import subprocess
import sys
import textwrap

import pytest

from cscluster.errors import StoreError
from cscluster.store.directory import RunDirectory, find_run
from cscluster.store.records import to_line
from tests.store.values import CELL, definition, key, lines, record


def trials(directory):
    return [r["trial"] for r in directory.records()]


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path / "results" / "run")


@pytest.fixture
def filled(directory):
    """A run that holds trials 1 and 2 of the planned 0, 1, 2, and trial 7 of an earlier plan."""
    with directory.writing() as writer:
        writer.put_definition(definition())
        writer.append(lines(record(2), record(7)))
        writer.append(lines(record(1)))
    return directory


def test_records_are_read_in_the_order_written(filled):
    assert trials(filled) == [2, 7, 1]
    assert filled.trials.read_text() == "".join(map(to_line, filled.records()))


def test_a_new_directory_has_no_records(directory):
    assert not directory.exists()
    assert trials(directory) == []
    assert directory.stored().empty
    with pytest.raises(StoreError, match=r"run' is not.*run\.json"):
        _ = directory.definition


def test_what_the_run_is(filled):
    assert filled.exists()
    assert RunDirectory(filled.path).definition == filled.definition == definition()
    assert json.loads((filled.path / "run.json").read_text())["source"] == "x.yaml"


def test_a_definition_is_read_once_and_again_on_request(filled):
    reader = RunDirectory(filled.path)
    before = reader.definition
    with filled.writing() as writer:
        writer.put_definition(definition(source="y.yaml"))
    assert filled.definition.source == "y.yaml"
    assert reader.definition is before
    reader.reload()
    assert reader.definition.source == "y.yaml"


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}\n", "null", "[" * 100_000, "\xff", definition().line()[:-20], definition().line() * 2],
)
def test_a_damaged_definition_is_named(filled, content):
    (filled.path / "run.json").write_text(content)
    filled.reload()
    for ask in (lambda: filled.definition, filled.stored, filled.planned, filled.to_frame):
        with pytest.raises(StoreError, match=r"read.*run\.json': "):
            ask()


def test_an_edited_definition_is_refused_in_one_sentence(filled):
    text = (filled.path / "run.json").read_text()
    assert '"repetitions":3' in text
    (filled.path / "run.json").write_text(text.replace('"repetitions":3', '"repetitions":4'))
    with pytest.raises(StoreError, match=r"run\.json': .*checksum"):
        _ = RunDirectory(filled.path).definition


def test_a_record_of_other_types_behind_a_right_checksum_is_named(filled):
    with filled.trials.open("a") as file:
        file.write(to_line(record(4, metrics=[1])))
    with pytest.raises(StoreError, match=r"trials\.jsonl:4: .* metrics: "):
        trials(filled)


def test_the_present_plan_selects_and_orders_records(filled):
    assert filled.stored()["trial"].tolist() == [2, 7, 1]
    assert filled.planned()["trial"].tolist() == [1, 2]
    frame = filled.to_frame()
    assert frame["trial"].tolist() == [1, 2]
    assert frame["acc"].tolist() == [0.5, 0.5]
    assert frame["seconds"].tolist() == [0.1, 0.1]
    assert frame["algorithm"].tolist() == ["kmeans", "kmeans"]


def test_parameters_are_columns(filled):
    tuned = {**CELL, "label": "tuned", "params": {"n_init": 2}, "grid": {"n_init": 2}}
    with filled.writing() as writer:
        writer.put_definition(definition(plan={"cells": ["h", "g"]}, cells={"h": CELL, "g": tuned}))
        writer.append(lines(record(0, cell="g")))
    frame = filled.to_frame().set_index("label")
    assert frame.loc["tuned", "params.n_init"] == 2
    assert frame.loc["tuned", "grid"] == {"n_init": 2}
    assert frame.loc["k-means", "params.n_init"].isna().all()


def test_of_two_records_with_one_key_the_later_counts(filled):
    with filled.writing() as writer:
        writer.append(lines(record(1, status="error")))
    assert filled.planned()["status"].tolist() == ["error", "ok"]


def test_labels_are_those_of_the_definition(filled):
    before = filled.trials.read_bytes()
    with filled.writing() as writer:
        writer.put_definition(definition(cells={"h": {**CELL, "label": "Lloyd"}}))
    assert set(filled.planned()["label"]) == {"Lloyd"}
    assert filled.trials.read_bytes() == before


@pytest.mark.parametrize("cut", [1, 2, 40, 150])
def test_a_torn_last_line_is_left_out_and_overwritten(filled, cut):
    whole = filled.trials.read_bytes()
    filled.trials.write_bytes(whole[:-cut])
    assert trials(filled) == [2, 7]
    with filled.writing() as writer:
        writer.append(lines(record(3)))
    assert trials(filled) == [2, 7, 3]


def test_where_records_will_be_appended(filled, tmp_path):
    whole = filled.trials.read_bytes()
    with filled.trials.open("ab") as file:
        file.write(b"torn")
    with filled.writing() as writer:
        end = filled.n_bytes()
        assert (end, filled.trials.read_bytes()) == (len(whole), whole)
        writer.append(lines(record(5)))
    assert [r["trial"] for r in filled.records(end)] == [5]
    empty = RunDirectory(tmp_path / "empty")
    with empty.writing():
        assert empty.n_bytes() == 0
    assert not empty.trials.exists()


def test_a_torn_line_longer_than_any_buffer(filled):
    with filled.trials.open("ab") as file:
        file.write(b'{"key":"' + b"x" * 300_000)
    with filled.writing() as writer:
        writer.append(lines(record(3)))
    assert trials(filled) == [2, 7, 1, 3]


def test_a_file_that_is_one_torn_line(directory):
    directory.path.mkdir(parents=True)
    directory.trials.write_bytes(to_line(record("a")).encode()[:-1])
    assert trials(directory) == []
    with directory.writing() as writer:
        writer.append(lines(record(1)))
    assert trials(directory) == [1]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_edited_line_is_named(filled, number):
    whole = filled.trials.read_text().splitlines(keepends=True)
    whole[number - 1] = whole[number - 1].replace('"acc":0.5', '"acc":0.9')
    filled.trials.write_text("".join(whole))
    with pytest.raises(StoreError, match=rf"trials\.jsonl:{number}: .*checksum"):
        trials(filled)


@pytest.mark.parametrize("content", [b"\n", b"\xff\xfe\n", b"\x00\x00\n", b"[" * 100_000 + b"\n", b"{}\n"])
def test_a_line_of_anything_else_is_named(filled, content):
    with filled.trials.open("ab") as file:
        file.write(content)
    with pytest.raises(StoreError, match=r"trials\.jsonl:4: .*checksum"):
        trials(filled)


def test_a_record_is_on_disk_when_append_returns(directory):
    with directory.writing() as writer:
        writer.append(lines(record(0)))
        assert trials(directory) == [0]
        writer.append(lines(record(1)))
        assert trials(directory) == [0, 1]


def test_only_one_process_writes(filled):
    with (
        filled.writing(),
        pytest.raises(StoreError, match=r"Another run.*run'"),
        RunDirectory(filled.path).writing(),
    ):
        pass
    with filled.writing() as writer:
        writer.append(lines(record(3)))


def test_a_killed_writer_leaves_no_lock(filled):
    code = f"""
        import os, signal
        from pathlib import Path
        from cscluster.store.directory import RunDirectory
        with RunDirectory(Path({str(filled.path)!r})).writing():
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert done.returncode == -9
    with filled.writing() as writer:
        writer.append(lines(record(3)))
    assert trials(filled) == [2, 7, 1, 3]


def test_what_a_killed_writer_left_is_removed(filled):
    (filled.path / ".summary.csv.99999999.part").write_text("half of")
    with filled.writing():
        assert not list(filled.path.glob(".*.part"))


def test_records_are_replaced_in_one_step(filled):
    with filled.writing() as writer:
        writer.put_lines(lines(record(0), record(2)))
        assert trials(filled) == [0, 2]
        writer.append(lines(record(3)))
    assert trials(filled) == [0, 2, 3]
    assert not list(filled.path.glob(".*.part"))


def test_replacing_leaves_the_old_file_where_it_fails(filled, monkeypatch):
    before = filled.trials.read_bytes()

    def broken(*args):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "replace", broken)
    with (
        filled.writing() as writer,
        pytest.raises(StoreError, match=r"write.*run': Input/output error"),
    ):
        writer.put_lines(lines(record(0)))
    assert filled.trials.read_bytes() == before
    assert not list(filled.path.glob(".*.part"))


def full(*args):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_whole_lines(filled, monkeypatch):
    message = (
        r"No space left for '.*run'\. Free some and start the same command again: finished trials are kept"
    )
    with filled.writing() as writer:
        writer.append(lines(record(3)))
        monkeypatch.setattr(os, "fsync", full)
        for _ in range(2):
            with pytest.raises(StoreError, match=message):
                writer.append(lines(record(4)))
            assert trials(filled) == [2, 7, 1, 3]
            assert filled.trials.read_bytes().endswith(b"}\n")
        with pytest.raises(StoreError, match=message):
            writer.put_definition(definition(source="y.yaml"))
        monkeypatch.undo()
        writer.append(lines(record(5)))
    assert trials(filled) == [2, 7, 1, 3, 5]
    assert filled.definition == RunDirectory(filled.path).definition == definition()


def test_a_file_that_may_not_grow_takes_whole_records_only(tmp_path):
    # The limit is met in the middle of a record: the system then writes a part of it and reports no error.
    code = f"""
        import resource
        from pathlib import Path
        from cscluster.errors import StoreError
        from cscluster.store.directory import RunDirectory
        from tests.store.values import lines, record
        line = lines(record())
        size = len(line[0])
        directory = RunDirectory(Path({str(tmp_path / "run")!r}))
        with directory.writing() as writer:
            resource.setrlimit(resource.RLIMIT_FSIZE, (3 * size + size // 2, -1))
            written = 0
            try:
                while True:
                    writer.append(line)
                    written += 1
            except StoreError as error:
                print(written, len(list(directory.records())), directory.trials.stat().st_size / size, error)
    """
    out = subprocess.check_output([sys.executable, "-c", textwrap.dedent(code)], text=True)
    assert out.startswith("3 3 3.0 Cannot write to")
    assert "File too large" in out


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreError, match=r"write.*run': Not a directory"),
        RunDirectory(tmp_path / "file" / "run").writing(),
    ):
        pass


def test_a_file_system_without_locks_is_told(filled, monkeypatch):
    def no_locks(*args):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(StoreError, match=r"write.*run': No locks available"), filled.writing():
        pass


def test_an_unreadable_file_of_records_is_told(directory):
    directory.trials.mkdir(parents=True)
    with pytest.raises(StoreError, match=r"read.*trials\.jsonl': Is a directory"):
        trials(directory)


def test_a_notebook_shows_progress(filled):
    with filled.writing() as writer:
        writer.put_definition(definition(experiment={"title": "A < B"}))
    shown = filled._repr_html_()
    assert "<caption>A &lt; B</caption>" in shown
    assert "<td>2 of 3, 0 failed</td>" in shown
    assert f"<td>{filled.path}</td>" in shown
    assert repr(filled) == f"RunDirectory('{filled.path}')"


def test_a_notebook_shows_a_run_that_has_nothing_yet(tmp_path):
    empty = RunDirectory(tmp_path / "<none>")
    assert "&lt;none&gt;" in empty._repr_html_()
    with empty.writing() as writer:
        writer.put_definition(definition())
    assert "<td>0 of 3, 0 failed</td>" in empty._repr_html_()


def test_what_another_run_has_begun_to_write_is_not_taken_for_files_of_the_user(directory):
    directory.path.mkdir(parents=True)
    directory.check_free()
    (directory.path / ".lock").touch()
    (directory.path / ".run.json.1.part").touch()
    directory.check_free()
    (directory.path / "thesis.tex").touch()
    with pytest.raises(StoreError, match=r"run' .*no results"):
        directory.check_free()


def test_a_run_is_found_by_name_or_path(filled, tmp_path):
    assert find_run("run", tmp_path / "results").path == filled.path
    assert find_run(str(filled.path), tmp_path / "elsewhere").path == filled.path
    assert find_run("ru", tmp_path / "results") is None


def test_keys_follow_from_the_plan(filled):
    assert filled.definition.plan.keys() == [key(0), key(1), key(2)]


@pytest.mark.parametrize("name", ["trials.jsonl", "report.md", "figures"])
@pytest.mark.parametrize("make", [lambda path, to: path.symlink_to(to), lambda path, _: os.mkfifo(path)])
def test_what_leads_out_of_a_directory_is_refused(filled, tmp_path, make, name):
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    (filled.path / name).unlink(missing_ok=True)
    make(filled.path / name, precious)
    with pytest.raises(StoreError, match=f"{name}'.*regular file"), filled.writing():
        pass
    with pytest.raises(StoreError, match=f"{name}'.*regular file"):
        RunDirectory(filled.path).planned()
    assert precious.read_text() == "keep me"


def test_a_directory_in_which_nothing_was_begun_is_left_as_it_was(tmp_path):
    with pytest.raises(ZeroDivisionError), RunDirectory(tmp_path / "results/run").writing():
        raise ZeroDivisionError
    assert not (tmp_path / "results/run").exists()
