"""The site's notebooks: small scripts in docs/notebooks, executed when MkDocs builds it (mkdocs.yml, hooks).

A script is cut into cells at its `# %%` lines. What the cells answer is never kept in the repository, so it
cannot grow old: every build runs them, and one that fails fails the build. Each becomes a page and, beside
it, the notebook itself.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

SCRIPTS = Path(__file__).parents[1] / "docs" / "notebooks"
LONGEST = 600
"""Seconds that one cell may take."""
INSTALL = '%pip install -q "dfst[train]"'
"""A cell for a machine that does not have it."""


def on_files(files: Files, config: Any) -> Files:
    """Add a page and a notebook for each script; `extra` in mkdocs.yml says whether they are executed."""
    for script in sorted(SCRIPTS.glob("*.py")):
        notebook = cells_of(script.read_text("utf-8"))
        if config["extra"]["execute"]:
            executed(notebook)
        file = f"{script.stem}.ipynb"
        links = [f"[This page as a notebook]({file})", *badge(config["extra"]["colab"], file)]
        text = page(notebook, " · ".join(links))
        if len(links) > 1:
            notebook.cells.insert(1, new_code_cell(INSTALL))
        files.append(File.generated(config, f"notebooks/{file}", content=nbformat.writes(notebook)))
        files.append(File.generated(config, f"notebooks/{script.stem}.md", content=text))
    return files


def badge(folder: str, file: str) -> list[str]:
    """A link that opens the notebook in Colab, where it is known in which folder on GitHub it lies."""
    return [f"[Open in Colab](https://colab.research.google.com/github/{folder}/{file})"] if folder else []


def cells_of(script: str) -> Any:
    """The script as a notebook, not yet executed."""
    cells = []
    for kind, body in re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n?)*)", script, re.MULTILINE):
        if "[markdown]" in kind:
            cells.append(new_markdown_cell(re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip()))
        else:
            cells.append(new_code_cell(body.strip()))
    return new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def executed(notebook: Any) -> None:
    """Have its cells answered, where they can leave no files behind."""
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()


def page(notebook: Any, links: str) -> str:
    """Text as it is, code and its answers below each other."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += filter(None, map(answer, cell.outputs))
    first, *others = parts
    return "\n\n".join([first, links, *others])


def answer(output: Any) -> str:
    """What a cell printed or showed; a replay as the frame it is. What went to stderr is left out."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```" if output.name == "stdout" else ""
    if "text/html" in output.data:
        # On one line: Markdown tidies blank lines away, and the page in the frame is signed to the last byte.
        return output.data["text/html"].replace("\n", "&#10;")
    return f"```text\n{output.data['text/plain']}\n```"
