"""Every op that yields an integer below 32 bits, then widened: against Python integers.

Registers have 16 bits at least, so that an op which leaves more than the integer in one shows only
where its result is widened. All ops of a width are in one kernel.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import Array, kernel, run

WIDTHS = (1, 8, 16)
LANES = 64
ROW = 4 * LANES
"""Bytes of one result of all threads."""

Op = tuple[str, Callable[[int, int, int, int], int]]
"""An op on `%a`, `%b` and `%n`, and its result, given these without sign and the width."""


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (value >> width - 1 << width)


def truncated_division(a: int, b: int) -> int:
    """Rounded to zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def of_signed(operation: Callable[[int, int], int]) -> Callable[[int, int, int, int], int]:
    return lambda a, b, n, w: operation(signed(a, w), signed(b, w))


LOGIC: dict[str, Op] = {
    "add": ("llvm.add %a, %b : T", lambda a, b, n, w: a + b),
    "sub": ("llvm.sub %a, %b : T", lambda a, b, n, w: a - b),
    "mul": ("llvm.mul %a, %b : T", lambda a, b, n, w: a * b),
    "and": ("llvm.and %a, %b : T", lambda a, b, n, w: a & b),
    "or": ("llvm.or %a, %b : T", lambda a, b, n, w: a | b),
    "xor": ("llvm.xor %a, %b : T", lambda a, b, n, w: a ^ b),
    "not": ("llvm.xor %a, %ones : T", lambda a, b, n, w: ~a),
    "smax": ("llvm.intr.smax(%a, %b) : (T, T) -> T", of_signed(max)),
    "smin": ("llvm.intr.smin(%a, %b) : (T, T) -> T", of_signed(min)),
    "umax": ("llvm.intr.umax(%a, %b) : (T, T) -> T", lambda a, b, n, w: max(a, b)),
    "umin": ("llvm.intr.umin(%a, %b) : (T, T) -> T", lambda a, b, n, w: min(a, b)),
    "select": ("llvm.select %less, %a, %b : i1, T", lambda a, b, n, w: a if a < b else b),
    "select of a constant": (
        "llvm.select %less, %ones, %b : i1, T",
        lambda a, b, n, w: -1 if a < b else b,
    ),
    "sum with a constant": ("llvm.add %a, %ones : T", lambda a, b, n, w: a - 1),
    "constant less a value": ("llvm.sub %ones, %a : T", lambda a, b, n, w: -1 - a),
    "trunc": ("llvm.trunc %product : i64 to T", lambda a, b, n, w: 3 * a * b),
    "fptosi": ("llvm.fptosi %float : f32 to T", lambda a, b, n, w: signed(a, w)),
}
"""What every width has."""

NUMBERS: dict[str, Op] = {
    "sdiv": ("llvm.sdiv %a, %divisor : T", lambda a, b, n, w: truncated_division(signed(a, w), -7)),
    "srem": (
        "llvm.srem %a, %divisor : T",
        lambda a, b, n, w: signed(a, w) + 7 * truncated_division(signed(a, w), -7),
    ),
    "udiv": ("llvm.udiv %ones, %odd : T", lambda a, b, n, w: ((1 << w) - 1) // (a | 1)),
    "urem": ("llvm.urem %b, %odd : T", lambda a, b, n, w: b % (a | 1)),
    "shl": ("llvm.shl %a, %n : T", lambda a, b, n, w: a << n),
    "lshr": ("llvm.lshr %a, %n : T", lambda a, b, n, w: a >> n),
    "ashr": ("llvm.ashr %a, %n : T", lambda a, b, n, w: signed(a, w) >> n),
    "ashr of a constant": ("llvm.ashr %divisor, %n : T", lambda a, b, n, w: -7 >> n),
    "ctpop": ("llvm.intr.ctpop(%a) : (T) -> T", lambda a, b, n, w: a.bit_count()),
    "ctlz": (
        '"llvm.intr.ctlz"(%a) <{is_zero_poison = false}> : (T) -> T',
        lambda a, b, n, w: w - a.bit_length(),
    ),
    "cttz": (
        '"llvm.intr.cttz"(%a) <{is_zero_poison = false}> : (T) -> T',
        lambda a, b, n, w: (a & -a).bit_length() - 1 if a else w,
    ),
    "abs": (
        '"llvm.intr.abs"(%a) <{is_int_min_poison = false}> : (T) -> T',
        lambda a, b, n, w: abs(signed(a, w)),
    ),
    "fshl": (
        "llvm.intr.fshl(%a, %b, %n) : (T, T, T) -> T",
        lambda a, b, n, w: (a << w | b) << n >> w,
    ),
    "fshr": ("llvm.intr.fshr(%a, %b, %n) : (T, T, T) -> T", lambda a, b, n, w: (a << w | b) >> n),
    "bitreverse": (
        "llvm.intr.bitreverse(%a) : (T) -> T",
        lambda a, b, n, w: int(f"{a:0{w}b}"[::-1], 2),
    ),
    "sext": ("llvm.sext %less : i1 to T", lambda a, b, n, w: -(a < b)),
    "zext": ("llvm.zext %less : i1 to T", lambda a, b, n, w: a < b),
    "fptoui": ("llvm.fptoui %positive : f32 to T", lambda a, b, n, w: a),
}
"""What a predicate has not."""

COMPARISONS: dict[str, Op] = {
    "eq": ('llvm.icmp "eq" %a, %b : T', lambda a, b, n, w: a == b),
    "ult": ('llvm.icmp "ult" %a, %b : T', lambda a, b, n, w: a < b),
    "uge": ('llvm.icmp "uge" %a, %b : T', lambda a, b, n, w: a >= b),
    "slt": ('llvm.icmp "slt" %a, %b : T', of_signed(lambda a, b: a < b)),
    "sge": ('llvm.icmp "sge" %a, %b : T', of_signed(lambda a, b: a >= b)),
}

WIDE: dict[str, Callable[[int, int], int]] = {
    "llvm.zext {0} : T to i32": lambda value, width: value,
    "llvm.sext {0} : T to i32": signed,
}
"""Both ways to widen a result."""


def ops_of(width: int) -> Mapping[str, Op]:
    return LOGIC if width == 1 else {**LOGIC, **NUMBERS}


def program(ops: Mapping[str, Op], type: str) -> str:
    """A kernel that stores every result, widened in both ways, in rows of `%out`."""
    lines = [
        "%tid = nvvm.read.ptx.sreg.tid.x : i32",
        *(
            f"""%q{name} = llvm.getelementptr %p{name}[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
            %w{name} = llvm.load %q{name} : !llvm.ptr<1> -> i32
            %{name} = llvm.trunc %w{name} : i32 to T"""
            for name in "abn"
        ),
        """%ones = llvm.mlir.constant(-1 : T) : T
        %one = llvm.mlir.constant(1 : T) : T
        %less = llvm.icmp "ult" %a, %b : T
        %float = llvm.sitofp %a : T to f32
        %positive = llvm.uitofp %a : T to f32
        %three = llvm.mlir.constant(3 : i64) : i64
        %la = llvm.zext %a : T to i64
        %lb = llvm.zext %b : T to i64
        %lab = llvm.mul %la, %lb : i64
        %product = llvm.mul %lab, %three : i64
        %odd = llvm.or %a, %one : T""",
        *(["%divisor = llvm.mlir.constant(-7 : T) : T"] if type != "i1" else []),
        "%to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32",
    ]
    row = 0
    for number, (name, (text, _)) in enumerate(ops.items()):
        result = "i1" if name in COMPARISONS else "T"
        lines.append(f"%r{number} = {text}")
        for widen in WIDE:
            lines.append(
                f"""%v{row} = {widen.format(f"%r{number}").replace("T", result)}
                %to{row} = llvm.getelementptr %to[{row * ROW}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
                llvm.store %v{row}, %to{row} : i32, !llvm.ptr<1>"""
            )
            row += 1
    arguments = ", ".join(f"%{name}: !llvm.ptr<1>" for name in ("pa", "pb", "pn", "out"))
    return kernel("\n".join([*lines, "llvm.return"]).replace("T", type), arguments)


def samples(width: int, seed: int) -> list[int]:
    """Corners and random numbers without sign, in an order of the seed."""
    half = 1 << width - 1
    corners = [number % (2 * half) for number in (0, 1, -1, 2, -2, half, half - 1, half + 1)]
    random = np.random.default_rng(seed)
    rest = random.integers(0, 2 * half, LANES - len(corners)).tolist()
    return random.permutation([*corners, *rest]).tolist()


@pytest.mark.parametrize("width", WIDTHS)
def test_results_are_widened_exactly(width: int):
    ops = {**ops_of(width), **COMPARISONS}
    inputs = samples(width, 1), samples(width, 2), [number % width for number in range(LANES)]
    found: Array = np.zeros((len(ops), len(WIDE), LANES), np.int32)
    run(program(ops, f"i{width}"), [*(np.array(values, np.int32) for values in inputs), found])
    for (name, (_, meaning)), rows in zip(ops.items(), found, strict=True):
        bits = 1 if name in COMPARISONS else width
        results = [meaning(a, b, n, width) % (1 << bits) for a, b, n in zip(*inputs, strict=True)]
        for (widen, wide), row in zip(WIDE.items(), rows, strict=True):
            expected = [wide(result, bits) for result in results]
            np.testing.assert_array_equal(row, expected, f"{name}, then {widen}")
