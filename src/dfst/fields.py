"""Fields of dataclasses that people set, as options or by name: their documentation, text as their values."""

import ast
import inspect
import textwrap
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin


def field_docs(owner: type) -> dict[str, str]:
    """Field → the text below it, in one line."""
    [body] = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for line, after in zip(body.body, body.body[1:], strict=False):
        told = after.value if isinstance(after, ast.Expr) else None
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and isinstance(told, ast.Constant)
        ):
            found[line.target.id] = " ".join(str(told.value).split())
    return found


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """What a field's type allows besides None."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return tuple(kind for kind in kinds if kind is not NoneType)


def read_value(hint: Any, text: str) -> Any:
    """A text as a value of a field: the first of its types that takes it; ValueError where none does."""
    for kind in kinds_of(hint):
        if get_origin(kind) is Literal:
            if text in get_args(kind):
                return text
        elif kind is bool:
            if text.lower() in ("true", "false", "yes", "no"):
                return text.lower() in ("true", "yes")
        elif kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        else:
            return kind(text)
    raise ValueError(text)
