"""`tileas-slice-and-fuse`: computes tiles that exceed the registers of a thread block slice by
slice.

    %x, %t = nv_tileaa.tiled_load weak %v[%i, %j] : .. -> tensor<256x512xf32>, ..
    %y = nv_tileaa.mulf %x, %x : tensor<256x512xf32>
    %u = nv_tileaa.tiled_store weak %y, %w[%i, %j] : tensor<256x512xf32>, ..
    ->
    scf.for %slice = %c0 to %c8 step %c1 {
      %k = %i * 8 + %slice
      %x, %t = nv_tileaa.tiled_load weak %v8[%k, %j] : .. -> tensor<32x512xf32>, ..
      %y = nv_tileaa.mulf %x, %x : tensor<32x512xf32>
      %u = nv_tileaa.tiled_store weak %y, %w8[%k, %j] : tensor<32x512xf32>, ..
    }

All ops on tiles that share the sliced dimension go into the loop together, including whole K loops.
Loaded values stay in registers until they are stored, and no whole tile is ever computed. The loop
carries partial results of a reduction along the sliced dimension. Users of such a reduction are in
a second loop, which loads their operands again. For a scan, the loop carries the last element.

A kernel whose tiles fit does not change. A kernel of four warps first gets eight, unless the number
was requested. The report and a remark state the tiles that did not fit, and the slices. The
attribute `nv_tileas.slices` of the function, or the option `slices`, forces a number of slices; 1
disables slicing. With `interleave` above 1, independent loops over slices get a `sliceCount`, and
`tileas-slicing` splits each of them into several loops.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.diagnostics import MORE_WARPS, SLICED, fail, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.resource_attributes import SLICES_ATTRIBUTE, WARPS_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker, WriteAttributes
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import THREADS_PER_WARP
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

from .budget import Budget, budget, expected_pressure, most_pressure
from .choice import Rejected, Slicing, best, slicings
from .rewrite import Part, slice_group

__all__ = ["TileASSliceAndFusePass", "slice_function"]

SLICE_COUNT = "sliceCount"
SLICES = (nv_tileaa.ExtractSliceOp, nv_tileaa.InsertSliceOp)
MOST_WARPS = 8
"""The fewest warps that can use all registers of a multiprocessor."""
# Bounds the time; no reference program changes with 2 or 8.
MOST_GROUPS = 4
"""The most groups of tiles that are sliced, one after the other."""


@dataclass(frozen=True)
class TileASSliceAndFusePass(FunctionPass):
    """Computes tiles that exceed the registers of a thread block slice by slice."""

    name = "tileas-slice-and-fuse"

    slices: int | None = None
    """The number of slices in each function, a power of two; 1 disables slicing."""
    interleave: int = 1
    """The number of loops into which `tileas-slicing` splits a loop over independent slices."""
    explain: str | None = None
    """The text or `.json` file for a report of the slices."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        for name, number in (("slices", self.slices), ("interleave", self.interleave)):
            if number is not None and (number < 1 or number & (number - 1)):
                raise PassFailedException(f"{name} must be a power of two, but got {number}")
        report, target = Report(self.name), target_or_default(module)
        for function in functions_in(scopes):
            forced = self.slices if self.slices is not None else asked_slices(function)
            slice_function(function, target, report, forced, self.interleave)
        if self.explain is not None:
            write_report(report, self.explain)


def asked_slices(function: nv_tileaa.FuncOp) -> int | None:
    """The number of slices in the attribute of a function."""
    asked = function.attributes.get(SLICES_ATTRIBUTE)
    if asked is None:
        return None
    if not isinstance(asked, IntegerAttr):
        fail(function, f"'{function.name}' op expects {SLICES_ATTRIBUTE} to be an integer")
    number = asked.value.data
    if number < 1 or number & (number - 1):
        fail(
            function,
            f"'{function.name}' op expects {SLICES_ATTRIBUTE} to be a power of two, got {number}",
        )
    return number


def slice_function(
    function: nv_tileaa.FuncOp,
    target: Target,
    report: Report,
    forced: int | None = None,
    interleave: int = 1,
) -> None:
    """Slices the tiles of a kernel until they fit, or into a forced number of slices."""
    # Only a kernel says how many warps, and so how many registers, it has.
    if function.kernel_spec is None:
        return
    if any(isinstance(op, SLICES) for op in ops_in(function)):
        slice_indexed_loops(function, report)
    if forced == 1:
        return
    if forced is None and raise_warps(function, target, report):
        return
    limits = budget(function, target)
    parts: dict[scf.ForOp, Sequence[Part]] = {}
    _slice_groups(function, target, limits, report, forced, interleave, parts)
    # After the last group, as whole tiles that nobody reads would count as registers.
    if parts:
        from .chains import insert_slices  # noqa: PLC0415

        insert_slices(function, parts)


def slice_indexed_loops(function: nv_tileaa.FuncOp, report: Report) -> None:
    """Marks loops that extract slices by their induction variable, so that `tileas-slicing` unrolls
    them.
    """
    # Few kernels take tiles apart.
    from .indexed_slices import indexed_loops  # noqa: PLC0415

    assert function.kernel_spec is not None
    loops = indexed_loops(function, function.kernel_spec.num_warps.data * THREADS_PER_WARP)
    for loop in loops.values():
        report.add(
            function.sym_name.data,
            loop_iterations=loop.trips,
            slices=loop.trips if loop.pays else 1,
            staged_bytes=loop.staged_bytes,
            elements_of_a_thread=loop.trips * loop.work,
            why="it takes slices of a register tile by its induction variable",
        )
    chosen: dict[Operation, Mapping[str, Attribute]] = {
        loop: found.attributes for loop, found in loops.items() if found.pays
    }
    WriteAttributes(chosen).execute(function)


def _slice_groups(
    function: nv_tileaa.FuncOp,
    target: Target,
    limits: Budget,
    report: Report,
    forced: int | None,
    interleave: int,
    parts: dict[scf.ForOp, Sequence[Part]],
) -> None:
    """Slices one group of tiles after the other; `parts` records the slices that each loop
    computes.
    """
    # Slicing one group may leave another that is too large for the registers.
    for _ in range(MOST_GROUPS if forced is None else 1):
        pressure = expected_pressure(function, target)
        # All registers, not the goal: what fits is faster in one piece.
        there = limits.at(pressure.op)
        if forced is None and pressure.registers <= there:
            return
        candidates = list(slicings(function, target, limits, forced))
        slicing = best(candidates, limits)
        name = function.sym_name.data
        if slicing is None or (forced is None and slicing.registers >= pressure.registers):
            rejected = {
                _label(w.tile, w.dim): w.reason for w in candidates if isinstance(w, Rejected)
            }
            # The last rung: the assembler spills what exceeds the registers.
            report.add(
                name,
                remark=f"{pressure.registers} registers are needed, {there} are available, "
                "and no tile can be sliced",
                local_memory=limits.spilled_bytes(pressure.registers),
                rejected=rejected,
            )
            if forced is not None:
                fail(function, f"'{function.name}' op has no tiles to divide into {forced} slices")
            return
        _slice(
            function,
            slicing,
            pressure.registers,
            there,
            report,
            interleave,
            forced is not None,
            parts,
        )


def raise_warps(function: nv_tileaa.FuncOp, target: Target, report: Report) -> bool:
    """Gives a kernel more warps if its tiles exceed their registers, unless the number of warps was
    requested.

    Returns whether all tiles are known to fit, even with elements in separate registers
    (`most_pressure`).
    """
    spec, name = function.kernel_spec, function.sym_name.data
    if spec is None or spec.num_warps.data >= MOST_WARPS or WARPS_ATTRIBUTE in function.attributes:
        return False
    limits, pressure = budget(function, target), most_pressure(function, target)
    if pressure.registers <= limits.held:
        return True
    report.add(
        name,
        warps=MOST_WARPS,
        registers_needed=pressure.registers,
        registers_held=limits.held,
        why=f"the tiles exceed the registers of {spec.num_warps.data} warps",
    )
    remark(
        function,
        MORE_WARPS,
        f"tiles in use need {pressure.registers} registers, {spec.num_warps.data} warps have "
        f"{limits.held}: kernel '{name}' has {MOST_WARPS} warps",
    )
    DispatchWalker({nv_tileaa.FuncOp: RaiseWarps()}).rewrite(function)
    return False


class RaiseWarps(RewritePattern):
    """Sets the number of warps of a kernel to `MOST_WARPS`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        spec = op.kernel_spec
        assert spec is not None
        occupancy = getattr(spec.occupancy, "data", None)
        op.kernel_spec = KernelSpecAttr(MOST_WARPS, spec.num_ctas.data, occupancy)
        rewriter.notify_op_modified(op)


def _slice(
    function: nv_tileaa.FuncOp,
    slicing: Slicing,
    registers: int,
    there: int,
    report: Report,
    interleave: int,
    is_forced: bool,
    parts: dict[scf.ForOp, Sequence[Part]],
) -> None:
    """Applies a slicing, and adds it to the report and remarks."""
    shape = "x".join(map(str, slicing.tile.type.get_shape()))  # pyright: ignore
    report.add(
        function.sym_name.data,
        tile=_label(slicing.tile, slicing.dim),
        slices=slicing.count,
        loops=len(slicing.phases.loops),
        registers_needed=registers,
        registers_held=there,
        registers_of_slices=slicing.registers,
        why="asked for" if is_forced else "the tiles exceed the registers",
    )
    owner = slicing.tile.owner
    at = owner if isinstance(owner, Operation) else function
    loops = "" if len(slicing.phases.loops) == 1 else f", in {len(slicing.phases.loops)} loops"
    reason = (
        f"{slicing.count} slices were asked for"
        if is_forced
        else f"tiles in use need {registers} registers, the thread block has {there}"
    )
    remark(
        at,
        SLICED,
        f"{reason}: dimension {slicing.dim} of the tile of {shape} is computed in "
        f"{slicing.count} slices{loops}",
    )
    for loop in slice_group(slicing.phases, slicing.count, parts):
        loop.attributes[SLICES_ATTRIBUTE] = IntegerAttr(slicing.count, i32)
        # Loops of their own may run in any order, so no slice may need what another computed.
        if 1 < interleave <= slicing.count and not _carries_values(loop):
            loop.attributes[SLICE_COUNT] = IntegerAttr(interleave, i32)


def _carries_values(loop: scf.ForOp) -> bool:
    """Whether a slice needs values of the previous slice."""
    return any(not isinstance(value.type, MemTokenType) for value in loop.results)


def _label(tile: SSAValue, dim: int) -> str:
    """The text for a dimension of a tile in reports."""
    owner = tile.owner
    made = owner.name if isinstance(owner, Operation) else "argument"
    return f"{made} %{tile.name_hint or '?'} : {tile.type}, dimension {dim}"
