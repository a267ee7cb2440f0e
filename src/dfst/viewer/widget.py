"""The viewer in a notebook, by way of anywidget: Jupyter, VS Code, Colab, marimo.

    from dfst.viewer.widget import View
    View(dfst.expert("add10"), "999+1")

`step` follows the view and can be set, so a notebook can lead or be led.
"""

from typing import Any

from dfst.errors import MissingExtra
from dfst.viewer.bundle import asset, bundle
from dfst.viewer.payload import Subject
from dfst.viewer.replay import replay_data

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise MissingExtra("the notebook view", "anywidget", "notebook") from error


class View(anywidget.AnyWidget):
    """One subject, or two side by side, on an input."""

    _esm = bundle("widget")
    _css = asset("style.css")
    data = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True)
    height = traitlets.Int(560).tag(sync=True)

    def __init__(
        self, subject: Subject, text: str = "", against: Subject | None = None, **traits: Any
    ) -> None:
        super().__init__(data=replay_data(subject, text, against), **traits)
