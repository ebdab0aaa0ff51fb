import os
import signal
import subprocess
import sys

import pytest

from cscluster import atomic
from cscluster.errors import StoreError


def test_a_file_is_made_and_replaced(tmp_path):
    path = tmp_path / "out.csv"
    for content in (b"old", b"new", b""):
        atomic.replace(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    link, real = tmp_path / "here" / "a.csv", tmp_path / "there" / "b.csv"
    link.symlink_to(real)
    atomic.replace(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_fails_leaves_the_old_file(tmp_path, monkeypatch, step):
    def full(*args):
        raise OSError(28, "No space left on device")

    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        atomic.replace(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_no_folder(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileNotFoundError):
        atomic.replace(tmp_path / "no" / "out.csv", b"")
    with pytest.raises(NotADirectoryError):
        atomic.replace(tmp_path / "file" / "out.csv", b"")


def test_a_killed_process_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    code = f"""
import os, signal
from pathlib import Path
from cscluster import atomic
os.replace = lambda *args: os.kill(os.getpid(), signal.SIGKILL)
atomic.replace(Path({str(path)!r}), b"new")
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".csv", ".part"]


def test_a_directory_in_the_way_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"write.*table\.md'"):
        atomic.put(tmp_path / "file" / "table.md", "text")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match=r"write.*folder'"):
        atomic.put(tmp_path / "folder", "text")


def test_directories_are_made(tmp_path):
    atomic.put(tmp_path / "a/b/table.md", "text ±")
    assert (tmp_path / "a/b/table.md").read_text(encoding="utf-8") == "text ±"


def test_only_what_a_process_that_ended_has_left_behind_is_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    mine, theirs, no_number = (
        tmp_path / name
        for name in (
            f".report.md.{os.getpid()}.part",
            f".summary.csv.{ended.pid}.part",
            ".notes.part",
        )
    )
    for part in (mine, theirs, no_number):
        part.write_text("half of")
    atomic.remove_abandoned(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, no_number])


def test_a_pipe_is_written_into_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        atomic.put(pipe, ["a", "b"])
        assert reader.communicate(timeout=60)[0] == b"ab"
    assert pipe.is_fifo()
