"""Which divisions may have which strategies, and which numbers decide on powers of two."""

import pytest
from xdsl.ir import Operation

from tileir_xdsl.analysis.values.tested_powers import compared_numbers
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_select_lowering.float_division import FAMILY, Division

NEAREST = {Strategy.INSTRUCTION, Strategy.WIDE_INVERSE}
APPROXIMATE = {Strategy.INSTRUCTION, Strategy.SCALED_INVERSE}
ALONE = {Strategy.INSTRUCTION}


def last(text: str) -> Operation:
    op = tools.parse(text).body.block.last_op
    assert op is not None
    return op


@pytest.mark.parametrize(
    ("op", "element", "expected"),
    [
        ("arith.divf %a, %b :", "f32", NEAREST),
        ("nv_tileaa.divf %a, %b :", "f32", NEAREST),
        ("nv_tileaa.divf %a, %b rounding<approx> :", "f32", APPROXIMATE),
        ("nv_tileaa.divf %a, %b rounding<full> :", "f32", APPROXIMATE),
        # Other roundings, and licences that the instruction takes.
        ("nv_tileaa.divf %a, %b rounding<zero> :", "f32", ALONE),
        ("nv_tileaa.divf %a, %b rounding<positive_inf> :", "f32", ALONE),
        ("nv_tileaa.divf %a, %b flush_to_zero :", "f32", ALONE),
        ("nv_tileaa.divf %a, %b rounding<full> flush_to_zero :", "f32", ALONE),
        ("arith.divf %a, %b fastmath<arcp> :", "f32", ALONE),
        ("arith.divf %a, %b fastmath<fast> :", "f32", ALONE),
        # The methods are for f32.
        ("arith.divf %a, %b :", "f16", ALONE),
        ("arith.divf %a, %b :", "f64", ALONE),
        ("nv_tileaa.divf %a, %b :", "bf16", ALONE),
        ("nv_tileaa.divf %a, %b :", "f64", ALONE),
    ],
)
@pytest.mark.parametrize("shape", ["", "32"])
def test_divisions(op: str, element: str, expected: set[Strategy], shape: str):
    layout = "#nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>"
    type_ = f"tensor<{shape}x{element}, {layout}>" if shape else element
    division = Division(
        last(f'%a, %b = "test.op"() : () -> ({type_}, {type_})\n%r = {op} {type_}'),
        get_target("sm_90a"),
    )
    assert {row.strategy for row in FAMILY.rows if row.problem(division) is None} == expected


@pytest.mark.parametrize(
    ("exponent", "tested"),
    [
        ("nv_tileaa.subf %a, %b : f32", ("a", "b")),
        ("arith.subf %a, %b : f32", ("a", "b")),
        # The mask leaves what is far from every exponent of a subnormal power.
        ("arith.subf %masked, %b : f32", ("a", "b")),
        ("arith.subf %near, %b : f32", ("near", "b")),
        ("nv_tileaa.subf %a, %b rounding<zero> : f32", None),
        ("nv_tileaa.subf %a, %b flush_to_zero : f32", None),
        ("arith.subf %a, %b fastmath<fast> : f32", None),
        ("arith.subf %a, %b fastmath<contract> : f32", None),
        ("arith.addf %a, %b : f32", None),
        ("arith.negf %a : f32", None),
        # Exponents that are tested themselves may be rounded in any way.
        ("math.fma %a, %b, %a : f32", ("d", None)),
        ("nv_tileaa.fma %a, %b, %masked : f32", ("d", None)),
        ("nv_tileaa.fma %a, %b, %a rounding<zero> flush_to_zero : f32", ("d", None)),
        ("nv_tileaa.fma %masked, %a, %b : f32", None),
        ("math.fma %a, %masked, %b : f32", None),
    ],
)
def test_tested_numbers(exponent: str, tested: tuple[str, str | None] | None):
    op = last(f"""
    %a, %b, %c = "test.op"() : () -> (f32, f32, i1)
    %far = arith.constant -1.7179869184e10 : f32
    %masked = arith.select %c, %a, %far : f32
    %little = arith.constant -1.0e10 : f32
    %near = arith.select %c, %a, %little : f32
    %d = {exponent}
    %p = nv_tileaa.exp2 %d : f32
    """)
    assert isinstance(op, nv_tileaa.Exp2Op)
    found = compared_numbers(op)
    names = found and tuple(None if value is None else value.name_hint for value in found)
    assert names == tested
