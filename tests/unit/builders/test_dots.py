"""Products with a zero accumulator, under a condition, in a loop, of masked inputs."""

from collections.abc import Sequence

import pytest
from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, TensorType, f16, f32, i1, i8, i32
from xdsl.ir import BlockArgument

from tests.unit.builders.building import build
from tileir_xdsl.builders.dots import (
    DotAttributes,
    DotInputs,
    build_dot_loop,
    build_masked_dot,
    build_predicated_dot,
    build_zero_accumulator_dot,
    zero_of,
)
from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileas import AtomAttr
from tileir_xdsl.testing.tools import check

A = TensorType(f16, [16, 32])
B = TensorType(f16, [32, 8])
C = TensorType(f32, [16, 8])
ATTRIBUTES = DotAttributes(AtomAttr("mma_f16_f16_f32"), fast_acc=True)
DOT = "{atom = #nv_tileas<atom mma_f16_f16_f32>, fast_acc}"


def test_zero_accumulator():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        build_zero_accumulator_dot(builder, DotInputs(args[0], args[1]), C, ATTRIBUTES)

    check(
        build([A, B], body),
        f"""
        // CHECK: [[S:%.*]] = nv_tileas.alloc_tensor : tensor<16x8xf32>
        // CHECK-NEXT: [[Z:%.*]] = arith.constant 0.000000e+00 : f32
        // CHECK-NEXT: [[T:%.*]] = nv_tileaa.splat [[Z]] : f32 -> tensor<16x8xf32>
        // CHECK-NEXT: [[C:%.*]] = nv_tileas.insert_slice [[T]] into [[S]][0, 0][16, 8][1, 1]
        // CHECK-NEXT: nv_tileas.dot %a, %b, [[C]] {DOT}
        """,
    )


def test_signs_reach_the_product():
    sign = SignednessAttr(Signedness.SIGNED)
    types = [TensorType(i8, [16, 32]), TensorType(i8, [32, 8])]

    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        attributes = DotAttributes(signedness_a=sign, signedness_b=sign)
        build_zero_accumulator_dot(
            builder, DotInputs(args[0], args[1]), TensorType(i32, [16, 8]), attributes
        )

    text = build(types, body)
    assert text.count("#nv_tileaa.signedness<signed>") == 2


def test_zero_of_a_type_without_zero():
    with pytest.raises(ValueError, match="expected an integer or float type, got index"):
        zero_of(IndexType())


def test_predicate_guards_the_product():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        a, b, c, flag = args
        build_predicated_dot(builder, flag, DotInputs(a, b), c, ATTRIBUTES)

    check(
        build([A, B, C, i1], body),
        f"""
        // CHECK: scf.if %d -> (tensor<16x8xf32>) {{
        // CHECK-NEXT: [[D:%.*]] = nv_tileas.dot %a, %b, %c {DOT}
        // CHECK-NEXT: scf.yield [[D]]
        // CHECK: else
        // CHECK-NEXT: scf.yield %c
        """,
    )


@pytest.mark.parametrize("guarded", [False, True])
def test_loop_carries_the_accumulator(guarded: bool):
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        a, b, c, n, flag = args
        build_dot_loop(
            builder,
            (n, n, n),
            c,
            lambda _builder, _index: (DotInputs(a, b), flag if guarded else None),
            ATTRIBUTES,
        )

    text = build([A, B, C, IndexType(), i1], body)
    check(
        text,
        """
        // CHECK: scf.for %{{.*}} = %d to %d step %d iter_args([[ACC:%.*]] = %c) -> (tensor<16x8xf32>)
        // CHECK: nv_tileas.dot %a, %b, [[ACC]]
        """,
    )
    assert ("scf.if" in text) == guarded


def test_mask_comes_from_indices():
    encoded = TensorType(f16, [16, 32])

    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        a, b, c, n = args
        build_masked_dot(builder, DotInputs(a, b), c, n, ATTRIBUTES, encoded)

    check(
        build([A, B, C, i32], body),
        f"""
        // CHECK: [[M:%.*]] = nv_tileas.generate : tensor<16x32xi1> {{
        // CHECK-NEXT: ^bb0(%{{{{.*}}}}: i32, [[K:%.*]]: i32):
        // CHECK-NEXT: [[L:%.*]] = arith.cmpi slt, [[K]], %d : i32
        // CHECK-NEXT: nv_tileas.yield [[L]] : i1
        // CHECK: [[A:%.*]] = arith.select [[M]], %a, %{{{{.*}}}} : tensor<16x32xi1>, tensor<16x32xf16>
        // CHECK-NEXT: [[X:%.*]] = nv_tileas.convert_layout [[A]]
        // CHECK-NEXT: nv_tileas.dot [[X]], %b, %c {DOT}
        """,
    )
