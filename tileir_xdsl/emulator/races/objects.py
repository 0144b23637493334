"""What synchronisation hands on from one thread to others: barriers, barrier objects, flags."""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.emulator.races.clocks import Knowledge


class NamedBarriers:
    """What the threads that have arrived at a barrier did before, by block and number, or by
    cluster and phase."""

    def __init__(self) -> None:
        self._arrived: dict[tuple[int, int], Knowledge] = {}

    def arrive(self, block: int, number: int, known: Knowledge) -> None:
        found = self._arrived.get((block, number))
        if found is None:
            self._arrived[block, number] = known
        else:
            found.add(known)

    def arrived(self, block: int, number: int) -> Knowledge | None:
        """What the threads did that have come until now."""
        return self._arrived.get((block, number))

    def complete(self, block: int, number: int) -> Knowledge:
        """What all threads that came to the barrier did; the next phase begins."""
        return self._arrived.pop((block, number))


@dataclass
class _Phases:
    """What came to a barrier object so far, and until its last phase was complete."""

    arrived: Knowledge | None = None
    completed: Knowledge | None = None


class BarrierObjects:
    """Barrier objects in shared memory, by the number of their 8-byte word."""

    def __init__(self) -> None:
        self._objects: dict[int, _Phases] = {}

    def create(self, place: int) -> None:
        self._objects[place] = _Phases()

    def arrive(self, place: int, known: Knowledge) -> None:
        phases = self._objects[place]
        if phases.arrived is None:
            phases.arrived = known.copy()
        else:
            phases.arrived.add(known)

    def complete(self, place: int) -> None:
        """A phase ends: what has come until now is handed on to those who wait for it."""
        phases = self._objects[place]
        if phases.arrived is not None:
            phases.completed = phases.arrived.copy()

    def completed(self, place: int) -> Knowledge | None:
        """What had come when the last phase ended."""
        return self._objects[place].completed


@dataclass
class Flag:
    """What reading the value of a flag hands on: to its own block, and to other blocks.

    Only what was released at a wider scope than the block is handed on to others.
    """

    near: Knowledge
    wide: Knowledge | None

    def add(self, other: Flag) -> Flag:
        near = self.near.copy()
        near.add(other.near)
        wide = self.wide.copy() if self.wide else None
        if wide is None:
            wide = other.wide
        elif other.wide is not None:
            wide.add(other.wide)
        return Flag(near, wide)


class Flags:
    """Places that threads synchronise through, by whether they are global, and their position."""

    def __init__(self) -> None:
        self.found: dict[tuple[bool, int], Flag] = {}

    def store(self, key: tuple[bool, int], released: Flag | None) -> None:
        """A store begins a new release sequence, or ends the one before."""
        if released is None:
            self.found.pop(key, None)
        else:
            self.found[key] = released

    def update(self, key: tuple[bool, int], released: Flag | None) -> None:
        """A read-modify-write continues the release sequence."""
        if released is not None:
            earlier = self.found.get(key)
            self.found[key] = released if earlier is None else earlier.add(released)
