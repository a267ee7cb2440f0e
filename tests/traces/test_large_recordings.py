"""Large files of traces: read as a stream, in time and memory that grow with the file and no faster."""

from __future__ import annotations

import subprocess
import sys

import pytest
from recorded import record_additions

from dfst.traces import recording
from dfst.traces.recording import read_recording

READ = """
import resource, sys, time
from dfst.traces.recording import read_recording
def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime, now.ru_maxrss / 1000
read_recording(sys.argv[1])  # compiled and loaded
before = used()
found = read_recording(sys.argv[2])
found.held_out
after = used()
print(after[0] - before[0], after[1] - before[1])
"""


def read_alone(small, file) -> tuple[float, float]:
    """Seconds of the processor and megabytes that it takes to read a file in a process of its own."""
    words = [sys.executable, "-c", READ, str(small), str(file)]
    seconds, megabytes = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return float(seconds), float(megabytes)


def test_memory_grows_by_a_few_bytes_for_each_of_the_file(tmp_path):
    record_additions(tmp_path / "small.jsonl", 0.01)
    size = record_additions(tmp_path / "t.jsonl", 2) / 1e6
    seconds, megabytes = read_alone(tmp_path / "small.jsonl", tmp_path / "t.jsonl")
    assert megabytes < 10 * size
    assert seconds < 4 * size


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_a_hundred_megabytes(tmp_path, name):
    record_additions(tmp_path / "small.jsonl", 0.01)
    assert record_additions(tmp_path / name, 103) > 1e8  # it counts a little too much
    seconds, megabytes = read_alone(tmp_path / "small.jsonl", tmp_path / name)
    assert (seconds < 60, megabytes < 1000) == (True, True), (seconds, megabytes)


def test_it_is_told_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "TOLD_BYTES", 50_000)
    record_additions(tmp_path / "t.jsonl", 0.2)
    told: list[str] = []
    read_recording(tmp_path / "t.jsonl", tell=told.append)
    assert len(told) >= 3
    assert told[0].startswith(f"reading {tmp_path / 't.jsonl'}: 0 MB, ")
    assert told[-1].startswith("comparing ")


@pytest.mark.parametrize(
    ("limit", "told"),
    [("MOST_BYTES", "expected at most 1,000 bytes of traces"), ("LONGEST_LINE", "line 2: expected at most")],
)
def test_what_is_too_large_is_refused(tmp_path, monkeypatch, limit, told):
    record_additions(tmp_path / "t.jsonl.gz", 0.01)
    monkeypatch.setattr(recording, limit, 1_000)
    with pytest.raises(recording.InputError, match=told):
        read_recording(tmp_path / "t.jsonl.gz")
