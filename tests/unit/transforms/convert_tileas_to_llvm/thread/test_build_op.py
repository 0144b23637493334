"""An op that is copied from one like it is the same as one that is constructed."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation

from tileir_xdsl.dialects.llvm.values import ExtractElementOp
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import build_op

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
