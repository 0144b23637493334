"""A `wgmma` becomes a dot with the instruction of its element types, each operand's its own."""

import pytest

from tileir_xdsl.dialects.nv_tileas import DotOp
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
