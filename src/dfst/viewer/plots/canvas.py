"""What all figures share: a canvas without global state, quiet axes, files written all or nothing."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dfst.errors import InputError, MissingExtra
from dfst.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, SOFT, LINE = "#23282b", "#6a6f70", "#d9d4c8"
ACCENT, SECOND, HEAD = "#1f6f5c", "#c8663f", "#e0a100"
FORMATS = (".png", ".svg", ".pdf")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("a figure", "matplotlib", "plot") from error
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def quiet(axes: Any) -> None:
    """Two thin spines and soft ticks: the data is what should be seen."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.tick_params(colors=SOFT, labelsize=9)
    axes.grid(color=LINE, linewidth=0.6, alpha=0.6)
    axes.set_axisbelow(True)


def check_figure_name(path: Path) -> None:
    """Refuse a name that says no format."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            f"a figure is written as {', '.join(FORMATS)}, found {path.name!r}; change its ending"
        )


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure; its name says the format."""
    path = Path(path)
    check_figure_name(path)
    buffer = io.BytesIO()
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=160, metadata=metadata)
    write_atomically(path, buffer.getvalue())
