"""The drawings of a module after a pass: its layouts, memory and schedules."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.layouts import layout_drawing
from tileir_xdsl.drawings.program_layouts import Ids, layouts_in, no_ids
from tileir_xdsl.drawings.program_memory import memory_map_of
from tileir_xdsl.drawings.program_schedules import timelines_of
from tileir_xdsl.drawings.program_tensor_memory import tensor_memory_in
from tileir_xdsl.drawings.resources import memory_map_drawing
from tileir_xdsl.drawings.schedule import schedule_drawing
from tileir_xdsl.drawings.shared_memory import access_drawing, shared_drawing
from tileir_xdsl.walking import ops_in

LEVEL = "nv_tileas"
"""The level at which tiles have layouts, schedules and memory."""


def drawings_of(module: ModuleOp, level: str, gpu: str, ids: Ids = no_ids) -> list[Drawing]:
    """The drawings of a module, without duplicates; empty at levels without layouts.

    Args:
        module: after a pass.
        level: its level, as `levels.py` names them.
        gpu: the target, `sm_90a`.
        ids: the names of an op, which drawings carry to those who link them.
    """
    if level != LEVEL:
        return []
    functions = [op for op in ops_in(module) if isinstance(op, nv_tileaa.FuncOp)]
    return [
        drawing
        for function in functions
        if function.body.blocks
        for drawing in _drawings_of_function(function, gpu, ids)
    ]


def _drawings_of_function(function: nv_tileaa.FuncOp, gpu: str, ids: Ids) -> Iterator[Drawing]:
    ops = ops_in(function)[1:]
    layouts = layouts_in(ops)
    for layout, users in layouts.registers.items():
        shape = "x".join(map(str, layout.shape))
        title = f"{shape} in registers: {users.names()}"
        yield layout_drawing(layout, title).about(users.ids(ids))
    for buffer, users in layouts.shared.items():
        shape = "x".join(map(str, buffer.shape))
        swizzle = buffer.swizzle if buffer.swizzle.bits else "no swizzle"
        title = (
            f"{shape} of {buffer.element_bits} bits in shared memory, {swizzle}: {users.names()}"
        )
        yield shared_drawing(buffer, title).about(users.ids(ids))
    for staging, users in layouts.accesses.items():
        kind = "stores to" if staging.is_store else "loads from"
        title = f"{kind} shared memory: {users.names()}"
        yield access_drawing(staging.access, title).about(users.ids(ids))
    yield from tensor_memory_in(function, ids)
    for timeline in timelines_of(function, gpu, ids):
        names = dict.fromkeys(name for bar in timeline.bars for name in bar.ids)
        yield schedule_drawing(timeline, tuple(names))
    memory = memory_map_of(function, gpu, ids)
    if memory is not None:
        names = dict.fromkeys(name for use in memory.uses for name in use.ids)
        yield memory_map_drawing(memory, tuple(names))
