"""cuTile as a front end, whose `ct.launch` and `ct.kernel` use this compiler."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Any

from tileir_xdsl.cutile import launching
from tileir_xdsl.cutile.errors import raised_at_caller
from tileir_xdsl.cutile.specializing import checked_arguments, options_of, specialized
from tileir_xdsl.cutile.timing import TIMERS
from tileir_xdsl.frontends.interface import Handler, Launch, Search, Source, Specialization
from tileir_xdsl.frontends.on_host.device import capability
from tileir_xdsl.frontends.patching import patched
from tileir_xdsl.runtime.arrays import as_argument
from tileir_xdsl.runtime.binding import named_arguments
from tileir_xdsl.runtime.errors import (
    ArgumentError,
    RaceError,
    Remark,
    UndefinedError,
    UndefinedWarning,
)
from tileir_xdsl.runtime.launching import as_grid
from tileir_xdsl.runtime.running import Run
from tileir_xdsl.targets.cpu import is_cpu

_PLACE = re.compile(r"(?:^|.*?\bat )(\S+?:\d+:\d+)\b")
"""Matches the location of the first access in the message of a race."""


class CuTile:
    """The package `cuda-tile`."""

    run = staticmethod(launching.launch)
    """`cutile.launch` itself, even while `install` replaces that name."""

    def install(self, handler: Handler) -> Callable[[], None]:
        """Replaces `ct.launch`, also where it was imported by name, by a call of the handler."""
        tile: Any = import_module("cuda.tile")
        before = tile.launch
        construct = tile.kernel.__init__

        def launch(
            stream: object,
            grid: Sequence[int],
            kernel: object,
            kernel_args: Sequence[object],
            /,
            *,
            programmatic_dependent_launch: bool = False,
        ) -> None:
            """Launches a kernel on arrays of the host, with cuTile's signature, and waits for its
            end.
            """
            # Grids run one after the other: neither a stream nor an early start changes a result.
            handler.launched(Launch(self, kernel, as_grid(grid), kernel_args))

        def __init__(kernel: Any, *arguments: Any, **options: Any) -> None:
            construct(kernel, *arguments, **options)
            handler.made(self.source(kernel))

        def own_launch(
            grid: Sequence[int] | int, kernel: object, args: Sequence[object], **keywords: Any
        ) -> object:
            """Launches a kernel as `cutile.launch` does."""
            extents = as_grid(grid)
            return handler.launched(Launch(self, kernel, extents, args, keywords))

        tuner: Any = import_module("cuda.tile.tune._tune")
        search = tuner.exhaustive_search
        exhaustive_search = self._telling(search, handler)
        asked: Any = import_module("cuda.tile._cext").get_compute_capability

        def get_compute_capability(device_id: int = 0) -> tuple[int, int]:
            """The compute capability of the target that the environment chooses."""
            return capability(device_id)

        _replace_everywhere(asked, get_compute_capability)
        _replace_everywhere(before, launch)
        _replace_everywhere(self.run, own_launch)
        _replace_everywhere(search, exhaustive_search)
        tile.kernel.__init__ = __init__
        timers = patched(tuner, TIMERS)

        def undo() -> None:
            _replace_everywhere(get_compute_capability, asked)
            _replace_everywhere(launch, before)
            _replace_everywhere(own_launch, self.run)
            _replace_everywhere(exhaustive_search, search)
            tile.kernel.__init__ = construct
            timers()

        return undo

    def _telling(self, search: Callable[..., object], handler: Handler) -> Callable[..., object]:
        """Wraps cuTile's tuner so that it notifies the handler before each search."""

        @wraps(search)
        def exhaustive_search(
            search_space: Sequence[Any],
            stream: object,
            grid_fn: Callable[[Any], Sequence[int]],
            kernel: Any,
            args_fn: Callable[[Any], Sequence[object]],
            hints_fn: Callable[[Any], dict[str, Any]] | None = None,
            **options: Any,
        ) -> object:
            made = _hinted(kernel, hints_fn)
            handler.searched(Search(self, search_space, made, grid_fn, args_fn))
            return search(search_space, stream, grid_fn, kernel, args_fn, hints_fn, **options)

        return exhaustive_search

    def source(self, kernel: Any) -> Source:
        """The function that a kernel decorates."""
        if not isinstance(kernel, import_module("cuda.tile").kernel):
            given = type(kernel).__name__
            raise ArgumentError(
                "launch", f"expected a function decorated by ct.kernel, got {given}"
            )
        function = kernel._annotated_function.pyfunc
        code = function.__code__
        return Source(
            function.__name__, code.co_filename, code.co_firstlineno, function, self, kernel
        )

    def specialize(
        self, kernel: Any, arguments: Sequence[object], gpu: str | None
    ) -> Specialization:
        """The Tile IR bytecode that cuTile makes of a kernel, with options and arguments."""
        found = checked_arguments(kernel, arguments)
        # Tile IR for a processor is that of any target.
        gpu = None if is_cpu(gpu) else gpu
        bytecode = specialized(kernel, found, gpu, None).bytecode
        is_on_host = all(device is None for device in found.devices.values())
        values = tuple(
            named_arguments(found.names, [as_argument(each, "argument") for each in found.values])
        )
        return Specialization(bytecode, options_of(kernel, gpu), values if is_on_host else None)

    @raised_at_caller
    def execute(
        self,
        launch: Launch,
        *,
        gpu: str | None = None,
        level: str | None = None,
        races: bool = False,
        on_change: str = "raise",
    ) -> Run:
        """Runs a launch by an interpreter, by the emulator or on a processor."""
        chosen = {"gpu": gpu, "level": level, "races": races, "on_change": on_change}
        asked: dict[str, Any] = {**chosen, "progress": False, **launch.keywords}
        # Code for a processor notes no undefined behaviour.
        if not is_cpu(asked["gpu"]):
            asked = {"undefined": "first"} | asked
        run = self.run(launch.grid, launch.kernel, launch.arguments, **asked)
        if run.races and "races" not in launch.keywords:
            raise _race_error(run)
        if "undefined" not in launch.keywords:
            for each in (*run.undefined, *run.remarks):
                _warn(each)
        return run


FRONTEND = CuTile()

install = FRONTEND.install


def kernel_function(kernel: Any) -> Callable[[Any], Any]:
    """A function from a configuration to its kernel; `kernel` may be that function already."""
    is_kernel = isinstance(kernel, import_module("cuda.tile").kernel)
    return (lambda _: kernel) if is_kernel or not callable(kernel) else kernel


def _hinted(kernel: Any, hints: Callable[[Any], dict[str, Any]] | None) -> Callable[[Any], Any]:
    """Like `kernel_function`, but the kernel has the compiler hints of the configuration."""
    made = kernel_function(kernel)
    return made if hints is None else lambda config: made(config).replace_hints(**hints(config))


def _warn(found: UndefinedError | Remark) -> None:
    """Warns of undefined behaviour or a remark, at its line in the script."""
    warnings.warn_explicit(found.message, UndefinedWarning, found.file, found.line or 0)


def _race_error(run: Run) -> RaceError:
    """The error for the first race of a launch, located at the first access."""
    found = _PLACE.match(run.races[0])
    place = found[1] if found else run.kernel
    text = run.races[0].removeprefix(f"{place}: ")
    return RaceError(place, text if "race: " in text else f"race: {text}")


def _replace_everywhere(before: object, after: object) -> None:
    """Replaces an object in all modules that have imported it by `from .. import`."""
    for module in tuple(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name in [name for name, value in tuple(names.items()) if value is before]:
            names[name] = after
