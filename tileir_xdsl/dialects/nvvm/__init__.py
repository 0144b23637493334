"""The `nvvm` dialect:

PTX instructions as ops, with the spelling of upstream MLIR 22. The dialect object is imported on
first use, so that a pass imports only the ops that it creates.
"""

from typing import TYPE_CHECKING

from tileir_xdsl.on_use import names_of

if TYPE_CHECKING:
    from tileir_xdsl.dialects.nvvm.dialect import NVVM

__all__ = ["NVVM"]

__getattr__ = names_of(__name__, {"NVVM": "dialect"})
