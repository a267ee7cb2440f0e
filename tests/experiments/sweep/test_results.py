"""The table of results: whole lines only, whatever the moment of a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dfst.errors import InputError
from dfst.experiments.sweep import Results

RECORDS = [{"trial": f"λ-{i}", "status": "done", "loss": i / 3 if i else None} for i in range(4)]
WHOLE = b"".join(json.dumps(r, ensure_ascii=False).encode() + b"\n" for r in RECORDS)


def test_lines_are_objects_in_order(tmp_path):
    results = Results(tmp_path)
    assert results.read() == []
    for record in RECORDS:
        results.append(record)
    assert results.path.read_bytes() == WHOLE
    assert results.read() == RECORDS


@given(cut=st.integers(0, len(WHOLE)))
def test_a_table_cut_anywhere_goes_on_with_whole_lines(tmp_path_factory, cut):
    results = Results(tmp_path_factory.mktemp("sweep"))
    results.path.write_bytes(WHOLE[:cut])
    whole = WHOLE[:cut].count(b"\n")
    assert results.read() == RECORDS[:whole]
    results.mend()
    for record in RECORDS[whole:]:
        results.append(record)
    assert results.path.read_bytes() == WHOLE


def test_a_broken_line_that_no_crash_can_leave_is_told(tmp_path):
    results = Results(tmp_path)
    results.path.write_bytes(WHOLE.replace(b"}\n", b"\n", 1))
    with pytest.raises(InputError, match=r"results.jsonl, line 1: expected a trial as a JSON object"):
        results.read()


def test_not_a_number_never_gets_in(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        Results(tmp_path).append({"trial": "a", "loss": float("nan")})


def test_failed_trials_can_be_forgotten(tmp_path):
    results = Results(tmp_path)
    results.append(RECORDS[0])
    results.append({"trial": "b", "status": "failed"})
    assert results.forget_failed() == ["b"]
    assert results.read() == RECORDS[:1]
