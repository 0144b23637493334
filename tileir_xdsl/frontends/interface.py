"""The interface of a language embedded in Python, so that every command takes its scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument


@dataclass(frozen=True)
class Source:
    """The function that a kernel is written as; several kernels may be made of one."""

    name: str
    file: str
    line: int
    """Counted from 1."""
    function: object
    """Makes it equal to itself only: a factory makes several of one line."""
    frontend: Frontend = field(compare=False)
    kernel: Any = field(compare=False)
    """The kernel itself."""


@dataclass(frozen=True)
class Specialization:
    """A kernel for the arguments of one launch."""

    contents: bytes
    """Tile IR bytecode, whose locations are lines of the script."""
    options: Options
    """How the kernel says that it shall be compiled."""
    arguments: tuple[Argument, ...] | None
    """All parameters of the compiled kernel, on the memory of the script; None where some of it is
    on a GPU."""


@dataclass(frozen=True)
class Launch:
    """A launch that a script asks for."""

    frontend: Frontend
    kernel: Any
    grid: tuple[int, ...]
    arguments: Sequence[object]
    keywords: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """How the script itself says that it shall run, by the parameters of `cutile.launch`."""


@dataclass(frozen=True)
class Search:
    """A search for the best of several configurations of a kernel.

    Kernel, grid and arguments are functions of a configuration, an object of the author's choice.
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
        """A kernel is to be launched; returns what `execute` does, when it has run."""
        ...

    def searched(self, search: Search) -> None:
        """A search begins, which goes on when this returns."""
        ...


class Frontend(Protocol):
    """A language that is embedded in Python."""

    def install(self, handler: Handler) -> Callable[[], None]:
        """Puts the handler in place of launches; returns what undoes that."""
        ...

    def source(self, kernel: Any) -> Source:
        """The source that a kernel is written as."""
        ...

    def specialize(
        self, kernel: Any, arguments: Sequence[object], gpu: str | None
    ) -> Specialization:
        """Compiles a kernel to Tile IR for such arguments. Raises CompileError."""
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
        """Runs a launch on the arrays of the script; its own keywords count more.

        `on_change` is "raise" or "recompile", for variables outside the kernel that have changed
        since it was compiled. Raises CompileError, also for a race that the script has not asked
        for itself."""
        ...
