"""Files that survive: a write that fails leaves what stood there, nothing beside it, and names the file."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import subprocess
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from dfst.cli import execute
from dfst.errors import InputError
from dfst.files import hold_folder, write_atomically
from dfst.files.plain import read_plain, read_text
from dfst.files.sealed import Damaged, misfit, read_sealed, write_sealed
from dfst.files.tensors import (
    TensorFormat,
    read_tensors,
    tensors_from_bytes,
    tensors_to_bytes,
    write_tensors,
)


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
            "expected the format 'some/1', found 'other/1'",
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


def test_equal_content_makes_equal_files_which_others_can_read():
    arrays = {"b": np.arange(3, dtype=np.uint8), "a": np.eye(2), "c": np.array([True])}
    again = dict(reversed(arrays.items()))
    one, other = (tensors_to_bytes(SOME, some, {"key": "λ", "more": ""}) for some in (arrays, again))
    assert one == other
    read = safetensors.numpy.load(one)
    assert all(np.array_equal(read[name], arrays[name]) for name in arrays)


def test_every_changed_byte_of_a_tensor_file_is_noticed():
    data = tensors_to_bytes(replace(SOME, sealed=True), {"a": np.arange(4.0)}, {"key": "value"})
    whole = tensors_from_bytes(data, SOME, "t")
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1
        with contextlib.suppress(InputError):
            tensors, metadata = tensors_from_bytes(bytes(damaged), replace(SOME, sealed=True), "t")
            assert metadata == whole[1], "a space more or less in the header"
            assert np.array_equal(tensors["a"], whole[0]["a"])


def test_a_format_of_a_later_version_is_said_to_be_one():
    data = tensors_to_bytes(replace(SOME, name="some/12"), {"a": np.zeros(2)}, {"key": ""})
    with pytest.raises(InputError, match="t has the format 'some/12', which a later dfst wrote; update dfst"):
        tensors_from_bytes(data, SOME, "t")


def test_a_deeply_nested_header_is_refused_in_one_line():
    header = b'{"a":' * 50_000 + b"0" + b"}" * 50_000
    with pytest.raises(InputError, match="t is not a test file"):
        tensors_from_bytes(len(header).to_bytes(8, "little") + header, SOME, "t")


def test_a_file_too_large_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / "t", "wb") as file:
        file.truncate(1 << 34)
    with pytest.raises(InputError, match="expected at most 268,435,456 bytes, found 17,179,869,184"):
        read_tensors(tmp_path / "t", SOME)


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path):
    done = subprocess.Popen(["true"])
    done.wait()
    for process in (done.pid, os.getpid()):
        (tmp_path / f".a.json.{process}.0123abcd.partial").write_text("half")
    with hold_folder(tmp_path):
        pass
    assert [f.name for f in tmp_path.glob(".a*")] == [f".a.json.{os.getpid()}.0123abcd.partial"]


def test_sealed_json_comes_back_and_tells_of_every_change(tmp_path):
    file, kind = tmp_path / "f.json", {"n": int, "list": [(float, None)], "of": {"name": str}}
    value = {"n": 7, "list": [0.1, None, 3], "of": {"name": "λ", "more": True}}
    write_sealed(file, value)
    assert read_sealed(file, kind, "start anew") == value
    data = file.read_bytes()
    for place in range(len(data)):
        file.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        with contextlib.suppress(Damaged):
            assert read_sealed(file, kind, "start anew") == value, "a blank more or less"
    file.write_bytes(data[:20])
    with pytest.raises(Damaged, match=r"f.json is damaged \(it is no JSON: .*\); start anew"):
        read_sealed(file, kind, "start anew")


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"n": True}, "n is True"),
        ({"n": 1 << 70}, "n is 1180591620717411303424"),
        ({}, "n is missing"),
        ({"n": 1, "list": ["a"]}, "list[] is 'a'"),
        ({"n": 1, "list": [float("nan")]}, "list[] is nan"),
        ({"n": 1, "list": {}}, "list is {}"),
    ],
)
def test_values_of_another_kind_are_named(value, wrong):
    assert misfit({"list": [], **value}, {"n": int, "list": [(float, None)]}) == wrong


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (os.mkfifo, "a pipe"),
        (os.mkdir, "a folder"),
        (lambda path: path.symlink_to("/dev/zero"), "a device"),
    ],
)
def test_what_might_never_end_is_not_read(tmp_path, make, kind):
    make(tmp_path / "it")
    with pytest.raises(InputError) as refused:
        read_plain(tmp_path / "it", "give a file")
    told = f"cannot read {tmp_path / 'it'}: expected a plain file, found {kind}; give a file"
    assert str(refused.value) == told


def test_a_file_is_read_up_to_what_is_allowed(tmp_path):
    (tmp_path / "it").write_bytes(b"\xef\xbb\xbfabc")
    assert read_text(tmp_path / "it", "", 6) == "abc"
    with pytest.raises(InputError, match="expected at most 5 bytes, found 6; shorten it"):
        read_text(tmp_path / "it", "shorten it", 5)
    (tmp_path / "it").write_bytes(b"ab\xff")
    with pytest.raises(InputError, match="expected UTF-8 text, found byte 0xff at 2; write it anew"):
        read_text(tmp_path / "it", "write it anew")
