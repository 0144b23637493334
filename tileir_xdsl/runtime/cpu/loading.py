"""Loads machine code into the memory of this process."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import Any

from tileir_xdsl.runtime.cpu.helpers import PRINT, RUN
from tileir_xdsl.runtime.cpu.host import llvm
from tileir_xdsl.runtime.cpu.printing import Printer
from tileir_xdsl.runtime.errors import InputError

_numbers = itertools.count()
_linking = Lock()

RunFunction = Callable[[int, int, int, int, int, int, int], None]
"""The type of `tileir_run`, which the arguments of `Loaded.run` follow. Without the GIL."""

_RUN_TYPE = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 7)


@cache
def _jit() -> Any:
    return llvm().create_lljit_compiler(suppress_errors=True)


class Loaded:
    """The functions of an object file, in memory while this object is alive."""

    def __init__(self, code: bytes, kernels: Sequence[str], printer: Printer):
        """Raises InputError for code that calls functions which this process lacks."""
        self._printer = printer
        binding = llvm()
        library = binding.JITLibraryBuilder().add_object_img(code).add_current_process()
        library.import_symbol(PRINT, printer.address)
        for name in (RUN, *kernels):
            library.export_symbol(name)
        with _linking:
            try:
                self._tracker = library.link(_jit(), f"tileir{next(_numbers)}")
            except RuntimeError as error:
                raise InputError("cpu", f"the code cannot be loaded: {error}") from None
        self.run: RunFunction = _RUN_TYPE(self._tracker[RUN])
        self.kernels: dict[str, int] = {name: self._tracker[name] for name in kernels}
        """The address of each kernel."""
