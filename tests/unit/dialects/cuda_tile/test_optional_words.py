"""What the text may leave out or add: the mode of an atomic, the comma before a token.

Source: Tile IR specification, section 8.10.2: "The mode attribute has a default value of add", and
the example with `, token = %token`.
"""

import re
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.unit.tools import parse, to_text
from tileir_xdsl.bytecode import write

FILES = sorted(Path("tests/filecheck/dialects/cuda_tile").glob("ops_*.mlir"))
TOKEN = re.compile(r'(?<=[\w\]"])(?= token ?= ?%)(?<!gdc_wait_tko)(?<!gdc_launch_dependents_tko)')
"""Where a token follows an operand, an index or a string."""

ATOMICS = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %x = constant <i32: 1> : tile<i32>
    %m = constant <i1: true> : tile<i1>
    %t = make_token : token
    %v = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(4), tensor_view<16xi32, strides=[1]>>
    %y = constant <i32: 2> : tile<4xi32>
    %0, %t0 = atomic_rmw_tko relaxed device %p, MODE%x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %1, %t1 = atomic_rmw_tko acq_rel sys %p, MODE%x, %m, token=%t : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %t2 = atomic_red_view_tko relaxed device %w[%x], MODE%y : tile<4xi32>, partition_view<tile=(4), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
  }
}
"""


def test_a_comma_may_be_before_each_token():
    commas = 0
    for text in (part for file in FILES for part in file.read_text("utf-8").split("// -----")):
        with_commas, count = TOKEN.subn(",", text)
        assert to_text(parse(with_commas)) == to_text(parse(text))
        commas += count
    assert commas > 20


def test_a_comment_may_be_between_comma_and_token():
    text = ATOMICS.replace("MODE", "add, ")
    assert to_text(parse(text.replace(", token=", ", // ordered\n token="))) == to_text(parse(text))


@pytest.mark.parametrize("after", [",", ", ,", ", tokens = %t", ", optimization_hints = <>"])
def test_a_comma_before_anything_else_is_refused(after: str):
    text = ATOMICS.replace("MODE%x :", f"add, %x{after} :")
    with pytest.raises(ParseError, match="expected SSA operand"):
        parse(text)


def test_an_atomic_without_a_mode_adds():
    assert to_text(parse(ATOMICS.replace("MODE", ""))) == to_text(
        parse(ATOMICS.replace("MODE", "add, "))
    )


def test_an_absent_mode_is_addition_at_every_level():
    named, absent = parse(ATOMICS.replace("MODE", "add, ")), parse(ATOMICS.replace("MODE", ""))
    for op in absent.walk():
        op.properties.pop("mode", None)
    absent.verify()
    assert to_text(absent) == to_text(named)
    assert write(absent, "13.5") == write(named, "13.5")


def test_addition_is_of_integers():
    text = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %x = constant <f32: 1.0> : tile<f32>
    %0, %t0 = atomic_rmw_tko relaxed device %p, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  }
}"""
    with pytest.raises(VerifyException, match="'add' works only with integers i32 and i64"):
        parse(text)
