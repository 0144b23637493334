"""Every op that a tile program may hold is converted, or a pass removes it before.

The ops of dialects that others share are those with a meaning on tiles.
"""

import pytest
from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.interpreters.arith import ARITH
from tileir_xdsl.interpreters.math import MATH
from tileir_xdsl.interpreters.scf import SCF, SCF_TERMINATORS
from tileir_xdsl.interpreters.ub import UB
from tileir_xdsl.transforms.convert_tileaa_to_tileas import counterparts
from tileir_xdsl.transforms.convert_tileas_to_llvm import patterns
from tileir_xdsl.transforms.convert_tileas_to_llvm.families import all_patterns
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.patterns import Lowering
from tileir_xdsl.transforms.tileas_select_lowering.synchronous_expansion import EXPANSIONS

OPS: tuple[type[Operation], ...] = (
    *NVTileAA.operations,
    *NVTileAS.operations,
    *ARITH,
    *MATH,
    *SCF,
    *SCF_TERMINATORS,
    *UB,
)

CONVERTED = frozenset(op.name for op in patterns(Lowering(), all_patterns()))
"""Ops that have a pattern."""

EXPANDED = frozenset(op.name for op in EXPANSIONS) | {"nv_tileaa.call"}
"""Ops that others carry out; of a call the body of the function."""

REMOVED = frozenset(op.name for op in counterparts()) | {"nv_tileas.make_tiled_tma_desc"}
"""Ops that `convert-tileaa-to-tileas` leaves none of, and tensor maps, which
`tileas-attach-tma-desc-args` makes arguments of the kernel."""

OPAQUE = frozenset({"nv_tileaa.inject_ir", "nv_tileaa.plugin", "nv_tileaa.launch_func"})
"""Code of others that nothing here can read, and launches, which are the host's: refused by name."""


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_what_becomes_of_an_op(op: type[Operation]):
    becomes = [op.name in names for names in (CONVERTED | EXPANDED | REMOVED, OPAQUE)]
    assert becomes.count(True) == 1
