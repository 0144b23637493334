"""Makes and caches the program of a cuTile kernel for the arguments of a launch."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Generator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.bytecode import VERSIONS
from tileir_xdsl.cutile.errors import refusal
from tileir_xdsl.cutile.signatures import Arguments, arguments_of
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.frontends.captures import Captures
from tileir_xdsl.frontends.environment import named_extensions
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.argument_facts import written_parameters
from tileir_xdsl.runtime.cache.keys import extension_facts
from tileir_xdsl.runtime.errors import ArgumentError, CodeError, CompileError
from tileir_xdsl.runtime.program import Program, program_of
from tileir_xdsl.runtime.reader import read_bytecode
from tileir_xdsl.walking import ops_in

PACKAGE = "cuda-tile"


@dataclass
class Specialization:
    """A kernel for one signature, target and set of options, at each level requested so far."""

    program: Program
    bytecode: bytes
    """The bytecode that cuTile made of the kernel."""
    written: frozenset[int]
    """The numbers of the parameters through which the kernel may write."""
    levels: dict[str, Program] = field(default_factory=dict[str, Program])
    loaded: dict[int, Any] = field(default_factory=dict[int, Any])
    """The modules loaded on GPUs, by device number."""
    on_cpu: dict[str, Any] = field(default_factory=dict[str, Any])
    """The kernel loaded for processors by name, or why it cannot be compiled."""
    cycles: dict[tuple[int, int, int], float] = field(
        default_factory=dict[tuple[int, int, int], float]
    )
    """The modelled cycles of a launch, by grid."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    _is_looked_at: bool = False
    """Whether a launch was checked for undefined behaviour."""

    def is_first_look(self) -> bool:
        """Whether this is the first launch to check for undefined behaviour; marks it as
        checked.
        """
        with self.lock:
            is_first, self._is_looked_at = not self._is_looked_at, True
        return is_first

    def at(self, level: str) -> Program:
        """The program lowered to a level."""
        with self.lock:
            found = self.levels.get(level)
            if found is None:
                found = self.levels[level] = self.program.lower(level)
            return found


OnChange = Literal["raise", "recompile"]
"""The reaction to a variable outside a kernel that has changed since the kernel was compiled."""

_Key = tuple[str, str | None, Options, tuple[tuple[str, str], ...]]


@dataclass
class _Known:
    """Compilation results of a kernel, valid for the values of the variables that it reads."""

    captures: Captures
    specializations: dict[_Key, Specialization] = field(default_factory=dict[_Key, Specialization])
    launches: dict[object, Any] = field(default_factory=dict[object, Any])
    """Remembered launches by the facts of their arguments."""


_lock = threading.Lock()
_known: MutableMapping[Any, _Known] = WeakKeyDictionary()
"""The compilation results of each kernel that is alive."""

_compiling = threading.RLock()


def checked_arguments(kernel: Any, arguments: Sequence[object]) -> Arguments:
    """The checked arguments of a launch of a kernel.

    Raises CompileError for a value that is not a kernel, and for arguments that do not fit it.
    """
    _check_kernel(kernel)
    return arguments_of(kernel, arguments)


def options_of(kernel: Any, gpu: str | None) -> Options:
    """The options that a kernel's decorator asks for, with the extensions that the environment
    names.
    """
    level = kernel._compiler_options.opt_level_for_target(gpu)
    return Options(opt_level=level, extensions=named_extensions(os.environ))


def specialized(
    kernel: Any,
    found: Arguments,
    gpu: str | None,
    options: Options | None,
    on_change: OnChange = "raise",
) -> Specialization:
    """A kernel for the signature of these arguments, from the cache if present.

    Raises CompileError for errors that cuTile finds in its code. Also raises CompileError if a
    variable that the kernel reads has changed since its first compilation. With
    `on_change="recompile"`, the kernel is compiled again instead.
    """
    if on_change not in get_args(OnChange):
        expected = " or ".join(map(repr, get_args(OnChange)))
        raise CompileError("on_change", f"expected {expected}, got {on_change!r}")
    if options is None:
        options = options_of(kernel, gpu)
    name = kernel._annotated_function.pyfunc.__name__
    # The mangled name tells all of a signature.
    facts = tuple(extension_facts(options).items())
    key = (found.signature.with_mangled_symbol(name).symbol, gpu, options, facts)
    known = _unchanged(kernel, on_change)
    present = None if known is None else known.specializations.get(key)
    if present is None:
        # Taken before cuTile reads the values: a change meanwhile is one.
        known = known or _Known(Captures(kernel._annotated_function.pyfunc))
        bytecode = bytecode_of(kernel, found.signature)
        module = read_bytecode(bytecode, name)
        written = _written(module)
        program = program_of(module, name, gpu, options, found.names)
        made = Specialization(program, bytecode, written)
        with _lock:
            # Another thread may have been faster.
            known = _known.setdefault(kernel, known)
            present = known.specializations.setdefault(key, made)
    return present


def launches_of(kernel: Any) -> dict[object, Any] | None:
    """The remembered launches of a kernel; None if a variable that it reads has changed."""
    with _lock:
        known = _known.get(kernel)
    return None if known is None or known.captures.change() is not None else known.launches


def _unchanged(kernel: Any, on_change: OnChange) -> _Known | None:
    """The cached results of a kernel if its variables have not changed."""
    with _lock:
        known = _known.get(kernel)
    if known is None or (change := known.captures.change()) is None:
        return known
    if on_change == "raise":
        advice = 'pass it as an argument, or say on_change="recompile"'
        raise CodeError(change.location, f"{change.message}: {advice}")
    with _lock:
        if _known.get(kernel) is known:
            del _known[kernel]
    return None


def bytecode_of(kernel: Any, signature: Any) -> bytes:
    """The Tile IR bytecode that cuTile makes of a kernel. Raises CompileError with cuTile's
    message.
    """
    tile_errors = import_module("cuda.tile._exception").TileError
    file = io.BytesIO()
    try:
        with _compiling, _columns_from_one():
            # cuTile keeps what it has read of a function, with all variables as they were then.
            import_module("cuda.tile._passes.ast2hir").get_function_hir.cache_clear()
            import_module("cuda.tile.compilation").export_kernel(
                kernel,
                [signature],
                file,
                output_format="tileir_bytecode",
                bytecode_version=_newest_version(),
            )
    except tile_errors as error:
        raise refusal(error, signature.symbol) from None
    except (TypeError, ValueError) as error:
        raise CodeError(signature.symbol, error) from None
    return file.getvalue()


@contextmanager
def _columns_from_one() -> Generator[None]:
    """Makes cuTile write columns counted from 1, as usual; its own code counts from 0."""
    table = import_module("cuda.tile._bytecode.debug_info").DebugAttrTable
    write = table.loc

    def loc(self: object, scope: object, filename: str, line: int, column: int) -> object:
        return write(self, scope, filename, line, column + 1)

    table.loc = loc
    try:
        yield
    finally:
        table.loc = write


@cache
def _newest_version() -> str:
    """The newest bytecode version that cuTile writes and this package reads."""
    parse = import_module("cuda.tile._compile").parse_bytecode_version
    for version in reversed(VERSIONS):
        try:
            parse(str(version))
        except ValueError:
            continue
        return str(version)
    expected = ", ".join(map(str, VERSIONS))
    raise CompileError(PACKAGE, f"writes none of the bytecode versions {expected}")


def _written(module: ModuleOp) -> frozenset[int]:
    (entry,) = (op for op in ops_in(module) if isinstance(op, cuda_tile.EntryOp))
    return written_parameters(entry.body.block)


def _check_kernel(kernel: Any) -> None:
    try:
        tile = import_module("cuda.tile")
    except ImportError as error:
        raise CompileError("cutile", f"install the package {PACKAGE}: {error}") from None
    if not isinstance(kernel, tile.kernel):
        raise ArgumentError(
            getattr(kernel, "__name__", type(kernel).__name__),
            f"expected a function decorated by cuda.tile.kernel, got {type(kernel).__name__}",
        )
