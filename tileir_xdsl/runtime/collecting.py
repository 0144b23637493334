"""Garbage collected seldom while a module is read, lowered or printed; imports nothing of ours."""

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

_collecting = threading.Lock()
_lowering: list[tuple[int, int, int]] = []
"""For each running lowering, the setting of the collector before the first of them."""

ALLOCATIONS = 500_000
"""How many objects are made between two collections of garbage while a module is lowered."""


@contextmanager
def collecting_seldom() -> Generator[None]:
    """Lets the garbage collector run seldom for a while.

    IR is made of cycles that mostly stay. With the default of Python, hundreds of collections of
    the youngest objects take a fifth of a kernel's time and free next to nothing. The same is true
    of classes and functions, which importing makes.
    """
    with _collecting:
        before = _lowering[0] if _lowering else gc.get_threshold()
        _lowering.append(before)
        if 0 < before[0] < ALLOCATIONS:
            gc.set_threshold(ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        # Threads share the collector: the last one to end sets it back.
        with _collecting:
            _lowering.pop()
            if not _lowering:
                gc.set_threshold(*before)
