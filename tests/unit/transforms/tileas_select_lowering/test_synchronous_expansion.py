"""Asynchronous ops that no hardware executes: dots with the instruction of their types, waits."""

import pytest

from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas import DotOp, FutureWaitOp, ToAsyncOp
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAAtom, MMAKind
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_select_lowering.synchronous_expansion import expand

ELEMENTS = {
    "bf16": "bf16",
    "e4m3": "f8E4M3FN",
    "e5m2": "f8E5M2",
    "f16": "f16",
    "f32": "f32",
    "s32": "i32",
    "s8": "i8",
    "tf32": "f32",
    "u8": "i8",
}
"""Element types by their names in PTX."""
ATOMS = [
    atom for atom in MMA_ATOMS.values() if atom.kind is MMAKind.WARPGROUP and not atom.bit_operation
]


def signedness(operand: str, name: str) -> str:
    value = {"s": "signed", "u": "unsigned"}.get(name[0])
    return "" if value is None else f"signedness_{operand} = #nv_tileaa.signedness<{value}>"


@pytest.mark.parametrize("atom", ATOMS, ids=[atom.name for atom in ATOMS])
def test_atom(atom: MMAAtom):
    a, b, c = (
        f"tensor<{shape}x{ELEMENTS[name]}>"
        for shape, name in (("64x32", atom.a), ("32x8", atom.b), ("64x8", atom.accumulator))
    )
    given = ", ".join(filter(None, (signedness("a", atom.a), signedness("b", atom.b))))
    module = tools.parse(f"""
      nv_tileaa.func @k(%a: {a}, %b: {b}, %c: {c}) {{
        %d = nv_tileas.wgmma %a, %b, %c {{{given}}} : {a}, {b}, {c} -> {c}
        nv_tileaa.return
      }}
    """)
    expand(module)
    (dot,) = (op for op in module.walk() if isinstance(op, DotOp))
    assert dot.atom is not None and dot.atom.data == atom.name


TILES = (
    "%v: !async.value<tile<64x64xf32>>, %t: tensor<32x32xf32>, %w: !async.value<tile<32x32xf32>>"
)
SLICES = {
    "extracted": "%x = nv_tileas.async.extract_slice %v[0, 32][32, 32][1, 1] : !async.value<tile<64x64xf32>> to !async.value<tile<32x32xf32>>",
    "inserted": "%x = nv_tileas.async.insert_slice %w into %v[32, 0][32, 32][1, 1] : !async.value<tile<32x32xf32>> into !async.value<tile<64x64xf32>>",
    "a value inserted": "%x = nv_tileas.async.insert_slice %t into %v[32, 0][32, 32][1, 1] : tensor<32x32xf32> into !async.value<tile<64x64xf32>>",
}


@pytest.mark.parametrize("slice", SLICES)
def test_every_tile_in_flight_is_waited_for(slice: str):
    """Right before the slice, which keeps its offsets; its own result is in flight again."""
    module = tools.parse(f"""
      nv_tileaa.func @k({TILES}) {{
        {SLICES[slice]}
        nv_tileaa.return
      }}
    """)
    (asynchronous,) = (op for op in module.walk() if ".async." in op.name)
    in_flight = [
        operand for operand in asynchronous.operands if isinstance(operand.type, ValueType)
    ]
    offsets, kind = dict(asynchronous.properties), asynchronous.name.replace(".async", "")
    expand(module)
    module.verify()
    (done,) = (op for op in module.walk() if op.name == kind)
    waits = [operand.owner for operand in done.operands if isinstance(operand.owner, FutureWaitOp)]
    assert [wait.operands[0] for wait in waits] == in_flight
    assert dict(done.properties) == offsets
    (use,) = done.results[0].uses
    assert isinstance(use.operation, ToAsyncOp)
