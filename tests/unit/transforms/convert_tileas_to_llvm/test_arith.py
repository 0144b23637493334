"""`arith` and `math` ops that no Tile IR kernel needs, but other front ends do: values in PTX."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import program
from tests.unit.transforms.convert_tileas_to_llvm.elementwise import TILE, operand
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array
from tileir_xdsl.testing import tools

REST_OF_THE_ROAD = (
    "convert-tileaa-to-tileas,tileas-assign-load-store-layouts,"
    f"tileas-remove-layout-conversions,{tools.TO_LLVM}"
)

FLOATS = ("f16", "bf16", "f32", "f64")
PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def tensor(element: str) -> str:
    return f"tensor<{TILE}x{element}>"


def unary(op: str, element: str, result: str | None = None) -> tuple[str, tuple[str, ...], str]:
    types = tensor(element) if result is None else f"{tensor(element)} to {tensor(result)}"
    return f"{op} %in0 : {types}", (element,), result or element


def binary(op: str, element: str, result: str | None = None) -> tuple[str, tuple[str, ...], str]:
    return f"{op} %in0, %in1 : {tensor(element)}", (element, element), result or element


Form = tuple[str, tuple[str, ...], str]
"""An op on %in0, %in1, the elements of its operands and of its result."""

ARITHMETIC = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")

FAMILIES: dict[str, list[Form]] = {
    "arithmetic": [binary(f"arith.{op}", e) for op in ARITHMETIC for e in FLOATS],
    "signs": [unary(op, e) for op in ("arith.negf", "math.absf", "math.trunc") for e in FLOATS],
    "comparisons": [
        binary(f"arith.cmpf {predicate},", e, "i1")
        for predicate in PREDICATES
        for e in ("f32", "f64")
    ],
    "integers": [
        *(
            unary(f"arith.{op}", i, f)
            for op in ("sitofp", "uitofp")
            for i in ("i8", "i32")
            for f in FLOATS
        ),
        *(
            unary(f"arith.{op}", f, i)
            for op in ("fptosi", "fptoui")
            for i in ("i8", "i64")
            for f in FLOATS
        ),
        *(binary("arith.addi", e) for e in ("i8", "i32")),
        unary("arith.trunci", "i64", "i8"),
    ],
    "bits": [
        unary(f"math.{op}", e)
        for op in ("ctlz", "cttz", "ctpop")
        for e in ("i1", "i8", "i16", "i32", "i64")
    ],
    "roots": [unary("math.sqrt", e) for e in FLOATS],
    "formats": [
        unary("arith.extf", "f16", "f32"),
        unary("arith.extf", "bf16", "f64"),
        unary("arith.truncf", "f64", "f16"),
        unary("arith.truncf", "f32", "bf16"),
        unary("arith.bitcast", "f32", "i32"),
        unary("arith.bitcast", "i16", "bf16"),
        unary("nv_tileaa.bitcast", "i64", "f64"),
    ],
    "three operands": [
        (f"{op} %in0, %in1, %in2 {more}: {tensor(e)}", (e, e, e), e)
        for op, more in (
            ("math.fma", ""),
            ("nv_tileaa.clampf", ""),
            ("nv_tileaa.clampf", "propagate_nan "),
        )
        for e in ("f16", "f32")
    ],
}


def arguments(forms: Sequence[Form]) -> tuple[list[Tile], list[Array]]:
    """The inputs of all forms, three of each element type."""
    elements = dict.fromkeys(element for _, operands, _ in forms for element in operands)
    pairs = [(element, number) for element in elements for number in range(3)]
    tiles = [Tile(f"{TILE}x{element}") for element, _ in pairs]
    return tiles, [operand(element, number)[:TILE].copy() for element, number in pairs]


def kernel(forms: Sequence[Form]) -> str:
    """A kernel that computes all forms."""
    tiles, _ = arguments(forms)
    places = {element: 3 * n for n, element in enumerate(dict.fromkeys(t.element for t in tiles))}
    lines: list[str] = []
    for number, (text, operands, _) in enumerate(forms):
        for place, element in enumerate(operands):
            text = text.replace(f"%in{place}", f"%IN{places[element] + place}")
        lines.append(f"%out{number} = {text}".replace("%IN", "%in"))
    results = [Tile(f"{TILE}x{result}") for _, _, result in forms]
    return program("\n".join(lines), tiles, results)


def compute(forms: Sequence[Form], *, in_ptx: bool) -> list[Array]:
    """The results of all forms, by the interpreter or by PTX."""
    text = kernel(forms)
    _, inputs = arguments(forms)
    results = [np.zeros(TILE, ELEMENTS[result].dtype) for _, _, result in forms]
    module = tools.parse(text)
    with np.errstate(all="ignore"):
        if in_ptx:
            ptx = emit(tools.run_passes(module, REST_OF_THE_ROAD), "sm_90a")
            emulator.load(ptx).launch("k", (1, 1, 1), [*inputs, *results])
        else:
            interpreters.launch(module, "k", (1, 1, 1), [*inputs, *results])
    return results


def assert_equal(got: Array, wanted: Array, what: str) -> None:
    """The same bits, or both NaN."""
    if got.dtype.kind in "bi":
        np.testing.assert_array_equal(got, wanted, what)
        return
    with np.errstate(invalid="ignore"):
        doubles = [array.astype(np.float64) for array in (got, wanted)]
    same = (doubles[0] == doubles[1]) & (np.signbit(doubles[0]) == np.signbit(doubles[1]))
    assert (same | np.isnan(doubles[0]) & np.isnan(doubles[1])).all(), what


@pytest.mark.parametrize("family", FAMILIES)
def test_values(family: str):
    forms = FAMILIES[family]
    results = zip(forms, compute(forms, in_ptx=True), compute(forms, in_ptx=False), strict=True)
    for form, got, wanted in results:
        assert_equal(got, wanted, form[0])


@pytest.mark.parametrize(
    ("form", "meaning"),
    [
        (binary("math.copysign", "f32"), np.copysign),
        (binary("math.copysign", "f16"), np.copysign),
        (unary("math.roundeven", "f32"), np.rint),
        (unary("math.roundeven", "f64"), np.rint),
    ],
)
def test_values_as_in_numpy(form: Form, meaning: Callable[..., Array]):
    (got,) = compute([form], in_ptx=True)
    _, inputs = arguments([form])
    with np.errstate(invalid="ignore"):
        wanted = meaning(*inputs[: len(form[1])])
    assert_equal(got, wanted, form[0])


@pytest.mark.parametrize(
    ("form", "instruction"),
    [
        ("arith.addf %in0, %in1 : T", "add.rn.f32"),
        ("arith.addf %in0, %in1 fastmath<contract> : T", "add.f32"),
        ("nv_tileaa.mulf %in0, %in1 : T", "mul.rn.f32"),
        ("nv_tileaa.mulf %in0, %in1 {fastmath = #arith.fastmath<contract>} : T", "mul.f32"),
        ("nv_tileaa.divf %in0, %in1 : T", "div.rn.f32"),
        ("nv_tileaa.divf %in0, %in1 {fastmath = #arith.fastmath<arcp>} : T", "div.full.f32"),
        ("nv_tileaa.sqrt %in0 : T", "sqrt.rn.f32"),
        ("nv_tileaa.sqrt %in0 {fastmath = #arith.fastmath<afn>} : T", "sqrt.approx.f32"),
        ("math.sin %in0 fastmath<afn> : T", "sin.approx.f32"),
        ("math.cos %in0 fastmath<fast> : T", "cos.approx.f32"),
        ("math.tanh %in0 fastmath<afn> : T", "tanh.approx.f32"),
        ("math.log2 %in0 fastmath<afn> : T", "lg2.approx.f32"),
    ],
)
def test_fast_math_decides_contraction_and_approximation(form: str, instruction: str):
    operands = ("f32",) * form.count("%in")
    text = kernel([(form.replace("T", tensor("f32")), operands, "f32")])
    ptx = emit(tools.run_passes(tools.parse(text), REST_OF_THE_ROAD), "sm_90a")
    assert f"\t{instruction} " in ptx


def test_angles_of_numbers():
    (got,) = compute([unary("math.atan", "f32")], in_ptx=True)
    (wanted,) = compute([unary("math.atan", "f32")], in_ptx=False)
    with np.errstate(invalid="ignore"):
        near = np.abs(got - wanted) <= 3 * 2.0**-23 * np.abs(wanted)
    assert (near | (got == wanted) | (np.isnan(got) & np.isnan(wanted))).all()


@pytest.mark.parametrize("element", ["i1", "i8", "i16", "i32", "i64"])
def test_extended_sums(element: str):
    form = (
        f"arith.addui_extended %in0, %in1 : {tensor(element)}, {tensor('i1')}",
        (element, element),
        element,
    )
    tiles, inputs = arguments([form])
    text = program(
        f"%out0, %out1 = {form[0]}", tiles, [Tile(f"{TILE}x{e}") for e in (element, "i1")]
    )
    results = [np.zeros(TILE, inputs[0].dtype), np.zeros(TILE, np.bool_)]
    ptx = emit(tools.run_passes(tools.parse(text), REST_OF_THE_ROAD), "sm_90a")
    emulator.load(ptx).launch("k", (1, 1, 1), [*inputs, *results])
    for x, y, low, carry in zip(inputs[0], inputs[1], *results, strict=True):
        width = int(element[1:])
        total = int(x) % (1 << width) + int(y) % (1 << width)
        assert (int(low) % (1 << width), bool(carry)) == (total % (1 << width), total >> width == 1)


@pytest.mark.parametrize("element", ["i1", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("signed", [False, True])
def test_extended_products(element: str, signed: bool):
    name = "mulsi_extended" if signed else "mului_extended"
    form = (f"arith.{name} %in0, %in1 : {tensor(element)}", (element, element), element)
    tiles, inputs = arguments([form])
    text = program(f"%out0, %out1 = {form[0]}", tiles, [Tile(f"{TILE}x{element}")] * 2)
    halves = [np.zeros(TILE, inputs[0].dtype) for _ in range(2)]
    ptx = emit(tools.run_passes(tools.parse(text), REST_OF_THE_ROAD), "sm_90a")
    emulator.load(ptx).launch("k", (1, 1, 1), [*inputs, *halves])
    width = int(element[1:])
    for x, y, low, high in zip(inputs[0], inputs[1], *halves, strict=True):
        numbers = [int(value) % (1 << width) for value in (x, y)]
        if signed:
            numbers = [n - (1 << width) if n >> (width - 1) else n for n in numbers]
        product = numbers[0] * numbers[1]
        assert int(low) % (1 << width) == product % (1 << width)
        assert int(high) % (1 << width) == (product >> width) % (1 << width)


@pytest.mark.parametrize("element", ["f8E4M3FN", "f8E5M2"])
@pytest.mark.parametrize("other", ["f16", "f32", "f64"])
def test_eight_bits_without_instructions_for_them(element: str, other: str):
    """sm_80 has no conversions of 8-bit floats; what they give is the same."""
    codes, small, large = tensor("i8"), tensor(element), tensor(other)
    body = f"""
    %small = nv_tileaa.bitcast %in0 : {codes} to {small}
    %out0 = nv_tileaa.fp_to_fp %small : {small} to {large}
    %narrow = nv_tileaa.fp_to_fp %in1 : {large} to {small}
    %out1 = nv_tileaa.bitcast %narrow : {small} to {codes}
    """
    tiles = [Tile(f"{TILE}xi8"), Tile(f"{TILE}x{other}")]
    text = program(body, tiles, [tiles[1], tiles[0]])
    fine = np.linspace(-20, 20, TILE) ** 3 / 16
    inputs = [
        np.arange(TILE, dtype=np.uint8).view(np.int8),
        np.where(np.arange(TILE) % 2, fine, operand(other, 0)[:TILE]).astype(ELEMENTS[other].dtype),
    ]
    results: dict[str, list[Array]] = {}
    for gpu in ("sm_80", "sm_90a"):
        marked = text.replace(
            "builtin.module", f'builtin.module attributes {{nv_tileaa.target_spec = "{gpu}"}}'
        )
        ptx = emit(tools.run_passes(tools.parse(marked), REST_OF_THE_ROAD), gpu)
        assert ("e4m3x2" in ptx or "e5m2x2" in ptx) == (gpu == "sm_90a")
        results[gpu] = [np.zeros_like(inputs[1]), np.zeros_like(inputs[0])]
        emulator.load(ptx).launch("k", (1, 1, 1), [*inputs, *results[gpu]])
    wide, narrow = zip(*results.values(), strict=True)
    assert_equal(wide[0], wide[1], body)
    np.testing.assert_array_equal(narrow[0] & 0x7F, narrow[1] & 0x7F)
    is_number = (narrow[0] & 0x7F) != 0x7F
    np.testing.assert_array_equal(narrow[0][is_number], narrow[1][is_number])
