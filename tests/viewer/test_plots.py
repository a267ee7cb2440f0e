"""Figures: what they are computed from, and that they come out as files."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from dfst.errors import InputError, MissingExtra
from dfst.viewer import plots
from dfst.viewer.plots import ACCENT, LearningCurve, series

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "reach_figure.py"))
Reach, reached = TOOL["Reach"], TOOL["reached"]
METRICS = [
    {"iteration": 100, "loss": [0.5, 0.6], "rlg": None, "rlg_iteration": 0},
    {"iteration": 200, "loss": [0.05, None], "rlg": [3, 1], "rlg_iteration": 100},
    {"iteration": 300, "loss": [0.005, None], "rlg": [40, 1], "rlg_iteration": 200},
]
CURVE = LearningCurve("run", METRICS, 0, 300)


def test_series_leave_out_what_was_not_measured() -> None:
    assert series(METRICS, "loss", 0) == ([100, 200, 300], [0.5, 0.05, 0.005])
    assert series(METRICS, "loss", 1) == ([100], [0.6])
    assert series(METRICS, "rlg", 0) == ([100, 200], [3.0, 40.0])
    assert series(METRICS, "rlg", 7) == ([], [])


@pytest.mark.parametrize("ending", [".png", ".svg"])
def test_figures_come_out_as_files(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    figures = {
        "curves": plots.learning_curves([CURVE]),
        "reach": reached([Reach("run", "add2", "paper", [3, 40], 40)]),
    }
    for name, figure in figures.items():
        path = tmp_path / f"{name}{ending}"
        plots.save_figure(figure, path)
        assert path.read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml"}[ending])


def test_several_trainings_are_told_by_their_length_and_end_at_what_was_measured() -> None:
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    runs = [
        plots.LearningCurve("short", METRICS, 0, 300, "add2"),
        plots.LearningCurve("long", METRICS, 0, 900, "add2", final=(3850, None)),
    ]
    left, right = plots.learning_curves(runs).axes
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["short (300)", "long (900)"]
    ends = [
        (line.get_xdata()[-1], line.get_ydata()[-1]) for line in right.lines if line.get_linewidth() > 1.5
    ]
    assert ends == [(200, 40), (900, 3850)]


def test_reach_counts_the_seeds_that_are_left() -> None:
    figure = reached([Reach("run", "add2", "paper", [0, 3, 3, 40], 40)])
    [axes] = figure.axes
    assert axes.lines[0].get_xydata().tolist() == [[1, 3], [1, 3], [3, 3], [3, 3], [40, 1]]
    assert [text.get_text() for text in axes.texts] == ["1 of 4"]


def test_reach_has_two_panels_in_a_row_and_ours_in_its_colour() -> None:
    runs = [
        Reach(preset, agent, preset, [2, 9], 9)
        for agent in ("add2", "add10", "mult2")
        for preset in ("paper", "descent")
    ]
    figure = reached(runs)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["add2", "add10", "mult2", ""]
    assert [axes.get_subplotspec().rowspan.start for axes in figure.axes] == [0, 0, 1, 1]
    first = figure.axes[0].get_legend_handles_labels()
    assert {label: line.get_color() for line, label in zip(*first, strict=True)}["descent"] == ACCENT


def test_a_run_that_measured_one_seed_has_no_reach_to_draw() -> None:
    with pytest.raises(InputError, match="--every-seed"):
        reached([Reach("run", "add2", "paper", [40, None], 40)])


def test_a_name_without_a_known_ending_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    with pytest.raises(InputError, match=r"\.png, \.svg, \.pdf"):
        plots.save_figure(plots.learning_curves([CURVE]), tmp_path / "figure.docx")


def test_nothing_to_plot_is_said() -> None:
    with pytest.raises(InputError, match="no metrics"):
        plots.learning_curves([LearningCurve("run", [], None, 300)])


def test_a_missing_extra_says_which_line_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dfst\[plot\]'"):
        plots.learning_curves([CURVE])
