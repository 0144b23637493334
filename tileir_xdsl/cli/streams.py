"""Standard streams whose failures are diagnosed; the module imports nothing slow."""

import contextlib
import errno
import os
import sys
from collections.abc import Generator
from typing import IO, Any, TextIO, cast


class StreamError(Exception):
    """A standard stream has failed; `str` of the error is one line to print, without a newline."""

    def __init__(self, name: str, reason: object):
        super().__init__(f"{name}: error: {reason}")


class ReaderGoneError(Exception):
    """The reader of the standard output, such as `head`, has closed it."""


class Stream:
    """A standard stream that reports a failure by its own name; `stream` is None if closed.

    An OSError would look like an error of the input file.
    """

    def __init__(self, stream: IO[Any] | None, name: str):
        self._stream, self._name = stream, name
        self._failed = False

    @contextlib.contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise StreamError(self._name, error) from error
        except OSError as error:
            self._failed = True
            if isinstance(error, BrokenPipeError):
                raise ReaderGoneError from error
            raise StreamError(self._name, error.strerror or error) from error

    def _opened(self) -> IO[Any]:
        if self._stream is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._stream

    def write(self, text: Any) -> int:
        with self._failures():
            return self._opened().write(text)

    def flush(self) -> None:
        with self._failures():
            if self._stream is not None:
                self._stream.flush()

    def read(self, size: int = -1) -> Any:
        with self._failures():
            return self._opened().read(size)

    def readline(self, size: int = -1) -> Any:
        with self._failures():
            return self._opened().readline(size)

    def close(self) -> None:
        """Closes the stream; processes that a script forks do so."""
        if self._stream is not None:
            self._stream.close()

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    @property
    def encoding(self) -> str:
        return cast(TextIO, self._stream).encoding if self._stream is not None else "utf-8"

    @property
    def buffer(self) -> "Stream":
        """The byte stream of a text stream, after flushing the text."""
        self.flush()
        return Stream(cast(TextIO, self._stream).buffer if self._stream else None, self._name)

    def close_after_failure(self) -> None:
        """Discards buffered text after a failure, so that the end of the process does not fail."""
        if self._failed and self._stream is not None:
            with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())


@contextlib.contextmanager
def standard_streams() -> Generator[tuple[Stream, Stream]]:
    """Replaces the three standard streams by streams whose failures are diagnosed.

    Yields the standard output and the standard error stream. Reading or writing a closed stream
    raises StreamError, as does writing to a full device. ReaderGoneError says that the other end of
    a pipe is closed.
    """
    _occupy_closed_descriptors()
    before = sys.stdin, sys.stdout, sys.stderr
    names = ("<stdin>", "<stdout>", "<stderr>")
    standard = [Stream(stream, name) for stream, name in zip(before, names, strict=True)]
    sys.stdin, sys.stdout, sys.stderr = (cast(TextIO, stream) for stream in standard)
    try:
        yield standard[1], standard[2]
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for stream in standard:
            stream.close_after_failure()


def _occupy_closed_descriptors() -> None:
    """Opens closed descriptors among 0 to 2, so that no other file gets their numbers."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
