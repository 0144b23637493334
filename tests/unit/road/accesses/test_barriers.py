"""Barriers between accesses that tokens order: where threads meet, and nowhere else."""

import numpy as np
import pytest

from tests.unit.road.agreement import assert_equal, kernel, run_at_both_levels
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

TENSOR = "tensor_view<8x128xi32, strides=[128,1]>"
OVERLAPPING = "tensor_view<8x128xi32, strides=[1,1]>"
DYNAMIC = "tensor_view<8x128xi32, strides=[?,1]>"


def view(name: str, tensor: str, tile: str = "1x128", strides: str = "[128, 1]") -> str:
    """A view of %p0, and tiles of it as %<name>."""
    return f"""
    %{name}_object = make_tensor_view %p0, shape = [8, 128], strides = {strides} : {tensor}
    %{name} = make_partition_view %{name}_object : partition_view<tile=({tile}), {tensor}>
    """


def store(token: int, row: str, name: str = "v", tensor: str = TENSOR, tile: str = "1x128") -> str:
    """Stores %x<token> to tile (row, 0) after %t<token>."""
    return f"""
    %x{token} = constant <i32: {token + 7}> : tile<{tile}xi32>
    %t{token + 1} = store_view_tko weak %x{token}, %{name}[%{row}, %zero] token = %t{token}
        : tile<{tile}xi32>, partition_view<tile=({tile}), {tensor}>, tile<i32> -> token
    """


def copy(token: int, row: str, to: str, after: int | None = None) -> str:
    """Copies one tile to another after %t<token>, or another one; the result is the next one."""
    type = f"partition_view<tile=(1x128), {TENSOR}>"
    before = token if after is None else after
    return f"""
    %y{token}, %l{token} = load_view_tko weak %v[%{row}, %zero] token = %t{before}
        : {type}, tile<i32> -> tile<1x128xi32>, token
    %j{token} = join_tokens %t{before}, %l{token} : token
    %t{token + 1} = store_view_tko weak %y{token}, %v[%{to}, %zero] token = %j{token}
        : tile<1x128xi32>, {type}, tile<i32> -> token
    """


ROWS = """
%t0 = make_token : token
%one = constant <i32: 1> : tile<i32>
%two = constant <i32: 2> : tile<i32>
%any, %any_y, %any_z = get_tile_block_id : tile<i32>
"""

CASES = {
    "different rows": (view("v", TENSOR) + store(0, "zero") + store(1, "one"), 0),
    "the same row": (view("v", TENSOR) + store(0, "one") + store(1, "one"), 0),
    "the same unknown row": (view("v", TENSOR) + store(0, "any") + store(1, "any"), 0),
    "unknown rows": (view("v", TENSOR) + store(0, "any") + store(1, "one"), 1),
    "read back": (view("v", TENSOR) + store(0, "one") + copy(1, "one", "two"), 0),
    "moved on": (
        view("v", TENSOR) + store(0, "any") + copy(1, "one", "two") + copy(2, "two", "any"),
        2,
    ),
    "fenced already": (
        view("v", TENSOR) + store(0, "any") + copy(1, "one", "two") + copy(2, "two", "one", 1),
        1,
    ),
    "fenced in one arm only": (
        view("v", TENSOR)
        + store(0, "any")
        + "%some = cmpi less_than %any, %one, signed : tile<i32> -> tile<i1>"
        + "if %some {"
        + copy(1, "one", "two")
        + "}"
        + copy(2, "one", "zero", 1),
        2,
    ),
    "other tiles": (
        view("v", TENSOR)
        + view("w", TENSOR, "2x32")
        + store(0, "one")
        + store(1, "zero", "w", tile="2x32"),
        1,
    ),
    "rows that overlap": (
        view("v", OVERLAPPING, strides="[1, 1]")
        + store(0, "zero", tensor=OVERLAPPING)
        + store(1, "one", tensor=OVERLAPPING),
        1,
    ),
    "rows that are taken to be apart": (
        "%stride = constant <i32: 128> : tile<i32>"
        + view("v", DYNAMIC, strides="[%stride, 1]").replace(
            f": {DYNAMIC}", f": tile<i32> -> {DYNAMIC}"
        )
        + store(0, "zero", tensor=DYNAMIC)
        + store(1, "one", tensor=DYNAMIC),
        0,
    ),
}
"""Accesses of one array, and the barriers that they need."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CASES)
def test_barriers(name: str):
    body, barriers = CASES[name]
    text = kernel(ROWS + body, ["i32"])
    ptx = emit(tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}"), "sm_90a")
    assert ptx.count("bar.sync") == barriers
    assert_equal(*run_at_both_levels(text, [np.arange(8 * 128, dtype=np.int32)]))


def test_rows_of_one_element_are_read_by_all_threads():
    """The one that stores is not the only one that loads."""
    body = view("v", TENSOR, "1x1") + store(0, "one", tile="1x1")
    type = f"partition_view<tile=(1x1), {TENSOR}>"
    body += f"""
    %y, %l = load_view_tko weak %v[%one, %zero] token = %t1
        : {type}, tile<i32> -> tile<1x1xi32>, token
    %wide = broadcast %y : tile<1x1xi32> -> tile<1x128xi32>
    """
    body += (
        view("w", TENSOR)
        + f"""
    %u = store_view_tko weak %wide, %w[%two, %zero] token = %l
        : tile<1x128xi32>, partition_view<tile=(1x128), {TENSOR}>, tile<i32> -> token
    """
    )
    text = kernel(ROWS + body, ["i32"])
    ptx = emit(tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}"), "sm_90a")
    assert "bar.sync" in ptx
    assert_equal(*run_at_both_levels(text, [np.arange(8 * 128, dtype=np.int32)]))


def test_many_accesses_of_one_token():
    """Beyond a number accesses are not told apart, but still ordered."""
    rows = "".join(store(n, "zero", tile="1x1") for n in range(3))
    columns = "".join(
        f"""
        %c{n} = constant <i32: {n}> : tile<i32>
        %z{n} = constant <i32: {n}> : tile<1x1xi32>
        %s{n} = store_view_tko weak %z{n}, %v[%one, %c{n}] token = %{f"s{n - 1}" if n else "t3"}
            : tile<1x1xi32>, partition_view<tile=(1x1), {TENSOR}>, tile<i32> -> token
        """
        for n in range(64)
    )
    body = view("v", TENSOR, "1x1") + rows + columns
    text = kernel(ROWS + body, ["i32"])
    assert_equal(*run_at_both_levels(text, [np.arange(8 * 128, dtype=np.int32)]))
