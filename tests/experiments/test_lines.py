"""JSON Lines: whole lines only, whatever the moment of a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dfst.errors import InputError
from dfst.experiments.lines import JsonLines

RECORDS = [{"trial": f"λ-{i}", "status": "done", "loss": i / 3 if i else None} for i in range(4)]
WHOLE = b"".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for r in RECORDS)


def test_lines_are_objects_in_order(tmp_path):
    lines = JsonLines(tmp_path / "lines.jsonl")
    assert lines.read() == []
    for record in RECORDS:
        lines.append(record)
    assert lines.path.read_bytes() == WHOLE
    assert lines.read() == RECORDS


@given(cut=st.integers(0, len(WHOLE)))
def test_a_table_cut_anywhere_goes_on_with_whole_lines(tmp_path_factory, cut):
    lines = JsonLines(tmp_path_factory.mktemp("sweep") / "lines.jsonl")
    lines.path.write_bytes(WHOLE[:cut])
    whole = WHOLE[:cut].count(b"\n")
    assert lines.read() == RECORDS[:whole]
    lines.mend()
    for record in RECORDS[whole:]:
        lines.append(record)
    assert lines.path.read_bytes() == WHOLE


def test_a_broken_line_that_no_crash_can_leave_is_told(tmp_path):
    lines = JsonLines(tmp_path / "lines.jsonl")
    lines.path.write_bytes(WHOLE.replace(b"}\n", b"\n", 1))
    with pytest.raises(InputError, match=r"lines.jsonl, line 1: expected a JSON object"):
        lines.read()


def test_not_a_number_never_gets_in(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        JsonLines(tmp_path / "lines.jsonl").append({"trial": "a", "loss": float("nan")})


def test_lines_are_replaced_as_a_whole(tmp_path):
    lines = JsonLines(tmp_path / "lines.jsonl")
    lines.append(RECORDS[0])
    lines.replace(RECORDS)
    assert lines.path.read_bytes() == WHOLE
