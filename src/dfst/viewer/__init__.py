"""See it: the page, the replay, the notebook widget, the terminal view, the figures.

`web/` holds one viewer as ES modules; `bundle.py` makes one script of them for each of the three places
that show it: the page of `dfst play` (`server.py`), a self-contained replay (`replay.py`), a notebook
(`widget.py`). The browser runs the machine or the model itself, from the data that `payload.py` gives.
"""
