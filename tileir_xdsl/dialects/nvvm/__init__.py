"""The `nvvm` dialect: PTX instructions as ops, spelled as upstream MLIR 22 spells them.

The dialect object is imported on first use: a pass that makes ops imports those alone.
"""

from typing import TYPE_CHECKING

from tileir_xdsl.on_use import names_of

if TYPE_CHECKING:
    from tileir_xdsl.dialects.nvvm.dialect import NVVM

__all__ = ["NVVM"]

__getattr__ = names_of(__name__, {"NVVM": "dialect"})
