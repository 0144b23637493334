"""Finds the ops of `nv_tileaa` that the passes for a CPU do not support.

A kernel with such an op runs in the interpreter. Some ops are supported only for some types, or
without some modifiers.
"""

from collections.abc import Callable, Mapping

from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import (
    Float32Type,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.iteration_space.index_maps import NotRepresentableError
from tileir_xdsl.analysis.iteration_space.tile_ops import moved_from
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering, RMWMode
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, MemTokenType, TiledViewType, tile_shape
from tileir_xdsl.rewriting import look_up
from tileir_xdsl.transforms.convert_tileaa_to_tilecpu.whole_ops import described
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.dots import why_not_lowered
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.elementwise import is_covered, llvm_element
from tileir_xdsl.walking import ops_in

FLOAT_MODES = (RMWMode.ADDF,)
"""The atomic modes that exist only for floats."""

BOTH_MODES = (RMWMode.ADD, RMWMode.MAX, RMWMode.MIN, RMWMode.XCHG)
"""The atomic modes for integers and floats."""


def uncovered(module: ModuleOp) -> list[Operation]:
    """The ops of a module that the CPU passes do not support, in program order."""
    return [
        op
        for function in ops_in(module)
        if isinstance(function, nv_tileaa.FuncOp)
        for op in ops_in(function)
        if not _has_code(op)
    ]


def check_covered(module: ModuleOp) -> None:
    """Raises `PassFailedException` for the first op that the CPU passes do not support."""
    found = uncovered(module)
    if found:
        names = sorted({op.name for op in found} - {found[0].name})
        rest = f" (nor have {', '.join(names)})" if names else ""
        fail(found[0], f"'{found[0].name}' has no code for a CPU{rest}")


def _has_code(op: Operation) -> bool:
    check = look_up(_CHECKS, op)
    return is_covered(op) if check is None else check(op) and _has_types(op)


def _has_types(op: Operation) -> bool:
    """Whether the CPU passes support the types of all operands and results of an op."""
    arguments = [arg.type for region in op.regions for block in region.blocks for arg in block.args]
    return all(map(_has_type, (*op.operand_types, *op.result_types, *arguments)))


def _has_type(value_type: Attribute) -> bool:
    match value_type:
        case MemTokenType():
            return True
        case MemRefType() | TiledViewType():
            return llvm_element(value_type.element_type) is not None
        case _:
            return llvm_element(tile_shape(value_type).element) is not None


def _always(_op: Operation) -> bool:
    return True


def _moved(op: Operation) -> bool:
    try:
        moved_from(op)
    except NotRepresentableError:
        return False
    return True


def _is_weak(op: Operation) -> bool:
    assert isinstance(op, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp)
    return op.mem_semantic.data == MemoryOrdering.WEAK


def _block_tile(op: Operation) -> bool:
    assert isinstance(op, nv_tileaa.BlockTileOp)
    return all(len(group) == 1 for group in op.get_dim_groups())


def _kernel(op: Operation) -> bool:
    assert isinstance(op, nv_tileaa.FuncOp)
    return op.kernel_spec is not None and len(op.body.blocks) == 1


def _straight(op: Operation) -> bool:
    """Whether the body of a reduction or scan has no branches."""
    return not any(inner.regions for inner in op.regions[0].block.ops)


def _extract(op: Operation) -> bool:
    assert isinstance(op, nv_tileaa.ExtractOp)
    return not op.indices


def _program_id(op: Operation) -> bool:
    assert isinstance(op, nv_tileaa.GetProgramIdOp)
    return op.program is None


def _dot(op: Operation) -> bool:
    assert isinstance(op, nv_tileaa.DotOp)
    precision = None if op.input_precision is None else op.input_precision.data
    # The operands would be rounded before.
    is_rounded = precision == "tf32" and isinstance(element_type(op.a), Float32Type)
    return op.sfa is None and not is_rounded and why_not_lowered(described(op)) is None


def _atomic(op: Operation) -> bool:
    assert isinstance(op, nv_tileaa.AtomicRMWOp | nv_tileaa.TiledAtomicRMWOp)
    mode, is_integer = op.rmw_mode.data, isinstance(element_type(op.value), IntegerType)
    return is_integer != (mode in FLOAT_MODES) or mode in BOTH_MODES


_CHECKS: Mapping[type[Operation], Callable[[Operation], bool]] = {
    **dict.fromkeys(
        (
            nv_tileaa.BroadcastOp,
            nv_tileaa.ExpandDimsOp,
            nv_tileaa.PermuteOp,
            nv_tileaa.ViewOp,
        ),
        _moved,
    ),
    **dict.fromkeys(
        (
            arith.ConstantOp,
            nv_tileaa.AssertOp,
            nv_tileaa.AssumeOp,
            nv_tileaa.AtomicCASOp,
            nv_tileaa.CatOp,
            nv_tileaa.CreateMemTokenOp,
            nv_tileaa.ExtractSliceOp,
            nv_tileaa.GetDimSizeOp,
            nv_tileaa.GetNumProgramsOp,
            nv_tileaa.InsertSliceOp,
            nv_tileaa.JoinMemTokenOp,
            nv_tileaa.LoadOp,
            nv_tileaa.MakeMemRefOp,
            nv_tileaa.MakeRangeOp,
            nv_tileaa.PrintOp,
            nv_tileaa.ReturnOp,
            nv_tileaa.SplatOp,
            nv_tileaa.StoreOp,
            nv_tileaa.YieldOp,
            scf.ConditionOp,
            scf.ForOp,
            scf.IfOp,
            scf.WhileOp,
            scf.YieldOp,
            ub.PoisonOp,
        ),
        _always,
    ),
    nv_tileaa.AtomicRMWOp: _atomic,
    nv_tileaa.BlockTileOp: _block_tile,
    nv_tileaa.DotOp: _dot,
    nv_tileaa.ExtractOp: _extract,
    nv_tileaa.FuncOp: _kernel,
    nv_tileaa.GenerateOp: _straight,
    nv_tileaa.GetProgramIdOp: _program_id,
    nv_tileaa.ReduceOp: _straight,
    nv_tileaa.ScanOp: _straight,
    nv_tileaa.TiledAtomicRMWOp: _atomic,
    nv_tileaa.TiledLoadOp: _is_weak,
    nv_tileaa.TiledStoreOp: _is_weak,
}
"""Conditions under which ops are supported; other ops must be elementwise."""
