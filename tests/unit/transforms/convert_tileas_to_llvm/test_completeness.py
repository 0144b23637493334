"""Every op that may come to the last conversion is converted, removed before, or listed here."""

import pytest
from xdsl.dialects import arith, math, scf, ub
from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.transforms.convert_tileaa_to_tileas import counterparts
from tileir_xdsl.transforms.convert_tileas_to_llvm import patterns
from tileir_xdsl.transforms.convert_tileas_to_llvm.expansion import EXPANSIONS
from tileir_xdsl.transforms.convert_tileas_to_llvm.patterns import Lowering

DIALECTS = (NVTileAA, NVTileAS, arith.Arith, math.Math, scf.Scf, ub.UB)

MISSING: dict[str, str] = {
    "convolutions of whole tiles: no pattern yet": "nv_tileaa.conv_dot",
    "programs and IR of others, which no pass makes": """
        nv_tileaa.inject_ir nv_tileaa.launch_func nv_tileaa.plugin
    """,
    "functions that Tile IR does not have": """
        math.acos math.acosh math.asin math.asinh math.atanh math.cbrt math.erf math.expm1
        math.fpowi math.ipowi math.log10 math.log1p math.round
    """,
    "control flow that Tile IR does not have": """
        scf.execute_region scf.index_switch scf.parallel scf.reduce scf.reduce.return
        ub.unreachable
    """,
}
"""Ops that the last conversion refuses, by what is missing or why they do not come to it."""

LISTED = [name for names in MISSING.values() for name in names.split()]

CONVERTED = frozenset(op.name for op in patterns(Lowering()))
"""Ops that have a pattern."""

EXPANDED = frozenset(op.name for op in EXPANSIONS)
"""Ops that others carry out."""

INLINED = frozenset({"nv_tileaa.call"})
"""Ops in whose place stands what they run."""

REMOVED = frozenset(op.name for op in counterparts()) | {"nv_tileas.make_tiled_tma_desc"}
"""Ops that `convert-tileaa-to-tileas` leaves none of, and tensor maps, which
`tileas-attach-tma-desc-args` makes arguments of the kernel."""

OPS: list[type[Operation]] = [op for dialect in DIALECTS for op in dialect.operations]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_what_becomes_of_an_op(op: type[Operation]):
    is_handled = op.name in CONVERTED | EXPANDED | INLINED | REMOVED
    assert is_handled != (op.name in LISTED), (
        "listed, and handled too" if is_handled else "forgotten"
    )


def test_every_listed_op_exists_and_is_listed_once():
    assert sorted(LISTED) == sorted(set(LISTED))
    assert set(LISTED) <= {op.name for op in OPS}
