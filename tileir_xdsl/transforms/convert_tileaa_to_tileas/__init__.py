"""`convert-tileaa-to-tileas`: converts ops on memory, layouts or matrix units to `nv_tileas`.

Loads and stores, views and slices, dots, reductions and scans change dialect, each to the op of the
same name if one exists. Operands, memory order, scope, padding, bounds and hints are kept. All
other ops stay in `nv_tileaa`, `arith`, `math` and `scf`.

    %x, %t1 = nv_tileaa.tiled_load weak %v[%i] token = %t : ..
    ->
    %x, %t1 = nv_tileas.tiled_load weak %v[%i] token = %t : ..

Agents and the queues between them become an `agent_switch` with pipelines: see `agents`.

An op's witness, which is a copy, matrix or reduce atom, is kept. A dot gets an atom of the module's
target; layout assignment selects the atom of a copy or reduction without a witness. A dot of a
select is simplified if the selected value is known, or known to be zero: see
`builders.dot_simplification`. An accumulator of zeros becomes an allocation that is filled. A dot
whose operands are loaded whole along a long K becomes a loop over parts of K: see `deep_dots`.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
)

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.target_attributes import target_of
from tileir_xdsl.levels import extension_ops, missing_lowering
from tileir_xdsl.rewriting import (
    ConversionTarget,
    DispatchWalker,
    PatternTable,
    apply_partial_conversion,
)
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ops_in

from . import agents
from .dots import ConvertDot, ScaledMMA
from .legality import legality_of
from .patterns import Rebuild
from .queue_endpoints import FAILURE
from .regions import REGIONS
from .shapes import ALLOCATIONS, SHAPES
from .tiled_accesses import MEMORY


def patterns(
    target: Target | None, scaled: ScaledMMA = ScaledMMA.ANY
) -> dict[type[Operation], Rebuild]:
    """The pattern of each op that is converted on its own; without a target, dots are refused."""
    return {
        **MEMORY,
        **SHAPES,
        **REGIONS,
        nv_tileaa.DotOp: ConvertDot(nv_tileas.DotOp, target, scaled),
    }


def extension_patterns(target: Target | None) -> PatternTable:
    """The patterns of extension ops, except ops of `nv_tileas`."""
    known = extension_ops("nv_tileaa")
    table: dict[type[Operation], RewritePattern] = {
        op: RefuseOp() for op in known.keys() - extension_ops("nv_tileas").keys()
    }
    for op, each in known.items():
        if (lower := each.parts.lowering.get("nv_tileaa")) is not None:
            table[op] = lower(target)
    return table


class RefuseOp(RewritePattern):
    """Refuses an extension op that has no lowering to `nv_tileas`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        reason = missing_lowering(op, "nv_tileaa")
        fail(op, f"'{op.name}' op cannot be converted to nv_tileas{reason}")


def counterparts() -> dict[type[Operation], tuple[type[Operation], ...]]:
    """The ops that replace each converted op, the counterpart first."""
    alone = {op: (p.counterpart, *p.introduced) for op, p in patterns(None).items()}
    return {**alone, **agents.CONVERTED}


@dataclass(frozen=True)
class TileASConversionTarget(ConversionTarget):
    """The legality of `ConversionTarget`, with queue types also illegal."""

    def is_legal_type(self, type: Attribute) -> bool:
        return super().is_legal_type(type) and not isinstance(type, nv_tileaa.QueueType)


TARGET = TileASConversionTarget(
    illegal_ops=frozenset(op.name for op in counterparts()),
    illegal_dialects=frozenset({"cuda_tile"}),
    failure=FAILURE,
)


@dataclass(frozen=True)
class ConvertTileAAToTileASPass(ModulePass):
    """Converts `nv_tileaa` ops that have a counterpart in `nv_tileas`; see the module."""

    name = "convert-tileaa-to-tileas"

    warp_scaled_mma: bool = False
    """Whether block-scaled dots use only `mma.sync`."""
    packed_scaled_mma: bool = False
    """Whether block-scaled dots of four-bit elements read bytes that pack two elements, as in
    memory.
    """
    warp_scaled_products: bool = False
    """The former name of `warp_scaled_mma`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # First, since the bodies of agents move into regions of a new op, and are converted there.
        agents.convert_agents(op)
        target = target_of(op)
        scaled = ScaledMMA.PACKED if self.packed_scaled_mma else ScaledMMA.ANY
        if self.warp_scaled_mma or self.warp_scaled_products:
            scaled = ScaledMMA.OF_WARPS
        # Rules that refuse an op come last and win over those that convert it.
        table = {
            **patterns(target, scaled),
            **ALLOCATIONS,
            **legality_of(target),
            **extension_patterns(target),
        }
        apply_partial_conversion(op, table, TARGET)
        simplify_dots(op)


def simplify_dots(module: ModuleOp) -> None:
    """Simplifies dots of selects, and turns deep dots into loops."""
    dots = nv_tileas.DotOp, nv_tileas.AsyncDotOp
    if not any(isinstance(op, dots) for op in ops_in(module)):
        return
    # Imported where there is a dot: most kernels have none.
    from tileir_xdsl.builders.dot_simplification import DOT_SIMPLIFICATIONS  # noqa: PLC0415

    from .deep_dots import LoopOverDeepDot  # noqa: PLC0415

    patterns = GreedyRewritePatternApplier(
        [*DOT_SIMPLIFICATIONS, LoopOverDeepDot()], dce_enabled=False
    )
    DispatchWalker(dict.fromkeys(dots, patterns)).rewrite(module)
