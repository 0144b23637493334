"""Scratch memory: what ops request follows from their types and layouts."""

import pytest
from xdsl.dialects.builtin import f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.test_value import create_ssa_value

from tileir_xdsl.analysis.allocation.scratch_requests import scratch_bytes, steps_within
from tileir_xdsl.analysis.allocation.scratch_uses import may_use_scratch, moved_bits
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import PointerType
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
