"""Files that survive: a write that fails leaves what stood there, nothing beside it, and names the file."""

from __future__ import annotations

import errno
import os
import socket
import stat
from dataclasses import replace

import numpy as np
import pytest

from dfst.cli import execute
from dfst.errors import InputError
from dfst.files import hold_folder, write_atomically
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("dfst.files.atomic.os.fsync", refuse)


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
    assert execute(["prove", "expert:increment2", "--out", str(file)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"dfst: No space left on device: {file}; nothing was written there")
    assert not list(tmp_path.iterdir())


def test_an_unwritable_place_is_named_as_people_know_it(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(tmp_path / "nowhere" / "a.json", "new")
    assert caught.value.filename == str(tmp_path / "nowhere" / "a.json")


@pytest.mark.parametrize("kind", ["a pipe", "a symbolic link", "a folder", "a socket"])
def test_what_is_no_plain_file_stays(tmp_path, kind):
    path = tmp_path / "out"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a symbolic link":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "a folder":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    before = path.lstat()
    with pytest.raises(InputError) as refused:
        write_atomically(path, "new")
    line = f"cannot write {path}: expected a plain file, found {kind}; give another path"
    assert (str(refused.value), path.lstat(), len(list(tmp_path.iterdir()))) == (line, before, 1)


def test_the_command_line_says_so_before_any_work(tmp_path, capsys):
    path = tmp_path / "out.json"
    os.mkfifo(path)
    assert execute(["prove", "expert:increment2", "--out", str(path)]) == 2
    line = f"dfst: cannot write {path}: expected a plain file, found a pipe; give another path\n"
    assert capsys.readouterr().err == line


def test_a_device_stays():
    with pytest.raises(InputError, match="cannot write /dev/null: expected a plain file, found a device"):
        write_atomically("/dev/null", "new")


def test_a_file_keeps_its_mode_and_a_new_one_follows_the_mask(tmp_path):
    secret, fresh = tmp_path / "secret", tmp_path / "fresh"
    secret.write_text("old")
    secret.chmod(0o600)
    mask = os.umask(0o027)
    try:
        for path in (secret, fresh):
            write_atomically(path, "new")
    finally:
        os.umask(mask)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (secret, fresh)] == [0o600, 0o640]
    assert secret.read_text() == "new"


SOME = TensorFormat("some/1", "test file", ("a",), ("key",), "throw it away")
OTHER = replace(SOME, name="other/1")


def test_tensors_and_metadata_come_back(tmp_path):
    write_tensors(tmp_path / "t", SOME, {"a": np.arange(6).reshape(2, 3).T}, {"key": "value"})
    tensors, metadata = read_tensors(tmp_path / "t", SOME)
    assert np.array_equal(tensors["a"], np.arange(6).reshape(2, 3).T)
    assert metadata == {"format": "some/1", "key": "value"}


@pytest.mark.parametrize(
    ("kind", "tensors", "metadata", "line"),
    [
        (
            replace(SOME, name="other/1"),
            ("a",),
            {"key": ""},
            "expected metadata format 'some/1', found 'other/1'",
        ),
        (SOME, ("b",), {"key": ""}, "the tensor a is missing; expected a"),
        (SOME, ("a",), {}, "the metadata lack 'key'"),
    ],
)
def test_files_that_lack_something(tmp_path, kind, tensors, metadata, line):
    write_tensors(tmp_path / "t", kind, {name: np.zeros(2) for name in tensors}, metadata)
    with pytest.raises(InputError) as refused:
        read_tensors(tmp_path / "t", SOME)
    assert str(refused.value) == f"{tmp_path / 't'}: {line}; throw it away"


def test_a_folder_is_held_by_one_and_then_free(tmp_path):
    with (
        hold_folder(tmp_path),
        pytest.raises(InputError, match=f"in use by another run .process {os.getpid()}.; wait"),
        hold_folder(tmp_path, patience=0.05),
    ):
        pass
    with hold_folder(tmp_path):
        pass
