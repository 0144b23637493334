"""Elementary functions keep within their bounds, with the same bits for every width of vectors."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import math
from xdsl.dialects.builtin import Float64Type, bf16, f16, f32
from xdsl.ir import Operation, SSAValue
from xdsl.utils.test_value import create_ssa_value

from bench.framework.jit import Array, aligned, zeros
from bench.numerics import FUNCTIONS, Function, errors
from tests.unit.transforms.convert_tilecpu_to_llvm.jitted import Jitted
from tileir_xdsl.builders.llvm_code import LLVMCode, vector_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing.kernels.agreement import max_ulps
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.elementary import ELEMENTARY

OPS: dict[str, type[Operation]] = {
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "log": math.LogOp,
    "log2": math.Log2Op,
    "rsqrt": math.RsqrtOp,
    "tanh": math.TanhOp,
    "sinh": math.SinhOp,
    "cosh": math.CoshOp,
    "sin": math.SinOp,
    "cos": math.CosOp,
    "tan": math.TanOp,
    "pow": math.PowFOp,
    "atan2": math.Atan2Op,
}
ELEMENTS = {
    "f16": (f16, np.dtype(np.float16)),
    "bf16": (bf16, np.dtype(ml_dtypes.bfloat16)),
    "f32": (f32, np.dtype(np.float32)),
    "f64": (Float64Type(), np.dtype(np.float64)),
}
COUNT = 4096
KNOWN = [function for function in FUNCTIONS if function.operation in OPS]


def jitted(name: str, element: str, lanes: int | None, count: int = COUNT) -> Jitted:
    """A function of arrays of `count` numbers, computed in vectors of `lanes`."""
    type, dtype = ELEMENTS[element]
    op_class = OPS[name]
    operands = 2 if name in ("pow", "atan2") else 1
    op = op_class.create(
        operands=[create_ssa_value(type) for _ in range(operands)], result_types=[type]
    )

    def build(code: LLVMCode, *pointers: SSAValue) -> None:
        def body(index: SSAValue, _: object) -> tuple[()]:
            places = [code.offset(pointer, index, type) for pointer in pointers]
            vector = vector_of(type, lanes)
            values = [code.load(place, vector, dtype.itemsize) for place in places[:-1]]
            code.store(ELEMENTARY[op_class](code, op, *values), places[-1], dtype.itemsize)
            return ()

        step = code.integer(lanes or 1)
        code.loop(code.integer(0), code.integer(count), step, (), body, runs=True)

    return Jitted(operands + 1, build)


def drawn(function: Function, dtype: np.dtype[np.generic], seed: int = 0) -> list[Array]:
    """Operands: where the function is interesting, and random bits, and corners."""
    random = np.random.default_rng(seed)
    corners = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38, 1e5, -3e7]
    operands: list[Array] = []
    for low, high in function.intervals:
        values = random.uniform(low, high, COUNT).astype(dtype)
        bits = random.integers(0, 256, COUNT // 3 * dtype.itemsize).astype(np.uint8).view(dtype)
        values[: len(bits)] = bits
        with np.errstate(over="ignore"):
            values[-len(corners) :] = random.permutation(corners).astype(dtype)
        operands.append(aligned(values))
    return operands


@pytest.mark.parametrize("function", KNOWN, ids=lambda function: function.operation)
@pytest.mark.parametrize("element", ELEMENTS)
def test_bounds(function: Function, element: str):
    dtype = ELEMENTS[element][1]
    operands = drawn(function, dtype)
    result = zeros(COUNT, dtype)
    jitted(function.operation, element, 16)(*operands, result)
    worst = errors(function, operands, result).max()
    assert worst <= max_ulps(function.operation, dtype), worst


@pytest.mark.parametrize("name", ["exp", "tanh", "log", "sin", "pow"])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_bits_do_not_depend_on_the_width_of_vectors(name: str, element: str):
    dtype = ELEMENTS[element][1]
    function = next(each for each in KNOWN if each.operation == name)
    operands = [operand[-256:].copy() for operand in drawn(function, dtype)]
    results: list[Array] = []
    for lanes in (None, 4, 16):
        results.append(zeros(256, dtype))
        jitted(name, element, lanes, 256)(*operands, results[-1])
    first = results[0]
    for other in results[1:]:
        assert (first.tobytes() == other.tobytes()) or np.array_equal(first, other, equal_nan=True)


@pytest.mark.parametrize(
    ("op", "operand", "result"),
    [(nv_tileaa.Exp2Op, -130.0, 0.0), (nv_tileaa.Exp2Op, 1e-40, 1.0)],
)
def test_subnormal_numbers_are_flushed_on_request(
    op: type[Operation], operand: float, result: float
):
    made = op.create(operands=[create_ssa_value(f32)], result_types=[f32])
    made.attributes["flush_to_zero"] = made.properties.get("flush_to_zero") or f32

    def build(code: LLVMCode, source: SSAValue, target: SSAValue) -> None:
        value = code.load(source, vector_of(f32, 4), 4)
        code.store(ELEMENTARY[op](code, made, value), target, 4)

    out = zeros(4, np.float32)
    Jitted(2, build)(np.full(4, operand, np.float32), out)
    assert (out == result).all()
