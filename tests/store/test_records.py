import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster.store.records import from_line, storable, to_line
from tests.store.values import FIELDS

RECORD = {
    "key": "9f2c",
    "status": "ok",
    "dataset": "iris",
    "algorithm": "pmmc",
    "label": "PMMC",
    "params": {"lam": 0.1},
    "schedule": "random_pairs",
    "point": 60,
    "tier": 1,
    "trial": 7,
    "repetition": 7,
    "metrics": {"acc": 0.96, "nmi": None},
    "seconds": {"offline": 0.0, "fit": 0.041, "update": 0.0, "predict": 0.001},
    "cpu_seconds": 0.04,
    "iterations": 6,
    "converged": True,
    "warnings": [],
    "error": None,
    "environment": "a41b",
    "cell": "c1",
    "grid": {"lam": 0.1},
}


def test_a_line_is_json_with_the_public_fields():
    line = to_line(RECORD)
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    content = json.loads(line)
    assert {name: content[name] for name in FIELDS} == RECORD
    assert set(content) == {*FIELDS, "check"}


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False), st.lists(st.text()))
def test_what_is_written_is_read_back(label, value, warnings):
    record = {**RECORD, "label": label, "metrics": {"acc": value}, "warnings": warnings}
    line = to_line(record)
    assert line.count("\n") == 1
    assert from_line(line.encode()) == record
    assert to_line(from_line(line.encode())) == line


@pytest.mark.parametrize("code", [0xDCFF, 0xD800, 0xB1, 0x6F22, 0x2028, 0x0, 0xA, 0xD, 0x1F600])
def test_any_letter_can_be_stored(code):
    line = to_line(storable({**RECORD, "label": chr(code)}))
    lone_surrogate = 0xD800 <= code <= 0xDFFF
    assert from_line(line.encode())["label"] == (f"\\u{code:x}" if lone_surrogate else chr(code))
    assert line.count("\n") == 1


def test_text_stays_readable():
    assert '"label":"naïve ±"' in to_line({**RECORD, "label": "naïve ±"})


@given(st.data())
def test_any_change_of_a_line_is_noticed(data):
    line = to_line(RECORD)
    place = data.draw(st.integers(0, len(line) - 2))
    letter = data.draw(st.characters(codec="ascii").filter(lambda c: c != line[place]))
    with pytest.raises(ValueError, match=r"checksum|record"):
        from_line((line[:place] + letter + line[place + 1 :]).encode())


@given(st.integers(0, len(to_line(RECORD)) - 3))
def test_a_part_of_a_line_is_no_line(length):
    with pytest.raises(ValueError, match="checksum"):
        from_line(to_line(RECORD)[:length].encode())


@pytest.mark.parametrize("content", [[], {}, {"key": "x"}, 3, "text", None])
def test_other_json_is_no_record(content):
    with pytest.raises(ValueError, match="checksum"):
        from_line(json.dumps(content).encode() + b"\n")
    if isinstance(content, dict):
        with pytest.raises(ValueError, match="record of a trial"):
            from_line(to_line({"x": 1, **content}).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key", 3), ("status", "fine"), ("params", []), ("point", "60"), ("tier", True), ("trial", 1.5),
        ("metrics", {"acc": "high"}), ("metrics", None), ("seconds", 3), ("seconds", {"fit": None}),
        ("cpu_seconds", "1"), ("iterations", 10**30), ("converged", "yes"), ("warnings", "none"), ("warnings", [1]),
        ("error", "x"), ("grid", None), ("environment", None), ("cell", {}),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_named(field, value):
    with pytest.raises(ValueError, match=f"record of a trial: {field}"):
        from_line(to_line({**RECORD, field: value}).encode())


def test_what_json_cannot_hold_becomes_text_that_stays_the_same():
    odd = {
        "a": float("nan"),
        "b": b"\xff",
        "c": datetime.date(2020, 1, 2),
        "d": 10**5000,
        "e": (1, {2}),
        "f": len,
    }
    text = json.dumps(storable(odd), allow_nan=False)
    assert text == json.dumps(storable(odd))
    assert "0x7" not in text.replace(hex(10**5000), "")
    assert storable(RECORD) == RECORD
