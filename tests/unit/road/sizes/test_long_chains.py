"""Nothing recurses over data flow: chains longer than Python nests calls compile on every road."""

import sys
from collections.abc import Callable, Mapping

import pytest

from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

LENGTH = 1050
"""Above the limit of nested calls, which is 1,000."""

TILE, POINTERS, INDICES = "tile<128xf32>", "tile<128xptr<f32>>", "tile<128xi32>"
LOAD = f"load_ptr_tko weak %p : {POINTERS} -> {TILE}, token"

Row = Callable[[int], str]

CHAINS: Mapping[str, tuple[Row, Row]] = {
    # Many values in use at once: the tiles are computed in slices.
    "loads before sums": (
        lambda n: f"%v{n}, %t{n} = {LOAD}",
        lambda n: f"%x{n} = addf %x{n - 1}, %v{n} rounding<nearest_even> : {TILE}",
    ),
    "sums": (
        lambda n: "",
        lambda n: f"%x{n} = addf %x{n - 1}, %x0 rounding<nearest_even> : {TILE}",
    ),
    "pointers": (
        lambda n: f"%p{n} = offset %p{n - 1}, %i : {POINTERS}, {INDICES} -> {POINTERS}",
        lambda n: (
            f"%x{n}, %l = load_ptr_tko weak %p{n} : {POINTERS} -> {TILE}, token"
            if n == LENGTH
            else ""
        ),
    ),
    "tokens": (
        lambda n: f"%t{n} = join_tokens %t{n - 1}, %t0 : token",
        lambda n: (
            f"%x{n}, %l = load_ptr_tko weak %p token=%t{n} : {POINTERS} -> {TILE}, token"
            if n == LENGTH
            else ""
        ),
    ),
}
"""What is there for each number, and what is computed of it."""


def text_of(rows: tuple[Row, Row]) -> str:
    numbers = range(1, LENGTH + 1)
    lines = [row(number) for row in rows for number in numbers]
    one, ones = "tile<1xptr<f32>>", "%one"
    return f"""cuda_tile.module @m {{ entry @k(%a: tile<ptr<f32>>) {{
      %i = iota : {INDICES}
      {ones} = reshape %a : tile<ptr<f32>> -> {one}
      %all = broadcast {ones} : {one} -> {POINTERS}
      %p = offset %all, %i : {POINTERS}, {INDICES} -> {POINTERS}
      %p0 = offset %all, %i : {POINTERS}, {INDICES} -> {POINTERS}
      %x0, %t0 = {LOAD}
      {" ".join(lines)}
      %s = store_ptr_tko weak %p, %x{LENGTH} : {POINTERS}, {TILE} -> token
      return }} }}"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CHAINS)
def test_a_long_chain_compiles(name: str) -> None:
    assert sys.getrecursionlimit() <= LENGTH
    module = tools.parse(text_of(CHAINS[name]))
    tools.run_passes(module, "tileir-pipeline{gpu=sm_90a}", verify=False)
    assert ".entry k" in emit(module, "sm_90a")
