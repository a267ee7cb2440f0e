"""Run folders across machines: what is unpacked is what was packed, and only changes travel."""

from __future__ import annotations

import time

from dfst.experiments.sweep.folder_sync import ChangedFiles, FolderSender, unpack


def test_a_folder_arrives_whole_and_changes_follow(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "tensorboard").mkdir(parents=True)
    (here / "checkpoint.safetensors").write_bytes(b"\x00one")
    (here / "tensorboard" / "events").write_bytes(b"first")
    (here / ".lock").write_text("1")
    (here / ".checkpoint.x.partial").write_bytes(b"half")
    (here / "latest").symlink_to(here / "tensorboard")
    changed = ChangedFiles(here)
    files = changed.take()
    assert files == {"checkpoint.safetensors": b"\x00one", "tensorboard/events": b"first"}
    unpack(files, there)
    assert (there / "tensorboard" / "events").read_bytes() == b"first"
    assert changed.take() == {}
    (here / "checkpoint.safetensors").write_bytes(b"\x00second")
    assert changed.take() == {"checkpoint.safetensors": b"\x00second"}


def test_nothing_comes_of_a_folder_that_is_not_there(tmp_path):
    assert ChangedFiles(tmp_path / "nowhere").take() == {}


def test_a_sender_sends_what_is_new_and_not_what_it_brought(tmp_path, monkeypatch):
    monkeypatch.setattr("dfst.experiments.sweep.folder_sync.SEND_SECONDS", 0.01)
    sent = []
    sender = FolderSender(tmp_path, sent.append, {"config.json": b"{}"})
    (tmp_path / "checkpoint").write_bytes(b"new")
    until = time.monotonic() + 10
    while not sent and time.monotonic() < until:
        time.sleep(0.01)
    sender.stop()
    assert {name: content for files in sent for name, content in files.items()} == {"checkpoint": b"new"}
    assert (tmp_path / "config.json").read_bytes() == b"{}"
