"""Operands that are loaded and then only change their shape: when they stay in shared memory."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from tests.unit.transforms.tileas_assign_dot_layouts.tools import after
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.diagnostics import PrintOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp

KERNEL = """
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %a16 = assume div_by<16>, %a : tile<ptr<f16>>
    %b16 = assume div_by<16>, %b : tile<ptr<f16>>
    %ta = make_tensor_view %a16, shape = [4, 64, 1024], strides = [65536, 1024, 1] : VIEW
    %tb = make_tensor_view %b16, shape = [4, 64, 1024], strides = [65536, 1024, 1] : VIEW
    %tc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : OUT
    %va = make_partition_view %ta : PART
    %vb = make_partition_view %tb : PART
    %vc = make_partition_view %tc : partition_view<tile=(64x64), OUT>
    // outside
    %r = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<64x64xf32>) {
      %x, %t0 = load_view_tko weak %va[%zero, %zero, %k] : PART, tile<i32> -> LOADED, token
      %y, %t1 = load_view_tko weak %vb[%zero, %zero, %k] : PART, tile<i32> -> LOADED, token
      %x2 = reshape %x : LOADED -> OPERAND
      %y2 = reshape %y : LOADED -> OPERAND
      %yt = permute %y2 [1, 0] : OPERAND -> OPERAND
      %next = mmaf %x2, %yt, %acc : OPERAND, OPERAND, tile<64x64xf32>
      // used
      continue %next : tile<64x64xf32>
    }
    %ts = store_view_tko weak %r, %vc[%zero, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), OUT>, tile<i32> -> token
    return
  }
}
"""

TILE_LOADS = """\
      %x, %t0 = load_view_tko weak %va[%zero, %zero, %k] : PART, tile<i32> -> LOADED, token
      %y, %t1 = load_view_tko weak %vb[%zero, %zero, %k] : PART, tile<i32> -> LOADED, token
"""
POINTERS = """\
    %i = iota : tile<64xi32>
    %i_row = reshape %i : tile<64xi32> -> tile<1x64x1xi32>
    %i_column = reshape %i : tile<64xi32> -> tile<1x1x64xi32>
    %rows = broadcast %i_row : tile<1x64x1xi32> -> tile<1x64x64xi32>
    %columns = broadcast %i_column : tile<1x1x64xi32> -> tile<1x64x64xi32>
    %width = constant <i32: 1024> : tile<1x64x64xi32>
    %starts = muli %rows, %width : tile<1x64x64xi32>
    %first = addi %starts, %columns : tile<1x64x64xi32>
    %a_one = reshape %a16 : tile<ptr<f16>> -> tile<1x1x1xptr<f16>>
    %a_all = broadcast %a_one : tile<1x1x1xptr<f16>> -> tile<1x64x64xptr<f16>>
    %b_one = reshape %b16 : tile<ptr<f16>> -> tile<1x1x1xptr<f16>>
    %b_all = broadcast %b_one : tile<1x1x1xptr<f16>> -> tile<1x64x64xptr<f16>>
    %depth = constant <i32: 64> : tile<i32>
    // outside
"""
POINTER_LOADS = """\
      %start = muli %k, %depth : tile<i32>
      %start_one = reshape %start : tile<i32> -> tile<1x1x1xi32>
      %start_all = broadcast %start_one : tile<1x1x1xi32> -> tile<1x64x64xi32>
      %offsets = addi %first, %start_all : tile<1x64x64xi32>
      %pa = offset %a_all, %offsets : tile<1x64x64xptr<f16>>, tile<1x64x64xi32> -> tile<1x64x64xptr<f16>>
      %pb = offset %b_all, %offsets : tile<1x64x64xptr<f16>>, tile<1x64x64xi32> -> tile<1x64x64xptr<f16>>
      %x, %t0 = load_ptr_tko weak %pa : tile<1x64x64xptr<f16>> -> LOADED, token
      %y, %t1 = load_ptr_tko weak %pb : tile<1x64x64xptr<f16>> -> LOADED, token
"""
BY_POINTERS = KERNEL.replace("    // outside\n", POINTERS).replace(TILE_LOADS, POINTER_LOADS)

MEMORY, FRAGMENTS, REGISTERS = "memory", "fragments", "registers"

NAMES = {
    "PART": "partition_view<tile=(1x64x64), VIEW>",
    "VIEW": "tensor_view<4x64x1024xf16, strides=[65536,1024,1]>",
    "OUT": "tensor_view<64x64xf32, strides=[64,1]>",
    "LOADED": "tile<1x64x64xf16>",
    "OPERAND": "tile<64x64xf16>",
}


PART_B = "partition_view<tile=(1x128x64), VIEW>"


def named(text: str) -> str:
    """A text with types in place of their names."""
    for name, type in NAMES.items():
        text = text.replace(name, type)
    return text


def shown(*changes: tuple[str, str], program: str = KERNEL) -> str:
    """The kernel with some of its text replaced."""
    text = named(program)
    for before, now in changes:
        assert named(before) in text
        text = text.replace(named(before), named(now))
    return text


def kept(gpu: str, *changes: tuple[str, str], program: str = KERNEL) -> list[str]:
    """Where a dot has A and B from, in the kernel with some of its text replaced.

    Returns `MEMORY`, `FRAGMENTS` for registers that are read from there, or `REGISTERS`.
    """
    module = after("tileas-assign-dot-layouts", shown(*changes, program=program), gpu)
    (dot,) = (op for op in module.walk() if isinstance(op, MMAOp))
    return [_origin(operand) for operand in (dot.a, dot.b)]


def _origin(operand: SSAValue) -> str:
    if is_shared(operand.type):
        return MEMORY
    owner = operand.owner
    is_read = isinstance(owner, nv_tileas.ConvertLayoutOp) and is_shared(owner.source.type)
    return FRAGMENTS if is_read else REGISTERS


KEPT = {"sm_80": FRAGMENTS, "sm_90a": MEMORY, "sm_100a": MEMORY, "sm_120a": FRAGMENTS}
"""Warpgroups and tensor memory multiply what lies in memory; warps read it step by step."""


@pytest.mark.parametrize("gpu", KEPT)
def test_operands_that_change_their_shape_stay_in_memory(gpu: str):
    assert kept(gpu) == [KEPT[gpu]] * 2


def printed(value: str, type: str) -> tuple[str, str]:
    """A further user of a value."""
    return "// used", f'print_tko "%f", {value} : {type} -> token'


USED = {"%x2": "OPERAND", "%x": "LOADED", "%yt": "OPERAND", "%y2": "OPERAND", "%y": "LOADED"}


LOAD = "%x, %t0 = load_view_tko weak %va[%zero, %zero, %k] : PART, tile<i32> -> LOADED, token"
MOVED = ((LOAD, ""), ("// outside", LOAD.replace("%k", "%one") + " // outside"))
"""A is the same in all iterations."""


@pytest.mark.parametrize("gpu", KEPT)
@pytest.mark.parametrize("value", USED)
def test_tiles_with_other_users_stay_in_memory_for_dots(gpu: str, value: str):
    assert kept(gpu, printed(value, USED[value])) == [KEPT[gpu]] * 2


@pytest.mark.parametrize("gpu", KEPT)
@pytest.mark.parametrize("value", USED)
def test_others_load_registers_from_memory(gpu: str, value: str):
    module = after("tileas-assign-dot-layouts", shown(printed(value, USED[value])), gpu)
    (other,) = (op for op in module.walk() if isinstance(op, PrintOp))
    (tile,) = other.operands[:1]
    while isinstance(tile.owner, nv_tileas.ViewOp | nv_tileaa.PermuteOp):
        assert not is_shared(tile.type)
        tile = tile.owner.operands[0]
    assert _origin(tile) == FRAGMENTS


@pytest.mark.parametrize("gpu", KEPT)
@pytest.mark.parametrize("value", ("%x2", "%x"))
def test_tiles_of_all_iterations_are_in_registers_for_other_users(gpu: str, value: str):
    changes = (*MOVED, printed(value, USED[value]))
    assert kept(gpu, *changes) == [REGISTERS, KEPT[gpu]]


UNALIGNED = (("assume div_by<16>, %a", "assume div_by<4>, %a"),)


def large(count: int) -> tuple[str, str]:
    """Loads of 128 KiB each before the loop."""
    part = "partition_view<tile=(1x64x1024), VIEW>"
    lines = [f"%large = make_partition_view %ta : {part}"]
    for number in range(count):
        lines += [
            f"%big_{number}, %big_t{number} = load_view_tko weak %large[%n, %zero, %zero] "
            f": {part}, tile<i32> -> tile<1x64x1024xf16>, token",
            f'print_tko "%f", %big_{number} : tile<1x64x1024xf16> -> token',
        ]
    return "// outside", " ".join(lines)


@pytest.mark.parametrize(
    ("gpu", "changes", "expected"),
    [
        ("sm_80", MOVED, [FRAGMENTS, FRAGMENTS]),
        ("sm_80", (*MOVED, large(1)), [FRAGMENTS, FRAGMENTS]),
        # 272 KiB are more than a thread block has; B is loaded in the loop, through a pipeline.
        ("sm_80", (*MOVED, large(2)), [REGISTERS, FRAGMENTS]),
        # Warpgroups read nothing else but shared memory.
        ("sm_90a", (*MOVED, large(2)), [MEMORY, MEMORY]),
        # Fragments come from copies that run ahead of the loop, or not through memory.
        ("sm_80", UNALIGNED, [REGISTERS, FRAGMENTS]),
        ("sm_90a", UNALIGNED, [MEMORY, MEMORY]),
    ],
)
def test_fragments_come_from_memory_where_that_pays(
    gpu: str, changes: tuple[tuple[str, str], ...], expected: list[str]
):
    assert kept(gpu, *changes) == expected


BYTES = (("ptr<f16>", "ptr<f8E4M3FN>"), ("xf16", "xf8E4M3FN"))
ALONG_N = (("permute %y2 [1, 0]", "permute %y2 [0, 1]"),)


@pytest.mark.parametrize("program", [KERNEL, BY_POINTERS])
@pytest.mark.parametrize(
    ("gpu", "changes", "expected"),
    [
        ("sm_90a", (), MEMORY),
        ("sm_100a", (), MEMORY),
        ("sm_90a", ALONG_N, MEMORY),
        ("sm_100a", ALONG_N, MEMORY),
        ("sm_90a", BYTES, MEMORY),
        # Only tcgen05.mma transposes operands of 8 bits.
        ("sm_90a", (*ALONG_N, *BYTES), REGISTERS),
        ("sm_100a", (*ALONG_N, *BYTES), MEMORY),
    ],
)
def test_operands_along_n_need_a_unit_that_transposes(
    gpu: str, changes: tuple[tuple[str, str], ...], expected: str, program: str
):
    assert kept(gpu, *changes, program=program) == [MEMORY, expected]


@pytest.mark.parametrize("gpu", KEPT)
def test_tiles_of_pointers_change_their_shape_in_memory(gpu: str):
    assert kept(gpu, program=BY_POINTERS) == [KEPT[gpu]] * 2


@pytest.mark.parametrize("gpu", KEPT)
def test_operands_of_other_shapes_than_their_tiles(gpu: str):
    """B has 128 columns, which are rows of its tile, and the dot as many."""
    changes = (
        ("%vb = make_partition_view %tb : PART", f"%vb = make_partition_view %tb : {PART_B}"),
        ("%vb[%zero, %zero, %k] : PART, tile<i32> -> LOADED", f"%vb[%zero, %zero, %k] : {PART_B}, tile<i32> -> tile<1x128x64xf16>"),
        ("reshape %y : LOADED -> OPERAND", "reshape %y : tile<1x128x64xf16> -> tile<128x64xf16>"),
        ("permute %y2 [1, 0] : OPERAND -> OPERAND", "permute %y2 [1, 0] : tile<128x64xf16> -> tile<64x128xf16>"),
        ("%acc : OPERAND, OPERAND", "%acc : OPERAND, tile<64x128xf16>"),
        ("tile<64x64xf32>", "tile<64x128xf32>"),
        ("tile=(64x64), OUT", "tile=(64x128), OUT"),
    )  # fmt: skip
    assert kept(gpu, *changes) == [KEPT[gpu]] * 2
