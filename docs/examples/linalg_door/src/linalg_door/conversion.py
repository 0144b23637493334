"""`convert-linalg-to-cuda-tile`: functions of `linalg` on tensors become kernels of `cuda_tile`.

Each tile block computes one tile of the result; the grid has the dimensions of the result. A tensor
is a pointer with sizes and strides, as cuTile passes arrays. The result follows the arguments, and
must not overlap them. The steps are those of any conversion between dialects:

1. whatever is not legal is refused, by its name (`legality`);
2. the signature is converted: an `unrealized_conversion_cast` makes the old tensor from new values,
   and `linalg_door.tile` asks for the tile of the tensor that was returned;
3. patterns move that question from the result to the arguments, and load there (`patterns`);
   ops on tensors and casts are erased as soon as they are without uses.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from linalg_door import DEFAULT, patterns
from linalg_door.legality import check_function
from linalg_door.tiles import INDEX, TileOp, element_type
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import PointerType, TileType


@dataclass(frozen=True)
class ConvertFunction(RewritePattern):
    """A function becomes an entry that stores a tile of the result."""

    sizes: Sequence[int]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /) -> None:
        old, start, end = op.body.block, Block(), Block()
        returned = old.last_op
        assert returned is not None
        with ImplicitBuilder(start):
            arguments = [_declare(argument.type, start) for argument in old.args]
            output = _declare(op.function_type.outputs.data[0], start)
        with ImplicitBuilder(end):
            indices = cuda_tile.GetTileBlockIdOp().results[: len(self.sizes)]
            tile = TileOp(returned.operands[0], indices, self.sizes).result
            cuda_tile.StoreViewTkoOp(tile, patterns.view_of(output, self.sizes), indices)
            cuda_tile.ReturnOp()
        for added in end.ops:
            added.location = returned.location
        rewriter.erase(returned)
        rewriter.inline_block(old, InsertPoint.at_end(start), arguments)
        rewriter.inline_block(end, InsertPoint.at_end(start))
        entry = cuda_tile.EntryOp(op.sym_name.data, Region(start))
        entry.location = op.location
        rewriter.replace(op, entry)


def _declare(type: Attribute, block: Block) -> SSAValue:
    """Adds the arguments of a kernel for a tensor or scalar; returns a value of the old type."""
    types = [TileType([], element_type(type))]
    if isinstance(type, TensorType):
        types = [TileType([], PointerType(types[0].element_type)), *[INDEX] * (2 * len(type.shape))]
    arguments = [block.insert_arg(new, len(block.args)) for new in types]
    return patterns.Argument.get(arguments, [type]).results[0]


class EraseUnused(RewritePattern):
    """Ops on tensors and casts go where nothing uses them."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        is_old = op.dialect_name() != "cuda_tile" and isinstance(op.parent_op(), cuda_tile.EntryOp)
        if is_old and not any(result.uses for result in op.results):
            rewriter.erase(op)


class ConvertLinalgToCudaTilePass(ModulePass):
    """Converts functions of `linalg` on tensors to kernels of `cuda_tile`.

    The attribute `linalg_door.tile` of a function has the sizes of the result's tile, and then that
    of a tile along reductions, each a power of two.
    """

    name = "convert-linalg-to-cuda-tile"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.ops if isinstance(function, func.FuncOp)]
        kernels = cuda_tile.ModuleOp("kernels")
        for function in functions:
            check_function(function)
            *sizes, along = _tile(function)
            function.detach()
            _convert(ctx, alone := ModuleOp([function]), sizes, along)
            Rewriter.inline_block(alone.body.block, InsertPoint.at_end(kernels.body.block))
        if functions:
            op.body.block.add_op(kernels)


def _tile(function: func.FuncOp) -> Sequence[int]:
    """The sizes that a function names, or the default."""
    result = function.function_type.outputs.data[0]
    default = DEFAULT[len(result.shape) if isinstance(result, TensorType) else 0]
    named = function.attributes.get("linalg_door.tile")
    sizes = [int(n) for n in named.get_values()] if isinstance(named, DenseArrayBase) else default
    if len(sizes) != len(default) or any(n <= 0 or n & (n - 1) for n in sizes):
        fail(function, f"linalg_door.tile: expected {len(default)} powers of two, got {named}")
    return sizes


def _convert(ctx: Context, module: ModuleOp, sizes: Sequence[int], along: int) -> None:
    """Converts the only function of a module."""
    tiles = GreedyRewritePatternApplier(
        [
            patterns.TileOfArgument(),
            patterns.TileOfFill(),
            patterns.TileOfElementwise(),
            patterns.TileOfReduction(along),
            patterns.TileOfMatmul(along),
        ]
    )
    is_changed = PatternRewriteWalker(ConvertFunction(sizes)).rewrite_module(module)
    while is_changed:
        PatternRewriteWalker(patterns.HoistTile()).rewrite_module(module)
        CommonSubexpressionElimination().apply(ctx, module)
        is_changed = PatternRewriteWalker(tiles, apply_recursively=False).rewrite_module(module)
        PatternRewriteWalker(EraseUnused(), walk_reverse=True).rewrite_module(module)
