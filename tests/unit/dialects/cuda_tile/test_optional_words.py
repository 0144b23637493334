"""What the text may leave out, add, or write in another way.

Source: Tile IR specification, section 8.10.2: "The mode attribute has a default value of add", and
the example with `, token = %token`; the examples of the lowering to `nv_tileaa` for `to`, tensor
types, reductions with a block and `token.join`.
"""

import re
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tileir_xdsl.bytecode import write
from tileir_xdsl.testing.tools import parse, to_text

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


def test_conversions_may_have_to_for_an_arrow():
    text = Path("tests/filecheck/dialects/cuda_tile/ops_conversions.mlir").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    plain, replaced = "\n".join(lines), "\n".join(line.replace("->", "to") for line in lines)
    assert plain != replaced
    assert to_text(parse(replaced)) == to_text(parse(plain))


def elementwise(type_: str) -> str:
    return f"""
cuda_tile.module @m {{
  testing$func @f(%x: tile<4x8xf32>) {{
    %y = addf %x, %x : {type_}
    return
  }}
}}"""


def test_a_tensor_type_is_that_of_a_tile():
    assert to_text(parse(elementwise("tensor<4x8xf32>"))) == to_text(
        parse(elementwise("tile<4x8xf32>"))
    )


@pytest.mark.parametrize(
    "type_", ["tensor<4x?xf32>", "tensor<*xf32>", "tensor<4x8xf32, 1 : i32>", "vector<4x8xf32>"]
)
def test_other_types_are_not_those_of_tiles(type_: str):
    with pytest.raises((ParseError, VerifyException)):
        parse(elementwise(type_))


def aggregation(op: str, attributes: str, body: str, element: str = "f32") -> str:
    tile = f"tile<8x64x{element}>"
    result = tile if op == "scan" else f"tile<8x{element}>"
    return f"""
cuda_tile.module @m {{
  testing$func @f(%x: {tile}) {{
    %y = {op} %x {{ {attributes} }} : {tile} -> {result} {{
    ^bb0(%a: !cuda_tile.tile<{element}>, %b: !cuda_tile.tile<{element}>):
      {body}
      yield %c : tile<{element}>
    }}
    return
  }}
}}"""


@pytest.mark.parametrize(
    ("body", "element", "identity"),
    [
        ("addf %a, %b : tile<f32>", "f32", "0.000000e+00 : f32"),
        ("mulf %a, %b : tile<f16>", "f16", "1.000000e+00 : f16"),
        ("maxf %a, %b : tile<f32>", "f32", "0xFF800000 : f32"),
        ("minf %a, %b : tile<f32>", "f32", "0x7F800000 : f32"),
        ("muli %a, %b : tile<i32>", "i32", "1 : i32"),
        ("andi %a, %b : tile<i8>", "i8", "-1 : i8"),
        ("maxi %a, %b signed : tile<i32>", "i32", "-2147483648 : i32"),
    ],
)
@pytest.mark.parametrize("op", ["reduce", "scan"])
def test_reductions_with_a_block_start_from_the_identity_of_their_op(
    op: str, body: str, element: str, identity: str
):
    text = to_text(parse(aggregation(op, "axis = 1 : i32", f"%c = {body}", element)))
    assert f"dim=1 {'reverse=false ' if op == 'scan' else ''}identities=[{identity}]" in text


@pytest.mark.parametrize(
    ("attributes", "body", "message"),
    [
        ("axis = 1 : i32", "%c = subf %a, %b : tile<f32>", "expected a body of one operation"),
        ("axis = 1 : i32", "%c = addf %a, %a : tile<f32>", "expected a body of one operation"),
        ("axis = 1 : i32, inclusive = false", "%c = addf %a, %b : tile<f32>", "an inclusive scan"),
        ("axis = 2 : i32", "%c = addf %a, %b : tile<f32>", r"dimension \(2\) is out of bound"),
        ('axis = "x"', "%c = addf %a, %b : tile<f32>", "'dim' failed to satisfy constraint"),
    ],
)
def test_reductions_with_a_block_that_mean_nothing_are_refused(
    attributes: str, body: str, message: str
):
    with pytest.raises((ParseError, VerifyException), match=message):
        parse(aggregation("scan", attributes, body))
