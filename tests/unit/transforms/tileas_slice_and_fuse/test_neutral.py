"""The neutral elements of integers and floats leave every number as it is."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import i8
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.tileas_slice_and_fuse.test_decisions import KERNEL, LOAD, store
from tileir_xdsl import interpreters
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slice_and_fuse.neutral import integer_element


def unsigned(combine: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: combine(a.view(np.uint8), b.view(np.uint8)).view(np.int8)


MEANINGS: dict[type[arith.AddiOp], Callable[[Array, Array], Array]] = {
    arith.AddiOp: np.add,
    arith.MuliOp: np.multiply,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.MaxUIOp: unsigned(np.maximum),
    arith.MinUIOp: unsigned(np.minimum),
}  # pyright: ignore[reportAssignmentType]


@pytest.mark.parametrize("kind", MEANINGS, ids=lambda kind: kind.name)
def test_it_changes_no_number(kind: type[arith.AddiOp]):
    a, b = test.TestOp(result_types=[i8, i8]).results
    element = integer_element(kind(a, b), 8)
    assert element is not None
    numbers = np.arange(-128, 128).astype(np.int8)
    neutral = np.full_like(numbers, np.array(element, np.int8))
    np.testing.assert_array_equal(MEANINGS[kind](neutral, numbers), numbers)


COLLECTIVE = """
%s = nv_tileaa.reduce %x {axis = 0 : i32} : tensor<64xf32> -> f32 {
^bb0(%l: f32, %m: f32):
  %z = BODY
  nv_tileaa.yield RESULT : f32
}
%y = nv_tileaa.splat %s : f32 -> tensor<64xf32>
"""
SCAN = """
%y = nv_tileaa.scan %x {axis = 0 : i32, inclusive = true} : tensor<64xf32> -> tensor<64xf32> {
^bb0(%l: f32, %m: f32):
  %z = BODY
  nv_tileaa.yield RESULT : f32
}
"""
FLOAT_BODIES = (
    "arith.addf %l, %m : f32",
    "arith.mulf %l, %m : f32",
    "arith.maximumf %l, %m : f32",
    "arith.minimumf %l, %m : f32",
    "arith.maxnumf %l, %m : f32",
    "arith.minnumf %l, %m : f32",
    "nv_tileaa.addf %l, %m : f32",
    "nv_tileaa.addf %l, %m rounding<negative_inf> : f32",
    "nv_tileaa.addf %m, %l rounding<positive_inf> : f32",
    "nv_tileaa.mulf %m, %l rounding<zero> : f32",
    "nv_tileaa.maxf %l, %m : f32",
    "nv_tileaa.minf %m, %l : f32",
    "nv_tileaa.maxf %l, %m propagate_nan : f32",
    "nv_tileaa.minf %l, %m propagate_nan : f32",
)
RARE = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.5)


@pytest.mark.parametrize("collective", [COLLECTIVE, SCAN], ids=["reduce", "scan"])
@pytest.mark.parametrize("body", FLOAT_BODIES)
def test_slices_of_rare_floats_combine_to_the_same(body: str, collective: str):
    """Zeros with their sign, infinities, and NaN alone."""
    text = collective.replace("BODY", body).replace("RESULT", "%z")
    module = tools.parse(KERNEL.replace("BODY", LOAD + text + store("%w", value="%y")))
    results: list[list[Array]] = []
    for passes in ("", "tileas-slice-and-fuse{slices=2}"):
        tools.run_passes(module, passes)
        assert ("nv_tileas.slices" in str(module)) == bool(passes)
        results.append([])
        for value in RARE:
            found = np.ones(64, np.float32)
            values = np.full(64, value, np.float32)
            interpreters.launch(module, "k", (1, 1, 1), [values, found])
            results[-1].append(found)
    for whole, sliced in zip(*results, strict=True):
        np.testing.assert_array_equal(sliced, whole)
        np.testing.assert_array_equal(
            np.signbit(sliced) & (sliced == 0), np.signbit(whole) & (whole == 0)
        )


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("nv_tileaa.addf %l, %l : f32", "%z"),
        ("nv_tileaa.addf %m, %m : f32", "%z"),
        ("nv_tileaa.addf %l, %m : f32", "%l"),
        ("nv_tileaa.addf %l, %m : f32", "%m"),
        ("nv_tileaa.subf %l, %m : f32", "%z"),
    ],
)
def test_ops_that_combine_nothing_have_no_neutral_element(body: str, result: str):
    text = COLLECTIVE.replace("BODY", body).replace("RESULT", result)
    module = tools.parse(KERNEL.replace("BODY", LOAD + text + store("%w", value="%y")))
    with pytest.raises(PassFailedException, match="has no tiles to divide into 2 slices"):
        tools.run_passes(module, "tileas-slice-and-fuse{slices=2}")


def test_an_op_with_regions_combines_no_partial_results():
    branch = "scf.if %c -> (f32) { scf.yield %l : f32 } else { scf.yield %m : f32 }"
    body = f"arith.cmpf ogt, %l, %m : f32 %e = {branch}"
    text = COLLECTIVE.replace("%z = BODY", f"%c = {body}").replace("RESULT", "%e")
    text = text.replace("axis = 0 : i32", "axis = 0 : i32, identities = [0.0 : f32]")
    module = tools.parse(KERNEL.replace("BODY", LOAD + text + store("%w", value="%y")))
    with pytest.raises(PassFailedException, match="has no tiles to divide into 2 slices"):
        tools.run_passes(module, "tileas-slice-and-fuse{slices=2}")
