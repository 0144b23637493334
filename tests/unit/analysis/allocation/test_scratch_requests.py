"""Scratch memory: what ops request follows from their types and layouts."""

from itertools import product

import pytest
from xdsl.dialects.builtin import DenseArrayBase, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.test_value import create_ssa_value

from tileir_xdsl.analysis.allocation.scratch_requests import (
    scratch_bytes,
    steps_within,
    windows_of,
)
from tileir_xdsl.analysis.allocation.scratch_uses import may_use_scratch, moved_bits
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import PointerType
from tileir_xdsl.dialects.nv_tileas.allocations import STEPS
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.packed_registers import element_bits
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.program import register_type

ROWS = "#nv_tileas.layout<(16, 32, 4, 1), (1, 16, 512, 0)>"
FEW = "#nv_tileas.layout<(1, 32, (2, 2), 1), (0, 1, (32, 0), 0)>"
COLUMNS = "#nv_tileas.layout<(16, 32, 4, 1), (128, 1, 32, 0)>"


def function(body: str) -> nv_tileaa.FuncOp:
    module = tools.parse(f"""
    nv_tileaa.func @k(%zero: i32) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %n = arith.constant 2048 : i32
      %x = nv_tileaa.make_range %zero, %n : i32 -> tensor<2048xi32, {ROWS}>
      {body}
      nv_tileaa.return
    }}
    """)
    return next(op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))


def requests(body: str, room: int | None = None) -> list[int]:
    """The scratch bytes of the ops of a body."""
    target = get_target("sm_90a")
    ops = [op for op in function(body).walk() if may_use_scratch(op)]
    steps = [None if room is None else steps_within(op, target, room) for op in ops]
    return [scratch_bytes(op, target, each) for op, each in zip(ops, steps, strict=True)]


CONVERSION = (
    f"%y = nv_tileas.convert_layout %x : tensor<2048xi32, {ROWS}> -> tensor<2048xi32, {COLUMNS}>"
)
HISTOGRAM = f"%h = nv_tileaa.histogram %x : tensor<2048xi32, {ROWS}> -> tensor<64xi32, {FEW}>"
SUM = f"""%s = nv_tileas.reduce %x {{axis = 0 : i32}} : tensor<2048xi32, {ROWS}> -> i32 {{
  ^bb0(%a: i32, %b: i32):
    %c = nv_tileaa.addi %a, %b : i32
    nv_tileas.yield %c : i32
  }}"""


@pytest.mark.parametrize(
    ("body", "bytes"),
    [
        (CONVERSION, 8192),
        # A word of each warp.
        (SUM, 16),
        (HISTOGRAM, 64 * 4),
    ],
)
def test_bytes(body: str, bytes: int):
    assert requests(body) == [bytes]


@pytest.mark.parametrize("room", [8191, 4096, 4095, 2048])
def test_slices_of_a_conversion(room: int):
    """What fits into the room, and into no more than that is needed for the same slices."""
    (needed,) = requests(CONVERSION, room)
    assert needed <= room < 2 * needed
    assert requests(CONVERSION, needed) == [needed]


def test_slices_are_bytes_of_elements_at_least():
    with pytest.raises(DiagnosticException, match=r"one byte of each element, .* 1024 are free"):
        requests(CONVERSION, 1024)


@pytest.mark.parametrize("type", [i1, i8, i16, i32, i64, f16, f32, f64, PointerType(f32)], ids=str)
def test_elements_are_moved_as_registers_hold_them(type: Attribute):
    op = function("")
    assert moved_bits(create_ssa_value(type)) == element_bits(register_type(op, type))


INDICES = "tensor<128x{index}, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>"
GATHERED = "tensor<128x16x{element}, #nv_tileas.layout<(16, 32, 4, 1), (128, 4, 1, 0)>>"
"""A thread has a row of 16 elements, and the index of another row."""

ACCESSES = {
    "load": '%v = "test.op"() : () -> VIEW\n'
    "%t = nv_tileas.gather_load weak %v[%i, %zero] {sparse_dim = 0 : i32} : VIEW[INDICES, i32] -> TILE",
    "store": '%v, %t = "test.op"() : () -> (VIEW, TILE)\n'
    "nv_tileas.scatter_store weak %t, %v[%i, %zero] {sparse_dim = 0 : i32} : TILE, VIEW[INDICES, i32]",
}


@pytest.mark.parametrize("index", ["i16", "i32", "i64"])
@pytest.mark.parametrize("element", ["i8", "f16", "f32", "f64"])
@pytest.mark.parametrize("kind", ACCESSES)
def test_indices_take_their_own_bytes(kind: str, element: str, index: str):
    """Whatever the elements are that they stand for."""
    indices, tile = INDICES.format(index=index), GATHERED.format(element=element)
    view = f"!nv_tileaa.tiled_view<128x16x{element}>"
    text = f'%i = "test.op"() : () -> {indices}\n{ACCESSES[kind]}'
    for word, type in (("INDICES", indices), ("TILE", tile), ("VIEW", view)):
        text = text.replace(word, type)
    assert requests(text) == [128 * int(index[1:]) // 8]


SIZES = (2048, 128, 512)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_staged_tile_has_its_own_windows(count: int):
    """In the order of the operands, of which a number is not staged."""
    tiles = [
        f"tensor<{size}xi32, #nv_tileas.layout<({size // 128}, 32, 4, 1), (128, 1, 32, 0)>>"
        for size in SIZES[:count]
    ]
    names = [f"%t{number}" for number in range(count)]
    made = f'{", ".join(names)} = "test.op"() : () -> ({", ".join(tiles)})'
    operands, types = ", ".join(["%zero", *names]), ", ".join(["i32", *tiles])
    form = " ".join(["%d"] * (count + 1))
    shown = f'%k = nv_tileaa.print "{form}", {operands} : {types} -> !nv_tileaa.mem_token'
    (op,) = (op for op in function(f"{made}\n{shown}").walk() if may_use_scratch(op))
    for steps in product((1, 2, 4), repeat=count):
        op.attributes[STEPS] = DenseArrayBase.from_list(i32, steps)
        assert [windows_of(op, number) for number in range(count)] == [*steps]
