"""The open CUDA Tile IR compiler: cuda_tile to PTX, every stage a readable xDSL dialect.

    import tileir_xdsl as tileir

    tileir.compile("vector_add.tileirbc", "sm_90a").text
    tileir.load("vector_add.tileirbc").run((8,), a, b, c)

The names below are imported on first use.
"""

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tileir_xdsl import cutile
    from tileir_xdsl.options import Options
    from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel
    from tileir_xdsl.runtime.errors import (
        ArgumentError,
        CodeError,
        CompileError,
        DeadlockError,
        MemoryFaultError,
        RaceError,
        Remark,
        UndefinedError,
    )
    from tileir_xdsl.runtime.program import Program, compile, load
    from tileir_xdsl.runtime.running import Run

__all__ = [
    "ArgumentError",
    "CodeError",
    "CompileError",
    "Compiled",
    "CompiledKernel",
    "DeadlockError",
    "MemoryFaultError",
    "Options",
    "Program",
    "RaceError",
    "Remark",
    "Run",
    "UndefinedError",
    "compile",
    "cutile",
    "load",
]

_MODULES = {
    "ArgumentError": "tileir_xdsl.runtime.errors",
    "CodeError": "tileir_xdsl.runtime.errors",
    "CompileError": "tileir_xdsl.runtime.errors",
    "Compiled": "tileir_xdsl.runtime.compiled",
    "CompiledKernel": "tileir_xdsl.runtime.compiled",
    "DeadlockError": "tileir_xdsl.runtime.errors",
    "MemoryFaultError": "tileir_xdsl.runtime.errors",
    "Options": "tileir_xdsl.options",
    "Program": "tileir_xdsl.runtime.program",
    "RaceError": "tileir_xdsl.runtime.errors",
    "Remark": "tileir_xdsl.runtime.errors",
    "Run": "tileir_xdsl.runtime.running",
    "UndefinedError": "tileir_xdsl.runtime.errors",
    "compile": "tileir_xdsl.runtime.program",
    "load": "tileir_xdsl.runtime.program",
}


def __getattr__(name: str) -> object:
    if name == "cutile":
        return importlib.import_module("tileir_xdsl.cutile")
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _bundle_of(value: object) -> dict[str, str]:
    """The forms of a value in a notebook, by MIME type, drawn by what is imported then."""
    return importlib.import_module("tileir_xdsl.drawings.jupyter").bundle_of(value)


def load_ipython_extension(shell: object) -> None:
    """Magics for IR and passes: `%load_ext tileir_xdsl` calls it."""
    importlib.import_module("tileir_xdsl.jupyter.extension").load(shell)


if "IPython" in sys.modules:
    # Here, above all that is drawn: a notebook draws it from the first import on.
    importlib.import_module("tileir_xdsl.drawings.formatters").register_in_notebook(_bundle_of)
