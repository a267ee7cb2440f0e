"""Replays as files: small, self-contained, honest about bad input."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from site_home import home_html
from viewer_subjects import dense

from dfst.errors import InputError
from dfst.experts import expert
from dfst.model import Weights, compile_agent
from dfst.viewer.payload import describe, pack
from dfst.viewer.replay import notebook_html, replay_html, write_html


def data_of(page: str) -> dict[str, object]:
    packed = re.search(r'id="dfst-data">([^<]*)<', page)
    assert packed
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def test_a_replay_holds_subject_and_input(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    write_html(expert("add10"), "999+1", path, against=compile_agent(expert("add10")))
    data = data_of(path.read_text(encoding="utf-8"))
    assert data["input"] == "999+1"
    assert data["subject"] == describe(expert("add10"))
    assert data["against"] == describe(compile_agent(expert("add10")))


def test_the_largest_model_of_the_paper_fits_in_a_megabyte() -> None:
    model = dense(compile_agent(expert("mult10"), d=108), 0)
    assert isinstance(model, Weights)
    assert model.shape.size == 162_108
    assert len(replay_html(model, "98*76", against=expert("mult10")).encode("utf-8")) < 1_000_000


@pytest.fixture(scope="module", params=["a replay", "the page without a server"])
def page(request: pytest.FixtureRequest) -> str:
    return replay_html(expert("add10"), "1+1") if request.param == "a replay" else home_html("play.html")


def test_a_page_in_one_file_asks_nothing_of_anybody(page: str) -> None:
    assert set(re.findall(r"https?://[^\s\"'`]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<link[^>]+href=\"(?!data:)|<script[^>]+src=|@import|url\(", page)


def test_the_policy_names_exactly_the_script_and_style_inside(page: str) -> None:
    assert "unsafe" not in page.split('http-equiv="Content-Security-Policy"')[1].split(">")[0]
    assert len(page.encode()) < 1_000_000
    for tag in ("style", 'script type="module"'):
        body = page.split(f"<{tag}>")[1].split(f"</{tag.split()[0]}>")[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page


def test_names_cannot_break_out_of_the_page() -> None:
    agent = replace(expert("add10"), name="</title><script>alert(1)</script>")
    assert "<script>alert" not in replay_html(agent, "1+1")


def test_bad_input_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="takes one \\+"):
        write_html(expert("add10"), "12", tmp_path / "run.html")
    assert list(tmp_path.iterdir()) == []


def test_the_same_run_gives_the_same_file() -> None:
    assert replay_html(expert("add10"), "1+1") == replay_html(expert("add10"), "1+1")


def test_a_notebook_frame_carries_the_replay_as_an_attribute() -> None:
    frame = notebook_html(expert("add10"), "1+1")
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tensors_cross_bit_for_bit(dtype: type) -> None:
    model = dense(compile_agent(expert("add2"), dtype=dtype), 0)
    data = describe(model)
    for name in ("A", "B", "C", "h0"):
        assert base64.b64decode(data[name]) == np.ascontiguousarray(getattr(model, name)).tobytes()
    assert data["precision"] == np.dtype(dtype).name
    assert json.loads(gzip.decompress(base64.b64decode(pack(data)))) == data
