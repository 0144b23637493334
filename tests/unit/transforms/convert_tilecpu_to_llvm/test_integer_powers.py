"""Integer powers keep within their bounds, for exponents up to the ends of their types."""

import numpy as np
import pytest
from xdsl.dialects.builtin import i8, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.test_value import create_ssa_value

from bench.framework.jit import aligned, zeros
from tests.unit.transforms.convert_tilecpu_to_llvm.jitted import Jitted
from tests.unit.transforms.convert_tilecpu_to_llvm.test_elementary import ELEMENTS
from tileir_xdsl.builders.llvm_code import LLVMCode, vector_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing.kernels.agreement import agreeing, within_bound
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.elementwise import ELEMENTWISE

LANES = 8
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -3.0, 0.5)


@pytest.mark.parametrize("width", [i8, i32, i64], ids=str)
@pytest.mark.parametrize("name", ELEMENTS)
def test_powers(name: str, width: Attribute) -> None:
    element, dtype = ELEMENTS[name]
    numbers = np.dtype(f"i{8 if width == i64 else 4 if width == i32 else 1}")
    random, ends = np.random.default_rng(3), np.iinfo(numbers)
    exponents = [0, 1, -1, 2, -2, 3, 10, -11, 63, ends.min, ends.max]
    pairs = [(base, power) for base in SPECIAL for power in exponents]
    near_one = 1 + random.standard_normal(64) / 2.0 ** random.integers(1, 40, 64)
    pairs += [(base, power) for base in near_one for power in exponents]
    pairs += [(1.0, 0)] * (-len(pairs) % LANES)
    bases = aligned(np.array([base for base, _ in pairs]).astype(dtype))
    powers = aligned(np.array([power for _, power in pairs], numbers))
    op = nv_tileaa.FPowIOp(create_ssa_value(element), create_ssa_value(width))

    def build(code: LLVMCode, *pointers: SSAValue) -> None:
        def body(index: SSAValue, _: object) -> tuple[()]:
            kinds = (element, width, element)
            places = [code.offset(*each) for each in zip(pointers, [index] * 3, kinds, strict=True)]
            base, power = (
                code.load(place, vector_of(kind, LANES), 1)
                for place, kind in zip(places[:2], kinds, strict=False)
            )
            code.store(ELEMENTWISE[nv_tileaa.FPowIOp](code, op, base, power), places[2], 1)
            return ()

        count, step = code.integer(len(pairs)), code.integer(LANES)
        code.loop(code.integer(0), count, step, [], body)

    results = zeros(len(pairs), dtype)
    Jitted(3, build)(bases, powers, results)
    with np.errstate(all="ignore"):
        # The powl of glibc 2.36 takes minus infinity to the power of -2**63 for infinity.
        double, wide = (
            np.power(bases.astype(kind), powers.astype(kind)).astype(np.float64)
            for kind in (np.float64, np.longdouble)
        )
        exact = np.where(powers == ends.min, double, wide)
        expected = within_bound("fpowi", exact, dtype)
        wrong = ~agreeing(results, expected)
    assert not wrong.any(), [(*pairs[n], results[n]) for n in np.flatnonzero(wrong)[:5]]
