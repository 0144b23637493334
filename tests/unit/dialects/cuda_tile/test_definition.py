"""What operations are defined by: constraints outside of an operation, and numbers of values."""

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, Region
from xdsl.irdl import AttrConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import CudaTile, RoundingMode, RoundingModeAttr, TileType
from tileir_xdsl.dialects.cuda_tile.definition import Arity
from tileir_xdsl.dialects.cuda_tile.interfaces import FLOAT_TILE, ROUNDING, CudaTileOperation


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


OPERATIONS = [
    operation
    for operation in CudaTile.operations
    # `fpowf` is a spelling of `pow`, `token.join` of `join_tokens`.
    if issubclass(operation, CudaTileOperation)
    and operation.name not in ("cuda_tile.fpowf", "cuda_tile.token.join")
]
WORDS = {
    "regions": ("requires zero regions", "requires one region", "expected {} regions"),
    "results": (
        "requires zero results",
        "requires one result",
        "expected {} results, but found {}",
    ),
    "operands": (
        "requires zero operands",
        "requires a single operand",
        "expected {} operands, but found {}",
    ),
}
"""What MLIR's traits say that count none, one and several."""


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
@pytest.mark.parametrize("what", WORDS)
def test_counts(operation: type[CudaTileOperation], what: str):
    definition = operation.DEFINITION
    arities = {
        "regions": [Arity.SINGLE] * len(definition.regions),
        "results": [value.arity for value in definition.results],
        "operands": [value.arity for value in definition.operands],
    }
    right = {key: each.count(Arity.SINGLE) for key, each in arities.items()}
    variable = right[what] < len(arities[what])
    for wrong in range(right[what] if variable else right[what] + 2):
        if wrong == right[what]:
            continue
        counts = right | {what: wrong}
        values = test.TestOp(result_types=[TileType([], i32)] * counts["operands"]).results
        instance = operation.create(
            operands=values,
            result_types=[TileType([], i32)] * counts["results"],
            regions=[Region() for _ in range(counts["regions"])],
        )
        words = f"expected {right[what]} or more {what}, but found {wrong}"
        if not variable:
            words = WORDS[what][min(right[what], 2)].format(right[what], wrong)
        with pytest.raises(VerifyException) as error:
            instance.verify_()
        # Attributes are missing too: the counts come first.
        assert str(error.value) == f"'{operation.name}' op {words}"
