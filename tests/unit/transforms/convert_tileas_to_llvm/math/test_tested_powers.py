"""Powers of two of many differences, subnormal ones among them."""

import numpy as np
import pytest

from bench.matrix_kernels import TALL_CASES
from tests.unit.road.agreement import evaluate, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools

ROWS, COLUMNS = 64, 128
SHAPE = (ROWS, COLUMNS)
TILE, ROW = "tile<64x128xf32>", "tile<1x128xf32>"
OUTPUT = [("f32", SHAPE)]
TARGETS = ("sm_80", "sm_90a", "sm_100a")
KINDS = ("usual", "subnormal", "above", "far", "special")


def body(constant: str = "-1.0e30", difference: str = "subf %masked, %all") -> str:
    """%y0, the powers of differences of %x0, where %x1 says so, from the columns' %x2."""
    return f"""
    %zeros = constant <i32: 0> : tile<64x128xi32>
    %kept = cmpi not_equal %x1, %zeros, signed : tile<64x128xi32> -> tile<64x128xi1>
    %other = constant <f32: {constant}> : {TILE}
    %masked = select %kept, %x0, %other : tile<64x128xi1>, {TILE}
    %all = broadcast %x2 : {ROW} -> {TILE}
    %x = {difference} : {TILE}
    %y0 = exp2 %x : {TILE}
    """


FUSED = f"""
    %column = iota : tile<128xi32>
    %columns = reshape %column : tile<128xi32> -> tile<1x128xi32>
    %last = constant <i32: 100> : tile<1x128xi32>
    %near = cmpi less_than %columns, %last, signed : tile<1x128xi32> -> tile<1x128xi1>
    %nears = broadcast %near : tile<1x128xi1> -> tile<64x128xi1>
    %row = iota : tile<64xi32>
    %rows = reshape %row : tile<64xi32> -> tile<64x1xi32>
    %first = constant <i32: 10> : tile<64x1xi32>
    %low = cmpi greater_than %rows, %first, signed : tile<64x1xi32> -> tile<64x1xi1>
    %lows = broadcast %low : tile<64x1xi1> -> tile<64x128xi1>
    %kept = andi %nears, %lows : tile<64x128xi1>
    %half = constant <f32: 0.5> : {TILE}
    %all = broadcast %x2 : {ROW} -> {TILE}
    %x = fma %x0, %half, %all : {TILE}
    %p = exp2 %x : {TILE}
    %zeros = constant <f32: 0.0> : {TILE}
    %y0 = select %kept, %p, %zeros : tile<64x128xi1>, {TILE}
"""
"""%y0, the powers of exponents from a fused multiply-add, under a mask."""


def numbers(kind: str) -> list[Array]:
    """Minuends, which of them are kept, and subtrahends."""
    rng = np.random.default_rng(3)
    spread, m = rng.uniform(0, 20, SHAPE), np.resize([-3.0, 0.0, 5.5], (1, COLUMNS))
    below = np.zeros(COLUMNS)
    match kind:
        case "subnormal":
            below[:] = [126.0001, 127.0, *rng.uniform(126, 149, COLUMNS - 2)]
        case "above":
            # Neither the bound is negative nor any minuend, all of which are below it.
            below[:], m, spread = 130, m + 300, rng.uniform(126.5, 149, SHAPE)
        case "far":
            # Numbers so far from zero are several apart, so that the bound is none of them.
            m = -np.resize([2.0**24 + 2, 2.0**25 + 4, 2.0**26, 2.0**31, 2.0**40], (1, COLUMNS))
            below[:], spread = 128, np.zeros(SHAPE)
        case _:
            pass
    a, kept = m - spread, rng.integers(0, 4, SHAPE).astype(np.int32)
    # One of a column, and so of a thread.
    a[17], kept[17] = m[0] - below, 1
    if kind == "special":
        a[3] = np.resize([np.nan, -np.nan, np.inf, -np.inf, -0.0], COLUMNS)
        m[:, 1::7] = np.resize([np.nan, -np.nan, np.inf, -np.inf, 0.0], m[:, 1::7].shape)
    return [a.astype(np.float32), kept, m.astype(np.float32)]


def ptx(text: str, gpu: str) -> str:
    """The PTX of a body."""
    program = whole_tiles(text, numbers("usual"), OUTPUT)
    return emit(tools.run_passes(tools.parse(program), f"tileir-pipeline{{gpu={gpu}}}"), gpu)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_values(kind: str, gpu: str):
    with np.errstate(all="ignore"):
        (found,) = evaluate(body(), numbers(kind), OUTPUT, gpu)
    tiny = np.finfo(np.float32).tiny
    if kind in ("subnormal", "above", "far"):
        assert (np.greater(found, 0) & np.less(found, tiny)).any()


@pytest.mark.one_in(15)
@pytest.mark.parametrize("gpu", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_fused_exponents(kind: str, gpu: str):
    minuends, kept, m = numbers(kind)
    with np.errstate(all="ignore"):
        evaluate(FUSED, [2 * minuends, kept, -m], OUTPUT, gpu)


def test_the_only_subnormal_power_of_fused_exponents():
    minuends, kept, m = numbers("usual")
    minuends[17] = m
    minuends[17, 5] -= np.float32(126.0001)
    (found,) = evaluate(FUSED, [2 * minuends, kept, -m], OUTPUT, "sm_90a")
    assert 0 < found[17, 5] < np.finfo(np.float32).tiny


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", TARGETS)
def test_fused_exponents_are_tested_themselves(gpu: str):
    """And their mask is computed after the branch."""
    text = ptx(FUSED, gpu)
    assert text.count("ex2.approx.ftz.f32") == 64
    assert text.count("max.u32") == 63
    assert "add.rp.f32" not in text
    assert text.rindex("ex2.approx.f32") < text.index("and.pred")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("constant", ["0xFF800000", "-1.7179869184e10", "0x7F800000", "-130.0"])
def test_constants_of_masks(constant: str):
    with np.errstate(all="ignore"):
        for kind in ("usual", "subnormal", "far"):
            evaluate(body(constant), numbers(kind), OUTPUT, "sm_90a")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", TARGETS)
def test_one_test_for_all(gpu: str):
    text = ptx(body(), gpu)
    assert text.count("ex2.approx.ftz.f32") == 64
    # The loop computes an eighth of them in each of eight trips.
    assert text.count("ex2.approx.f32") == 8
    # One less than there are numbers for each subtrahend.
    assert text.count("max.u32") == 64 - text.count("add.rp.f32")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("gpu", "is_tested"), [("sm_80", True), ("sm_100a", False)])
def test_twice_as_many(gpu: str, is_tested: bool):
    """Attention with 128 powers of a thread: only without tensor memory they have one test."""
    text = TALL_CASES["attention_256x128x64"].text_path.read_text()
    lowered = emit(tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}"), gpu)
    assert lowered.count("ex2.approx.ftz.f32") == 128 * is_tested


@pytest.mark.parametrize(
    ("text", "is_tested"),
    [
        (body(), True),
        (body("-130.0"), True),
        (body(difference="subf %x0, %all"), True),
        (body(difference="subf %masked, %all flush_to_zero"), False),
        (body(difference="subf %masked, %all rounding<zero>"), False),
        (body(difference="addf %masked, %all"), False),
        (body().replace("exp2 %x", "exp2 %x flush_to_zero"), False),
        (body(difference="fma %x0, %all, %all"), True),
        (body(difference="fma %masked, %all, %all"), False),
    ],
)
def test_what_is_tested(text: str, is_tested: bool):
    assert ("max.u32" in ptx(text, "sm_90a")) == is_tested


@pytest.mark.parametrize(("constant", "is_before"), [("-1.0e30", True), ("-130.0", False)])
def test_minuends_are_tested_before_their_mask(constant: str, is_before: bool):
    """Where what replaces them is far from all exponents of subnormal numbers."""
    lines = ptx(body(constant), "sm_90a").splitlines()
    selects = [number for number, line in enumerate(lines) if "selp" in line]
    maxima = [number for number, line in enumerate(lines) if "max.u32" in line]
    assert (max(maxima) < min(selects)) == is_before
