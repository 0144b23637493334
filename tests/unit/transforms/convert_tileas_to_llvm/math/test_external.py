"""Functions of LLVM and libdevice, and instructions in PTX, element by element."""

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileas_to_llvm.test_arith import (
    REST_OF_THE_ROAD,
    Form,
    arguments,
    compute,
    kernel,
    tensor,
)
from tests.unit.transforms.convert_tileas_to_llvm.test_arith import assert_equal as assert_same
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools


def intrinsic(name: str, operands: tuple[str, ...], result: str) -> Form:
    inputs = ", ".join(f"%in{place}" for place in range(len(operands)))
    types = ", ".join(map(tensor, operands))
    call = f'nv_tileaa.call_elementwise_intrinsic "llvm.{name}.{result}"({inputs})'
    return f"{call} : ({types}) -> {tensor(result)}", operands, result


def library(symbol: str, count: int, element: str) -> Form:
    inputs = ", ".join(f"%in{place}" for place in range(count))
    types = ", ".join([tensor(element)] * count)
    call = f'nv_tileaa.extern_elementwise "{symbol}"({inputs})'
    return f"{call} : ({types}) -> {tensor(element)}", (element,) * count, element


WORDS = ("i32", "i64")

EXACT = [
    *(intrinsic(name, (e, "i1"), e) for name in ("ctlz", "cttz", "abs") for e in WORDS),
    *(intrinsic(name, (e,), e) for name in ("ctpop", "bitreverse") for e in WORDS),
    *(intrinsic(name, (e,) * 3, e) for name in ("fshl", "fshr") for e in WORDS),
    *(intrinsic(name, (e,) * 2, e) for name in ("smax", "smin", "umax", "umin") for e in WORDS),
    *(
        intrinsic(name, (e,), e)
        for name in ("ceil", "fabs", "floor", "rint", "sqrt", "trunc")
        for e in ("f32", "f64")
    ),
    *(intrinsic(name, ("f32",) * 2, "f32") for name in ("maximum", "minimum", "copysign")),
    library("__nv_fmaf", 3, "f32"),
    library("__nv_floorf", 1, "f32"),
    library("__nv_sqrt", 1, "f64"),
]


def test_exact_functions():
    results = zip(EXACT, compute(EXACT, in_ptx=True), compute(EXACT, in_ptx=False), strict=True)
    for form, got, wanted in results:
        assert_same(got, wanted, form[0])


CLOSE = [
    *(intrinsic(name, ("f32",), "f32") for name in ("exp", "exp2", "log", "log2", "sin", "cos")),
    *(library(f"__nv_{name}f", 1, "f32") for name in ("tanh", "cosh", "atan", "rsqrt")),
    library("__nv_atan2f", 2, "f32"),
    library("__nv_exp", 1, "f64"),
]


def test_elementary_functions():
    results = zip(CLOSE, compute(CLOSE, in_ptx=True), compute(CLOSE, in_ptx=False), strict=True)
    for form, got, wanted in results:
        bits = 23 if got.dtype == np.float32 else 52
        with np.errstate(invalid="ignore"):
            near = np.abs(got - wanted) <= 4 * 2.0**-bits * np.abs(wanted) + 1e-300
        assert (near | (got == wanted) | (np.isnan(got) & np.isnan(wanted))).all(), form[0]


def assembly(text: str, constraints: str, element: str, attributes: str = "") -> Form:
    call = f'nv_tileaa.elementwise_inline_asm "{text}", "{constraints}"(%in0, %in1) {attributes}'
    return (
        f"{call} : ({tensor(element)}, {tensor(element)}) -> {tensor(element)}",
        (element,) * 2,
        element,
    )


@pytest.mark.parametrize(
    ("form", "meaning"),
    [
        (assembly("add.s32 $0, $1, $2;", "=r,r,r", "i32", "{pure}"), np.add),
        (assembly("sub.s64 $0, $1, $2;", "=l,l,l", "i64"), np.subtract),
        (
            assembly("and.b32 $0, $1, $2;", "=r,r,r", "i8", "{packed = 4 : i32}"),
            np.bitwise_and,
        ),
        (assembly("add.rn.f32 $0, $1, $2;", "=f,f,f", "f32"), np.add),
    ],
)
def test_instructions(form: Form, meaning: np.ufunc):
    (got,) = compute([form], in_ptx=True)
    _, inputs = arguments([form])
    with np.errstate(all="ignore"):
        assert_same(got, meaning(*inputs[:2]), form[0])


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (
            library("__nv_erff", 1, "f32"),
            "'nv_tileaa.extern_elementwise' op does not support the function '__nv_erff' on f32",
        ),
        (
            intrinsic("sadd.sat", ("i32",) * 2, "i32"),
            "'nv_tileaa.call_elementwise_intrinsic' op does not support the intrinsic 'llvm.sadd.sat.i32'",
        ),
        (
            assembly("add.u16 $0, $1, $2;", "=h,h,h", "i8"),
            "'nv_tileaa.elementwise_inline_asm' op packs 1 elements of i8, which do not fill a register of 16, 32 or 64 bits",
        ),
    ],
)
def test_what_is_not_supported(form: Form, message: str):
    with pytest.raises(PassFailedException) as raised:
        emit(tools.run_passes(tools.parse(kernel([form])), REST_OF_THE_ROAD), "sm_90a")
    assert message in str(raised.value)
