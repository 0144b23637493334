"""Arithmetic on two f32 at once: where there is such a choice, and the bits it leads to."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.road.agreement import whole_tiles
from tests.unit.transforms.tileas_select_lowering.forcing import forcing, lowered, selections
from tests.unit.transforms.tileas_select_lowering.pointwise import COUNT, pointwise
from tileir_xdsl import emulator
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing.kernels.agreement import assert_agrees, within_roundings, within_ulps
from tileir_xdsl.transforms.tileas_select_lowering.float_arithmetic import Arithmetic

ELEMENTWISE = {
    "add": "%r = addf %a, %b : tile<1024xf32>",
    "sub": "%r = subf %a, %b : tile<1024xf32>",
    "mul": "%r = mulf %a, %b : tile<1024xf32>",
    "fma": "%r = fma %a, %b, %a : tile<1024xf32>",
}
FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "fma": lambda a, b: (a.astype(np.float64) * b + a).astype(np.float32),
}


def body_of_sum(value: str, shape: str, axis: int) -> str:
    """The sums of rows or columns, each stored as often as it has elements."""
    rows, columns = map(int, shape.split("x"))
    kept = rows if axis else columns
    one = f"{rows}x1" if axis else f"1x{columns}"
    return f"""
    %m = reshape {value} : tile<1024xf32> -> tile<{shape}xf32>
    %e = exp2 %m : tile<{shape}xf32>
    %s = reduce %e dim={axis} identities=[0.0 : f32] : tile<{shape}xf32> -> tile<{kept}xf32>
    (%p: tile<f32>, %q: tile<f32>) {{
      %sum = addf %p, %q : tile<f32>
      yield %sum : tile<f32>
    }}
    %line = reshape %s : tile<{kept}xf32> -> tile<{one}xf32>
    %all = broadcast %line : tile<{one}xf32> -> tile<{shape}xf32>
    %r = reshape %all : tile<{shape}xf32> -> tile<1024xf32>
    """


def numbers() -> tuple[Array, Array]:
    """Numbers of any magnitude, with subnormal sums and products among them."""
    rng = np.random.default_rng(5)
    drawn = rng.integers(0, 1 << 32, (2, COUNT), dtype=np.uint32).view(np.float32)
    drawn[0, :6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45]
    drawn[:, 64:128] = rng.uniform(-1, 1, (2, 64)).astype(np.float32) * np.float32(2.0**-126)
    return drawn[0], drawn[1]


def computed(body: str, strategy: Strategy, a: Array, b: Array, gpu: str = "sm_100a") -> Array:
    """What the emulator computes where one strategy is forced."""
    forced = list[Operation]()
    ptx = lowered(pointwise(body), gpu, forcing(strategy, forced))
    assert ("f32x2" in ptx) == (strategy is not Strategy.INSTRUCTION)
    result = np.zeros(COUNT, np.float32)
    emulator.load(ptx).launch("k", (1, 1, 1), [a, b, result])
    return result


@pytest.mark.parametrize("strategy", [Strategy.INSTRUCTION, Strategy.PAIRS])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elements(name: str, strategy: Strategy):
    a, b = numbers()
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name](a, b)
    if name == "fma":
        # Rounded twice here, so that the last bit may differ.
        single = computed(ELEMENTWISE[name], Strategy.INSTRUCTION, a, b)
        assert_agrees(single, within_ulps(expected.astype(np.float64), np.float32, 1))
        expected = single
    actual = computed(ELEMENTWISE[name], strategy, a, b)
    assert np.array_equal(actual, expected, equal_nan=True)


@pytest.mark.parametrize(
    ("shape", "axis"), [("8x128", 0), ("1x1024", 1), ("2x512", 1), ("128x8", 0), ("4x256", 1)]
)
def test_sums_are_the_same_bits(shape: str, axis: int):
    a = np.random.default_rng(7).uniform(-30, 30, COUNT).astype(np.float32)
    body = body_of_sum("%a", shape, axis)
    singles = computed(body, Strategy.INSTRUCTION, a, a)
    rows = np.exp2(a.astype(np.float64)).reshape(*map(int, shape.split("x")))
    expected = np.broadcast_to(rows.sum(axis, keepdims=True), rows.shape).reshape(-1)
    # Each addition of positive numbers rounds once, and so does each power by 2 units.
    assert_agrees(singles, within_roundings(expected, expected, np.float32, 16, np.float32))
    assert np.array_equal(computed(body, Strategy.HALVES, a, a), singles)


def chosen(text: str, gpu: str = "sm_100a") -> list[str]:
    """The strategies of the ops on f32, in the order of the program."""
    found = list[str]()

    def prepare(module: ModuleOp) -> None:
        found.extend(
            str(each.chosen) for each in selections(module) if isinstance(each.facts, Arithmetic)
        )

    lowered(text, gpu, prepare)
    return found


@pytest.mark.parametrize("modifier", ["rounding<zero>", "flush_to_zero"])
def test_others_are_computed_one_by_one(modifier: str):
    assert chosen(pointwise(f"%r = addf %a, %b {modifier} : tile<1024xf32>")) == ["instruction"]


def test_targets_without_the_instruction_have_no_choice():
    assert chosen(pointwise(ELEMENTWISE["add"]), "sm_100a") == ["pairs"]
    assert chosen(pointwise(ELEMENTWISE["add"]), "sm_90a") == []
    assert chosen(pointwise(ELEMENTWISE["add"]), "sm_120a") == []


def test_sums_of_what_is_loaded_are_computed_one_by_one():
    body = body_of_sum("%a", "1x1024", 1)
    assert chosen(pointwise(body)) == ["halves"]
    assert chosen(pointwise(body.replace("reduce %e", "reduce %m"))) == ["instruction"]


def softmax(masked: str) -> str:
    """Powers of two and their sums, of 64 numbers of a column for each thread."""
    return f"""
    %kept = cmpi not_equal %x1, %x1, signed : tile<64x128xi32> -> tile<64x128xi1>
    %other = constant <f32: -1.0e30> : tile<64x128xf32>
    %masked = select %kept, %x0, %other : tile<64x128xi1>, tile<64x128xf32>
    %all = broadcast %x2 : tile<1x128xf32> -> tile<64x128xf32>
    %x = subf {masked}, %all : tile<64x128xf32>
    %e = exp2 %x : tile<64x128xf32>
    %y0 = reduce %e dim=0 identities=[0.0 : f32] : tile<64x128xf32> -> tile<128xf32>
    (%p: tile<f32>, %q: tile<f32>) {{
      %sum = addf %p, %q : tile<f32>
      yield %sum : tile<f32>
    }}
    """


@pytest.mark.parametrize(
    ("masked", "wanted"),
    [("%masked", ["halves", "halves"]), ("%x0", ["pairs", "instruction"])],
)
def test_exponents_that_powers_replace(masked: str, wanted: list[str]):
    rng = np.random.default_rng(9)
    shape = (64, 128)
    inputs = [
        rng.uniform(-9, 0, shape).astype(np.float32),
        np.zeros(shape, np.int32),
        np.zeros((1, 128), np.float32),
    ]
    assert chosen(whole_tiles(softmax(masked), inputs, [("f32", (128,))])) == wanted
