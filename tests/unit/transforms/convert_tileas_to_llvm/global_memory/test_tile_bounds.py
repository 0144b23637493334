"""Where tiles begin and which elements are in bounds, however large coordinates and sizes are.

Coordinates so large that an index would wrap are cut off, no others.
"""

import itertools
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, ModuleOp, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tests.unit.backend.ptx.harness import elementwise
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm.global_memory.tile_bounds import (
    FAR,
    Coordinate,
    SizeFacts,
    TileBounds,
    tile_start,
)
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import (
    Index,
    KnownValues,
    LLVMBuilder,
)

WRAPS = 1 << 64


def operations(type: IntegerType, step: int, largest: int) -> list[type[Operation]]:
    """What computes the start of a tile from a coordinate in a register."""
    block = Block(arg_types=[type])
    Region(block)
    builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    tile_start(builder, block.args[0], step, largest)
    return [op.__class__ for op in block.ops]


def is_cut_off(type: IntegerType, step: int, largest: int) -> bool:
    return any("min" in op.name for op in operations(type, step, largest))


@pytest.mark.parametrize("step", [1, 48, 64, 4096])
def test_what_cannot_be_far_is_not_cut_off(step: int):
    assert not is_cut_off(i64, step, 1000)
    assert not is_cut_off(i64, step, FAR // step)
    assert is_cut_off(i64, step, FAR // step + 1)
    assert is_cut_off(i64, step, WRAPS - 1)
    # 32 bits do not reach that far.
    assert not is_cut_off(i32, step, WRAPS - 1)


@pytest.mark.parametrize("number", [0, 7, FAR // 64, FAR // 64 + 1, WRAPS - 1])
def test_known_coordinates(number: int):
    block = Block()
    Region(block)
    builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    start = tile_start(builder, number, 64)
    assert isinstance(start, int) and start == min(number * 64, FAR)
    assert not block.ops and llvm.MulOp not in operations(i64, 1, 1000)


# Checks, against Python's integers.

THREADS = np.arange(64) // 2 % 8 * 4
"""Parts of positions that depend on the thread; those of registers have other bits."""
POSITIONS = (0, 1, 2, 3, 32, 35)
LEADING = 4


def checks(
    bounds: Callable[[LLVMBuilder, SSAValue, SSAValue, SSAValue], TileBounds], types: str
) -> ModuleOp:
    """A kernel that stores the checks of a tile as bits; `types` are of coordinate and size."""
    of_coordinate, of_size = types.split()
    loaded = "%size = llvm.zext %x2 : i32 to i64" if of_size == "i32" else ""
    text = elementwise(
        f"{loaded}\n%result = llvm.mlir.undef : i64", [of_coordinate, "i32", of_size], "i64"
    )
    module = tools.parse(text)
    undefined = next(op for op in module.walk() if isinstance(op, llvm.UndefOp))
    block = undefined.parent
    assert block is not None
    rest = list(block.ops)[list(block.ops).index(undefined) + 1 :]
    for op in rest:
        op.detach()
    values = [op.results[0] for op in block.ops if isinstance(op, llvm.LoadOp)]
    if of_size == "i32":
        values[2] = next(op.results[0] for op in block.ops if isinstance(op, llvm.ZExtOp))
    builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    made = bounds(builder, *values)
    result: Index = 0

    def put(value: SSAValue, conditions: Sequence[SSAValue], at: int) -> None:
        nonlocal result
        holds = builder.conjunction(conditions)
        if holds is not None:
            value = builder.select(holds, value, builder.integer(0, i64))
        shifted = builder.compute(llvm.ShlOp, value, builder.integer(at, i64))
        result = builder.add(result, shifted, i64)

    for bit, position in enumerate(POSITIONS):
        if position < made.extent:
            put(builder.integer(1, i64), made.conditions(position), bit)
    put(builder.integer(1, i64), made.whole(), len(POSITIONS))
    if made.extent >= LEADING:
        tests, count = made.leading(POSITIONS[0], LEADING)
        put(builder.compute(llvm.ZExtOp, count, i64), tests, len(POSITIONS) + 1)
    assert not isinstance(result, int)
    undefined.res.replace_all_uses_with(result)
    block.add_ops(rest)
    return module


CASES = {
    "adjacent": (64, 64),
    "overlapping": (32, 64),
    "overlapping by a third": (48, 64),
    "apart": (256, 64),
    "apart by little": (68, 64),
    "by elements": (1, 64),
    "one element": (1, 1),
    "every second": (2, 1),
}
"""Distance between tiles, and their extent."""


@pytest.mark.parametrize("divisor", [1, 1 << 10])
@pytest.mark.parametrize("types", ["i32 i32", "i32 i64", "i64 i64"])
@pytest.mark.parametrize("case", CASES)
def test_checks(case: str, types: str, divisor: int):
    """Sizes around the ends of tiles, among them the largest ones there may be."""
    step, extent = CASES[case]
    coordinate, size = (WRAPS - 1 if type == "i64" else (1 << 32) - 1 for type in types.split())
    largest = min(size, FAR // 2)
    rng = Random(f"{case} {types} {divisor}")
    near = [1 << 31, 1 << 32, 1 << 40, FAR]
    tiles = [
        min(rng.choice([0, 1, 5, *(n // step - 2 for n in near)]) + rng.randrange(3), coordinate)
        for _ in range(64)
    ]
    threads = (THREADS % extent).astype(np.int32)
    tiles[:2] = [coordinate, coordinate]
    distances = [-65, -1, 0, 1, 3, 17, 40, 63, 64, 65, 400]
    ends = [rng.choice([0, 3, *(tile * step + d for d in distances)]) for tile in tiles]
    for facts in {(1 << 31) - 1, largest}:
        sizes = [min(max(end, 0), facts) // divisor * divisor for end in ends]
        module = checks(
            lambda builder, number, thread, size, facts=facts: TileBounds(
                builder,
                Coordinate(number, max(tiles)),
                step,
                extent,
                thread,
                size,
                SizeFacts(facts, divisor),
            ),
            types,
        )
        found = np.zeros(64, np.int64)
        arrays = [
            np.array(values, f"u{int(type[1:]) // 8}").view(f"i{int(type[1:]) // 8}")
            for values, type in zip((tiles, sizes), types.split(), strict=True)
        ]
        inputs = [arrays[0], threads, arrays[1], found]
        emulator.load(emit(module, "sm_90a")).launch(None, (1, 1, 1), inputs)
        for tile, thread, size, bits in zip(
            tiles, threads.tolist(), sizes, found.tolist(), strict=True
        ):
            first = tile * step + thread
            expected = [position < extent and first + position < size for position in POSITIONS]
            expected.append(tile * step + extent <= size)
            leading = min(max(size - first, 0), LEADING) if extent >= LEADING else 0
            assert bits == sum(bit << n for n, bit in enumerate([*expected, leading])), (
                tile,
                thread,
                size,
            )


def test_neighbours_that_share_a_check_are_in_bounds_together():
    """And no more of them share one: for twice as many there is a size where they are not."""
    for step, divisor in itertools.product((1, 4, 48, 64, 68, 256), (1, 2, 16, 1024)):
        for extent in (64, 128):
            facts = SizeFacts(FAR, divisor)
            block = Block()
            Region(block)
            builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
            tile = Coordinate(0, FAR)
            together = TileBounds(builder, tile, step, extent, 0, 0, facts).together
            for neighbours, shared in ((together, True), (2 * together, False)):
                starts = range(0, 40 * step, step)
                ends = range(0, 2048 * 2, divisor)
                split = any((size - start) % neighbours for start in starts for size in ends)
                assert split is not shared, (step, divisor, extent)
