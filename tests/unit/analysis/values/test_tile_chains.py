"""Chains of ops that only shape tiles: where they lead, and what stops them."""

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.analysis.values.tile_chains import (
    chain_to,
    chain_to_allocation,
    constant_index,
    holds_memory_consistency,
    is_slice_of_storage,
    resolve_slice,
    walk_chain,
)
from tileir_xdsl.dialects.nv_tileas.slices import SliceOp
from tileir_xdsl.testing.tools import parse

TILE = "tensor<16xf32>"
MIDDLE = {
    "insert_slice": f"%m = nv_tileas.insert_slice %x into %a[0][4][1] : tensor<4xf32> into {TILE}",
    "extract_slice": f"%m = nv_tileas.extract_slice %a[0][16][1] : {TILE} to {TILE}",
    "view": f"%m = nv_tileas.view %a : {TILE}",
}
STOPS = {
    "copy": f"%m = nv_tileas.copy %a : {TILE} -> {TILE}",
    "convert_layout": f"%m = nv_tileas.convert_layout %a : {TILE} -> {TILE}",
    "arith": f"%m = arith.addf %a, %a : {TILE}",
    "scan": f"""%m = nv_tileas.scan %a {{axis = 0 : i32, inclusive = true}} : {TILE} -> {TILE} {{
    ^bb0(%l: f32, %r: f32):
      nv_tileas.yield %l : f32
    }}""",
}


def program(middle: str) -> ModuleOp:
    return parse(f"""
    %x, %n = "test.op"() : () -> (tensor<4xf32>, index)
    %a = nv_tileas.alloc_tensor : {TILE}
    {middle}
    %t = nv_tileas.insert_slice %x into %m[%n][4][1] : tensor<4xf32> into {TILE}
    """)


def ops(module: ModuleOp) -> list[Operation]:
    return list(module.body.block.ops)


@pytest.mark.parametrize("name", MIDDLE)
def test_chain_leads_through_tile_structure(name: str):
    _, allocation, middle, last = ops(program(MIDDLE[name]))
    assert chain_to_allocation(last.results[0]) == (last, middle, allocation)


@pytest.mark.parametrize("name", STOPS)
def test_chain_stops_at_other_ops(name: str):
    _, allocation, middle, last = ops(program(STOPS[name]))
    assert walk_chain(last.results[0]) == ((last,), middle.results[0])
    assert chain_to_allocation(last.results[0]) is None
    assert chain_to(last.results[0], middle.results[0]) == (last,)
    assert chain_to(last.results[0], allocation.results[0]) is None


def test_chain_stops_at_a_block_argument():
    module = parse(f"""
    %a, %c = "test.op"() : () -> ({TILE}, index)
    %r = scf.for %i = %c to %c step %c iter_args(%t = %a) -> ({TILE}) {{
      %v = nv_tileas.view %t : {TILE}
      scf.yield %v : {TILE}
    }}
    """)
    loop = ops(module)[1]
    view = loop.regions[0].block.first_op
    assert view is not None
    assert walk_chain(view.results[0]) == ((view,), loop.regions[0].block.args[1])


def test_ordered_op_in_a_region_is_found():
    _, _, scan, last = ops(program(STOPS["scan"]))
    assert holds_memory_consistency(scan)
    assert not holds_memory_consistency(last)
    module = parse("""
    %c = "test.op"() : () -> i1
    scf.if %c {
      nv_tileas.fence acq_rel gpu
    }
    """)
    assert holds_memory_consistency(ops(module)[1])


def test_slices_of_one_storage():
    x, allocation, middle, last = ops(program(MIDDLE["view"]))
    assert is_slice_of_storage(last, middle.results[0])
    assert is_slice_of_storage(last, allocation.results[0])
    assert not is_slice_of_storage(last, x.results[0])
    assert not is_slice_of_storage(middle, allocation.results[0])


def test_constants_are_resolved():
    module = parse(f"""
    %t, %n = "test.op"() : () -> ({TILE}, index)
    %c4 = arith.constant 4 : index
    %s = nv_tileas.extract_slice %t[%c4][%c4][%n] : {TILE} to tensor<?xf32>
    """)
    unknown, constant, extract = ops(module)
    assert isinstance(extract, SliceOp)
    place = resolve_slice(extract.slice)
    assert (place.offsets, place.sizes) == ((4,), (4,))
    assert place.strides == (unknown.results[1],)
    assert constant_index(constant.results[0]) == 4
    assert constant_index(unknown.results[1]) is None
    assert constant_index(7) == 7
