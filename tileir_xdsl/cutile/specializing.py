"""From a cuTile kernel and the arguments of a launch to a program, each made once."""

from __future__ import annotations

import io
import threading
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.bytecode import VERSIONS
from tileir_xdsl.cutile.signatures import Arguments, arguments_of
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.argument_facts import written_parameters
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.program import Program, program_of
from tileir_xdsl.runtime.reader import read_bytecode
from tileir_xdsl.walking import ops_in

PACKAGE = "cuda-tile"


@dataclass
class Specialization:
    """A kernel for one signature, target and set of options, at each level it was wanted at."""

    program: Program
    bytecode: bytes
    """What cuTile made of the kernel."""
    written: frozenset[int]
    """The parameters, by number, through which the kernel may write."""
    levels: dict[str, Program] = field(default_factory=dict[str, Program])
    loaded: dict[int, Any] = field(default_factory=dict[int, Any])
    """What was loaded on a GPU, by the number of the device."""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def at(self, level: str) -> Program:
        """The program lowered to a level."""
        with self.lock:
            found = self.levels.get(level)
            if found is None:
                found = self.levels[level] = self.program.lower(level)
            return found


_Key = tuple[str, str | None, Options]

_lock = threading.Lock()
_specializations: MutableMapping[Any, dict[_Key, Specialization]] = WeakKeyDictionary()
"""The specializations of each kernel, as long as it lives."""


def checked_arguments(kernel: Any, arguments: Sequence[object]) -> Arguments:
    """The arguments of a launch of a kernel.

    Raises CompileError for what is no kernel, and for arguments that do not fit it.
    """
    _check_kernel(kernel)
    return arguments_of(kernel, arguments)


def options_of(kernel: Any, gpu: str | None) -> Options:
    """The options that the decorator of a kernel asks for."""
    return Options(opt_level=kernel._compiler_options.opt_level_for_target(gpu))


def specialized(
    kernel: Any, found: Arguments, gpu: str | None, options: Options | None
) -> Specialization:
    """A kernel for the signature of these arguments, from the cache if it is there.

    Raises CompileError for whatever cuTile says of its code.
    """
    if options is None:
        options = options_of(kernel, gpu)
    name = kernel._annotated_function.pyfunc.__name__
    # The mangled name tells all of a signature.
    key = (found.signature.with_mangled_symbol(name).symbol, gpu, options)
    with _lock:
        known = _specializations.setdefault(kernel, {})
        present = known.get(key)
    if present is None:
        bytecode = bytecode_of(kernel, found.signature)
        module = read_bytecode(bytecode, name)
        written = _written(module)
        made = Specialization(program_of(module, name, gpu, options), bytecode, written)
        with _lock:
            # Another thread may have been faster.
            present = known.setdefault(key, made)
    return present


def bytecode_of(kernel: Any, signature: Any) -> bytes:
    """The Tile IR bytecode of a kernel, by cuTile. Raises CompileError with what it says."""
    tile_errors = import_module("cuda.tile._exception").TileError
    file = io.BytesIO()
    try:
        import_module("cuda.tile.compilation").export_kernel(
            kernel,
            [signature],
            file,
            output_format="tileir_bytecode",
            bytecode_version=_newest_version(),
        )
    except tile_errors as error:
        place = error.loc
        location = signature.symbol
        if place.filename is not None:
            location = f"{place.filename}:{place.line}:{place.col + 1}"
        # One error in another brings its place along, which is not known yet.
        raise CompileError(location, error.message.partition("\nUnknown location")[0]) from None
    except (TypeError, ValueError) as error:
        raise CompileError(signature.symbol, error) from None
    return file.getvalue()


@cache
def _newest_version() -> str:
    """The newest version of bytecode that cuTile writes and this package reads."""
    parse = import_module("cuda.tile._compile").parse_bytecode_version
    for version in reversed(VERSIONS):
        try:
            parse(str(version))
        except ValueError:
            continue
        return str(version)
    expected = ", ".join(map(str, VERSIONS))
    raise CompileError(PACKAGE, f"writes no bytecode of the versions {expected}")


def _written(module: ModuleOp) -> frozenset[int]:
    (entry,) = (op for op in ops_in(module) if isinstance(op, cuda_tile.EntryOp))
    return written_parameters(entry.body.block)


def _check_kernel(kernel: Any) -> None:
    try:
        tile = import_module("cuda.tile")
    except ImportError as error:
        raise CompileError("cutile", f"install the package {PACKAGE}: {error}") from error
    if not isinstance(kernel, tile.kernel):
        raise CompileError(
            getattr(kernel, "__name__", type(kernel).__name__),
            f"expected a function decorated by cuda.tile.kernel, got {type(kernel).__name__}",
        )
