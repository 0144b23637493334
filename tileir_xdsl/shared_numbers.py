"""Settings of the whole process that are changed temporarily, such as Python's limits."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class SharedNumber:
    """A number that all threads share, restored when the last user ends.

    The class is not a data class, which would slow down the start of every command.
    """

    def __init__(self, read: Callable[[], int], write: Callable[[int], object]):
        self.read, self.write = read, write
        self.before = 0
        """The number before the first active user changed it."""
        self._under_way = 0
        self._lock = threading.Lock()

    @contextmanager
    def kept(self) -> Generator[None]:
        """Restores the setting when the outermost active `with` ends."""
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
        """Sets the shared number, unless it is already as large."""
        with self._lock:
            self.write(max(self.read(), number))
