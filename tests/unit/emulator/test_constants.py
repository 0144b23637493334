"""Constant expressions, compared with what ptxas makes of them."""

import random
from pathlib import Path

import numpy as np
import pytest

from tests.unit.emulator.assembler import assemble
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.types import TYPES

# Values by the table of the PTX ISA: the types of operands and results, and how operators bind.
EXPRESSIONS: dict[str, int] = {
    "17 % 5": 2,
    "-17 % 5": (2**64 - 17) % 5,
    "(-8) >> 1": -4,
    "-1 >> 60": -1,
    "0xFFFFFFFFFFFFFFFF >> 4": 2**60 - 1,
    "~0": -1,
    "!5": 0,
    "!0": 1,
    "-7/2": -3,
    "-(3)": -3,
    "(.u64)-1 / 2": 2**63 - 1,
    "-1 < 0U": 0,
    "-1 < 0": 1,
    "0x8000000000000000 < 0": 0,
    "(.s64)0x8000000000000000 < 0": 1,
    "5 ? 7 : 8": 7,
    "0 ? 7 : 1 ? 9 : 10": 9,
    "(3>2)+(2>=2)*4": 5,
    "0xff & 0x0f ^ 0xf0 | 0x100": 511,
    "1<<4|3": 19,
    "1 << 2+1": 8,
    "10 - 3 - 2": 5,
    "2*3 % 4": 2,
    "1 || 0 && 0": 1,
    "5 == 5 != 0": 1,
    "1.5 < 2.5": 1,
    "WARP_SZ * 2 + 1": 65,
    "+017 - 0b11": 12,
}


def values(expressions: list[str]) -> np.ndarray:
    """What the emulator puts in memory."""
    text = (
        HEADER
        + f".global .u64 c[{len(expressions)}] = {{{', '.join(expressions)}}};"
        + """.visible .entry k(.param .u64 out) { .reg .b64 %a, %x, %y, %o; .reg .b32 %i;
        ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mul.wide.u32 %x, %i, 4 + 2*2; mov.u64 %a, c;
        add.u64 %a, %a, %x; add.u64 %o, %o, %x; ld.global.u64 %y, [%a + 8 - (3 + 5)];
        st.global.u64 [%o], %y; ret; }"""
    )
    out = np.zeros(len(expressions), np.int64)
    emulator.load(text).launch(None, (1, 1, 1), [out], block=(len(expressions), 1, 1))
    return out


def assembled(expressions: list[str], folder: Path) -> bytes:
    """What ptxas writes for them."""
    data = f".global .u64 c[{len(expressions)}] = {{{', '.join(expressions)}}};"
    kernel = """.visible .entry k() { .reg .b64 %a; mov.u64 %a, c; st.u64 [%a], %a; ret; }"""
    assert assemble(HEADER + data + kernel, "sm_90", folder) == ""
    return (folder / "out").read_bytes()


def test_values():
    assert list(values(list(EXPRESSIONS))) == list(EXPRESSIONS.values())


def test_ptxas_has_the_same_values(tmp_path: Path):
    found = values(list(EXPRESSIONS))
    assert found.tobytes() in assembled(list(EXPRESSIONS), tmp_path)


def expression(random: random.Random, depth: int) -> str:
    """Integers and all operators, without division by zero."""
    if depth == 0:
        suffix = random.choice(("", "", "U"))
        return f"{random.choice((random.randrange(100), random.randrange(2**64)))}{suffix}"
    inner = [expression(random, depth - 1) for _ in range(3)]
    kind = random.randrange(12)
    if kind == 0:
        return f"({random.choice(('+', '-', '~', '!'))}({inner[0]}))"
    if kind == 1:
        return f"({inner[0]} ? {inner[1]} : {inner[2]})"
    if kind == 2:
        return f"({random.choice(('(.s64)', '(.u64)'))}({inner[0]}))"
    if kind == 3:
        return f"({inner[0]} {random.choice('/%')} ({inner[1]} | 1))"
    if kind == 4:
        return f"({inner[0]} {random.choice(('<<', '>>'))} ({inner[1]} & 31))"
    operator = random.choice(
        ["+", "-", "*", "&", "|", "^", "&&", "||", "<", "<=", ">", ">=", "==", "!="]
    )
    return f"({inner[0]} {operator} {inner[1]})"


@pytest.mark.parametrize("seed", range(4))
def test_random_expressions(seed: int, tmp_path: Path):
    drawn = random.Random(seed)
    expressions = [expression(drawn, drawn.randrange(1, 4)) for _ in range(100)]
    data = assembled(expressions, tmp_path)
    assert values(expressions).tobytes() in data


def test_floats():
    """Floats are of double precision until they are used."""
    text = (
        HEADER
        + """.visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .f64 %d; .reg .f32 %f;
        ld.param.u64 %o, [out]; mov.f64 %d, (1.0 + 2.0e-9) * 3.0 / 7.0 - 0.25; st.f64 [%o], %d;
        mov.f32 %f, 1.0 / 3.0; st.f32 [%o + 8], %f; mov.f32 %f, 2 > 1 ? -0.5 : 7.0;
        st.f32 [%o + 12], %f; ret; }"""
    )
    out = np.zeros(2, np.float64)
    emulator.load(text).launch(None, (1, 1, 1), [out], block=(1, 1, 1))
    assert out[0] == (1 + 2e-9) * 3 / 7 - 0.25
    assert list(out.view(np.float32)[2:]) == [np.float32(1 / 3), np.float32(-0.5)]


TABLES: dict[str, list[int]] = {
    "u8": [0, 255, 256, 9_999_999_999_999_999_999],
    "s16": [0, 65535, 65536],
    "b32": [2**32 - 1, 2**32 + 5],
    "u64": [2**63, 10**19 - 1, 7],
    "b128": [10**19 - 1, 3],
    "f16": [1, 2049, 70_000],
    "f32": [2**24 + 1, 3],
    "f64": [2**53 + 1, 10**19 - 1],
}
"""Decimal numbers for elements of a type: largest ones, and some that do not fit."""


@pytest.mark.parametrize("type_", TABLES)
@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_tables_of_numbers(type_: str, blank: str) -> None:
    """A table of decimal numbers has the bytes of constant expressions of the same values."""
    numbers = [str(number) for number in TABLES[type_]]
    forms = {
        "short": f"={blank}{{{blank}" + f"{blank},{blank}".join(numbers) + f"{blank}}}",
        "long": f"= {{ {', '.join(f'({number})' for number in numbers)} }}",
    }
    found = [
        parse_module(f"{HEADER}\n.global .{type_} g[] {form};\n.global .b8 h;").variables
        for form in forms.values()
    ]
    assert found[0]["g"].initial == found[1]["g"].initial
    assert found[0]["g"].size == found[1]["g"].size == len(numbers) * TYPES[type_].bytes
    # The table begins in the line after the header and the empty one.
    assert found[0]["h"].line - found[0]["g"].line == forms["short"].count("\n") + 1
