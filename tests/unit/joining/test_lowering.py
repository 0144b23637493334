"""The ways of an op of an extension from one level to the next: its own ones, and as the same op."""

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, i32
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import Pure

from tileir_xdsl import emulator
from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.extension_parts import ExtensionDialect, LoweringFactory, OpParts
from tileir_xdsl.extensions.extension import Extension
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.rewriting import replace_op
from tileir_xdsl.runtime.errors import CodeError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.targets import Target
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.patterns import ConvertOp, Replacement

from .written import known

LEVELS = ("cuda_tile", "nv_tileaa", "nv_tileas", "llvm")
TEXT = """
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
    %0 = make_token : token
    %from = make_tensor_view %a, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %to = make_tensor_view %b, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %in = make_partition_view %from : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
    %out = make_partition_view %to : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
    %i = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %in[%i] token = %0 : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %y = "mine.invert"(%x) : (!cuda_tile.tile<64xi32>) -> !cuda_tile.tile<64xi32>
    %s = store_view_tko weak %y, %out[%i] token = %0 : tile<64xi32>, partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
"""
X = np.arange(64, dtype=np.int32)


@irdl_op_definition
class InvertOp(IRDLOperation, ElementwiseOpInterface):
    """Every bit is inverted; tiles may be of any level."""

    name = "mine.invert"

    x = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    traits = traits_def(Pure())


def inverted(_op: object, x: Array) -> Array:
    return ~x


PARTS = OpParts(InvertOp, meaning=inverted, ptx="not.b32  d, x")


def extension(parts: OpParts, levels: tuple[str, ...] = LEVELS) -> Extension:
    return Extension("mine", (), (ExtensionDialect(Dialect("mine", [InvertOp]), levels),), (parts,))


def program() -> ModuleOp:
    return read_text(new_context(), TEXT, "k.mlir")


def test_it_is_the_same_op_at_every_level():
    with known(extension(PARTS)):
        for level in ("cuda_tile", "nv_tileaa", "nv_tileas"):
            found = np.zeros_like(X)
            module = lower(new_context(), program(), level, gpu="sm_90a", file="k.mlir").module
            launch(module, "k", (1, 1, 1), [X, found])
            assert (found == ~X).all(), level
        lowered = lower(new_context(), program(), "ptx", gpu="sm_90a", file="k.mlir")
        assert lowered.ptx is not None and lowered.ptx.count("not.b32") == 1
        found = np.zeros_like(X)
        emulator.load(lowered.ptx).launch("k", (1, 1, 1), [X, found])
        assert (found == ~X).all()


def by_arith(x: SSAValue) -> tuple[Operation, Operation]:
    """`-1 - x`, which is the same."""
    type = TensorType(i32, [64])
    ones = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [-1]))
    return ones, arith.SubiOp(ones.result, x)


class FromTileIR(ConvertOp[InvertOp]):
    def convert(self, op: InvertOp) -> Replacement:
        return Replacement(by_arith(self.conversion.value(op.x)))


class FromTileAA(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        replace_op(rewriter, op, by_arith(op.operands[0]))


def from_tileaa(_target: Target | None) -> RewritePattern:
    return FromTileAA()


@pytest.mark.parametrize(
    ("lowering", "levels", "after"),
    [
        ({"cuda_tile": FromTileIR}, ("cuda_tile",), "nv_tileaa"),
        ({"nv_tileaa": from_tileaa}, ("cuda_tile", "nv_tileaa"), "nv_tileas"),
    ],
)
def test_its_own_lowering_is_part_of_a_conversion(
    lowering: dict[str, LoweringFactory], levels: tuple[str, ...], after: str
):
    with known(extension(OpParts(InvertOp, meaning=inverted, lowering=lowering), levels)):
        module = lower(new_context(), program(), after, gpu="sm_90a", file="k.mlir").module
        assert not any(isinstance(op, InvertOp) for op in module.walk())
        found = np.zeros_like(X)
        launch(module, "k", (1, 1, 1), [X, found])
    assert (found == ~X).all()


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (("cuda_tile",), "cannot be converted to nv_tileaa: .* no lowering from cuda_tile"),
        (("cuda_tile", "nv_tileaa"), "to nv_tileas: .* no lowering from nv_tileaa"),
        (("cuda_tile", "nv_tileaa", "nv_tileas"), "to llvm: .* no lowering from nv_tileas"),
    ],
)
def test_a_missing_one_is_named(levels: tuple[str, ...], message: str):
    with known(extension(PARTS, levels)), pytest.raises(CodeError, match=message):
        lower(new_context(), program(), "ptx", gpu="sm_90a", file="k.mlir")
