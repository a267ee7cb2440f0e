"""Where the page has its examples learnt: one training at a time, on a thread of its own.

Whoever only watches does not wait for the learner to be imported.
"""

from __future__ import annotations

from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from dfst.errors import InputError

if TYPE_CHECKING:
    from dfst.viewer.teach import Training


class Classroom:
    """The training under way, or the last one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None
        self.training: Training | None = None

    def shown(self, examples: str) -> dict[str, Any]:
        """What the examples show."""
        from dfst.viewer.teach import describe_shown, read_examples

        return describe_shown(read_examples(examples))

    def begin(self, examples: str) -> None:
        """Learn these examples; refused while others are being learnt."""
        from dfst.viewer.teach import Training, carry_out, read_examples

        recording = read_examples(examples)
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                raise InputError("one training at a time: stop the one under way, or wait for its end")
            self.training = Training()
            self._thread = Thread(target=carry_out, args=(recording, self.training), daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ask the training under way to end, and wait until it has."""
        with self._lock:
            if self.training is not None and self._thread is not None:
                self.training.stop.set()
                self._thread.join()
