"""Remarks on chosen and missed optimizations, per source line, in the categories of `tileiras`.

    collector = RemarkCollector(target)
    program.compile("cubin", observe=collector.observe)
    collector.remarks

Names and messages equal those of `tileiras --remarks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileir_xdsl.analysis.access.access_width import addresses_of_view
from tileir_xdsl.analysis.access.tma_access import BoxAccess, tma_problem
from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.diagnostics import (
    FEWER_RESOURCES,
    REMARK_CLASSES,
    RemarkCategory,
    RemarkKind,
    location_text,
)
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.atoms import AtomAttr
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.target_attributes import target_around
from tileir_xdsl.runtime.errors import Remark
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.transforms.tileas_assign_load_store_layouts import (
    TileASAssignLoadStoreLayoutsPass,
)
from tileir_xdsl.transforms.tileas_legalize_tmem_copy import TileASLegalizeTmemCopyPass
from tileir_xdsl.walking import ops_in

PASSED, MISSED, FAILED, _ = RemarkKind
MEMORY, TENSOR_CORE, *_ = RemarkCategory

NOTE, REASON = "note", "reason"


@dataclass(frozen=True)
class OptimizationRemark:
    """One remark: its kind, category and location, and its facts by name."""

    kind: RemarkKind
    category: RemarkCategory
    name: str
    message: str
    function: str
    location: str = ""
    """`FILE:LINE:COL`; empty if it is not known."""
    facts: tuple[tuple[str, str], ...] = ()
    reason: str = ""


ACCESSES = (
    ("tma_load", "Load", "TMA Load instruction"),
    ("ldgsts", "Load", "Ldgsts instruction"),
    ("ldg", "Load", "Global-memory load instruction"),
    ("tma_store", "Store", "TMA Store instruction"),
    ("stg", "Store", "Global-memory store instruction"),
)
"""By the prefix of an atom's name: the kind of access, and the name of the instruction."""

TENSOR_CORES = {
    MMAKind.WARP: "mma.sync",
    MMAKind.WARPGROUP: "Tensor-core SM90",
    MMAKind.TENSOR_MEMORY: "Tensor-core SM100",
}


@dataclass
class RemarkCollector:
    """Collects remarks while a program is compiled; `observe` is called after every pass.

    `target` is the target without the restrictions of an ABI.
    """

    target: Target
    remarks: list[OptimizationRemark] = field(default_factory=list[OptimizationRemark])

    def observe(self, step: ModulePass, module: ModuleOp) -> None:
        """Adds the decisions of a pass, which the module shows."""
        if isinstance(step, TileASAssignLoadStoreLayoutsPass):
            self._add(_failed_tma(module, self.target))
        elif isinstance(step, TileASLegalizeTmemCopyPass):
            self._add(remark for op in ops_in(module) for remark in _selected(op))

    def add_general(self, remarks: Iterable[Remark]) -> None:
        """Adds the remarks of the passes themselves."""
        self._add(_general(remark) for remark in remarks)

    def _add(self, remarks: Iterator[OptimizationRemark]) -> None:
        # The prologue and the epilogue of a pipelined loop repeat what is in it.
        self.remarks += dict.fromkeys(r for r in remarks if r not in self.remarks)


def _general(remark: Remark) -> OptimizationRemark:
    """The optimization remark for a remark of a pass."""
    known = REMARK_CLASSES.get(remark.name, FEWER_RESOURCES)
    location = "" if remark.line is None else f"{remark.file}:{remark.line}:{remark.column}"
    return OptimizationRemark(
        known.kind, known.category, known.name, remark.message, remark.function, location
    )


def _failed_tma(module: ModuleOp, target: Target) -> Iterator[OptimizationRemark]:
    """A remark with the reason for each access of a view that does not use TMA."""
    if Feature.TMA not in target.features:
        return
    divisibility = DivisibilityAnalysis()
    for op in ops_in(module):
        if not isinstance(op, BoxAccess):
            continue
        atom = _atom(op)
        if atom is None or atom.startswith("tma"):
            continue
        position = addresses_of_view(op.view, tile_shape(op.tile.type), divisibility)
        under = target_around(op) or target
        reason = (
            tma_problem(op, position, target)
            or tma_problem(op, position, under)
            or "another access costs less"
        )
        what = "load" if isinstance(op, LoadTileOp) else "store"
        yield _remark(
            op,
            FAILED,
            MEMORY,
            f"RemarkMemoryTma{what.capitalize()}Failed",
            f"Failed to select TMA {what} instruction",
            reason=reason,
        )


def _selected(op: Operation) -> Iterator[OptimizationRemark]:
    """Remarks on the lowering that was selected for an op."""
    if isinstance(op, MMAOp):
        yield _selected_mma(op)
    elif isinstance(op, nv_tileas.ConvertLayoutOp):
        yield _remark(
            op,
            MISSED,
            MEMORY,
            "RemarkMemoryLayoutConversionKept",
            "Conversion between layouts is kept",
            (("From", str(op.operands[0].type)), ("To", str(op.results[0].type))),
        )
    elif (atom := _atom(op)) is not None:
        for start, what, instruction in ACCESSES:
            if atom.startswith(start):
                yield _remark(
                    op,
                    PASSED,
                    MEMORY,
                    f"RemarkMemory{what}InstructionSelected",
                    f"{what} instruction selected",
                    (("Instruction", instruction), ("Atom", atom)),
                )
                return


def _selected_mma(op: MMAOp) -> OptimizationRemark:
    atom = MMA_ATOMS.get(_atom(op) or "")
    if atom is None:
        return _remark(
            op,
            FAILED,
            TENSOR_CORE,
            "RemarkTensorCoreMMA",
            "MMA operation failed to optimize to use Tensor Cores, it is using FMA instructions "
            "instead",
            (("Instruction", "FMA"), ("Shape", "[1, 1, 1]")),
        )
    facts = [("Instruction", TENSOR_CORES[atom.kind])]
    rows, depth = tile_shape(op.a.type).shape[-2:]
    columns = tile_shape(op.b.type).shape[-1]
    # The first shape that the tile is made of; smaller tiles are padded to the last one.
    fitting = (s for s in atom.shapes if s.m <= rows and s.n <= columns and s.k <= depth)
    if (shape := next(fitting, atom.shapes[-1] if atom.shapes else None)) is not None:
        facts.append(("Shape", f"[{shape.m}, {shape.n}, {shape.k}]"))
    return _remark(
        op,
        PASSED,
        TENSOR_CORE,
        "RemarkTensorCoreMMA",
        "MMA operation successfully optimized to use Tensor Cores",
        (*facts, ("Atom", atom.name)),
    )


def _atom(op: Operation) -> str | None:
    atom = op.properties.get("atom")
    return atom.data if isinstance(atom, AtomAttr) else None


def _remark(
    op: Operation,
    kind: RemarkKind,
    category: RemarkCategory,
    name: str,
    message: str,
    facts: tuple[tuple[str, str], ...] = (),
    reason: str = "",
) -> OptimizationRemark:
    function = scope_name(scope_of(op))
    location = location_text(op.location) or ""
    return OptimizationRemark(kind, category, name, message, function, location, facts, reason)
