"""Which tiles share a layout: those of an op, and of a reduction its operands and its results."""

import pytest

from tileir_xdsl.analysis.layouts.groups import LayoutGroups, collect_layout_groups
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools

X, Y, R, S = "tensor<8x32xf32>", "tensor<8x32xi32>", "tensor<8xf32>", "tensor<8xi32>"
REDUCTION = f"""
%r, %s = nv_tileaa.reduce %x, %i {{axis = 1 : i32, identities = [0.0 : f32, 0 : i32]}} : {X}, {Y} -> {R}, {S} {{
^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
  nv_tileaa.yield %a, %c : f32, i32
}}
"""
SCAN = (
    REDUCTION.replace("reduce", "scan")
    .replace(f"{R}, {S}", f"{X}, {Y}")
    .replace("axis = ", "inclusive = true, axis = ")
)


def groups(body: str) -> dict[str, str]:
    """The group of each tile of a function, both by name."""
    module = tools.parse(f"""
    nv_tileaa.func @k() {{
    %x = ub.poison : {X}
    %i = ub.poison : {Y}
    {body}
    nv_tileaa.return
    }}
    """)
    function = next(op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    found: LayoutGroups = collect_layout_groups(function)
    tiles = {v.name_hint: v for op in module.walk() for v in op.results if v.name_hint}
    return {name: str(found.of(tile).name_hint) for name, tile in tiles.items()}


@pytest.mark.parametrize(("body", "expected"), [(REDUCTION, 2), (SCAN, 1), ("", 2)])
def test_tiles_of_collectives(body: str, expected: int):
    of = groups(body)
    assert len(set(of.values())) == expected
    if body:
        assert of["x"] == of["i"] and of["r"] == of["s"]
