"""One diagnostic names the first op that is not converted."""

import pytest
from programs import SOFTMAX, convert, elementwise, matmul, reduction
from xdsl.utils.exceptions import PassFailedException

MATRIX = "tensor<?x?xf32>"
PARALLEL = '["parallel", "parallel"]'
ADD = elementwise(["%r = arith.addf %a0, %a1 : f32"], [MATRIX, MATRIX], "f32")
SUM = reduction("arith.addf", "f32", (21, 37), 1, "0.0")
IDENTITY = "affine_map<(i, j) -> (i, j)>"


def function(body: str, result: str = "tensor<8xf32>") -> str:
    return f"func.func @f(%x: {result}) -> {result} {{\n{body}\n}}"


CASES = {
    "an op in a body": (
        elementwise(["%r = math.sin %a0 : f32"], [MATRIX], "f32"),
        "'math.sin' op cannot be converted to cuda_tile: it is not one of the ops",
    ),
    "a predicate": (
        elementwise(
            ["%c = arith.cmpf uno, %a0, %a0 : f32", "%r = arith.select %c, %a0, %a1 : f32"],
            [MATRIX],
            "f32",
        ),
        "'arith.cmpf' op cannot be converted to cuda_tile: no comparison has the predicate uno",
    ),
    "an index": (
        elementwise(
            [
                "%i = linalg.index 0 : index",
                "%c = arith.index_cast %i : index to i32",
                "%r = arith.sitofp %c : i32 to f32",
            ],
            [MATRIX],
            "f32",
        ),
        "'linalg.index' op cannot be converted to cuda_tile: it is not one of the ops",
    ),
    "an element type": (
        elementwise(["%r = arith.addi %a0, %a0 : i4"], ["tensor<?x?xi4>"], "i4"),
        "'linalg.generic' op cannot be converted to cuda_tile: tensor<?x?xi4> is not one",
    ),
    "a transposed result": (
        ADD.replace(f"{IDENTITY}],", "affine_map<(i, j) -> (j, i)>],"),
        "'linalg.generic' op cannot be converted to cuda_tile: expected identity",
    ),
    "a transposed operand": (
        ADD.replace(f"[{IDENTITY}", "[affine_map<(i, j) -> (j, i)>"),
        "'linalg.generic' op cannot be converted to cuda_tile: expected identity",
    ),
    "a reduction of a generic op": (
        SOFTMAX.replace('"parallel", "parallel"', '"parallel", "reduction"', 1),
        "'linalg.generic' op cannot be converted to cuda_tile: expected parallel iterators",
    ),
    "integers of a matmul": (matmul("i32"), "'linalg.matmul' op cannot be converted"),
    "an op of a reduction": (
        SUM.replace("arith.addf", "arith.mulf"),
        "'linalg.reduce' op cannot be converted to cuda_tile: expected one dimension",
    ),
    "two ops of a reduction": (
        SUM.replace("%r = arith.addf %a", "%s = arith.addf %a, %b : f32\n %r = arith.addf %s"),
        "'linalg.reduce' op cannot be converted to cuda_tile: expected one dimension",
    ),
    "another op between tensors": (
        function(
            "%y = tensor.cast %x : tensor<8xf32> to tensor<8xf32>\nfunc.return %x : tensor<8xf32>"
        ),
        "'tensor.cast' op cannot be converted to cuda_tile: it is not one of the ops",
    ),
    "a rank": (
        function("func.return %x : tensor<2x2x2x2xf32>", "tensor<2x2x2x2xf32>"),
        "'func.func' op cannot be converted to cuda_tile: expected a rank of 3 at most",
    ),
    "a declaration": (
        "func.func private @f(tensor<8xf32>) -> tensor<8xf32>",
        "'func.func' op cannot be converted to cuda_tile: expected a body",
    ),
    "no result": ("func.func @f() {\n func.return\n}", "'func.func' op cannot be converted"),
    "the size of a tile": (
        ADD.replace("array<i64: 16, 16, 16>", "array<i64: 16, 12, 16>"),
        "linalg_door.tile: expected 3 powers of two, got array<i64: 16, 12, 16>",
    ),
    "too few sizes of a tile": (
        ADD.replace("array<i64: 16, 16, 16>", "array<i64: 16>"),
        "linalg_door.tile: expected 3 powers of two",
    ),
    "the size of an empty tensor": (
        """func.func @f(%x: tensor<?xf32>, %i: index) -> tensor<?xf32> {
          %y = tensor.empty(%i) : tensor<?xf32>
          func.return %y : tensor<?xf32>
        }""",
        "'tensor.empty' op cannot be converted to cuda_tile: expected sizes of other tensors",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_diagnostic(case: str):
    text, message = CASES[case]
    with pytest.raises(PassFailedException) as failure:
        convert(text)
    assert str(failure.value).startswith(message)
    # A note has the op, with its place where that is known.
    assert failure.value.__notes__
