"""The interface of a language embedded in Python; every command works with its scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument


@dataclass(frozen=True)
class Source:
    """The Python function of a kernel; several kernels may have the same function."""

    name: str
    file: str
    line: int
    """Counted from 1."""
    function: object
    """The function object; it distinguishes kernels that a factory makes at one line."""
    frontend: Frontend = field(compare=False)
    kernel: Any = field(compare=False)
    """The kernel itself."""


@dataclass(frozen=True)
class Specialization:
    """A kernel compiled for the arguments of one launch."""

    contents: bytes
    """Tile IR bytecode with locations in the script."""
    options: Options
    """The options of compilation that the kernel itself sets."""
    arguments: tuple[Argument, ...] | None
    """Arguments for all parameters of the compiled kernel, in the script's memory; None if some
    memory is on a GPU."""


@dataclass(frozen=True)
class Launch:
    """A launch that a script requests."""

    frontend: Frontend
    kernel: Any
    grid: tuple[int, ...]
    arguments: Sequence[object]
    keywords: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The launch options that the script itself sets, named as parameters of `cutile.launch`."""


@dataclass(frozen=True)
class Search:
    """A search for the fastest of several configurations of a kernel.

    `kernel`, `grid` and `arguments` are functions of a configuration, which is any object.
    """

    frontend: Frontend
    configurations: Sequence[Any]
    kernel: Callable[[Any], Any]
    grid: Callable[[Any], Sequence[int] | int]
    arguments: Callable[[Any], Sequence[object]]


class Handler(Protocol):
    """Receives the events of a script, in the thread of the script."""

    def made(self, source: Source) -> None:
        """A kernel was made."""
        ...

    def launched(self, launch: Launch) -> object:
        """A script launches a kernel; runs it and returns the result of `Frontend.execute`."""
        ...

    def searched(self, search: Search) -> None:
        """A search begins, which continues after this returns."""
        ...


class Frontend(Protocol):
    """A language that is embedded in Python."""

    def install(self, handler: Handler) -> Callable[[], None]:
        """Makes launches call the handler; returns a function that undoes this."""
        ...

    def source(self, kernel: Any) -> Source:
        """The source of a kernel."""
        ...

    def specialize(
        self, kernel: Any, arguments: Sequence[object], gpu: str | None
    ) -> Specialization:
        """Compiles a kernel to Tile IR for some arguments. Raises CompileError."""
        ...

    def execute(
        self,
        launch: Launch,
        *,
        gpu: str | None = None,
        level: str | None = None,
        races: bool = False,
        on_change: str = "raise",
    ) -> object:
        """Runs a launch on the arrays of the script; keywords of the launch take precedence.

        `on_change`, "raise" or "recompile", says what to do if variables outside the kernel have
        changed since it was compiled. Raises CompileError, also for a race, unless the script
        handles races itself."""
        ...
