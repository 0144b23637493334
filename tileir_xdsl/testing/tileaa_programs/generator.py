"""Makes a random program from a seed."""

from __future__ import annotations

import random

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.ir import Block, Region

from tileir_xdsl.dialects.nv_tileaa import FuncOp, KernelSpecAttr, ReturnOp
from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.targets import TARGETS
from tileir_xdsl.testing.tileaa_programs.draft import Draft
from tileir_xdsl.testing.tileaa_programs.families import (
    control,
    elementwise,
    external,
    memory,
    narrow,
    shapes,
)
from tileir_xdsl.testing.tileaa_programs.scope import FLOATS, INTEGERS, Scope, shape_of

KERNEL = "main"
DEFAULT_SIZE = 10
SHAPES = ((), (16,), (64,), (256,), (8, 16), (16, 16), (1, 32), (8, 1), (4, 4, 8), (2, 1, 16))
ROWS = (
    *elementwise.ROWS,
    *narrow.ROWS,
    *external.ROWS,
    *shapes.ROWS,
    *memory.ROWS,
    *control.ROWS,
)
_MAX_RESULTS = 6
_WARPS = (4, 4, 4, 1, 2, 8)


def generate(seed: int, size: int = DEFAULT_SIZE, *, target: str | None = None) -> Program:
    """A program of about `size` rows; equal arguments give equal programs.

    The seed draws the target, unless one is given.
    """
    numbers = random.Random(f"{seed} {size} nv_tileaa")
    drawn = numbers.choice(TARGETS)
    shapes_ = tuple(numbers.sample(SHAPES, 4))
    draft = Draft(numbers, size, Block(), target or drawn, shapes_, numbers.choice((1, 1, 2, 3)))
    scope = Scope(draft, ROWS, draft.entry)
    for elements in (("i32", "i64"), FLOATS, INTEGERS, memory.MEMORY_ELEMENTS):
        if scope.chance(0.7):
            memory.new_buffer(scope, scope.choose(elements))
    while draft.steps > 0:
        scope.step()
    _end(scope)
    types = FunctionType.from_lists(draft.entry.arg_types, [])
    spec = KernelSpecAttr(num_warps=numbers.choice(_WARPS))
    module = ModuleOp([FuncOp(KERNEL, types, Region(draft.entry), spec)])
    module.attributes[TARGET_ATTRIBUTE] = StringAttr(draft.target)
    return Program(
        seed,
        size,
        module,
        KERNEL,
        (draft.blocks, 1, 1),
        tuple(draft.parameters),
        tuple(draft.outputs),
        draft.target,
    )


def _end(s: Scope) -> None:
    """Stores values without uses."""
    stored = 0
    unused = [v for values in s.values.values() for v in values if v.first_use is None]
    for value in s.draft.random.sample(unused, len(unused)):
        element = memory.element_of(value)
        if element is not None and stored < _MAX_RESULTS and memory.fits(shape_of(value)):
            memory.store_whole(s, value, element, shape_of(value))
            stored += 1
    s.add(ReturnOp())
