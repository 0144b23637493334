"""Elementwise ops: one llvm op for every register."""

from collections.abc import Callable

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.attributes import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape

from .builder import ICMP_PREDICATES
from .patterns import LowerOp, Patterns
from .values import ThreadProgram, register_type

ROUNDING_SUFFIXES = {
    RoundingMode.NEAREST_EVEN: "rn",
    RoundingMode.ZERO: "rz",
    RoundingMode.NEGATIVE_INF: "rm",
    RoundingMode.POSITIVE_INF: "rp",
}
"""How PTX, and LLVM's NVVM intrinsics after it, spell the IEEE rounding modes."""

INTRINSIC_TYPES: dict[type[Attribute], str] = {Float32Type: "f", Float64Type: "d"}
"""Element types that the rounding intrinsics of LLVM's NVPTX backend exist for."""


def lower_unary(
    op: Operation, program: ThreadProgram, emit: Callable[[SSAValue], SSAValue]
) -> None:
    """Applies `emit` to every register of the operand."""
    (operand,) = op.operands
    program.registers[op.results[0]] = tuple(map(emit, program.registers[operand]))


def lower_binary(
    op: Operation, program: ThreadProgram, emit: Callable[[SSAValue, SSAValue], SSAValue]
) -> None:
    """Applies `emit` to the registers of both operands, pair by pair."""
    lhs, rhs = op.operands
    pairs = zip(program.registers[lhs], program.registers[rhs], strict=True)
    program.registers[op.results[0]] = tuple(emit(*pair) for pair in pairs)


class LowerAddF(LowerOp[nv_tileaa.AddFOp]):
    """`llvm.fadd` rounds to nearest even; other modes, and flushing, are NVVM intrinsics."""

    def lower(self, op: nv_tileaa.AddFOp, program: ThreadProgram) -> None:
        builder, flush = program.builder, op.flush_to_zero is not None
        if op.rounding_mode.data == RoundingMode.NEAREST_EVEN and not flush:
            lower_binary(op, program, lambda lhs, rhs: builder.insert(llvm.FAddOp(lhs, rhs)))
            return
        element = tile_shape(op.result.type).element
        suffix = ROUNDING_SUFFIXES.get(op.rounding_mode.data)
        type_suffix = INTRINSIC_TYPES.get(type(element))
        if suffix is None or type_suffix is None:
            fail(op, f"'{op.name}' op rounding {op.rounding_mode.data} of {element} is unsupported")
        intrinsic = f"llvm.nvvm.add.{suffix}.{'ftz.' if flush else ''}{type_suffix}"
        lower_binary(
            op,
            program,
            lambda lhs, rhs: builder.insert(llvm.CallIntrinsicOp(intrinsic, [lhs, rhs], [element])),
        )


class LowerAddI(LowerOp[nv_tileaa.AddIOp]):
    """Wrapping addition; flags that promise more are dropped, which is always allowed."""

    def lower(self, op: nv_tileaa.AddIOp, program: ThreadProgram) -> None:
        insert = program.builder.insert
        lower_binary(op, program, lambda lhs, rhs: insert(llvm.AddOp(lhs, rhs)))


class LowerMulI(LowerOp[arith.MuliOp]):
    """Wrapping multiplication; a factor that is constantly one costs nothing."""

    def lower(self, op: arith.MuliOp, program: ThreadProgram) -> None:
        builder = program.builder
        lower_binary(op, program, lambda lhs, rhs: builder.insert(llvm.MulOp(lhs, rhs)))


class LowerCmpI(LowerOp[arith.CmpiOp]):
    def lower(self, op: arith.CmpiOp, program: ThreadProgram) -> None:
        compare, predicate = program.builder.compare, ICMP_PREDICATES[op.predicate.value.data]
        lower_binary(op, program, lambda lhs, rhs: compare(predicate, lhs, rhs))


class LowerExtSI(LowerOp[arith.ExtSIOp]):
    def lower(self, op: arith.ExtSIOp, program: ThreadProgram) -> None:
        insert, type = program.builder.insert, tile_shape(op.result.type).element
        lower_unary(op, program, lambda source: insert(llvm.SExtOp(source, type)))


class LowerExtUI(LowerOp[arith.ExtUIOp]):
    def lower(self, op: arith.ExtUIOp, program: ThreadProgram) -> None:
        insert, type = program.builder.insert, tile_shape(op.result.type).element
        lower_unary(op, program, lambda source: insert(llvm.ZExtOp(source, type)))


class LowerAddPtr(LowerOp[nv_tileaa.AddPtrOp]):
    """Offsets are signed and count elements, as the indices of `llvm.getelementptr` do."""

    def lower(self, op: nv_tileaa.AddPtrOp, program: ThreadProgram) -> None:
        pointer_type = tile_shape(op.pointer.type).element
        assert isinstance(pointer_type, PointerType)
        element, builder = register_type(op, pointer_type.pointee), program.builder
        lower_binary(
            op,
            program,
            lambda pointer, offset: builder.element_pointer(pointer, offset, element),
        )


PATTERNS: Patterns = {
    arith.CmpiOp: LowerCmpI,
    arith.ExtSIOp: LowerExtSI,
    arith.ExtUIOp: LowerExtUI,
    arith.MuliOp: LowerMulI,
    nv_tileaa.AddFOp: LowerAddF,
    nv_tileaa.AddIOp: LowerAddI,
    nv_tileaa.AddPtrOp: LowerAddPtr,
}
