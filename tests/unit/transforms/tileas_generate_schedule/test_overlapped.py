"""Loops whose MMAs run alongside other ops: the registers that tiles keep, and when ops start."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from xdsl.dialects import scf
from xdsl.ir import Operation

from tests.unit.transforms.chained_dots import HALF, chained
from tests.unit.transforms.dot_loops import SUM
from tileir_xdsl.analysis.scheduling.dependences import body_ops, dependences_of
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy, occupancy_of
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_generate_schedule.modulo import modulo_schedule
from tileir_xdsl.transforms.tileas_generate_schedule.overlapped import (
    OverlapGain,
    overlap_gain,
    overlapped_schedule,
)

LAYOUTS = {
    2: "(2, 32, 4, 1), (1, 2, 64, 0)",
    4: "(4, 32, 2, 2), (1, 4, 128, 0)",
    8: "(8, 32, 1, 4), (1, 8, 0, 0)",
}
"""Layouts of 16 x 16 tiles for four warps, by the elements of a thread."""


def overlapped(text: str) -> tuple[scf.ForOp, Mapping[Operation, Occupancy], OverlapGain]:
    module = tools.run_passes(tools.parse(text), "tileas-materialize-async")
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    rates = throughput_of(get_target("sm_90a"))
    occupancies = {op: occupancy_of(op, rates) for op in body_ops(loop)}
    gain = overlap_gain(loop, occupancies)
    assert gain is not None
    return loop, occupancies, gain


def with_layouts(text: str, sum: int, half: int) -> str:
    """A kernel whose threads hold so many elements of each tile."""
    for type, elements in ((SUM, sum), (HALF, half)):
        text = text.replace(type, f"{type[:-1]}, #nv_tileas.layout<{LAYOUTS[elements]}>>")
    return text


OUTSIDE = (f"%minus = arith.constant dense<-1.0> : {SUM}", f'%minus = "test.op"() : () -> {SUM}')


@pytest.mark.parametrize("half", LAYOUTS)
@pytest.mark.parametrize("sum", LAYOUTS)
def test_registers_that_tiles_keep(sum: int, half: int):
    """Two accumulators are in flight, and the weights that one of their MMAs reads.

    Two weights share a register. What comes from outside of the loop is kept in all of it.
    """
    _, _, gain = overlapped(with_layouts(chained(), sum, half))
    assert gain.registers == 2 * sum + half // 2
    _, _, gain = overlapped(with_layouts(chained().replace(*OUTSIDE), sum, half))
    assert gain.registers == 3 * sum + half // 2


def test_tiles_for_the_next_iteration_are_kept_to_the_end():
    """Two of them, which are computed of one."""
    types, carried = f"-> ({SUM})", f"-> ({SUM}, {SUM}, {SUM})"
    changes = (
        ("%total =", "%total, %kept, %made ="),
        ("(%acc = %zero)", "(%acc = %zero, %one_tile = %zero, %other = %zero)"),
        (f"{types} {{", f"{carried} {{"),
        (
            f"scf.yield %sum : {SUM}",
            f"%more = nv_tileaa.addf %one_tile, %scores : {SUM}\n"
            f"%most = nv_tileaa.mulf %one_tile, %scores : {SUM}\n"
            f"scf.yield %sum, %more, %most : {SUM}, {SUM}, {SUM}",
        ),
    )
    text = chained()
    for before, now in changes:
        assert before in text
        text = text.replace(before, now)
    assert overlapped(with_layouts(text, 4, 8))[2].registers == 4 * 4 + 8 // 2


def test_tiles_without_layouts_keep_none():
    assert overlapped(chained())[2].registers == 0


COMPUTING = ("dot", "future_wait", "consumer_wait", "consumer_read", "mulf", "fp_to_fp")


@pytest.mark.parametrize("is_known", [True, False])
def test_ops_start_as_timed(is_known: bool):
    """Each in the iteration that its offset says, in the order of the sequence."""
    loop, occupancies, gain = overlapped(chained(is_known=is_known))
    before = modulo_schedule(body_ops(loop), dependences_of(loop), occupancies)
    schedule = overlapped_schedule(gain, before, occupancies)
    order = gain.overlap.order
    assert schedule.sequence == order.ops
    assert min(map(schedule.stage, order.ops)) == 0
    # Copies, and what they need, start before the stages are wanted.
    computing = [op for op in order.ops if op.name.rpartition(".")[2] in COMPUTING]
    stages = {schedule.stage(op) + order.offset(op) for op in computing}
    assert len(computing) > 8 and len(stages) == 1
    starts = [schedule.start[op] % schedule.interval for op in computing]
    assert starts == sorted(starts) and len(set(starts)) > 2
