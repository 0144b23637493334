"""Which elements each modification works with, and which memory an access may be of.

Source: the TileAS operation roster, `tiled_atomic_rmw` ("rejects 8-bit element types across all
modes and rejects 16-bit integer atomics; 16-bit floating atomics restrict the mode set to add, max,
min") and residency; Tile IR specification, section 8.10.2 ("Supported data types by mode").
"""

import pytest
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.testing.tools import parse

INTEGERS = ("i32", "i64")
WIDE_FLOATS = ("f32", "f64")
HALVES = ("f16", "bf16")
OTHERS = ("i1", "i4", "i8", "i16", "f8E4M3FN", "f8E5M2", "tf32", "f4E2M1FN")
SUPPORTED = {
    **dict.fromkeys(("and", "or", "xor", "umin", "umax"), INTEGERS),
    **dict.fromkeys(("add", "min", "max"), (*INTEGERS, *WIDE_FLOATS, *HALVES)),
    **dict.fromkeys(("xchg", "cmpxchg"), (*INTEGERS, *WIDE_FLOATS)),
    "addf": WIDE_FLOATS,
}
OPS = {
    "tiled_atomic_rmw": "tensor<8x{e}>",
    "async.tiled_atomic_rmw": "!async.value<tile<8x{e}>>",
}
PLACES = ("gmem", "smem", "tmem", "rmem")


def modification(op: str, mode: str, element: str, place: str = "gmem") -> str:
    view = f"!nv_tileas.tiled_view<8x{element}, {place}>"
    result = OPS[op].format(e=element)
    return f"""
    %v, %x, %i = "test.op"() : () -> ({view}, tensor<8x{element}>, index)
    %o = nv_tileas.{op} relaxed gpu %x, %v[%i] {{rmw_mode = #nv_tileas.rmw_mode<{mode}>}}
        : tensor<8x{element}>, {view}[index] -> {result}
    """


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("mode", SUPPORTED)
def test_elements_of_modifications(op: str, mode: str):
    for element in (*INTEGERS, *WIDE_FLOATS, *HALVES, *OTHERS):
        text = modification(op, mode, element)
        if element in SUPPORTED[mode]:
            parse(text)
            continue
        with pytest.raises(VerifyException, match="tiled_atomic_rmw"):
            parse(text)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("place", PLACES[1:])
def test_modifications_are_of_global_memory(op: str, place: str):
    message = "expects a view or a buffer" if place == "rmem" else "expects a view of global memory"
    with pytest.raises(VerifyException, match=message):
        parse(modification(op, "add", "i32", place))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "access",
    [
        "%a = nv_tileas.tiled_load weak %v[%i] : VIEW[index] -> TILE",
        "nv_tileas.tiled_store weak %x, %v[%i] : TILE, VIEW[index]",
        "%a = nv_tileas.async.tiled_load weak %v[%i] : VIEW[index] -> !async.value<tile<8xi32>>",
    ],
    ids=lambda text: text.split("nv_tileas.")[1].split()[0],
)
def test_accesses_are_of_memory(access: str, place: str):
    """Tiles in registers are values: nothing is loaded from them."""
    for view, coordinates in (
        (f"!nv_tileas.tiled_view<8xi32, {place}>", "[index]"),
        (f"tensor<8xi32, #nv_tileas.memory<{place}>>", ""),
        (f"memref<8xi32, #nv_tileas.memory<{place}>>", ""),
        ("tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 1, 1), (0, (1, 0), 0, 0)>>", ""),
    ):
        op = access.replace("[index]", coordinates).replace("[%i]", "[%i]" if coordinates else "")
        text = f'%v, %x, %i = "test.op"() : () -> (VIEW, TILE, index)\n{op}'
        text = text.replace("VIEW", view).replace("TILE", "tensor<8xi32>")
        if place != "rmem" and "layout" not in view:
            parse(text)
            continue
        with pytest.raises(VerifyException, match="expects a view or a buffer in memory, but got"):
            parse(text)
