"""Wrong passes and right ones of an extension: each is a small change of every op of some types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas
from tileir_xdsl.dialects.cuda_tile.folding import splat_of
from tileir_xdsl.dialects.nvvm.synchronization import BarrierOp
from tileir_xdsl.extensions import Extension, PlacedPass
from tileir_xdsl.walking import ops_in

Change = Callable[[Operation], None]


def swap(op: Operation) -> None:
    """Swaps the first two operands."""
    first, second, *rest = op.operands
    op.operands = (second, first, *rest)


def swap_choices(op: Operation) -> None:
    """Swaps the values that an op chooses from."""
    condition, first, second = op.operands
    op.operands = (condition, second, first)


def fresh_token(make: Callable[[], Operation]) -> Change:
    """A change that gives an op a token that orders it after nothing."""

    def change(op: Operation) -> None:
        for number, operand in enumerate(op.operands):
            if isinstance(operand.type, cuda_tile.TokenType | nv_tileaa.MemTokenType):
                token = make()
                Rewriter.insert_op(token, InsertPoint.before(op))
                op.operands[number] = token.results[0]

    return change


def lose_mask(op: Operation) -> None:
    """Gives an op a mask that lets all elements through."""
    mask: SSAValue | None = getattr(op, "mask", None)
    if mask is not None:
        true = _all_true(mask.type)
        Rewriter.insert_op(true, InsertPoint.before(op))
        op.operands[list(op.operands).index(mask)] = true.results[0]


def _all_true(type_: Attribute) -> Operation:
    match type_:
        case cuda_tile.TileType():
            return cuda_tile.ConstantOp(cuda_tile.DenseConstantAttr.splat(type_, 1))
        case TensorType():
            tile = cast("TensorType[IntegerType]", type_)
            return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(tile, [-1]))
        case _:
            return arith.ConstantOp(IntegerAttr(-1, cast(IntegerType, type_)))


def erase(op: Operation) -> None:
    """Drops an op without results."""
    Rewriter.erase_op(op)


def reassociate(op: Operation) -> None:
    """Makes `a + (b + c)` of `(a + b) + c`."""
    inner = op.operands[0].owner
    if isinstance(inner, Operation) and type(inner) is type(op):
        a, b = inner.operands[:2]
        second = op.clone()
        second.operands = (b, op.operands[1])
        outer = op.clone()
        Rewriter.insert_op(second, InsertPoint.before(op))
        outer.operands = (a, second.results[0])
        Rewriter.replace_op(op, outer)


def other_slice(op: Operation) -> None:
    """Has the indices of a slice in another order."""
    source, *indices = op.operands
    op.operands = (source, *reversed(indices))


def for_ever(op: Operation) -> None:
    """Never ends."""
    while op.parent is not None:
        pass


def fail(op: Operation) -> None:
    """Has a fault of its own."""
    raise LookupError("no key")


def remainder_as_mask(op: Operation) -> None:
    """Has the remainder of a power of two as a mask, which negative numbers have not."""
    divisor = splat_of(op.operands[1])
    if isinstance(divisor, int) and divisor > 0 and divisor.bit_count() == 1:
        tile = cast("cuda_tile.TileType", op.operands[1].type)
        mask = cuda_tile.ConstantOp(cuda_tile.DenseConstantAttr.splat(tile, divisor - 1))
        Rewriter.insert_op(mask, InsertPoint.before(op))
        Rewriter.replace_op(op, cuda_tile.AndIOp(op.operands[0], mask.result))


def undo(inner: type[Operation]) -> Change:
    """A change that takes an op to undo another one, which loses bits."""

    def change(op: Operation) -> None:
        source = op.operands[0].owner
        if isinstance(source, inner) and source.operands[0].type == op.results[0].type:
            Rewriter.replace_op(op, [], [source.operands[0]])

    return change


def compare_unsigned(op: Operation) -> None:
    """Compares signed integers as if they had no signs."""
    comparison = cast("llvm.ICmpOp", op)
    if comparison.predicate.value.data == llvm.ICmpPredicateFlag.SLT.to_int():
        flag = llvm.ICmpPredicateFlag.ULT.to_int()
        comparison.properties["predicate"] = IntegerAttr(flag, 64)


def twice(op: Operation) -> None:
    """Puts an op there twice."""
    Rewriter.insert_op(op.clone(), InsertPoint.before(op))


def _pass(name_: str, change: Change, *types: type[Operation]) -> type[ModulePass]:
    class Planted(ModulePass):
        name: ClassVar = name_

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            for each in ops_in(op):
                if isinstance(each, types) and each.parent is not None:
                    change(each)

    return Planted


def placed(
    name: str, level: str, change: Change, *types: type[Operation], **place: Any
) -> PlacedPass:
    """A pass at a place that makes a change of every op of some types."""
    return PlacedPass(_pass(name, change, *types), level, **place)


FIRST = {"before": "convert-cuda-tile-to-tileaa"}
TILEAA = {"after": "tileas-plan-cta"}
TILEAS = {"after": "tileas-canonicalize"}
LAYOUTS = {"after": "tileas-assign-load-store-layouts"}
BARRIERS = {"after": "tileas-insert-barriers"}
LLVM = {"after": "convert-tileas-to-llvm"}
make_token = fresh_token(cuda_tile.MakeTokenOp)
make_mem_token = fresh_token(nv_tileaa.CreateMemTokenOp)

WRONG = (
    placed("ct-token-store", "cuda_tile", make_token, cuda_tile.StoreViewTkoOp, **FIRST),
    placed("ct-token-store-ptr", "cuda_tile", make_token, cuda_tile.StorePtrTkoOp, **FIRST),
    placed("ct-token-load", "cuda_tile", make_token, cuda_tile.LoadViewTkoOp, **FIRST),
    placed("ct-swap-sub", "cuda_tile", swap, cuda_tile.SubFOp, **FIRST),
    placed("ct-swap-select", "cuda_tile", swap_choices, cuda_tile.SelectOp, **FIRST),
    placed("ct-mask-load", "cuda_tile", lose_mask, cuda_tile.LoadPtrTkoOp, **FIRST),
    placed("ct-mask-store", "cuda_tile", lose_mask, cuda_tile.StorePtrTkoOp, **FIRST),
    placed("ct-reassociate", "cuda_tile", reassociate, cuda_tile.AddFOp, **FIRST),
    placed("ct-extract", "cuda_tile", other_slice, cuda_tile.ExtractOp, **FIRST),
    placed("aa-token-store", "nv_tileaa", make_mem_token, nv_tileaa.TiledStoreOp, **TILEAA),
    placed("aa-token-load", "nv_tileaa", make_mem_token, nv_tileaa.LoadOp, **TILEAA),
    placed("aa-swap-sub", "nv_tileaa", swap, nv_tileaa.SubFOp, **TILEAA),
    placed("aa-swap-select", "nv_tileaa", swap_choices, arith.SelectOp, **TILEAA),
    placed("aa-mask-load", "nv_tileaa", lose_mask, nv_tileaa.LoadOp, **TILEAA),
    placed("aa-mask-store", "nv_tileaa", lose_mask, nv_tileaa.StoreOp, **TILEAA),
    placed("aa-reassociate", "nv_tileaa", reassociate, nv_tileaa.AddFOp, **TILEAA),
    placed("aa-slice", "nv_tileaa", other_slice, nv_tileaa.ExtractSliceOp, **TILEAA),
    placed("as-token-store", "nv_tileas", make_mem_token, nv_tileas.TiledStoreOp, **TILEAS),
    placed("as-swap-sub", "nv_tileas", swap, nv_tileaa.SubFOp, **LAYOUTS),
    placed("as-swap-dot", "nv_tileas", swap, nv_tileas.DotOp, **TILEAS),
    placed("as-mask-load", "nv_tileas", lose_mask, nv_tileas.LoadOp, **LAYOUTS),
    placed("as-slice", "nv_tileas", other_slice, nv_tileas.ExtractSliceOp, **TILEAS),
    placed("as-insert-slice", "nv_tileas", other_slice, nv_tileas.InsertSliceOp, **TILEAS),
    placed("as-barrier", "nv_tileas", erase, nv_tileas.BarrierOp, **BARRIERS),
    placed("as-fence", "nv_tileas", erase, nv_tileas.FenceProxyOp, **BARRIERS),
    placed("as-reassociate", "nv_tileas", reassociate, nv_tileaa.AddFOp, **LAYOUTS),
    placed("llvm-barrier", "llvm", erase, BarrierOp, **LLVM),
    placed("llvm-swap-sub", "llvm", swap, llvm.SubOp, **LLVM),
    placed("llvm-reassociate", "llvm", reassociate, llvm.FAddOp, **LLVM),
    placed("llvm-swap-select", "llvm", swap_choices, llvm.SelectOp, **LLVM),
    placed("ct-remainder", "cuda_tile", remainder_as_mask, cuda_tile.RemIOp, **FIRST),
    placed("ct-shift-back", "cuda_tile", undo(cuda_tile.ShLIOp), cuda_tile.ShRIOp, **FIRST),
    placed("aa-cast-back", "nv_tileaa", undo(nv_tileaa.TruncIOp), arith.ExtSIOp, **TILEAA),
    placed(
        "aa-permute-once", "nv_tileaa", undo(nv_tileaa.PermuteOp), nv_tileaa.PermuteOp, **TILEAA
    ),
    placed("llvm-unsigned", "llvm", compare_unsigned, llvm.ICmpOp, **LLVM),
)

RIGHT = (
    placed("right-ct-commute", "cuda_tile", swap, cuda_tile.AddFOp, **FIRST),
    placed("right-ct-integers", "cuda_tile", reassociate, cuda_tile.AddIOp, **FIRST),
    placed("right-ct-sums", "cuda_tile", reassociate, cuda_tile.AddFOp, **FIRST, rounding=1.0),
    placed("right-aa-commute", "nv_tileaa", swap, nv_tileaa.MulFOp, **TILEAA),
    placed("right-aa-integers", "nv_tileaa", reassociate, nv_tileaa.AddIOp, **TILEAA),
    placed("right-as-commute", "nv_tileas", swap, nv_tileaa.AddFOp, **LAYOUTS),
    placed("right-as-barriers", "nv_tileas", twice, nv_tileas.BarrierOp, **BARRIERS),
    placed("right-as-sums", "nv_tileas", reassociate, nv_tileaa.AddFOp, **LAYOUTS, rounding=1.0),
    placed("right-llvm-barriers", "llvm", twice, BarrierOp, **LLVM),
    placed("right-llvm-integers", "llvm", reassociate, llvm.AddOp, **LLVM),
)

ENDLESS = placed("endless", "cuda_tile", for_ever, cuda_tile.AddIOp, **FIRST)
BROKEN = placed("broken", "cuda_tile", fail, cuda_tile.AddIOp, **FIRST)

EXTENSION = Extension("planted", passes=(*WRONG, *RIGHT, ENDLESS, BROKEN))
