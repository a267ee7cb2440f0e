"""Whether threads share each step of a training, or keep to their own seeds: whichever is faster just now.

Sharing a step uses all cores however few the seeds are, but the threads meet twice in every step. On an idle
machine that takes a microsecond. Where another program has one of the cores, each meeting waits until the
system lets the missing thread go on, and a training of small steps takes twenty times as long as on a single
core. The steps come to the same bits either way, so both are timed as the training goes on.
"""

TRIAL = 16  # one in so many steps of a call goes to a trial of the other way
RAREST = 32  # calls from one trial to the next, at most


class Sharing:
    """Chooses by the time that a step took the last time in either way."""

    def __init__(self) -> None:
        self._seconds: dict[bool, float] = {}
        self._shared = True
        self._interval = self._calls_left = 1

    def parts(self, count: int) -> list[tuple[int, bool]]:
        """How to take the steps of a call: so many, and whether threads share them."""
        self._calls_left -= 1
        if self._calls_left > 0 or self._shared not in self._seconds:
            return [(count, self._shared)]
        trial = -(-count // TRIAL)
        parts = [(trial, not self._shared), (count - trial, self._shared)]
        return [(steps, shared) for steps, shared in parts if steps]

    def took(self, shared: bool, seconds: float) -> None:
        """Learn what a step has taken in this way."""
        self._seconds[shared] = seconds
        if shared is not self._shared:
            self._interval = min(2 * self._interval, RAREST)
            self._calls_left = self._interval
        if self._seconds.get(not self._shared, float("inf")) < self._seconds.get(self._shared, 0.0):
            self._shared, self._interval, self._calls_left = not self._shared, 1, 1
