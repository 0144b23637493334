"""Powers of two of many f32 differences, with one test for subnormal results.

`ex2.approx.f32` supports subnormal results by a comparison and two multiplications around the
flushing hardware approximation. Softmax computes powers of two of many differences from one m, for
which one comparison with 126 below m suffices. Exponents from a fused multiply-add are compared
with -126. If any number is below, a loop computes all powers with subnormal support. If a mask
replaces a minuend by a large constant, the number before the replacement is tested. The test may
then fail needlessly, but the constant is never below, and its power is zero or one.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.tested_powers import compared_numbers, in_trip
from tileir_xdsl.dialects.llvm import UMaxOp

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import call_intrinsic, float_constant
from ..thread.program import ThreadRewriter
from ..thread.register_branches import either
from ..thread.register_loops import State, repeat_while

LEAST_EXPONENT = -126.0
"""The least exponent of a power of two that is a normal f32."""


def tested_powers(op: Operation, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """The powers of two, register by register."""
    builder, tested = rewriter.builder, compared_numbers(op)
    assert tested is not None
    numbers, subtrahend = tested
    exponents = rewriter.registers(op.operands[0])
    count = len(exponents)
    none = (None,) if subtrahend is None else rewriter.registers(subtrahend)
    columns = (values * (count // len(values)) for values in (rewriter.registers(numbers), none))
    groups = dict[SSAValue | None, dict[SSAValue, None]]()
    for number, subtracted in zip(*columns, strict=True):
        groups.setdefault(subtracted, {})[number] = None
    conditions = [
        each for m, values in groups.items() for each in _are_normal(builder, [*values], m)
    ]
    are_normal = builder.conjunction(conditions)
    assert are_normal is not None
    different = list(dict.fromkeys(exponents))
    powers = either(
        builder,
        are_normal,
        lambda: [_power(builder, each, flush=True) for each in different],
        lambda: _one_by_one(builder, different),
    )
    known = dict(zip(different, powers, strict=True))
    return tuple(known[exponent] for exponent in exponents)


def _power(builder: LLVMBuilder, exponent: SSAValue, *, flush: bool) -> SSAValue:
    name = f"llvm.nvvm.ex2.approx{'.ftz' if flush else ''}.f32"
    return call_intrinsic(builder, name, f32, exponent)


def _are_normal(
    builder: LLVMBuilder, numbers: Sequence[SSAValue], subtrahend: SSAValue | None
) -> list[SSAValue]:
    """Conditions that are all true only if no exponent is below the least one.

    As unsigned integers, negative floats are ordered by magnitude, above all positive ones. So one
    maximum suffices if the bound is negative; otherwise the condition fails.
    """
    largest = builder.after_definitions(numbers, lambda: _largest(builder, numbers))
    bound = float_constant(builder, LEAST_EXPONENT)
    if subtrahend is not None:
        # Rounded up: what is below the bound exactly is below it here.
        bound = call_intrinsic(builder, "llvm.nvvm.add.rp.f", f32, subtrahend, bound)
    bits = builder.insert(llvm.BitcastOp(bound, i32))
    is_normal = builder.compare("ule", largest, bits)
    if subtrahend is None:
        return [is_normal]
    return [is_normal, builder.compare("slt", bits, builder.integer(0, i32))]


def _largest(builder: LLVMBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """The largest of floats as unsigned integers, by three-operand maxima."""
    words = [builder.insert(llvm.BitcastOp(value, i32)) for value in values]
    while len(words) > 1:
        groups = [words[first : first + 3] for first in range(0, len(words), 3)]
        words = []
        for first, *others in groups:
            for other in others:
                first = builder.insert(UMaxOp(first, other))
            words.append(first)
    return words[0]


def _one_by_one(builder: LLVMBuilder, exponents: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Computes powers in a loop: each iteration computes the first few and appends them."""
    count, each = len(exponents), in_trip(len(exponents))

    def rotate(state: State) -> State:
        left = builder.insert(llvm.SubOp(state[0], builder.integer(1, i32)))
        powers = [_power(builder, exponent, flush=False) for exponent in state[1 : each + 1]]
        # Registers have no index, so they rotate past the powers of the loop.
        return left, *state[each + 1 :], *powers

    def is_left(state: State) -> SSAValue:
        return builder.compare("sgt", state[0], builder.integer(0, i32))

    trips = builder.integer(count // each, i32)
    state = repeat_while(builder, (trips, *exponents), is_left, rotate, unrolled=False)
    return state[1:]
