"""Numbers of the whole process that are others while somebody needs it, such as Python's limits."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class SharedNumber:
    """A number that all threads share, which is restored when the last who needs it ends.

    Every command imports it, so it is not a data class: those take longer to import than all of it.
    """

    def __init__(self, read: Callable[[], int], write: Callable[[int], object]):
        self.read, self.write = read, write
        self.before = 0
        """The number before the first of those under way."""
        self._under_way = 0
        self._lock = threading.Lock()

    @contextmanager
    def kept(self) -> Generator[None]:
        """Lets the number be another one within; it may be set more than once."""
        with self._lock:
            if not self._under_way:
                self.before = self.read()
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                if not self._under_way:
                    self.write(self.before)

    def raise_to(self, number: int) -> None:
        """Sets the number unless it is as large."""
        with self._lock:
            self.write(max(self.read(), number))
