"""The viewer's modules as one script, so that a page, a file on disk and a notebook use the same code.

A file opened from disk cannot import other files, so the modules are joined. Each becomes a function that
returns what it exports; the entry module comes last and stays as it is. Only two forms are used in `web/`:

    import { Grid } from "./grid.js";      const { Grid } = $grid;
    export class Board { … }               class Board { … }   …   return { Board };
"""

import base64
import hashlib
import re
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:class|function\*?|const|async function)\s+(\w+))", re.MULTILINE)


def asset(name: str) -> str:
    """The text of a file in `web/`."""
    return files("dfst.viewer").joinpath("web", name).read_text(encoding="utf-8")


def page_parts(entry: str, *sheets: str, allowed: str = "") -> str:
    """Policy, styles and script of a page, for its head; `allowed` is what its policy allows besides."""
    style, script = "".join(map(asset, sheets)), bundle(entry)
    policy = (
        f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; {allowed}"
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<style>{style}</style>\n<script type="module">{script}</script>'
    )


def _hashed(text: str) -> str:
    """What a content security policy calls this very text, and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


@cache
def bundle(entry: str) -> str:
    """One script: everything `entry` imports, each after what it imports itself, then `entry`."""
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        if (name := waiting.pop()) not in imports:
            imports[name] = [imported for _, imported in _IMPORT.findall(asset(f"{name}.js"))]
            waiting += imports[name]
    order = [*TopologicalSorter(imports).static_order()]
    return "\n".join([*map(_wrapped, order[:-1]), _without_imports(entry, asset(f"{entry}.js"))])


def _wrapped(name: str) -> str:
    source = _without_imports(name, asset(f"{name}.js"))
    exported = _EXPORT.findall(source)
    body = _EXPORT.sub("", source)
    if re.search(r"^export\b", body, re.MULTILINE):
        raise ValueError(f"web/{name}.js exports in a form that the bundle does not know")
    return f"const ${name} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();"


def _without_imports(name: str, source: str) -> str:
    source = _IMPORT.sub(lambda match: f"const {match[1]} = ${match[2]};\n", source)
    if re.search(r"^import\b", source, re.MULTILINE):
        raise ValueError(f"web/{name}.js imports in a form that the bundle does not know")
    return source
