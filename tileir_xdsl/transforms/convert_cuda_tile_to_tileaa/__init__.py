"""`convert-cuda-tile-to-tileaa`: the first lowering, which leaves no `cuda_tile` ops.

Tiles become tensors and rank-0 tiles scalars, views become memory objects with tiled views, and
tokens become `mem_token`s. Three populators and the singletons provide the patterns, in this order.
Each op is rebuilt once, with its rounding, overflow flags, memory order, padding, bounds, hints of
the target and assumptions.

    %1 = addf %tile, %tile_10 : tile<1024xf32>
    ->
    %1 = nv_tileaa.addf %tile, %tile_10 : tensor<1024xf32>
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    RewritePattern,
)
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.cuda_tile.core import FunctionOperation
from tileir_xdsl.dialects.target_attributes import (
    ABI_ATTRIBUTE,
    CAPABILITY_ATTRIBUTE,
    TARGET_ATTRIBUTE,
    abi_named,
    abi_of,
)
from tileir_xdsl.dialects.target_attributes import named_target as module_target
from tileir_xdsl.rewriting import (
    Conversion,
    ConversionTarget,
    DispatchWalker,
    PatternTable,
    Walker,
    convert_ops,
    reject_illegal_ops,
)
from tileir_xdsl.targets import (
    DEFAULT_TARGET,
    Target,
    UnknownTargetError,
    UnsupportedABIError,
    get_target,
    under_abi,
)

from .control_flow import StructureControlFlow
from .forced_spec import ForcedSpec
from .input_remarks import remark_input
from .patterns import extension_patterns
from .populators import POPULATORS
from .singletons import SINGLETONS
from .target_support import check_support
from .types import type_converter

INVALID_CAPABILITY = "invalid or missing --compute-capability option"
FROM_MODULE = "module"
"""The option's value for the module's target, or the default target if it has none."""

CONVERSION_TARGET = ConversionTarget(
    failure="failed to convert cuda_tile to nv_tileaa", illegal_dialects=frozenset({"cuda_tile"})
)


def patterns(conversion: Conversion, target: Target) -> PatternTable:
    """All patterns, populators first, then the singletons."""
    table: dict[type[Operation], RewritePattern] = {}
    for populate in (*POPULATORS, *SINGLETONS, extension_patterns):
        # A later entry replaces an earlier one, so singletons win over populators.
        table.update(populate(conversion, target))
    return table


def convert(
    module: ModuleOp,
    target: Target,
    conversion: Conversion,
    user_patterns: Sequence[RewritePattern] = (),
) -> None:
    """Converts all functions; raises `PassFailedException` if an op of `cuda_tile` is left."""
    # Functions alone: each rewrites its whole body, and a walk would meet ops that are gone.
    DispatchWalker({FunctionOperation: StructureControlFlow()}).rewrite(module)
    # Control flow is structured by now: early exits have become values of `scf` ops.
    convert_ops(module, patterns(conversion, target), conversion)
    if user_patterns:
        applier = GreedyRewritePatternApplier(list(user_patterns), dce_enabled=False)
        Walker(applier, apply_recursively=False).rewrite_module(module)
    reject_illegal_ops(module, CONVERSION_TARGET)


@dataclass(frozen=True)
class ConvertCudaTileToTileAAPass(ModulePass):
    """Converts all `cuda_tile` modules for one target; see the module's documentation."""

    name = "convert-cuda-tile-to-tileaa"

    compute_capability: str | int | None = FROM_MODULE
    """`90`, `sm_90`, `sm_90a`, ..; by default the module's target, or sm_90a if it has none.

    Unsupported ops are refused only if the option or the module names a target.
    """
    abi: str | None = None
    """The launch ABI of kernels, `native` or `tile`; by default the module's, or `native`."""
    patterns: str | None = None
    """A file of PDL patterns that run last; see `user_patterns`."""
    num_warps: int | None = None
    """The number of warps of all kernels; it overrides hints."""
    num_ctas: int | None = None
    """The number of thread blocks in all kernels' clusters; it overrides hints."""
    occupancy: int | None = None
    """The number of thread blocks on a multiprocessor; it overrides hints."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        named = self._named_target(op)
        target = get_target(DEFAULT_TARGET) if named is None else named
        self._check_abi(op, target)
        # The default target only fills in facts; refusing ops for its sake would surprise.
        if named is not None:
            check_support(op, named)
        remark_input(op, target)
        forced = ForcedSpec(self.num_warps, self.num_ctas, self.occupancy)
        # Hints are set on `cuda_tile` functions, since the patterns turn them into properties.
        forced.set_hints(op, target)
        convert(op, target, Conversion(type_converter()), self._user_patterns(ctx))
        forced.set_warps(op)
        op.attributes[CAPABILITY_ATTRIBUTE] = IntegerAttr(target.compute_capability, i32)
        op.attributes[TARGET_ATTRIBUTE] = StringAttr(target.name)
        if self.abi is not None:
            op.attributes[ABI_ATTRIBUTE] = StringAttr(self.abi)

    def _check_abi(self, module: ModuleOp, target: Target) -> None:
        """Raises `PassFailedException` for an ABI that the target cannot implement."""
        try:
            under_abi(target, abi_of(module) if self.abi is None else abi_named(self.abi))
        except UnsupportedABIError as error:
            raise PassFailedException(str(error)) from error

    def _user_patterns(self, ctx: Context) -> Sequence[RewritePattern]:
        if self.patterns is None:
            return ()
        # The interpreter of PDL takes a while to load.
        from .user_patterns import read_patterns

        return read_patterns(ctx, self.patterns)

    def _named_target(self, module: ModuleOp) -> Target | None:
        """The target of the option or of the module; None if neither has one."""
        name = self.compute_capability
        if name == FROM_MODULE:
            name = module_target(module)
            if name is None:
                return None
        try:
            if name is None or name == "":
                raise UnknownTargetError(name)
            return get_target(name)
        except UnknownTargetError as error:
            raise PassFailedException(INVALID_CAPABILITY) from error
