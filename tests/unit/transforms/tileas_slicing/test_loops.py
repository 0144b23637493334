"""Loops become slices: which bounds, what carried values start from, what stays as it was."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnknownLoc
from xdsl.ir import Operation

from tests.unit.transforms.tileas_slicing.random_loops import kernel
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass
from tileir_xdsl.transforms.tileas_slicing.partition import partition

NUMBERS = "\n".join(f"%c{n} = arith.constant {n} : index" for n in (0, 1, 2, 3, 8, 64))
EXAMPLE = (
    NUMBERS
    + """
%src, %b, %init = "test.op"() : () -> (!nv_tileaa.tiled_view<64x16xf16>, tensor<16x128xf16>, tensor<64x128xf32>)
%r = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32>) {
  %a = nv_tileas.tiled_load %src[%i, %c0] : !nv_tileaa.tiled_view<64x16xf16>[index, index] -> tensor<64x16xf16>
  %x = nv_tileas.wgmma %a, %b, %acc : tensor<64x16xf16>, tensor<16x128xf16>, tensor<64x128xf32> -> tensor<64x128xf32>
  scf.yield %x : tensor<64x128xf32>
} {sliceCount = 2 : i32}
"""
)


def sliced_module(text: str) -> ModuleOp:
    module = tools.parse(text)
    TileASSlicingPass().apply(tools.context(), module)
    module.verify()
    return module


def sliced(text: str) -> str:
    return tools.to_text(sliced_module(text))


SLICES = """
// CHECK:      %[[MIDDLE:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[FIRST:.*]] = scf.for %i = %c0 to %[[MIDDLE]] step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32>) {
// CHECK-NEXT:   %a = nv_tileas.tiled_load weak %src[%i, %c0]
// CHECK-NEXT:   %x = nv_tileas.wgmma %a, %b, %acc
// CHECK-NEXT:   scf.yield %x
// CHECK-NEXT: }
// CHECK-NEXT: %[[SECOND:.*]] = scf.for %[[J:.*]] = %[[MIDDLE]] to %c64 step %c1 iter_args(%[[ACC:.*]] = %{START}) -> (tensor<64x128xf32>) {
// CHECK-NEXT:   %[[A:.*]] = nv_tileas.tiled_load weak %src[%[[J]], %c0]
// CHECK-NEXT:   %[[X:.*]] = nv_tileas.wgmma %[[A]], %b, %[[ACC]] :
// CHECK-NEXT:   scf.yield %[[X]] :
// CHECK-NEXT: }
"""


def test_unused_results_leave_slices_independent():
    tools.check(sliced(EXAMPLE), SLICES.replace("%{START}", "%init"))


def test_used_results_go_from_slice_to_slice():
    text = sliced(EXAMPLE + '"test.op"(%r) : (tensor<64x128xf32>) -> ()')
    user = '// CHECK-NEXT: "test.op"(%[[SECOND]])'
    tools.check(text, SLICES.replace("%{START}", "%[[FIRST]]") + user)


@pytest.mark.parametrize(
    ("name", "body", "chained"),
    [
        ("an unused sum", "%y = arith.addi %x, %i : index", False),
        (
            "a sum that is printed",
            '%y = arith.addi %x, %i : index %t1 = nv_tileaa.print "%d", %y : index -> !nv_tileaa.mem_token',
            True,
        ),
        (
            "a condition of a branch that prints",
            "%y = arith.addi %x, %i : index %q = arith.cmpi eq, %y, %c3 : index "
            'scf.if %q { %t2 = nv_tileaa.print "%d", %i : index -> !nv_tileaa.mem_token }',
            True,
        ),
        (
            "a bound of a loop that only counts",
            "%y = scf.for %j = %c0 to %x step %c1 iter_args(%s = %i) -> (index) "
            "{ %t = arith.addi %s, %c1 : index scf.yield %t : index }",
            False,
        ),
        (
            "a bound of a loop that prints",
            "%y = arith.addi %x, %i : index scf.for %j = %c0 to %y step %c1 "
            '{ %t3 = nv_tileaa.print "%d", %j : index -> !nv_tileaa.mem_token }',
            True,
        ),
        (
            "what a branch that prints yields",
            "%q = arith.cmpi eq, %i, %c3 : index %z = scf.if %q -> (index) { scf.yield %x : index } "
            'else { scf.yield %i : index } %t4 = nv_tileaa.print "%d", %z : index -> !nv_tileaa.mem_token '
            "%y = arith.addi %x, %i : index",
            True,
        ),
    ],
)
def test_what_matters_goes_from_slice_to_slice(name: str, body: str, chained: bool):
    """A result that nobody uses does not say that the value is not seen."""
    text = sliced(
        f"{NUMBERS} %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %c2) -> (index) "
        f"{{ {body} scf.yield %y : index }} {{sliceCount = 2 : i32}}"
    )
    assert ("= %r)" in text) is chained
    assert ("iter_args(%x_1 = %c2)" in text) is not chained


def test_a_value_that_matters_by_way_of_another():
    text = sliced(
        f"{NUMBERS} %r:3 = scf.for %i = %c0 to %c8 step %c1 "
        "iter_args(%x = %c1, %y = %c2, %z = %c3) -> (index, index, index) { "
        '%t5 = nv_tileaa.print "%d", %x : index -> !nv_tileaa.mem_token %w = arith.addi %z, %i : index '
        "scf.yield %y, %y, %w : index, index, index } {sliceCount = 2 : i32}"
    )
    assert "iter_args(%x_1 = %r, %y_1 = %r_1, %z_1 = %c3)" in text


def test_one_slice_is_the_loop():
    before = EXAMPLE.replace("sliceCount = 2", "sliceCount = 1")
    assert sliced(before) == tools.to_text(
        tools.parse(EXAMPLE.replace("{sliceCount = 2 : i32}", ""))
    )


def test_other_attributes_stay_on_every_slice():
    assert (
        sliced(EXAMPLE.replace("{sliceCount", "{note = 3 : i32, sliceCount")).count("note = 3") == 2
    )


def test_locations_stay():
    module = tools.parse(kernel("scf.for %i = %c0 to %n step %s : i32 { } {sliceCount = 3 : i32}"))
    for number, op in enumerate(module.walk()):
        op.location = FileLineColLoc(StringAttr("kernel.py"), IntAttr(number), IntAttr(1))
    TileASSlicingPass().apply(tools.context(), module)
    assert not [op for op in module.walk() if isinstance(op.location, UnknownLoc)]


class LoopRanges(LaunchListener):
    """Records the numbers that each loop runs through."""

    def __init__(self) -> None:
        self.ranges: list[list[int]] = []

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        if isinstance(op, scf.ForOp):
            self.ranges.append(list(range(*(int(bound) for bound in args[:3]))))


def ranges(module: ModuleOp, *numbers: int) -> list[list[int]]:
    """What the loops run through, one after the other."""
    listener = LoopRanges()
    arrays = [np.zeros((16, 8), np.int32), np.zeros((16, 8), np.int32)]
    launch(module, "k", (1, 1, 1), [*arrays, *numbers], listeners=[listener])
    return listener.ranges


def loop(count: int, lower: str = "%m3", step: str = "%s", type_: str = "i32") -> str:
    return f"scf.for %i = {lower} to %n step {step} : {type_} {{ }} {{sliceCount = {count} : i32}}"


@pytest.mark.parametrize("count", range(1, 6))
def test_computed_bounds_divide_as_the_plan_does(count: int):
    module = sliced_module(kernel(loop(count)))
    dense = sliced_module(kernel(loop(count, step="%c1")))
    for upper, step in product(range(-5, 9), range(1, 5)):
        numbers = list(range(-3, upper, step))
        starts = partition(len(numbers), count)
        expected = [numbers[a:b] for a, b in pairwise(starts)]
        assert ranges(module, upper, 0, step) == expected
        if step == 1:
            assert ranges(dense, upper, 0, 7) == expected


LIMITS = (-128, -127, -3, 0, 5, 126, 127)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_limits_of_the_type(count: int):
    """No bound wraps around, however close to the limits of i8."""
    numbers = "\n".join(f"%low{i} = arith.constant {n} : i8" for i, n in enumerate(LIMITS))
    body = "\n".join(loop(count, f"%low{i}", type_="i8") for i in range(len(LIMITS)))
    text = kernel(body, numbers).replace("%n: i32", "%n: i8").replace("%s: i32", "%s: i8")
    module = sliced_module(text)
    for upper, step in product(LIMITS, (1, 2, 100, 127)):
        found = ranges(module, upper, 0, step)
        for lower, parts in zip(LIMITS, range(0, len(found), count), strict=True):
            joined = [n for part in found[parts : parts + count] for n in part]
            assert joined == list(range(lower, upper, step))


def test_nested_loops_are_all_sliced():
    text = sliced(
        f"{NUMBERS} scf.for %i = %c0 to %c8 step %c1 {{ scf.for %j = %i to %c64 step %c1 {{ "
        '%t6 = nv_tileaa.print "%d", %j : index -> !nv_tileaa.mem_token } {sliceCount = 3 : i32} } {sliceCount = 2 : i32}'
    )
    assert text.count("scf.for") == 2 * (1 + 3)
    assert text.count("print") == 6
