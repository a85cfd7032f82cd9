"""Looking at one thing after the other within a time limit: what was found before it is kept."""

from __future__ import annotations

import time
from threading import Thread
from typing import TYPE_CHECKING

from rocmlint.doctor.causes import Findings
from rocmlint.errors import ConfigError, RocmlintError

if TYPE_CHECKING:
    from collections.abc import Callable


class Looks:
    """Runs looks in threads, so that none can hold up the answer, and gathers what they find."""

    def __init__(self, seconds: float, show: Callable[[str], None] | None) -> None:
        """Begin with so many seconds; ``show`` prints what the time is spent on."""
        self._until = time.monotonic() + seconds
        self._seconds = seconds
        self._show = show or (lambda _line: None)
        self.found = Findings()
        self.is_cut = False
        """Whether a look still runs: then the process must be ended with it."""

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(self._until - time.monotonic(), 0)

    def run(self, name: str, look: Callable[[], Findings], share: float = 1.0) -> bool:
        """Look for at most a share of the time that is left, and return whether it was answered.

        Raises ConfigError, which is the user's to repair.
        """
        self._show(f"looking at {name}")
        found: list[Findings] = []
        failed: list[BaseException] = []
        thread = Thread(target=_into, args=(look, found, failed), daemon=True)
        limit = self.left * share
        if limit > 0:
            thread.start()
            thread.join(limit)
        if found:
            self.found.add(found[0])
            return True
        if failed:
            if isinstance(failed[0], ConfigError) or not isinstance(failed[0], RocmlintError):
                raise failed[0]
            line = str(failed[0]).partition("\n")[0]
            self.found.unanswered.append(f"{name}: {line}")
            return False
        self.is_cut = self.is_cut or thread.is_alive()
        self.found.unanswered.append(f"{name}: not answered within {self._seconds:g} s (--timeout)")
        return False


def _into(look: Callable[[], Findings], found: list[Findings], failed: list[BaseException]) -> None:
    try:
        found.append(look())
    except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
        failed.append(error)
