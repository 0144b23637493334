"""Fused loops written by hand in LLVM IR: how fast a computation can be on one core.

They know the sizes, go over whole arrays without tiles, bounds or checks, and use the elementary
functions of the compiler in vectors of 16 f32. Only what surrounds the arithmetic is compared.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue

from bench.cpu.kernels import COLUMNS, EPSILON, HALF, HEADS
from bench.framework.jit import engine
from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.builders.llvm_code import POINTER, LLVMCode, vector_of
from tileir_xdsl.transforms.convert_tilecpu_to_llvm import elementary
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.reduction_tree import Values, fold_halves

LANES = 16
VECTOR = vector_of(f32, LANES)
UNIT = 4
"""Bytes of an element."""


class Loops:
    """Arithmetic on vectors, as short as a loop by hand needs it."""

    def __init__(self, code: LLVMCode):
        self.code = code

    def load(self, pointer: SSAValue, index: SSAValue) -> SSAValue:
        return self.code.load(self.code.offset(pointer, index, f32), VECTOR, UNIT)

    def store(self, value: SSAValue, pointer: SSAValue, index: SSAValue) -> None:
        self.code.store(value, self.code.offset(pointer, index, f32), UNIT)

    def of(self, number: float) -> SSAValue:
        return self.code.constant(number, VECTOR)

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.code.add(llvm.FAddOp(a, b))

    def subtract(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.code.add(llvm.FSubOp(a, b))

    def multiply(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.code.add(llvm.FMulOp(a, b))

    def divide(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.code.add(llvm.FDivOp(a, b))

    def each(
        self,
        count: int,
        step: int,
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
        initial: Sequence[SSAValue] = (),
    ) -> Sequence[SSAValue]:
        lower, upper, by = (self.code.integer(number) for number in (0, count, step))
        return self.code.loop(lower, upper, by, initial, body, runs=True)

    def folded(self, vectors: Sequence[SSAValue], op: Callable[..., SSAValue]) -> SSAValue:
        """All lanes of vectors combined, in each lane."""

        def combine(earlier: Values, later: Values) -> Values:
            return [op(earlier[0], later[0])]

        (scalar,) = fold_halves(self.code, [vectors], combine)
        return self.code.splat(scalar, LANES)

    def row(
        self,
        start: SSAValue,
        identity: float,
        op: Callable[..., SSAValue],
        value: Callable[[SSAValue], SSAValue],
    ) -> SSAValue:
        """A reduction of one row, whose vectors `value` computes from their index."""

        def body(j: SSAValue, partials: Sequence[SSAValue]) -> Sequence[SSAValue]:
            following: list[SSAValue] = []
            for number, partial in enumerate(partials):
                index = self.code.plus(start, self.code.plus(j, self.code.integer(number * LANES)))
                following.append(op(partial, value(index)))
            return following

        partials = self.each(COLUMNS, 2 * LANES, body, [self.of(identity)] * 2)
        return self.folded(partials, op)

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.code.add(llvm.VectorFMaxOp(a, b))

    def exp(self, value: SSAValue) -> SSAValue:
        return elementary.on_lanes(self.code, elementary.exp, value)


def _rows(loops: Loops, rows: int, emit_row: Callable[[SSAValue, SSAValue], None]) -> None:
    """For each row its number and its first element."""

    def body(i: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        emit_row(i, loops.code.times(i, loops.code.integer(COLUMNS)))
        return ()

    loops.each(rows, 1, body)


def _columns(loops: Loops, start: SSAValue, emit_vector: Callable[..., None]) -> None:
    def body(j: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        emit_vector(loops.code.plus(start, j), j)
        return ()

    loops.each(COLUMNS, LANES, body)


def _add(loops: Loops, size: int, x: SSAValue, y: SSAValue, out: SSAValue) -> None:
    def body(i: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        loops.store(loops.add(loops.load(x, i), loops.load(y, i)), out, i)
        return ()

    loops.each(size, LANES, body)


def _gelu(loops: Loops, size: int, x: SSAValue, out: SSAValue) -> None:
    def body(i: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        a = loops.load(x, i)
        cube = loops.multiply(loops.multiply(loops.multiply(loops.of(0.044715), a), a), a)
        inner = loops.multiply(loops.of(0.7978845608028654), loops.add(a, cube))
        tanh = elementary.on_lanes(loops.code, elementary.tanh, inner)
        half = loops.multiply(loops.of(0.5), a)
        loops.store(loops.multiply(half, loops.add(loops.of(1.0), tanh)), out, i)
        return ()

    loops.each(size, LANES, body)


def _softmax(loops: Loops, size: int, x: SSAValue, out: SSAValue) -> None:
    def row(_: SSAValue, start: SSAValue) -> None:
        largest = loops.row(start, -float("inf"), loops.maximum, lambda i: loops.load(x, i))

        def power(index: SSAValue) -> SSAValue:
            value = loops.exp(loops.subtract(loops.load(x, index), largest))
            loops.store(value, out, index)
            return value

        total = loops.row(start, 0.0, loops.add, power)

        def divide(index: SSAValue, _: SSAValue) -> None:
            loops.store(loops.divide(loops.load(out, index), total), out, index)

        _columns(loops, start, divide)

    _rows(loops, size // COLUMNS, row)


def _layer_norm(
    loops: Loops, size: int, x: SSAValue, weight: SSAValue, bias: SSAValue, out: SSAValue
) -> None:
    def row(_: SSAValue, start: SSAValue) -> None:
        share = loops.of(1 / COLUMNS)
        mean = loops.multiply(loops.row(start, 0.0, loops.add, lambda i: loops.load(x, i)), share)

        def square(index: SSAValue) -> SSAValue:
            centred = loops.subtract(loops.load(x, index), mean)
            return loops.multiply(centred, centred)

        variance = loops.multiply(loops.row(start, 0.0, loops.add, square), share)
        shifted = loops.add(variance, loops.of(EPSILON))
        scale = elementary.on_lanes(loops.code, elementary.rsqrt, shifted)

        def write(index: SSAValue, j: SSAValue) -> None:
            scaled = loops.multiply(loops.subtract(loops.load(x, index), mean), scale)
            weighted = loops.multiply(scaled, loops.load(weight, j))
            loops.store(loops.add(weighted, loops.load(bias, j)), out, index)

        _columns(loops, start, write)

    _rows(loops, size // COLUMNS, row)


def _rope(
    loops: Loops, size: int, x: SSAValue, cosine: SSAValue, sine: SSAValue, out: SSAValue
) -> None:
    code = loops.code

    def token(i: SSAValue, start: SSAValue) -> None:
        angles = code.times(i, code.integer(HALF))

        def head(h: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            base = code.plus(start, code.times(h, code.integer(2 * HALF)))

            def part(j: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                lower = code.plus(base, j)
                upper = code.plus(lower, code.integer(HALF))
                angle = code.plus(angles, j)
                first, second = loops.load(x, lower), loops.load(x, upper)
                c, s = loops.load(cosine, angle), loops.load(sine, angle)
                low = loops.subtract(loops.multiply(first, c), loops.multiply(second, s))
                high = loops.add(loops.multiply(second, c), loops.multiply(first, s))
                loops.store(low, out, lower)
                loops.store(high, out, upper)
                return ()

            loops.each(HALF, LANES, part)
            return ()

        loops.each(HEADS, 1, head)

    _rows(loops, size // COLUMNS, token)


def _cross_entropy(loops: Loops, size: int, x: SSAValue, target: SSAValue, out: SSAValue) -> None:
    code = loops.code

    def row(i: SSAValue, start: SSAValue) -> None:
        largest = loops.row(start, -float("inf"), loops.maximum, lambda j: loops.load(x, j))

        def power(index: SSAValue) -> SSAValue:
            return loops.exp(loops.subtract(loops.load(x, index), largest))

        total = loops.row(start, 0.0, loops.add, power)
        log = elementary.on_lanes(code, elementary.logarithm.log, total)
        wanted = code.load(code.offset(target, i, i32), i32, UNIT)
        place = code.plus(start, code.add(llvm.SExtOp(wanted, start.type)))
        chosen = code.load(code.offset(x, place, f32), f32, UNIT)
        loss = code.extract(loops.add(log, largest), 0)
        code.store(code.add(llvm.FSubOp(loss, chosen)), code.offset(out, i, f32), UNIT)

    _rows(loops, size // COLUMNS, row)


LOOPS: Mapping[str, tuple[int, Callable[..., None]]] = {
    "add": (3, _add),
    "gelu": (2, _gelu),
    "softmax": (2, _softmax),
    "layer_norm": (4, _layer_norm),
    "rope": (4, _rope),
    "cross_entropy": (3, _cross_entropy),
}
"""By the name of the kernel: how many arrays it has, and its loop."""


def hand_written(name: str, arguments: Sequence[Any]) -> Callable[[], object]:
    """What runs the loop of a kernel once."""
    pointers, loop = LOOPS[name]
    code = LLVMCode([POINTER] * pointers)
    loop(Loops(code), arguments[0].size, *code.arguments)
    code.do(llvm.ReturnOp())
    function_type = llvm.LLVMFunctionType([POINTER] * pointers)
    function = llvm.FuncOp(
        "loop", function_type, linkage=llvm.LinkageAttr("external"), body=code.region
    )
    made = engine(emit(ModuleOp([function])), level=3)
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * pointers)
    compiled = signature(made.get_function_address("loop"))
    addresses = [argument.ctypes.data for argument in arguments]
    # The engine and the arrays live as long as what runs them.
    return lambda: (compiled(*addresses), made, arguments)
