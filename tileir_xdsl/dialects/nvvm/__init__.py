"""The `nvvm` dialect: PTX instructions as ops, spelled as upstream MLIR 22 spells them."""

from xdsl.ir import Dialect

from tileir_xdsl.dialects.nvvm.attributes import (
    BarrierReductionAttr,
    MatchKindAttr,
    ReduxKindAttr,
    ShuffleKindAttr,
    VoteKindAttr,
)
from tileir_xdsl.dialects.nvvm.special_registers import SPECIAL_REGISTERS
from tileir_xdsl.dialects.nvvm.synchronization import SYNCHRONIZATION

NVVM = Dialect(
    "nvvm",
    [*SPECIAL_REGISTERS, *SYNCHRONIZATION],
    [
        BarrierReductionAttr,
        MatchKindAttr,
        ReduxKindAttr,
        ShuffleKindAttr,
        VoteKindAttr,
    ],
)

__all__ = ["NVVM"]
