"""Tiles that overlap themselves or each other, where strides are known only to the launch."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
import pytest

import tileir_xdsl as tileir
from tileir_xdsl.runtime.cpu.programs import CPUProgram, program_on_cpu
from tileir_xdsl.runtime.errors import CompileError

Compiled: TypeAlias = tuple[tileir.Program, CPUProgram]

IN_PLACE = """
!v = !cuda_tile.tensor_view<?x?xi64, strides=[?,?]>
!w = !cuda_tile.partition_view<tile=(4x32), !v>
!i = !cuda_tile.tile<i32>
!t = !cuda_tile.tile<4x32xi64>
cuda_tile.module @m {
  entry @twice(%p: tile<ptr<i64>>, %n: !i, %m: !i, %s: !i, %r: !i) {
    %zero = constant <i32: 0> : !i
    %t = make_token : token
    STRIDES
    %v = make_tensor_view %p, shape = [%n, %m], strides = [%a, %r] : !i -> !v
    %w = make_partition_view %v : !w
    %x, %t1 = load_view_tko weak %w[%zero, %zero] token = %t : !w, !i -> !t, token
    %y = addi %x, %x : !t
    %t2 = store_view_tko weak %y, %w[%zero, %zero] token = %t1 : !t, !w, !i -> token
  }
}
"""

STRIDE = "%a = assume bounded<0, ?>, %s : tile<i32>"
COMPUTED = "%a = maxi %s, %zero signed : !i"

DISTINCT = [
    (4, 32, 32, 1),
    (4, 32, 1, 4),
    (4, 32, 64, 2),
    (1, 32, 0, 1),
    (4, 1, 8, 0),
    (0, 32, 0, 0),
]
OVERLAPPING = [
    (4, 32, 0, 1),
    (4, 32, 16, 1),
    (4, 32, 31, 1),
    (4, 32, 1, 1),
    (4, 32, 1, 0),
    (2, 2, 0, 0),
]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Compiled]:
    """A kernel for the interpreter and as code of this processor, once for each text."""

    @cache
    def once(text: str) -> Compiled:
        file = tmp_path_factory.mktemp("kernel") / "k.mlir"
        file.write_text(text)
        program = tileir.load(file)
        return program, program_on_cpu(program)

    return once


def outcome(run: Callable[[np.ndarray], object]) -> list[int]:
    """The memory after a launch."""
    memory = np.arange(1, 258)
    run(memory)
    return memory.tolist()


@pytest.mark.parametrize("numbers", [*DISTINCT, *OVERLAPPING], ids=str)
def test_a_tile_that_is_loaded_and_stored(
    compiled: Callable[[str], Compiled], numbers: tuple[int, ...]
):
    kernel, code = compiled(IN_PLACE.replace("STRIDES", STRIDE))
    if numbers in OVERLAPPING:
        expected = (
            r"k.mlir:12:5: error: elements of the tile overlap in memory; the interpreter runs it"
        )
        with pytest.raises(CompileError, match=expected):
            outcome(lambda memory: code.launch(1, memory, *numbers))
    else:
        found = outcome(lambda memory: code.launch(1, memory, *numbers))
        assert found == outcome(lambda memory: kernel.run(1, memory, *numbers))


@pytest.mark.parametrize("numbers", [*DISTINCT, *OVERLAPPING], ids=str)
def test_a_stride_that_no_launch_knows(
    compiled: Callable[[str], Compiled], numbers: tuple[int, ...]
):
    """The tile is loaded as a whole before it is stored."""
    kernel, code = compiled(IN_PLACE.replace("STRIDES", COMPUTED))
    found = outcome(lambda memory: code.launch(1, memory, *numbers))
    assert found == outcome(lambda memory: kernel.run(1, memory, *numbers))


TWO_ARRAYS = """
!v = !cuda_tile.tensor_view<?xi64, strides=[?]>
!w = !cuda_tile.partition_view<tile=(64), !v>
!i = !cuda_tile.tile<i32>
!t = !cuda_tile.tile<64xi64>
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i64>>, %q: tile<ptr<i64>>, %n: !i, %s: !i) {
    %zero = constant <i32: 0> : !i
    %t = make_token : token
    %v = make_tensor_view %p, shape = [%n], strides = [%s] : !i -> !v
    %a = make_partition_view %v : !w
    %u = make_tensor_view %q, shape = [%n], strides = [%s] : !i -> !v
    %b = make_partition_view %u : !w
    %x, %t1 = load_view_tko weak %a[%zero] token = %t : !w, !i -> !t, token
    %d = addi %x, %x : !t
    %t2 = store_view_tko weak %d, %b[%zero] token = %t1 : !t, !w, !i -> token
    %y, %t3 = load_view_tko weak %a[%zero] token = %t2 : !w, !i -> !t, token
    %e = addi %x, %y : !t
    %t4 = store_view_tko weak %e, %b[%zero] token = %t3 : !t, !w, !i -> token
  }
}
"""


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("shift", [0, 1, 2, 7, 63, 64, 65])
def test_arguments_that_share_memory(compiled: Callable[[str], Compiled], shift: int, stride: int):
    kernel, code = compiled(TWO_ARRAYS)
    found = outcome(lambda memory: code.launch(1, memory, memory[shift:], 64, stride))
    assert found == outcome(lambda memory: kernel.run(1, memory, memory[shift:], 64, stride))
