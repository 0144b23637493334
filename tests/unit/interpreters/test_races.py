"""The race detector: planted races are found, ordered and strong accesses are not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.test_kernels import module_of
from tileir_xdsl.interpreters.races import Race, find_races
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments

SINGLE_BLOCK = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %q = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t0 = make_token : token
    %t1 = store_ptr_tko weak %p, %one token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    %v, %t2 = load_ptr_tko weak ADDRESS token=BEFORE : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
"""


def _single(address: str, before: str) -> list[str]:
    text = SINGLE_BLOCK.replace("ADDRESS", address).replace("BEFORE", before)
    return [str(r) for r in find_races(tools.parse(text), "k", (1, 1, 1), [np.zeros(2, np.int32)])]


def test_a_missing_token_is_a_race() -> None:
    assert _single("%p", "%t1") == []
    assert _single("%q", "%t0") == []
    assert _single("%p", "%t0") == [
        "'cuda_tile.store_ptr_tko' in tile block (0, 0, 0) and 'cuda_tile.load_ptr_tko' in tile "
        "block (0, 0, 0) both access byte 0 of argument 0, and nothing orders them"
    ]


def test_reads_do_not_race() -> None:
    text = SINGLE_BLOCK.replace(
        "%t1 = store_ptr_tko weak %p, %one token=%t0", "%w, %t1 = load_ptr_tko weak %p token=%t0"
    )
    text = text.replace("tile<ptr<i32>>, tile<i32> -> token", "tile<ptr<i32>> -> tile<i32>, token")
    module = tools.parse(text.replace("ADDRESS", "%p").replace("BEFORE", "%t0"))
    assert find_races(module, "k", (3, 1, 1), [np.zeros(2, np.int32)]) == []


# Each block adds to one counter, by an atomic or by a load and a store.
COUNTER = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    OPERATIONS
    return
  }
}
"""
ATOMIC = """
    %v, %t = atomic_rmw_tko relaxed SCOPE %p, add, %one
      : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
"""
PLAIN = """
    %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %w = addi %v, %one : tile<i32>
    %u = store_ptr_tko weak %p, %w token=%t : tile<ptr<i32>>, tile<i32> -> token
"""


@pytest.mark.parametrize(
    ("operations", "blocks", "races"),
    [
        (ATOMIC.replace("SCOPE", "device"), 4, 0),
        (ATOMIC.replace("SCOPE", "tl_blk"), 4, 1),
        (ATOMIC.replace("SCOPE", "tl_blk"), 1, 0),
        (PLAIN, 1, 0),
        (PLAIN, 4, 2),
    ],
)
def test_blocks_are_unordered(operations: str, blocks: int, races: int) -> None:
    module = tools.parse(COUNTER.replace("OPERATIONS", operations))
    found = find_races(module, "k", (blocks, 1, 1), [np.zeros(1, np.int32)])
    assert len(found) == races, [str(race) for race in found]


# Block 0 writes data and raises a flag; block 1 looks at the flag and reads the data.
MESSAGE = """
cuda_tile.module @m {
  entry @k(%data: tile<ptr<i32>>, %flag: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %first {
      %t = store_ptr_tko weak %data, %one : tile<ptr<i32>>, tile<i32> -> token
      %u = store_ptr_tko RELEASE device %flag, %one token=%t : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %f, %t = load_ptr_tko ACQUIRE device %flag : tile<ptr<i32>> -> tile<i32>, token
      %v, %u = load_ptr_tko weak %data token=%t : tile<ptr<i32>> -> tile<i32>, token
    }
    return
  }
}
"""


@pytest.mark.parametrize(
    ("release", "acquire", "races"),
    [("release", "acquire", 0), ("relaxed", "acquire", 1), ("release", "relaxed", 1)],
)
def test_a_release_that_is_acquired_orders_blocks(release: str, acquire: str, races: int) -> None:
    module = tools.parse(MESSAGE.replace("RELEASE", release).replace("ACQUIRE", acquire))
    arguments = [np.zeros(1, np.int32), np.zeros(1, np.int32)]
    assert len(find_races(module, "k", (2, 1, 1), arguments)) == races


def test_overlapping_stores_of_views_race_across_blocks() -> None:
    tensor = "tensor_view<8xf32, strides=[1]>"
    view = f"strided_view<tile=(4), traversal_strides=[STEP], {tensor}>"
    text = f"""
      cuda_tile.module @m {{
        entry @k(%p: tile<ptr<f32>>) {{
          %x, %y, %z = get_tile_block_id : tile<i32>
          %v = make_tensor_view %p, shape = [8], strides = [1] : {tensor}
          %w = make_strided_view %v : {view}
          %zeros = constant <f32: 0.0> : tile<4xf32>
          %t = store_view_tko weak %zeros, %w[%x] : tile<4xf32>, {view}, tile<i32> -> token
          return
        }}
      }}
    """
    for step, count in (("4", 0), ("3", 1)):
        module = tools.parse(text.replace("STEP", step))
        races = find_races(module, "k", (2, 1, 1), [np.zeros(8, np.float32)])
        assert len(races) == count
        assert all(isinstance(race, Race) and race.offset == 12 for race in races)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", KERNELS)
def test_the_zoo_is_free_of_races(name: str) -> None:
    kernel = KERNELS[name]
    arguments = kernel.make_arguments(kernel.typical)
    grid = kernel.grid(kernel.typical)
    races = find_races(module_of(name), name, grid, launch_arguments(arguments))
    assert [str(race) for race in races] == []
