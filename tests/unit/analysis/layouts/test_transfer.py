"""Layouts through re-indexing ops: what numpy computes, every thread has in its registers."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.ir import Operation

from tests.unit.layout.enumeration import elements_of, random_layout
from tileir_xdsl.analysis.layouts.transfer import (
    backward,
    forward,
    is_elementwise,
    is_made_in_place,
    registers_of,
)
from tileir_xdsl.layout.constructors import blocked, mma_accumulator
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing import tools

Tile = NDArray[np.int64]
Meaning = Callable[[list[Tile]], Tile]

PERMUTE = "nv_tileaa.permute %a {permutation = array<i32: 2, 0, 1>} : tensor<4x8x16xf32> -> tensor<16x4x8xf32>"
SLICE = "tensor<16x16xf32> to tensor<4x16xf32>"

MOVES: dict[str, tuple[str, Meaning]] = {
    "elementwise": (
        "nv_tileaa.fp_to_fp %a : tensor<32x16xf32> to tensor<32x16xf16>",
        lambda x: x[0],
    ),
    "cmp": ("arith.cmpi slt, %a, %b : tensor<512xi32>", lambda x: x[0]),
    "broadcast": (
        "nv_tileaa.broadcast %a : tensor<8x1x16xf32> -> tensor<8x8x16xf32>",
        lambda x: np.broadcast_to(x[0], (8, 8, 16)),
    ),
    "view": (
        "nv_tileas.view %a : tensor<32x16xf32> to tensor<8x64xf32>",
        lambda x: x[0].reshape(8, 64),
    ),
    "expand_dims": (
        "nv_tileas.expand_dims %a {axis = 1 : i32} : tensor<32x16xf32> -> tensor<32x1x16xf32>",
        lambda x: x[0][:, None],
    ),
    "permute": (PERMUTE, lambda x: x[0].transpose(2, 0, 1)),
    "extract_slice": (
        f"nv_tileas.extract_slice %a[8, 0] [4, 16] [1, 1] : {SLICE}",
        lambda x: x[0][8:12],
    ),
}
"""Ops of one tile, and what numpy makes of it."""

JOINS: dict[str, tuple[str, Meaning]] = {
    "cat": (
        "nv_tileaa.cat %a, %b {axis = 0 : i32} : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>",
        lambda x: np.concatenate(x),
    ),
    "insert_slice": (
        "nv_tileas.insert_slice %a into %b[8, 0] [4, 16] [1, 1] : tensor<4x16xf32> into tensor<16x16xf32>",
        lambda x: np.concatenate([x[1][:8], x[0], x[1][12:]]),
    ),
}
"""Ops that put two tiles together."""


def parse_op(text: str) -> Operation:
    """The op of a line of text, on operands of any origin."""
    types = text.rpartition(" : ")[2].replace(" into ", ", ").replace(" to ", ", ")
    first, *others = types.replace(" -> ", ", ").split(", ")
    names = [name for name in ("%a", "%b") if name in text]
    operands = [first, others[0] if others else first][: len(names)]
    module = tools.parse(
        f'{", ".join(names)} = "test.op"() : () -> ({", ".join(operands)})\n%r = {text}'
    )
    last = module.body.block.last_op
    assert last is not None
    return last


def shape_of(op: Operation, operand: int) -> tuple[int, ...]:
    shape = getattr(op.operands[operand].type, "get_shape")  # noqa: B009
    return tuple(shape())


def numbered(op: Operation) -> list[Tile]:
    """A tile for each operand; no element occurs twice."""
    tiles: list[Tile] = []
    for operand in range(len(op.operands)):
        shape = shape_of(op, operand)
        tiles.append(np.arange(np.prod(shape)).reshape(shape) + 10_000 * operand)
    return tiles


def layouts_of(rng: random.Random, shape: tuple[int, ...]) -> list[LinearLayout]:
    """Layouts of all kinds: spread, with copies in registers, lanes or warps, and mixed."""
    bits = int(np.prod(shape)).bit_length() - 1
    layouts = [random_layout(rng, bits, 9, 2, unit=unit) for unit in (True, True, True, False)]
    layouts += [blocked(shape, vector, warps) for vector in (1, 4) for warps in (1, 8)]
    return [LinearLayout(x.register, x.lane, x.warp, (), shape) for x in layouts]


def held(tile: Tile, layout: LinearLayout) -> Tile:
    """What is at [warp, lane, register]."""
    return tile.reshape(-1)[elements_of(layout)]


def check_registers(
    op: Operation, meaning: Meaning, sources: list[LinearLayout], result: LinearLayout
) -> None:
    """Builds the result register by register and compares with numpy."""
    tiles = numbered(op)
    expected = held(meaning(tiles), result)
    moved = np.full_like(expected, -1)
    for operand in reversed(range(len(sources))):
        registers = registers_of(op, sources[operand], result, operand)
        assert registers is not None
        source = held(tiles[operand], sources[operand])
        for target, register in enumerate(registers):
            if register is not None:
                moved[:, :, target] = source[:, :, register]
    np.testing.assert_array_equal(moved, expected)


@pytest.mark.parametrize("name", MOVES)
def test_forward_keeps_elements_in_their_threads(name: str):
    text, meaning = MOVES[name]
    op, rng = parse_op(text), random.Random(name)
    sources = layouts_of(rng, shape_of(op, 0))
    results = [forward(op, source) for source in sources]
    assert any(results)
    for source, result in zip(sources, results, strict=True):
        if result is not None:
            check_registers(op, meaning, [source], result)
    assert all(results) or name == "extract_slice"


@pytest.mark.parametrize("name", MOVES)
def test_backward_keeps_elements_in_their_threads(name: str):
    text, meaning = MOVES[name]
    op, rng = parse_op(text), random.Random(name)
    for result in layouts_of(rng, meaning(numbered(op)).shape):
        source = backward(op, result)
        assert source is not None
        check_registers(op, meaning, [source], result)


@pytest.mark.parametrize("name", JOINS)
def test_joined_tiles_stay_in_their_threads(name: str):
    text, meaning = JOINS[name]
    op, rng = parse_op(text), random.Random(name)
    found = 0
    for result in layouts_of(rng, meaning(numbered(op)).shape):
        sources = [backward(op, result, operand) for operand in (0, 1)]
        if sources[0] is not None and sources[1] is not None:
            found += 1
            check_registers(op, meaning, [sources[0], sources[1]], result)
    assert found
    for source in layouts_of(rng, shape_of(op, 0)):
        result = forward(op, source)
        assert result is not None
        other = backward(op, result, 1)
        assert other is not None
        check_registers(op, meaning, [source, other], result)


def test_broadcasts_fill_copies_first():
    op = parse_op("nv_tileaa.broadcast %a : tensor<8x1xf32> -> tensor<8x16xf32>")
    rows = LinearLayout((8 >> 1,), (0, 0, 1, 2, 0), (0,), (), (8, 1))
    assert forward(op, rows) == LinearLayout((64,), (1, 2, 16, 32, 4), (8,), (), (8, 16))


def test_broadcasts_need_one_copy_of_a_register():
    op = parse_op("nv_tileaa.broadcast %a : tensor<8x1xf32> -> tensor<8x16xf32>")
    result = mma_accumulator((16, 16), (1, 1))
    result = LinearLayout(result.register[:1] + result.register[2:], result.lane, (), (), (8, 16))
    source = backward(op, result)
    assert source == LinearLayout((), (0, 0, 1, 2, 4), (), (), (8, 1))


REDUCE = """nv_tileas.reduce %a {axis = 1 : i32} : tensor<16x8xf32> -> tensor<16xf32> {
^bb0(%x: f32, %y: f32):
  %z = nv_tileaa.addf %x, %y : f32
  nv_tileas.yield %z : f32
}"""
SCAN = (
    REDUCE.replace("reduce", "scan")
    .replace("{axis", "{inclusive = true, axis")
    .replace("tensor<16xf32>", "tensor<16x8xf32>")
)


def collective(text: str) -> Operation:
    module = tools.parse(f'%a = "test.op"() : () -> tensor<16x8xf32>\n%r = {text}')
    last = module.body.block.last_op
    assert last is not None
    return last


def test_a_reduction_leaves_the_result_where_elements_were():
    op = collective(REDUCE)
    accumulator = mma_accumulator((16, 8), (1, 1))
    result = LinearLayout((8,), (0, 0, 1, 2, 4), (), (), (16,))
    assert forward(op, accumulator) == result
    assert backward(op, result) is None
    assert registers_of(op, accumulator, result) is None
    rows = elements_of(accumulator) // 8
    for lane, register in np.ndindex(32, 4):
        assert rows[0, lane, register] in elements_of(result)[0, lane]


def test_a_scan_keeps_its_layout():
    op = collective(SCAN)
    accumulator = mma_accumulator((16, 8), (1, 1))
    assert forward(op, accumulator) == accumulator
    assert backward(op, accumulator) is None


@pytest.mark.parametrize(
    ("text", "wide", "parts"),
    [
        ("nv_tileas.reinterpret %a : tensor<128xf32> -> tensor<256xf16>", 0, 2),
        ("nv_tileaa.pack %a : tensor<128xf16> -> tensor<256xi8>", 0, 2),
        ("nv_tileaa.unpack %a : tensor<256xi8> -> tensor<64xf32>", 1, 4),
    ],
)
def test_a_wide_element_and_its_parts_share_a_thread(text: str, wide: int, parts: int):
    op, rng = parse_op(text), random.Random(text)
    narrow, widen = (backward, forward) if wide else (forward, backward)
    for layout in layouts_of(rng, (64 if wide else 128,)):
        split = narrow(op, layout)
        assert split is not None
        assert widen(op, split) == layout
        elements = elements_of(layout)[..., None] * parts + np.arange(parts)
        np.testing.assert_array_equal(elements_of(split), elements.reshape(*elements.shape[:2], -1))


def test_parts_in_several_threads_make_no_element():
    op = parse_op("nv_tileaa.unpack %a : tensor<32xi8> -> tensor<8xf32>")
    assert forward(op, LinearLayout((), (1, 2, 4, 8, 16), (), (), (32,))) is None


def test_bits_of_one_byte_keep_their_number():
    op = parse_op("nv_tileas.reinterpret %a : tensor<128xf32> -> tensor<128xi32>")
    layout = blocked((128,), 2, 1)
    assert forward(op, layout) == layout


def test_slices_of_spread_dimensions_move():
    op = parse_op(MOVES["extract_slice"][0])
    assert forward(op, blocked((16, 16), 1, 4)) is None


@pytest.mark.parametrize(
    "text",
    [
        "nv_tileas.extract_slice %a[2, 0] [4, 16] [1, 1] : tensor<16x16xf32> to tensor<4x16xf32>",
        "nv_tileas.extract_slice %a[0, 0] [4, 16] [2, 1] : tensor<16x16xf32> to tensor<4x16xf32>",
        "nv_tileas.view %a {offset = 4 : i64} : tensor<16xf32> to tensor<4xf32>",
        "nv_tileaa.extract %a : tensor<1xf32> -> f32",
        "nv_tileas.convert_layout %a : tensor<16x16xf32> -> tensor<16x16xf32>",
    ],
)
def test_what_is_more_than_linear(text: str):
    op = parse_op(text)
    layout = blocked(shape_of(op, 0), 1, 1)
    assert forward(op, layout) is None
    assert backward(op, layout) is None


def test_other_shapes_have_no_layout_here():
    op = parse_op(MOVES["view"][0])
    assert forward(op, blocked((8, 64), 1, 1)) is None
    assert backward(op, blocked((32, 16), 1, 1)) is None


def test_ops_that_make_tiles():
    module = tools.parse("""
%s = arith.constant 1 : i32
%c = arith.constant dense<1> : tensor<16xi32>
%r = nv_tileaa.make_range %s, %s : i32 -> tensor<16xi32>
%t = nv_tileaa.splat %s : i32 -> tensor<16xi32>
%a = arith.addi %r, %t : tensor<16xi32>
""")
    ops = list(module.body.block.ops)
    assert [is_made_in_place(op) for op in ops] == [True, True, True, True, False]
    assert [is_elementwise(op) for op in ops] == [False, False, False, False, True]
