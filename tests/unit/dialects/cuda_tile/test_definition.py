"""Constraints of operands, results and properties as xDSL uses them, outside of an operation."""

import pytest
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import RoundingMode, RoundingModeAttr, TileType
from tileir_xdsl.dialects.cuda_tile.interfaces import FLOAT_TILE, ROUNDING


@pytest.mark.parametrize(
    ("constraint", "good", "bad", "message"),
    [
        (
            FLOAT_TILE,
            TileType([4], f32),
            TileType([4], i32),
            "must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<4xi32>'",
        ),
        (
            ROUNDING,
            RoundingModeAttr(RoundingMode.ZERO),
            i32,
            "failed to satisfy constraint: rounding mode",
        ),
    ],
)
def test_verify(
    constraint: AttrConstraint[Attribute], good: Attribute, bad: Attribute, message: str
):
    constraint.verify(good, VerificationContext())
    with pytest.raises(VerifyException) as error:
        constraint.verify(bad, VerificationContext())
    assert str(error.value) == message
