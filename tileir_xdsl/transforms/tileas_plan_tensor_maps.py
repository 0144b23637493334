"""`tileas-plan-tensor-maps`: selects the kernels of ABI `tile` that make their own tensor maps.

    nv_tileaa.func @k(..) attributes {.., nv_tileas.device_tensor_maps}

A launch by ABI `tile` passes no tensor maps, so loads use `cp.async`. A kernel that computes many
tiles, one after the other, can make tensor maps once for all of them. The pass selects a kernel if

- a loop iterates over tiles of the grid. The loop starts at a coordinate of the tile block, with a
  step of the number of tile blocks, or takes over tile blocks;
- an inner loop has a load that TMA supports; and
- no tile block waits for another: no atomic operation, no access with a memory order.

A tile block without a free slot for its tensor maps waits until another one releases a slot. A tile
block that holds a slot must not wait itself, hence the last condition. Later passes choose layouts,
atoms and pipelines as for any other target with TMA.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.analysis.access.access_width import addresses_of_view
from tileir_xdsl.analysis.access.tma_access import object_problem
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.attributes import MemSemanticAttr
from tileir_xdsl.dialects.nv_tileaa.interfaces import OpaqueOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.resource_attributes import DEVICE_MAPS_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ancestors, ops_in


@dataclass(frozen=True)
class MarkKernel(RewritePattern):
    """Sets the attribute of a kernel that makes its own tensor maps."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        op.attributes[DEVICE_MAPS_ATTRIBUTE] = UnitAttr()
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class TileASPlanTensorMapsPass(FunctionPass):
    """Lets persistent kernels of ABI `tile` make their own tensor maps."""

    name = "tileas-plan-tensor-maps"

    device_tensor_maps: bool | None = None
    """True: kernels with a load that TMA supports make tensor maps; false: none; default:
    persistent kernels, by the conditions of the pass.
    """
    explain: str | None = None
    """The text or `.json` file for a report of the kernels."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        target, report = target_or_default(module), Report(self.name)
        kernels: list[nv_tileaa.FuncOp] = []
        for function in functions_in(scopes):
            if function.kernel_spec is None or not target.is_self_contained:
                continue
            reason = self._reason_against(function, target)
            if reason:
                report.add(function.sym_name.data, tensor_maps="none", why=reason)
            else:
                kernels.append(function)
                why = "asked for" if self.device_tensor_maps else "a loop goes over tiles"
                report.add(function.sym_name.data, tensor_maps="made by the kernel", why=why)
        for kernel in kernels:
            DispatchWalker({nv_tileaa.FuncOp: MarkKernel()}).rewrite(kernel)
        if self.explain is not None:
            write_report(report, self.explain)

    def _reason_against(self, function: nv_tileaa.FuncOp, target: Target) -> str:
        """The reason why a kernel makes no tensor maps, otherwise empty."""
        if self.device_tensor_maps is False:
            return "not asked for"
        if Feature.TENSORMAP_REPLACE not in target.features:
            return f"{target.name} has no tensormap.replace"
        if (waiting := next(_waiting_ops(function), None)) is not None:
            return f"'{waiting.name}' op may wait for another tile block"
        loads = [op for op in ops_in(function) if isinstance(op, nv_tileas.TiledLoadOp)]
        if not self.device_tensor_maps:
            loads = [load for load in loads if is_repeated_for_tiles(load)]
            if not loads:
                return "no load is in a loop inside of a loop over tiles"
        problems = _problems(loads, target) or ["nothing is loaded through views"]
        return "" if "" in problems else problems[0]


def _problems(loads: Sequence[nv_tileas.TiledLoadOp], target: Target) -> list[str]:
    """For each load, the reason against TMA if the kernel makes tensor maps, or empty."""
    divisibility, found = DivisibilityAnalysis(), list[str]()
    for load in loads:
        position = addresses_of_view(load.view, tile_shape(load.tile.type), divisibility)
        found.append(object_problem(load, position, target))
    return found


def _waiting_ops(function: nv_tileaa.FuncOp) -> Iterator[Operation]:
    """Ops by which a tile block can wait for another one."""
    for op in ops_in(function):
        order = op.properties.get("mem_semantic")
        ordered = isinstance(order, MemSemanticAttr) and order.data != MemoryOrdering.WEAK
        if ordered or "atomic" in op.name or isinstance(op, OpaqueOpInterface):
            yield op


def is_repeated_for_tiles(op: Operation) -> bool:
    """Whether an op is in a loop inside of a loop over tiles of the grid."""
    loops = [around for around in ancestors(op) if isinstance(around, scf.ForOp | scf.WhileOp)]
    return any(map(_goes_over_tiles, loops[1:]))


def _goes_over_tiles(loop: Operation) -> bool:
    if isinstance(loop, scf.ForOp):
        starts = depends_on(loop.lb, nv_tileaa.GetProgramIdOp)
        return starts and depends_on(loop.step, nv_tileaa.GetNumProgramsOp)
    return any(isinstance(op, nv_tileaa.IsValidProgramIdOp) for op in ops_in(loop))


def depends_on(value: SSAValue, source: type[Operation]) -> bool:
    """Whether a value is computed, by ops without regions, from the result of an op of type
    `source`.
    """
    pending, seen = [value], set[SSAValue]()
    while pending:
        current = pending.pop()
        owner = current.owner
        if current in seen or not isinstance(owner, Operation):
            continue
        seen.add(current)
        if isinstance(owner, source):
            return True
        if not owner.regions:
            pending += owner.operands
    return False
