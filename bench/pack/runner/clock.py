"""The time that a run goes by: that of the wall, or the sum of what steps would take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """Time in seconds, from any moment on."""

    def now(self) -> float:
        """The time now."""
        ...

    def sleep(self, seconds: float) -> None:
        """Lets time pass."""
        ...

    def charge(self, seconds: float) -> None:
        """Counts what would have taken so long, where it has not."""
        ...

    def spent(self) -> float:
        """What was charged since this was last asked."""
        ...

    def reach(self, moment: float) -> None:
        """It is now no earlier than this, as another process has got so far."""
        ...

    def patience(self, moment: float) -> float:
        """For how long to wait, in seconds of the wall, for what is due at a moment."""
        ...


class WallClock:
    """Real time: it passes by itself."""

    def now(self) -> float:
        """See Clock."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """See Clock."""
        time.sleep(seconds)

    def charge(self, seconds: float) -> None:
        """See Clock: what is done takes its time."""

    def spent(self) -> float:
        """See Clock."""
        return 0.0

    def reach(self, moment: float) -> None:
        """See Clock: by the time that one hears of it, it is later."""

    def patience(self, moment: float) -> float:
        """See Clock."""
        return max(0.0, moment - time.monotonic())


@dataclass
class SimulatedClock:
    """Time that passes by charges alone, so that a rehearsal of minutes takes seconds."""

    at: float = 0.0
    told: float = 0.0
    most_seconds: float = 60.0
    """Of the wall: no step of a rehearsal takes longer."""

    def now(self) -> float:
        """See Clock."""
        return self.at

    def sleep(self, seconds: float) -> None:
        """See Clock."""
        self.at += seconds

    def charge(self, seconds: float) -> None:
        """See Clock."""
        self.at += seconds

    def spent(self) -> float:
        """See Clock."""
        found, self.told = self.at - self.told, self.at
        return found

    def reach(self, moment: float) -> None:
        """See Clock."""
        self.at = max(self.at, moment)

    def patience(self, moment: float) -> float:
        """See Clock."""
        return self.most_seconds
