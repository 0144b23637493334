"""Notes what steps return, and compares it with what is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MOST_EVENTS = 60
"""Of one kind in one test: those with more repeat themselves with other numbers."""

KEY, VALUE = 6, 2
"""Bytes that are stored of the digests of an input and of an output."""

FormMap = Mapping[bytes, bytes]


@dataclass(frozen=True)
class Event:
    """One step on one input."""

    step: str
    """Such as the name of a pass."""
    key: bytes
    value: bytes


@dataclass
class Recorder:
    """What the steps of one test after the other return."""

    is_on: bool = False
    is_compared: bool = False
    """Whether outputs are compared with those that are known, and not recorded."""
    known: FormMap = field(default_factory=dict[bytes, bytes])
    """Outputs by input."""
    show: Callable[[str, bytes, Callable[[], str]], None] | None = None
    """Is told of each step, the key of its input, and how to print its output."""
    events: list[Event] = field(default_factory=list[Event])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def begin(self, *, is_on: bool) -> None:
        """Forgets the steps of the last test."""
        self.is_on = is_on
        self.events.clear()
        self.counts.clear()

    def wants(self, step: str) -> bool:
        """Whether one more step of this kind is noted."""
        if not self.is_on:
            return False
        count = self.counts[step] = self.counts.get(step, 0) + 1
        return count <= MOST_EVENTS

    def is_known(self, key: bytes) -> bool:
        """Whether something is stored for an input; of any one where outputs are recorded."""
        return key[:KEY] in self.known if self.is_compared else True

    def note(self, step: str, key: bytes, value: bytes) -> None:
        self.events.append(Event(step, key[:KEY], value[:VALUE]))

    def changed(self) -> list[Event]:
        """The steps of this test whose outputs differ from what is stored, in their order."""
        known = self.known
        return [event for event in self.events if known.get(event.key, event.value) != event.value]


RECORDER = Recorder()
"""That of this process."""
