"""Settings of the whole process that change while somebody needs it, such as Python's limits."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class SharedNumber:
    """A number that all threads share, which is restored when the last who needs it ends.

    Every command imports this class, so it is not a data class: creating a data class takes longer
    than importing this file.
    """

    def __init__(self, read: Callable[[], int], write: Callable[[int], object]):
        self.read, self.write = read, write
        self.before = 0
        """The number before the first of those under way."""
        self._under_way = 0
        self._lock = threading.Lock()

    @contextmanager
    def kept(self) -> Generator[None]:
        """Changes the setting inside a `with`; several may be nested."""
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
