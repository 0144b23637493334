"""Logic, shifts and permutations against Python's integers."""

import operator
from functools import partial

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array, Case, check, each
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

_BITS = ("b16", "b32", "b64")


def three_input(a: int, b: int, c: int, table: int) -> int:
    result = 0
    for i in range(32):
        index = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)
        result |= (table >> index & 1) << i
    return result


def permute(a: int, b: int, c: int, mode: str) -> int:
    """`prmt` from the tables of the manual."""
    source = [*a.to_bytes(4, "little"), *b.to_bytes(4, "little")]
    tables = {
        "f4e": ["3210", "4321", "5432", "6543"],
        "b4e": ["5670", "6701", "7012", "0123"],
        "rc8": ["0000", "1111", "2222", "3333"],
        "ecl": ["3210", "3211", "3222", "3333"],
        "ecr": ["0000", "1110", "2210", "3210"],
        "rc16": ["1010", "3232", "1010", "3232"],
    }
    if mode:
        chosen = [int(digit) for digit in reversed(tables[mode][c & 3])]
        return int.from_bytes(bytes(source[i] for i in chosen), "little")
    result: list[int] = []
    for position in range(4):
        selector = c >> 4 * position & 15
        byte = source[selector & 7]
        result.append((0xFF if byte & 0x80 else 0) if selector & 8 else byte)
    return int.from_bytes(bytes(result), "little")


def funnel(a: int, b: int, c: int, direction: str, mode: str) -> int:
    amount = min(c, 32) if mode == "clamp" else c & 31
    both = b << 32 | a
    return (both << amount) >> 32 if direction == "l" else both >> amount


def logic_and_test(a: Array, b: Array, c: Array, q: Array) -> tuple[Array, Array]:
    value = each(lambda x, y, z: three_input(x, y, z, 0x3A))(a, b, c).astype(np.uint32)
    return value, (value != 0) & (q != 0)


CASES: tuple[Case, ...] = (
    *(
        Case(f"{op}.{t} %d, %a, %b;", f"a:{t} b:{t}", f"d:{t}", each(function))
        for t in _BITS
        for op, function in (
            ("and", operator.and_),
            ("or", operator.or_),
            ("xor", operator.xor),
        )
    ),
    *(
        Case(f"{op}.pred %d, %a, %b;", "a:pred b:pred", "d:pred", each(function))
        for op, function in (
            ("and", operator.and_),
            ("or", operator.or_),
            ("xor", operator.xor),
        )
    ),
    *(Case(f"not.{t} %d, %a;", f"a:{t}", f"d:{t}", each(lambda a: ~a)) for t in _BITS),
    Case("not.pred %d, %a;", "a:pred", "d:pred", each(lambda a: 1 - a)),
    *(Case(f"cnot.{t} %d, %a;", f"a:{t}", f"d:{t}", each(lambda a: int(a == 0))) for t in _BITS),
    *(
        Case(f"shl.{t} %d, %a, %b;", f"a:{t} b:u32", f"d:{t}", each(lambda a, b: a << min(b, 64)))
        for t in _BITS
    ),
    *(
        Case(f"shr.{t} %d, %a, %b;", f"a:{t} b:u32", f"d:{t}", each(lambda a, b: a >> min(b, 64)))
        for t in (*_BITS, "u16", "u32", "u64", "s16", "s32", "s64")
    ),
    Case("shl.b32 %d, %a, 7;", "a:b32", "d:b32", each(lambda a: a << 7)),
    Case("shl.b32 %d, %a, 32;", "a:b32", "d:b32", each(lambda a: 0 * a)),
    Case("shr.s32 %d, %a, 31;", "a:s32", "d:s32", each(lambda a: a >> 31)),
    Case("shr.s32 %d, %a, 40;", "a:s32", "d:s32", each(lambda a: a >> 40)),
    *(
        Case(
            f"shf.{direction}.{mode}.b32 %d, %a, %b, %c;",
            "a:b32 b:b32 c:u32",
            "d:b32",
            each(partial(funnel, direction=direction, mode=mode)),
        )
        for direction in "lr"
        for mode in ("clamp", "wrap")
    ),
    *(
        Case(
            f"lop3.b32 %d, %a, %b, %c, {table};",
            "a:b32 b:b32 c:b32",
            "d:b32",
            each(partial(three_input, table=table)),
        )
        for table in (0x00, 0xFF, 0x80, 0xFE, 0x96, 0xCA, 0xE8, 0xF0, 0xCC, 0xAA, 0x3A, 0x1D, 0x2B)
    ),
    Case(
        "lop3.and.b32 %d|%e, %a, %b, %c, 0x3A, %q;",
        "a:b32 b:b32 c:b32 q:pred",
        "d:b32 e:pred",
        logic_and_test,
    ),
    Case(
        "prmt.b32 %d, %a, %b, %c;",
        "a:b32 b:b32 c:b32",
        "d:b32",
        each(partial(permute, mode="")),
    ),
    *(
        Case(
            f"prmt.b32 %d, %a, %b, {selectors};",
            "a:b32 b:b32",
            "d:b32",
            each(partial(permute, c=selectors, mode="")),
        )
        for selectors in (0x5410, 0x7632, 0x0123, 0x9999, 0x4567)
    ),
    *(
        Case(
            f"prmt.b32.{mode} %d, %a, %b, %c;",
            "a:b32 b:b32 c:b32",
            "d:b32",
            each(partial(permute, mode=mode)),
        )
        for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)


def test_every_table_of_lop3():
    """Operands that hold one bit of every index give back the table itself."""
    body = "\n".join(
        f"lop3.b32 %r, 0xF0, 0xCC, 0xAA, {table};\nst.global.u8 [%o+{table}], %r;"
        for table in range(256)
    )
    text = f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 32
{{
  .reg .b64 %o; .reg .b32 %r;
  ld.param.u64 %o, [out];
  {body}
  ret;
}}
"""
    out = np.zeros(256, np.uint8)
    emulator.load(text).launch("k", (1, 1, 1), [out])
    np.testing.assert_array_equal(out, np.arange(256))
