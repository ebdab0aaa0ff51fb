import pytest

from cscluster.errors import StoreError
from cscluster.store import index
from cscluster.store.folder import RunFolder
from cscluster.store.table import COMMON, RecordTable
from tests.store.values import record

FAILED = {"status": "error", "metrics": {}, "seconds": {}, "cpu_seconds": None, "iterations": None}
RECORDS = [
    record("a", label="A", params={"w": 0.1, "steps": [1, None]}, metrics={"acc": 0.1 + 0.2, "nmi": None}),
    record("b", label="naïve \udcff", point=2**62, grid={"w": float("1e-300")}),
    record("c", label="A", params={"w": 0.1, "steps": [1, None]}, metrics={"acc": 1e-17, "nmi": 0.5}),
    record("d", error={"type": "ValueError", "message": "a line\nand \udcff another"}, **FAILED),
]
LATER = [record("e", label="A", params={"w": 0.1, "steps": [1, None]}, metrics={"acc": 0.5, "nmi": 1.0}),
         record("f", label="new")]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a run of which four records are stored, with an index."""
    monkeypatch.setattr(index, "_LEAST", 1)
    folder = RunFolder(tmp_path / "run")
    with folder.writing() as writer:
        writer.append(RECORDS)
        writer.put_index(folder.table())
    assert folder.index.exists()
    return folder


def content(table):
    """Return all that a table holds; arrays as bytes, so that NaN is equal to itself."""
    groups = [
        ({name: getattr(group, name) for name in COMMON}, group.places.tobytes(), group.scores.tobytes())
        for group in table.groups
    ]
    return table.keys, table.errors, groups


def without_index(folder):
    return RecordTable(folder.records())


def test_the_index_is_what_the_records_are(folder):
    assert folder.table().n_indexed == 4
    assert content(folder.table()) == content(without_index(folder))


def test_records_behind_the_index_are_read(folder):
    with folder.writing() as writer:
        writer.append(LATER)
    assert folder.table().n_indexed == 4
    assert content(folder.table()) == content(without_index(folder))
    assert len(folder.table().groups) == 4  # the first of them joins a group of the index


def test_half_a_line_behind_the_index_is_left_out(folder):
    with folder.trials.open("ab") as file:
        file.write(b'{"key":"g"')
    assert folder.table().n_indexed == 4
    assert folder.table().keys == ["a", "b", "c", "d"]


@pytest.mark.parametrize("line", [0, 1, 3])
def test_a_damaged_record_is_found_in_spite_of_the_index(folder, line):
    lines = folder.trials.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b'"trial":0', b'"trial":1')
    folder.trials.write_bytes(b"".join(lines))
    with pytest.raises(StoreError, match=rf"trials\.jsonl:{line + 1}: this line cannot be trusted"):
        folder.table()


def test_a_damaged_record_behind_the_index_has_its_line(folder):
    with folder.trials.open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(StoreError, match=r"trials\.jsonl:5: this line cannot be trusted"):
        folder.table()


def test_a_deleted_record_is_gone(folder):
    lines = folder.trials.read_bytes().splitlines(keepends=True)
    for left in (lines[:3], lines[1:], lines[:1] + lines[2:], []):
        folder.trials.write_bytes(b"".join(left))
        assert folder.table().n_indexed == 0
        assert content(folder.table()) == content(without_index(folder))


def test_a_damaged_index_is_not_believed(folder):
    whole, right = folder.index.read_bytes(), content(without_index(folder))
    damages = [whole[:cut] for cut in range(0, len(whole), 37)]
    damages += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 11)]
    for damaged in [*damages, b"\n\n", b"[]"]:
        folder.index.write_bytes(damaged)
        assert folder.table().n_indexed == 0
        assert content(folder.table()) == right


def test_an_index_of_other_records_is_not_believed(folder, tmp_path):
    other = RunFolder(tmp_path / "other")
    with other.writing() as writer:
        writer.append(reversed(RECORDS))
    other.index.write_bytes(folder.index.read_bytes())
    assert other.table().keys == ["d", "c", "b", "a"]


def test_new_records_have_no_index(folder):
    with folder.writing() as writer:
        writer.put_records(LATER)
    assert not folder.index.exists()
    assert folder.table().keys == ["e", "f"]


def test_a_table_that_lacks_a_record_makes_no_index(folder):
    before = folder.index.read_bytes()
    with folder.writing() as writer:
        table = folder.table()
        writer.append(LATER)
        table.add(LATER[0])
        writer.put_index(table)
    assert folder.index.read_bytes() == before
    folder.trials.write_bytes(folder.trials.read_bytes()[:-5])  # half a line in place of the missing record
    index.write(folder.index, folder.trials, table)
    assert folder.index.read_bytes() == before


def test_the_index_is_written_again_where_many_records_are_not_in_it(folder, monkeypatch):
    monkeypatch.setattr(index, "_LEAST", 2)
    with folder.writing() as writer:
        table = folder.table()
        for n_indexed, new in ((4, LATER[0]), (6, LATER[1])):
            writer.append([new])
            table.add(new)
            writer.put_index(table)
            assert table.n_indexed == folder.table().n_indexed == n_indexed
    assert content(folder.table()) == content(without_index(folder))


def test_few_records_have_no_index(tmp_path):
    folder = RunFolder(tmp_path / "run")
    with folder.writing() as writer:
        writer.append(RECORDS)
        writer.put_index(folder.table())
    assert not folder.index.exists()
