"""Known powers, pointers as integers, changes of width, and the bytes of a tile."""

import numpy as np
import pytest

from tests.unit.road.levels_agree.test_agreement import assert_same, run_both
from tests.unit.transforms.convert_tileas_to_llvm.elementwise import TILE, Operation, compare
from tileir_xdsl.testing.kernels.agreement import max_ulps, unit_in_last_place


@pytest.mark.one_in(3)
@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_known_powers(element: str):
    operations = [
        Operation(f"fpowi %in0, %in1 : T, tile<{TILE}xi32>", (element, "i32"), element, exponent)
        for exponent in (-2, -1, 0, 1, 2, 3, 4, 5)
    ]
    for comparison in compare(operations, "sm_90a"):
        with np.errstate(invalid="ignore"):
            got, wanted = (a.astype(np.float64) for a in (comparison.got, comparison.wanted))
            unit = unit_in_last_place(wanted, comparison.got.dtype)
            is_near = np.abs(got - wanted) <= max_ulps("fpowi", comparison.got.dtype) * unit
        differs = comparison.differs() & ~is_near
        assert not differs.any(), comparison.example(differs)


POINTERS = """
    %one = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %all = broadcast %one : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %lane = iota : tile<64xi32>
    %other = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %others = broadcast %other : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %to = offset %others, %lane : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
"""
LOAD_AND_STORE = """
    %x, %t = load_ptr_tko weak %at : tile<64xptr<i32>> -> tile<64xi32>, token
    %u = store_ptr_tko weak %to, %x : tile<64xptr<i32>>, tile<64xi32> -> token
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (
            # Signed offsets of every width, from the middle of the array.
            f"""
            %middle = constant <i32: 128> : tile<64xi32>
            %half = offset %all, %middle : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
            %narrow = trunci %lane : tile<64xi32> -> tile<64x{width}>
            %minus = negi %narrow : tile<64x{width}>
            %at = offset %half, %minus : tile<64xptr<i32>>, tile<64x{width}> -> tile<64xptr<i32>>
            """,
            np.arange(128, 64, -1),
        )
        for width in ("i8", "i16")
    ]
    + [
        (
            """
            %wide = exti %lane signed : tile<64xi32> -> tile<64xi64>
            %at = offset %all, %wide : tile<64xptr<i32>>, tile<64xi64> -> tile<64xptr<i32>>
            """,
            np.arange(64),
        ),
        (
            """
            %address = ptr_to_int %all : tile<64xptr<i32>> -> tile<64xi64>
            %wide = exti %lane unsigned : tile<64xi32> -> tile<64xi64>
            %eight = constant <i64: 8> : tile<64xi64>
            %bytes = muli %wide, %eight : tile<64xi64>
            %sum = addi %address, %bytes : tile<64xi64>
            %at = int_to_ptr %sum : tile<64xi64> -> tile<64xptr<i32>>
            """,
            np.arange(0, 128, 2),
        ),
        (
            """
            %longs = ptr_to_ptr %all : tile<64xptr<i32>> -> tile<64xptr<i64>>
            %far = offset %longs, %lane : tile<64xptr<i64>>, tile<64xi32> -> tile<64xptr<i64>>
            %at = ptr_to_ptr %far : tile<64xptr<i64>> -> tile<64xptr<i32>>
            """,
            np.arange(0, 128, 2),
        ),
    ],
)
def test_pointers(body: str, wanted: np.ndarray):
    data = np.arange(256, dtype=np.int32)
    arguments = [data, np.zeros(64, np.int32)]
    parameters = "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>"
    result = assert_same(POINTERS + body + LOAD_AND_STORE, parameters, arguments)[1]
    np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("wide", ["i8", "i32", "i64"])
def test_integers_of_four_bits(sign: str, wide: str):
    conversion = {"i8": f"exti %again {sign}", "i32": "addi %again, %none", "i64": "trunci %again"}
    types = "tile<64xi32>" if wide == "i32" else f"tile<64x{wide}> -> tile<64xi32>"
    body = f"""
    %none = constant <i32: 0> : tile<64xi32>
    %narrow = trunci %lane : tile<64xi32> -> tile<64xi4>
    %again = exti %narrow {sign} : tile<64xi4> -> tile<64x{wide}>
    %x = {conversion[wide]} : {types}
    %u = store_ptr_tko weak %to, %x : tile<64xptr<i32>>, tile<64xi32> -> token
    """
    arguments = [np.zeros(1, np.int32), np.zeros(64, np.int32)]
    parameters = "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>"
    result = assert_same(POINTERS + body, parameters, arguments)[1]
    low = np.arange(64) % 16
    np.testing.assert_array_equal(
        result, np.where(low > 7, low - 16, low) if sign == "signed" else low
    )


@pytest.mark.parametrize(
    ("element", "count"),
    [("i16", 2), ("i32", 4), ("i64", 8), ("f32", 4), ("f64", 8), ("f16", 2), ("tf32", 4)],
)
def test_bytes_of_a_tile(element: str, count: int):
    size = 64 * count

    def pointers(name: str, type: str, number: int) -> str:
        pointer = f"xptr<{type}>"
        return f"""
    %{name}_one = reshape %{name} : tile<ptr<{type}>> -> tile<1{pointer}>
    %{name}_all = broadcast %{name}_one : tile<1{pointer}> -> tile<{number}{pointer}>
    %{name}_lane = iota : tile<{number}xi32>
    %{name}_at = offset %{name}_all, %{name}_lane : tile<{number}{pointer}>, tile<{number}xi32> -> tile<{number}{pointer}>
    """

    body = f"""
    {pointers("p", element, 64)}
    {pointers("q", "i8", size)}
    {pointers("r", element, 64)}
    %x, %t = load_ptr_tko weak %p_at : tile<64xptr<{element}>> -> tile<64x{element}>, token
    %bytes = pack %x : tile<64x{element}> -> tile<{size}xi8>
    %u = store_ptr_tko weak %q_at, %bytes : tile<{size}xptr<i8>>, tile<{size}xi8> -> token
    %y, %v = load_ptr_tko weak %q_at token=%u : tile<{size}xptr<i8>> -> tile<{size}xi8>, token
    %z = unpack %y : tile<{size}xi8> -> tile<64x{element}>
    %w = store_ptr_tko weak %r_at, %z : tile<64xptr<{element}>>, tile<64x{element}> -> token
    """
    dtype = np.dtype(element.removeprefix("t").replace("f", "float").replace("i", "int"))
    data = np.random.default_rng(1).integers(0, 256, size, np.uint8).view(dtype)
    parameters = f"%p: tile<ptr<{element}>>, %q: tile<ptr<i8>>, %r: tile<ptr<{element}>>"
    arguments = [data, np.zeros(size, np.int8), np.zeros(64, dtype)]
    _, (_, found, again) = run_both(body, parameters, arguments)
    assert found.tobytes() == data.tobytes() == again.tobytes()
