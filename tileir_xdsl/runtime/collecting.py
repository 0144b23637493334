"""Makes garbage collection rare while a module is read, lowered or printed."""

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

_collecting = threading.Lock()
_lowering: list[tuple[int, int, int]] = []
"""One item per running lowering: the collector's thresholds before the first lowering began."""

ALLOCATIONS = 500_000
"""The number of allocations between two garbage collections while a module is lowered."""


@contextmanager
def collecting_seldom() -> Generator[None]:
    """Makes garbage collection rare within the context.

    IR consists of reference cycles, most of which stay alive. With Python's default, hundreds of
    collections of the youngest generation take a fifth of a kernel's compile time and free almost
    nothing.
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
