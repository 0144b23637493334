"""The open CUDA Tile IR compiler: cuda_tile to PTX, every stage a readable xDSL dialect.

    import tileir_xdsl as tileir

    tileir.compile("vector_add.tileirbc", "sm_90a").text
    tileir.load("vector_add.tileirbc").run((8,), a, b, c)

The names below are imported on first use.
"""

import importlib
import sys
from typing import TYPE_CHECKING

from tileir_xdsl.on_use import names_of, value_at

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
    "ArgumentError": "runtime.errors",
    "CodeError": "runtime.errors",
    "CompileError": "runtime.errors",
    "Compiled": "runtime.compiled",
    "CompiledKernel": "runtime.compiled",
    "DeadlockError": "runtime.errors",
    "MemoryFaultError": "runtime.errors",
    "Options": "options",
    "Program": "runtime.program",
    "RaceError": "runtime.errors",
    "Remark": "runtime.errors",
    "Run": "runtime.running",
    "UndefinedError": "runtime.errors",
    "compile": "runtime.program",
    "load": "runtime.program",
}


_names = names_of(__name__, _MODULES)


def __getattr__(name: str) -> object:
    return importlib.import_module("tileir_xdsl.cutile") if name == "cutile" else _names(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _bundle_of(value: object) -> dict[str, str]:
    """The representations of a value in a notebook, by MIME type."""
    return value_at("tileir_xdsl.drawings.jupyter:bundle_of")(value)


def load_ipython_extension(shell: object) -> None:
    """Registers the magics of notebooks; `%load_ext tileir_xdsl` calls this function."""
    value_at("tileir_xdsl.jupyter.extension:load")(shell)


if "IPython" in sys.modules:
    # Here, above all that is drawn: a notebook draws it from the first import on.
    value_at("tileir_xdsl.drawings.formatters:register_in_notebook")(_bundle_of)
