"""Model files on the Hugging Face Hub: fetched from a repository, sent to one.

One file is ever fetched, `model.safetensors`, which holds tensors and no code; whoever reads it checks it
like any other. What can go wrong on the way is told in one line. The library that speaks to the Hub is an
extra (`hub`) and is loaded when it is used.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from dfst.errors import InputError, MissingExtra

MODEL_FILE = "model.safetensors"
CARD_FILE = "README.md"
REPOSITORY = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
TOLD = {
    # before EntryNotFoundError, of which it is one: nobody answered, and nothing was kept from before
    "LocalEntryNotFoundError": "cannot reach the Hub for {}; check the connection, or give a .safetensors "
    "file",
    "EntryNotFoundError": f"{{}} on the Hub holds no {MODEL_FILE}; was it sent by weights.push_to_hub?",
    "RevisionNotFoundError": "{}: no such revision on the Hub; leave @… out for the newest",
    "RepositoryNotFoundError": "no repository {} on the Hub that you may read; check the name, or run: "
    "hf auth login",
}
"""What the library complains of, in words of ours about a repository."""


def fetch(repository: str) -> Path:
    """The model file of OWNER/NAME or OWNER/NAME@REVISION; kept, and fetched anew when it has changed."""
    name, _, revision = repository.partition("@")
    _check(name)
    hub = _library()
    with _told(repository):
        return Path(hub.hf_hub_download(name, MODEL_FILE, revision=revision or None, library_name="dfst"))


def send(repository: str, model: bytes, card: str, private: bool = False) -> str:
    """Put a model file into OWNER/NAME, made if need be, and return its address. The card goes with it only
    where there is none: somebody may have written a better one."""
    _check(repository)
    hub = _library()
    api = hub.HfApi(library_name="dfst")
    with _told(repository):
        address = api.create_repo(repository, private=private, exist_ok=True)
        parts = {MODEL_FILE: model}
        if not api.file_exists(repository, CARD_FILE):
            parts[CARD_FILE] = card.encode("utf-8")
        api.create_commit(
            repository,
            [hub.CommitOperationAdd(name, content) for name, content in parts.items()],
            commit_message="A model by dfst",
        )
    return str(address)


def _check(repository: str) -> None:
    if not REPOSITORY.fullmatch(repository):
        raise InputError(f"a model on the Hub is called OWNER/NAME, found {repository!r}; try hub:OWNER/NAME")


def _library() -> Any:
    try:
        return import_module("huggingface_hub")
    except ImportError as error:
        raise MissingExtra("the Hub", "huggingface_hub", "hub") from error


@contextmanager
def _told(repository: str) -> Iterator[None]:
    """What the library complains of, in one line of ours."""
    errors, log = import_module("huggingface_hub.errors"), import_module("huggingface_hub.utils.logging")
    level = log.get_verbosity()
    log.set_verbosity(log.CRITICAL)  # it would say the same in lines of its own
    try:
        yield
    except (errors.HTTPError, OSError, errors.EntryNotFoundError) as error:
        told = next((words for name, words in TOLD.items() if isinstance(error, getattr(errors, name))), None)
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        refused = f"the Hub refused {repository}: {reason}; check your rights, or try again"
        raise InputError(told.format(repository) if told else refused) from error
    finally:
        log.set_verbosity(level)
