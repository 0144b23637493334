"""The `nvvm` dialect: PTX instructions as ops, spelled as upstream MLIR 22 spells them.

The dialect object is imported on first use: a pass that makes ops imports those alone.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tileir_xdsl.dialects.nvvm.dialect import NVVM

__all__ = ["NVVM"]


def __getattr__(name: str) -> object:
    if name != "NVVM":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return importlib.import_module(f"{__name__}.dialect").NVVM
