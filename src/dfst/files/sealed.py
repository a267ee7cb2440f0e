"""JSON that notices damage: an object with a checksum of itself, alone in a file or on every line of one.

Whoever reads one says of which kinds its values must be, and gets them, or one line that says what is wrong:

    int, float, str, bool, dict    a value of that kind; a float is finite and may be whole
    [kind], (kind, None)           a list of them; one of several kinds, or null
    {"key": kind}                  an object with at least these keys
"""

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.files.atomic import write_atomically
from dfst.files.plain import read_plain

CHECKSUM = "sha256"


class Damaged(InputError):
    """A file that is not as it was written."""


def check_format(found: object, known: str, where: str, advice: str) -> None:
    """Refuse another format than the known one, and say so where it is of a later version."""
    name, _, version = known.rpartition("/")
    later = re.fullmatch(rf"{re.escape(name)}/(\d{{1,9}})", str(found))
    if later and int(later[1]) > int(version):
        raise InputError(f"{where} has the format {found!r}, which a later dfst wrote; update dfst")
    if found != known:
        raise InputError(f"{where}: expected the format {known!r}, found {found!r:.60}; {advice}")


def checksum(value: object) -> str:
    """Of a value of JSON, however it is spelt."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sealed(value: dict[str, Any]) -> dict[str, Any]:
    """The object with its checksum."""
    return {**value, CHECKSUM: checksum(value)}


def unsealed(text: str | bytes, kind: object) -> dict[str, Any]:
    """The object in a text, whole and of this kind; else `Damaged`."""
    try:
        value = json.loads(text)
        if not isinstance(value, dict):
            raise Damaged("expected a JSON object")
        if value.pop(CHECKSUM, None) != checksum(value):
            raise Damaged("its checksum does not fit")
    except (ValueError, RecursionError) as error:
        raise Damaged(f"it is no JSON: {error}") from error
    if wrong := misfit(value, kind):
        raise Damaged(wrong)
    return value


def write_sealed(path: Path, value: dict[str, Any]) -> None:
    write_atomically(path, json.dumps(sealed(value), indent=2, ensure_ascii=False) + "\n")


def read_sealed(path: Path, kind: object, advice: str) -> dict[str, Any]:
    """The object in a file that is there. advice: what is lost with a damaged one, and what to do"""
    try:
        return unsealed(read_plain(path, advice), kind)
    except Damaged as error:
        raise Damaged(f"{path} is damaged ({error}); {advice}") from error


def misfit(value: object, kind: Any, where: str = "") -> str | None:
    """What about a value is not of a kind."""
    if isinstance(kind, tuple):
        return None if any(misfit(value, one) is None for one in kind) else f"{where} is {value!r:.30}"
    if isinstance(kind, list) and isinstance(value, list):
        return next(filter(None, (misfit(one, kind[0], f"{where}[]") for one in value)), None)
    if isinstance(kind, dict) and isinstance(value, dict):
        if missing := next((key for key in kind if key not in value), None):
            return f"{where}{missing} is missing"
        return next(filter(None, (misfit(value[key], kind[key], f"{where}{key}") for key in kind)), None)
    if kind is float:
        fits = type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
    elif kind is int:
        fits = type(value) is int and abs(value) < 1 << 62
    else:
        fits = value is None if kind is None else isinstance(kind, type) and isinstance(value, kind)
    return None if fits else f"{where} is {value!r:.30}"
