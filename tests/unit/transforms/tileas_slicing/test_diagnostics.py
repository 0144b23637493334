"""What slicing refuses: the text to the byte, on the loop, and nothing changed."""

import pytest
from xdsl.dialects import scf, test
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass, plan_slicing, slice_module

COUNT = "The `sliceCount` need to be a `IntegerAttr`"
OPERATION = "unsupported op in Slicing pass"
LOWER_BOUND = "unsupported op to be a lower bound in slicing pass "
INITIAL_VALUE = "fail to get an initial forOperand in slicing pass"
UNEXPECTED = "is not expected inside sliced part in SlicingPass"
COPY_ATOM = "unsupported atom of copyOp in slicing pass"

NUMBERS = """
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
"""


def loop(
    body: str = "",
    *,
    lower: str = "%c0",
    upper: str = "%c8",
    step: str = "%c1",
    count: str = "2 : i32",
) -> str:
    return f"scf.for %i = {lower} to {upper} step {step} {{\n{body}\n}} {{sliceCount = {count}}}"


def carrying(initial: str) -> str:
    return f"""
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = {initial}) -> (index) {{
      scf.yield %a : index
    }} {{sliceCount = 2 : i32}}
    """


def in_function(body: str) -> str:
    """A function with numbers of its own."""
    text = f"{NUMBERS} {body} func.return %n : index".replace("%c", "%f")
    return f"func.func @f(%n: index) -> index {{ {text} }}"


COPY = "%t = nv_tileas.copy %tile into %buffer{} : tensor<8xf32> into tensor<8xf32, #nv_tileas.memory<smem>> -> tensor<8xf32, #nv_tileas.memory<smem>>"
COPIED = """
%tile = nv_tileas.alloc_tensor : tensor<8xf32>
%buffer = nv_tileas.alloc_tensor : tensor<8xf32, #nv_tileas.memory<smem>>
"""

CASES = {
    "count is a string": (loop(count='"2"'), COUNT),
    "count is an array": (loop(count="[2 : i32, 2 : i32]"), COUNT),
    "count is a dense array": (loop(count="array<i32: 2>"), COUNT),
    "count is a float": (loop(count="2.0 : f32"), COUNT),
    "count is zero": (loop(count="0 : i32"), COUNT),
    "count is negative": (loop(count="-1 : i32"), COUNT),
    "count is larger than the range": (loop(count="9 : i64"), COUNT),
    "count of an empty range": (loop(upper="%c0"), COUNT),
    "range without a step": (loop(step="%c0"), COUNT),
    "op of another dialect": (loop('"test.op"() : () -> ()'), OPERATION),
    "op of another dialect inside": (
        loop('scf.for %j = %i to %c8 step %c1 { "test.op"() : () -> () }'),
        OPERATION,
    ),
    "call of a declared function": (
        "func.func private @elsewhere() -> ()\n" + loop("func.call @elsewhere() : () -> ()"),
        OPERATION,
    ),
    "call of a declared function of tiles": (
        "nv_tileaa.func @elsewhere()\n" + loop("nv_tileaa.call @elsewhere() : () -> ()"),
        OPERATION,
    ),
    "bound from elsewhere": (
        '%n = "test.op"() : () -> index\n' + loop(lower="%n"),
        LOWER_BOUND,
    ),
    "bound that is a product of variables": (
        f"scf.for %j = %c0 to %c8 step %c1 {{ %q = arith.muli %j, %j : index\n{loop(lower='%q')} }}",
        LOWER_BOUND,
    ),
    "bound that is an argument": (
        in_function(loop(lower="%n")),
        LOWER_BOUND,
    ),
    "bound with a remainder": (
        "scf.for %j = %c0 to %c8 step %c1 { %q = affine.apply affine_map<(d0) -> (d0 mod 2)>(%j)\n"
        f"{loop(lower='%q')} }}",
        LOWER_BOUND,
    ),
    "initial value that is returned": (
        in_function(carrying("%n")),
        INITIAL_VALUE,
    ),
    "initial value that a while carries": (
        f"""
        %yes = arith.constant true
        %w = scf.while (%x = %c0) : (index) -> index {{
          scf.condition(%yes) %x : index
        }} do {{
        ^bb0(%y: index):
          {carrying("%y")}
          scf.yield %y : index
        }}
        """,
        INITIAL_VALUE,
    ),
    "copy without an atom": (COPIED + loop(COPY.format("")), COPY_ATOM),
    "copy with the abstract atom": (
        COPIED + loop(COPY.format(" {atom = #nv_tileas<atom unknown_copy>}")),
        COPY_ATOM,
    ),
    "asynchronous copy": (
        COPIED
        + loop(
            "%t = nv_tileas.async.copy %tile into %buffer : tensor<8xf32> into tensor<8xf32, #nv_tileas.memory<smem>> -> !nv_tileas.async_token"
        ),
        COPY_ATOM,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name: str):
    body, message = CASES[name]
    # A loop that could be sliced comes first: it stays, too.
    text = f"{NUMBERS}\n{loop()}\n{body}"
    module = tools.parse(text, allow_unregistered=True)
    before = tools.to_text(module)
    with pytest.raises(PassFailedException) as raised:
        TileASSlicingPass().apply(tools.context(), module)
    assert str(raised.value).encode() == message.encode()
    assert any("see 'scf.for' op" in note for note in raised.value.__notes__)
    assert tools.to_text(module) == before


def test_the_body_may_not_change_between_plan_and_rewrite():
    module = tools.parse(NUMBERS + loop("%q = arith.addi %i, %c1 : index"))
    plan = plan_slicing(module)
    (sliced,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    Rewriter.insert_op(test.TestOp(), InsertPoint.at_start(sliced.body.block))
    with pytest.raises(PassFailedException) as raised:
        slice_module(module, plan)
    assert str(raised.value).encode() == UNEXPECTED.encode()


ALLOWED = {
    "one slice of an empty range": loop(upper="%c0", count="1 : i32"),
    "as many slices as iterations": loop(count="8 : index"),
    "call of a defined function": "func.func @f() { func.return }\n"
    + loop("func.call @f() : () -> ()"),
    "copy with a concrete atom": COPIED + loop(COPY.format(" {atom = #nv_tileas<atom sts_32>}")),
    "bound in terms of a loop around": (
        "scf.for %j = %c0 to %c8 step %c1 { %q = arith.muli %j, %c8 : index "
        f"%e = arith.addi %q, %c8 : index {loop(lower='%q', upper='%e')} }}"
    ),
    "bound by affine.apply": (
        "scf.for %j = %c0 to %c8 step %c1 { "
        f"%q = affine.apply affine_map<(d0) -> (d0 * 4 + 2)>(%j) {loop(lower='%q')} }}"
    ),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_not_refused(name: str):
    module = tools.parse(NUMBERS + ALLOWED[name])
    TileASSlicingPass().apply(tools.context(), module)
    module.verify()
    assert "sliceCount" not in tools.to_text(module)
