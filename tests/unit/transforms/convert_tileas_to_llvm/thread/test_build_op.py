"""An op that is copied from one like it is the same as one that is constructed."""

from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.llvm.values import ExtractElementOp
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import (
    KnownValues,
    LLVMBuilder,
    build_op,
)
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.elementwise import call_intrinsic

INTEGERS = (IntegerType(8), i32, i64)
FLOATS = (f32, f64)
BINARY = (
    *((op, (type, type)) for op in (llvm.AddOp, llvm.MulOp, llvm.ShlOp) for type in INTEGERS),
    *((op, (type, type)) for op in (llvm.FAddOp, llvm.FDivOp) for type in FLOATS),
    (llvm.SelectOp, (i1, f32, f32)),
    (llvm.SelectOp, (i1, i64, i64)),
    (llvm.FMAOp, (f64, f64, f64)),
    (ExtractElementOp, (VectorType(f32, (4,)), i32)),
    (llvm.InsertElementOp, (VectorType(f32, (2,)), f32, i32)),
)


def check(op: type[Operation], types: tuple[Attribute, ...], *further: object) -> None:
    block = Block(arg_types=[*types, *types])
    first, second = block.args[: len(types)], block.args[len(types) :]
    expected, made = op(*second, *further), build_op(op, *second, *further)
    assert made is not expected
    assert made.is_structurally_equivalent(expected)
    other = build_op(op, *first, *further)
    assert list(other.operands) == list(first)
    assert other.properties == expected.properties
    assert other.properties is not made.properties
    other.verify()


def test_copies_are_like_constructed_ops():
    # Twice: what is made first is what others are copied from.
    for op, types in (*BINARY, *BINARY):
        check(op, types)
    for predicate in (0, 3, 0, 3):
        check(llvm.ICmpOp, (i32, i32), IntegerAttr(predicate, i64))
    for type in (i64, IntegerType(128), i64):
        check(llvm.ZExtOp, (i32,), type)


def test_a_change_of_one_op_does_not_reach_others():
    block = Block(arg_types=[i32, i32])
    changed = build_op(llvm.AddOp, *block.args)
    changed.properties.clear()
    changed.attributes["note"] = i32
    fresh = build_op(llvm.AddOp, *block.args)
    lhs, rhs = block.args
    assert fresh.is_structurally_equivalent(llvm.AddOp(lhs, rhs))


def test_ops_keep_their_own_fast_math_flags():
    fast, none = (llvm.FastMathAttr(flags) for flags in ("fast", None))
    for flags in (none, fast, none, fast):
        block = Block(arg_types=[f32, f32])
        made = build_op(llvm.FAddOp, *block.args, fast_math=flags)
        lhs, rhs = block.args
        assert made.is_structurally_equivalent(llvm.FAddOp(lhs, rhs, fast_math=flags))
    plain = build_op(llvm.FAddOp, *block.args)
    assert plain.is_structurally_equivalent(llvm.FAddOp(lhs, rhs))


def test_pointers_and_intrinsics_are_like_constructed_ops():
    block = Block(arg_types=[llvm.LLVMPointerType(), i64, f32, f32])
    Region(block)
    pointer, offset, *values = block.args
    builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    dynamic, type = llvm.GEP_USE_SSA_VAL, llvm.LLVMPointerType()
    for element in (f32, f64):
        made = builder.element_pointer(pointer, 3, element).owner
        assert isinstance(made, Operation)
        expected = llvm.GEPOp(pointer, [3], element, result_type=type)
        assert made.is_structurally_equivalent(expected)
        made = builder.element_pointer(pointer, offset, element).owner
        assert isinstance(made, Operation)
        expected = llvm.GEPOp(pointer, [dynamic], element, [offset], result_type=type)
        assert made.is_structurally_equivalent(expected)
    for count in (1, 2, 1):
        made = call_intrinsic(builder, "llvm.nvvm.some.f", f32, *values[:count]).owner
        assert isinstance(made, Operation)
        expected = llvm.CallIntrinsicOp("llvm.nvvm.some.f", values[:count], [f32])
        assert made.is_structurally_equivalent(expected)
        made.verify()
