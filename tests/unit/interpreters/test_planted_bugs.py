"""Three bugs that program order hides: random orders and the race detector find each of them.

That both are silent on kernels without bugs is tested with the whole zoo, in `test_kernels` and
`test_races`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.interpreters.memory_order import RandomOrder
from tileir_xdsl.interpreters.races import Race, find_races
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments
from tileir_xdsl.testing.kernels.agreement import Array

ATOMIC = (
    "%result_12, %result_token_13 = atomic_rmw_tko acq_rel device %14, add, %cst_1_i32, %12 "
    "token=%15 : tile<256xptr<i32>>, tile<256xi32>, tile<256xi1> -> tile<256xi32>, token"
)
LOAD_AND_STORE = """
    %old, %old_token = load_ptr_tko weak %14, %12, %cst_1_i32 token=%15 : tile<256xptr<i32>>, tile<256xi1>, tile<256xi32> -> tile<256xi32>, token
    %new = addi %old, %cst_1_i32 : tile<256xi32>
    %new_token = store_ptr_tko weak %14, %new, %12 token=%old_token : tile<256xptr<i32>>, tile<256xi32>, tile<256xi1> -> token
"""

# Every block writes its number to a row of 100 elements, in a tile of 128 without a mask.
ROWS = """
cuda_tile.module @kernels {
  entry @rows(%p: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %hundred = constant <i32: 100> : tile<i32>
    %start = muli %x, %hundred : tile<i32>
    %row = offset %p, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %one = reshape %row : tile<ptr<i32>> -> tile<1xptr<i32>>
    %all = broadcast %one : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %columns = iota : tile<128xi32>
    %places = offset %all, %columns : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %number = reshape %x : tile<i32> -> tile<1xi32>
    %numbers = broadcast %number : tile<1xi32> -> tile<128xi32>
    %t = store_ptr_tko weak %places, %numbers : tile<128xptr<i32>>, tile<128xi32> -> token
    return
  }
}
"""


@dataclass(frozen=True)
class Bug:
    """A kernel with a bug, how it is launched, and the ops that the detector must name."""

    kernel: str
    text: str
    grid: tuple[int, int, int]
    arguments: Callable[[], Sequence[Array | int | float]]
    racing: set[str]


def in_zoo(kernel: str, old: str, new: str, problem: tuple[int, ...], racing: set[str]) -> Bug:
    """A kernel of the zoo with a bug put in."""
    case = KERNELS[kernel]
    text = case.text_path.read_text()
    assert old in text

    def arguments() -> Sequence[Array | int | float]:
        return launch_arguments(case.make_arguments(problem))

    return Bug(kernel, text.replace(old, new), case.grid(problem), arguments, racing)


BUGS = {
    # The second load does not wait for the store to the same elements.
    "missing token": in_zoo(
        "double_in_place",
        "load_view_tko weak %pview_7[%blockId_x] token = %3",
        "load_view_tko weak %pview_7[%blockId_x] token = %0",
        (300,),
        {"store_view_tko", "load_view_tko"},
    ),
    # Every block counts by a load and a store instead of an atomic addition.
    "cross-block race": in_zoo(
        "histogram", ATOMIC, LOAD_AND_STORE, (700,), {"load_ptr_tko", "store_ptr_tko"}
    ),
    # The last 28 elements of a tile are those of the next row.
    "out-of-bounds pad": Bug(
        "rows",
        ROWS,
        (4, 1, 1),
        lambda: [np.zeros(428, np.int32)],
        {"store_ptr_tko"},
    ),
}


def result(bug: Bug, order: RandomOrder | None, blocks: Sequence[int] | None) -> bytes:
    """What the arrays hold after a launch."""
    arguments = bug.arguments()
    module = tools.parse(bug.text)
    launch(module, bug.kernel, bug.grid, arguments, order=blocks, memory_order=order)
    return b"".join(a.tobytes() for a in arguments if isinstance(a, np.ndarray))


@pytest.mark.parametrize("name", ["missing token", "out-of-bounds pad"])
def test_random_orders_find_it(name: str) -> None:
    bug = BUGS[name]
    count = int(np.prod(bug.grid))
    results = {result(bug, None, None)}
    for seed in range(8):
        blocks = np.random.default_rng(seed).permutation(count).tolist()
        results.add(result(bug, RandomOrder(seed), blocks))
    assert len(results) > 1


@pytest.mark.parametrize("name", BUGS)
def test_the_race_detector_finds_it(name: str) -> None:
    bug = BUGS[name]
    found = find_races(tools.parse(bug.text), bug.kernel, bug.grid, bug.arguments())
    races = [race for race in found if isinstance(race, Race)]
    assert races == found != []
    named = {access.op.name for race in races for access in (race.first, race.second)}
    assert {op.removeprefix("cuda_tile.") for op in named} == bug.racing
    same_block = [race.first.block == race.second.block for race in races]
    assert all(same_block) if name == "missing token" else not any(same_block)


@pytest.mark.parametrize("memory_order", [None, RandomOrder(1)])
def test_the_pad_of_the_last_row_is_out_of_bounds(memory_order: RandomOrder | None) -> None:
    with pytest.raises(InterpreterError) as raised:
        module = tools.parse(ROWS)
        launch(module, "rows", (4, 1, 1), [np.zeros(400, np.int32)], memory_order=memory_order)
    assert str(raised.value) == (
        "'cuda_tile.store_ptr_tko' in tile block (3, 0, 0): element [100] writes 4 bytes at byte "
        "1600 of argument 0, which has 1600 bytes"
    )
