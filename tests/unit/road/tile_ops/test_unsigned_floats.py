"""`fnv8E5M3FNU` at every level: each conversion gives the codes that its definition gives."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from tests.tileiras_agreement.compilers import ours, theirs
from tests.unit.interpreters.cuda_tile.test_unsigned_floats import NAME, NUMBERS, nearest
from tests.unit.road.agreement import kernel, whole_tiles
from tileir_xdsl import bytecode, load
from tileir_xdsl.runtime.lowering import RUNNABLE
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import assert_agrees, within_roundings

GPU = "sm_107a"
"""It converts by instructions, sm_107 by integer arithmetic."""
MIDDLES = (NUMBERS[1:] + NUMBERS[:-1]) / 2
BELOW, ABOVE = (np.nextafter(MIDDLES.astype(np.float32), np.float32(end)) for end in (-1, 1e9))
SPECIAL = [-1, -0.0, -math.inf, math.inf, 1e9, 1.2e5, math.nan, 2.0**-149]
VALUES = np.concatenate([NUMBERS, MIDDLES, BELOW, ABOVE, SPECIAL])[:1024]
VALUES[-8:] = SPECIAL
SOURCES = {
    "f32": VALUES.astype(np.float32),
    # Doubles next to a middle, which a rounding by way of f32 would take for it.
    "f64": np.where(np.isin(VALUES, MIDDLES), VALUES * (1 + 2.0**-50), VALUES),
    "f16": VALUES.clip(-6e4, 6e4).astype(np.float16),
    "i8": np.arange(-128, 128, dtype=np.int8),
    "i32": np.array([-(2**31), -1, 0, 17, 19, 114688, 118784, 2**31 - 1], np.int32),
    "i64": np.array([-(2**63), -1, 0, 2**17, 2**40, 2**53 + 1, 21, 23], np.int64),
}


def codes_at(level: str, source: str, values: npt.NDArray[np.generic], gpu: str) -> list[int]:
    """What a kernel makes of values at a level."""
    size = values.size
    convert = "itof %x0 signed" if source.startswith("i") else "ftof %x0"
    body = f"""
      %f = {convert} : tile<{size}x{source}> -> tile<{size}x{NAME}>
      %y0 = bitcast %f : tile<{size}x{NAME}> -> tile<{size}xi8>
    """
    result = np.zeros(size, np.int8)
    load(whole_tiles(body, [values], [("i8", (size,))]), gpu).run(1, values, result, level=level)
    return result.view(np.uint8).tolist()


LEVELS = [*((level, GPU) for level in RUNNABLE), ("ptx", "sm_107")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("level", "gpu"), LEVELS)
@pytest.mark.parametrize("source", SOURCES)
def test_codes(source: str, level: str, gpu: str):
    values = SOURCES[source]
    assert codes_at(level, source, values, gpu) == [nearest(float(value)) for value in values]


@pytest.mark.parametrize(("level", "gpu"), LEVELS)
def test_numbers(level: str, gpu: str):
    codes = np.arange(256, dtype=np.uint8)
    body = f"""
      %f = bitcast %x0 : tile<256xi8> -> tile<256x{NAME}>
      %y0 = ftof %f : tile<256x{NAME}> -> tile<256xf32>
      %y1 = ftof %f rounding<zero> : tile<256x{NAME}> -> tile<256xf16>
      %y2 = ftoi %f signed : tile<256x{NAME}> -> tile<256xi32>
      %c = constant <{NAME}: 1.5> : tile<256x{NAME}>
      %y3 = ftof %c : tile<256x{NAME}> -> tile<256xf32>
    """
    types = ("f32", "f16", "i32", "f32")
    outputs = [np.zeros(256, dtype) for dtype in (np.float32, np.float16, np.int32, np.float32)]
    text = whole_tiles(body, [codes.view(np.int8)], [(type, (256,)) for type in types])
    load(text, gpu).run(1, codes.view(np.int8), *outputs, level=level)
    singles, halves, integers, constants = outputs
    expected = np.array([*NUMBERS, math.nan])
    assert np.array_equal(singles.astype(np.float64), expected, equal_nan=True)
    # What an f16 has not is rounded toward zero.
    assert np.array_equal(halves.astype(np.float64), np.minimum(expected, 65504), equal_nan=True)
    assert integers.tolist() == [*NUMBERS.astype(int).tolist(), 0]
    assert (constants == 1.5).all()


@pytest.mark.parametrize(("gpu", "instructions"), [("sm_107a", 1), ("sm_107f", 1), ("sm_107", 0)])
def test_instructions_where_the_target_has_them(gpu: str, instructions: int):
    body = f"""
      %f = ftof %x0 : tile<128xf32> -> tile<128x{NAME}>
      %y0 = ftof %f : tile<128x{NAME}> -> tile<128xf32>
    """
    text = whole_tiles(body, [np.zeros(128, np.float32)], [("f32", (128,))])
    ptx = load(text, gpu).compile().text
    assemble(ptx, gpu)
    for opcode in ("cvt.rn.satfinite.ue5m3x2.f32", "cvt.rn.bf16x2.ue5m3x2"):
        assert ptx.count(opcode) == instructions


@pytest.mark.parametrize("level", RUNNABLE)
@pytest.mark.parametrize("block", [16, 32])
def test_scales_of_four_bit_floats(level: str, block: int):
    random = np.random.default_rng(block)
    m, n, k = 16, 16, 64
    parts = k // block
    sizes = ((m, k // 2), (k // 2, n), (m, parts), (parts, n))
    a, b, sa, sb = (random.integers(0, 256, size, np.uint8) for size in sizes)
    sa, sb = sa % 0x40 + 0x60, sb % 0x40 + 0x60
    half = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
    body = f"""
      %fa = reshape %x0 : tile<{m}x{k // 2}xi8> -> tile<{m * k // 2}xi8>
      %ua = unpack %fa : tile<{m * k // 2}xi8> -> tile<{m * k}xf4E2M1FN>
      %a = reshape %ua : tile<{m * k}xf4E2M1FN> -> tile<{m}x{k}xf4E2M1FN>
      %fb = reshape %x1 : tile<{k // 2}x{n}xi8> -> tile<{k * n // 2}xi8>
      %ub = unpack %fb : tile<{k * n // 2}xi8> -> tile<{k * n}xf4E2M1FN>
      %b = reshape %ub : tile<{k * n}xf4E2M1FN> -> tile<{k}x{n}xf4E2M1FN>
      %sa = bitcast %x2 : tile<{m}x{parts}xi8> -> tile<{m}x{parts}x{NAME}>
      %sb = bitcast %x3 : tile<{parts}x{n}xi8> -> tile<{parts}x{n}x{NAME}>
      %c = constant <f32: 0.0> : tile<{m}x{n}xf32>
      %y0 = mmaf_scaled %a, %b, %c, %sa, %sb : tile<{m}x{k}xf4E2M1FN>, tile<{k}x{n}xf4E2M1FN>,
        tile<{m}x{n}xf32>, tile<{m}x{parts}x{NAME}>, tile<{parts}x{n}x{NAME}>
    """
    arrays = [array.view(np.int8) for array in (a, b, sa, sb)]
    result = np.zeros(m * n, np.float32)
    text = whole_tiles(body, arrays, [("f32", (m, n))])
    load(text, GPU).run(1, *(array.ravel() for array in arrays), result, level=level)

    def unpacked(data: npt.NDArray[np.uint8], shape: tuple[int, int]) -> npt.NDArray[np.float64]:
        return half[np.stack([data & 15, data >> 4], -1).ravel()].reshape(shape)

    wide_a = unpacked(a, (m, k)) * np.repeat(NUMBERS[sa], block, 1)
    wide_b = unpacked(b, (k, n)) * np.repeat(NUMBERS[sb], block, 0)
    exact, magnitude = wide_a @ wide_b, abs(wide_a) @ abs(wide_b)
    expected = within_roundings(exact, magnitude, np.float32, k, np.float32)
    assert_agrees(result.reshape(m, n), expected)


@pytest.mark.parametrize("padding", ["zero", "neg_zero", "nan", "pos_inf", "neg_inf"])
def test_padding_of_views(padding: str):
    tensor = f"tensor_view<12x{NAME}, strides=[1]>"
    view = f"partition_view<tile=(16), padding_value = {padding}, {tensor}>"
    body = f"""
      %v = make_tensor_view %p0, shape = [12], strides = [1] : {tensor}
      %w = make_partition_view %v : {view}
      %x, %t = load_view_tko weak %w[%zero] : {view}, tile<i32> -> tile<16x{NAME}>, token
      %f = ftof %x : tile<16x{NAME}> -> tile<16xf32>
      %one = reshape %p1 : tile<ptr<f32>> -> tile<1xptr<f32>>
      %all = broadcast %one : tile<1xptr<f32>> -> tile<16xptr<f32>>
      %i = iota : tile<16xi32>
      %at = offset %all, %i : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
      %s = store_ptr_tko weak %at, %f : tile<16xptr<f32>>, tile<16xf32> -> token
    """
    codes, program = np.arange(0x70, 0x7C, dtype=np.uint8), load(kernel(body, [NAME, "f32"]), GPU)
    expected = [*NUMBERS[codes], *[0.0 if "zero" in padding else math.nan] * 4]
    for level in RUNNABLE:
        result = np.zeros(16, np.float32)
        program.run(1, codes, result, level=level)
        assert np.array_equal(result.astype(np.float64), expected, equal_nan=True), level


FORMS = {
    "ftof": f"%r = ftof %e : tile<16x{NAME}> -> tile<16xf32>",
    "ftof toward zero": f"%r = ftof %f rounding<zero> : tile<16xf32> -> tile<16x{NAME}>",
    "itof": f"%r = itof %i signed : tile<16xi32> -> tile<16x{NAME}>",
    "ftoi": f"%r = ftoi %e signed : tile<16x{NAME}> -> tile<16xi32>",
    "addf": f"%r = addf %e, %e : tile<16x{NAME}>",
    "cmpf": f"%r = cmpf equal ordered %e, %e : tile<16x{NAME}> -> tile<16xi1>",
    "select": f"%r = select %b, %e, %e : tile<16xi1>, tile<16x{NAME}>",
    "bitcast": f"%r = bitcast %e : tile<16x{NAME}> -> tile<16xi8>",
    "pack": f"%r = pack %e : tile<16x{NAME}> -> tile<16xi8>",
    "print": f'%r = print_tko "%f", %e : tile<16x{NAME}> -> token',
}


# Elsewhere than on sm_107 the type alone is refused.
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("form", "gpu"),
    [
        *((form, "sm_107") for form in FORMS),
        *(("ftof", g) for g in ("sm_90a", "sm_100a", "sm_120a")),
    ],
)
def test_tileiras_takes_the_same(form: str, gpu: str):
    constants = f"""
      %e = constant <{NAME}: 1.0> : tile<16x{NAME}>
      %f = constant <f32: 1.0> : tile<16xf32>
      %i = constant <i32: 1> : tile<16xi32>
      %b = constant <i1: 1> : tile<16xi1>
    """
    module = tools.parse(kernel(constants + FORMS[form], []), verify=False)
    data = bytecode.write(module, "13.4")
    assert ours(data, gpu).is_accepted == theirs(data, gpu).is_accepted
