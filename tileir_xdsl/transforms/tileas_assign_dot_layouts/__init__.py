"""`tileas-assign-dot-layouts`: keeps operands of dots in shared memory across shape changes.

    %t = nv_tileas.tiled_load .. -> tensor<1x128x64xbf16>
    %k = nv_tileas.view %t : tensor<1x128x64xbf16> to tensor<128x64xbf16>
    %b = nv_tileaa.permute %k {permutation = array<i32: 1, 0>} : .. -> tensor<64x128xbf16>
    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom wgmma_bf16_bf16_f32>}
    ->
    %t = nv_tileas.tiled_load .. -> tensor<1x128x64xbf16>
    %m = nv_tileas.convert_layout %t : .. -> tensor<1x128x64xbf16, #nv_tileas.memory<smem, ..>>
    %k = nv_tileas.view %m : .. to tensor<128x64xbf16, #nv_tileas.memory<smem, ..>>
    %b = nv_tileaa.permute %k {..} : .. -> tensor<64x128xbf16, #nv_tileas.memory<smem, ..>>
    %d = nv_tileas.async.dot %a, %b, %c {..}

`wgmma` and `tcgen05.mma` read operands from shared memory, in swizzled rows along K, or along M or
N. So a load may store a tile to shared memory in memory order, and later re-indexing costs nothing.
Dots in loops by `mma.sync` or by multiply-adds load their operands from shared memory to registers,
a few at a time. Operands that a loop loads through pointers are copied to shared memory
(`pointer_operands.py`), and so are operands that branches of an `if` load (`branch_operands.py`).
An asynchronous dot without an asynchronous instruction becomes synchronous (`synchronous_dots.py`).
Block scales stay in shared memory if the hardware copies them to tensor memory
(`scale_operands.py`). Other operands, and loads without ops after them, are left to
`tileas-assign-load-store-layouts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.rewriting import DispatchWalker, PatternTable
from tileir_xdsl.transforms.function_pass import FunctionPass

from .branch_operands import CopyBranchOperands
from .kept_operands import KeepOperandsInMemory
from .pointer_operands import CopyPointerOperands
from .scale_operands import KeepScalesInMemory
from .shared_tiles import KeepTileForReaders
from .synchronous_dots import CompleteDot


@dataclass(frozen=True)
class TileASAssignDotLayoutsPass(FunctionPass):
    """Keeps operands of dots in shared memory across shape changes."""

    name = "tileas-assign-dot-layouts"

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        target, divisibility = target_or_default(module), DivisibilityAnalysis()
        keep = KeepOperandsInMemory(target, divisibility)
        share = KeepTileForReaders(keep)
        scales = KeepScalesInMemory(target, divisibility)
        copy = CopyPointerOperands(divisibility, target)
        fill = CopyBranchOperands(divisibility, target)
        walks: tuple[PatternTable, ...] = (
            {nv_tileas.AsyncDotOp: CompleteDot()},
            {nv_tileas.AsyncDotOp: scales, nv_tileas.DotOp: scales},
            {share.ROOT: share, nv_tileas.AsyncDotOp: keep, nv_tileas.DotOp: keep},
            {nv_tileas.AsyncDotOp: copy, nv_tileas.DotOp: copy},
            {nv_tileas.AsyncDotOp: fill, nv_tileas.DotOp: fill},
        )
        for scope in scopes:
            for patterns in walks:
                DispatchWalker(patterns).rewrite(scope)
