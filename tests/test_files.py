"""Files that survive: a write that fails leaves what stood there, nothing beside it, and names the file."""

from __future__ import annotations

import errno
import os

import pytest

from dfst.cli import run
from dfst.files import write_atomically


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("dfst.files.os.fsync", refuse)


def test_a_full_disk_leaves_the_old_file_and_names_it(full_disk, tmp_path):
    file = tmp_path / "report.json"
    file.write_text("old", "utf-8")
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomically(file, "new")
    assert caught.value.filename == str(file)
    assert [f.name for f in tmp_path.iterdir()] == ["report.json"]
    assert file.read_text("utf-8") == "old"


def test_a_full_disk_is_told_in_one_line(full_disk, tmp_path, capsys):
    file = tmp_path / "proof.json"
    assert run(["prove", "expert:increment2", "--out", str(file)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"dfst: No space left on device: {file}; nothing was written there")
    assert not list(tmp_path.iterdir())
