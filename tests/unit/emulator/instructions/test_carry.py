"""Chains of extended-precision arithmetic, against an adder's carry and what ptxas folds."""

import itertools
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array, Case, check
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

OPERATIONS = ("add", "sub", "mad.lo", "mad.hi")
Numbers = Sequence[int]


def add_with_flag(operation: str, values: Numbers, flag: int, bits: int) -> tuple[int, int]:
    """The word and the carry that an adder gives: a difference is a + ~b + flag."""
    mask = (1 << bits) - 1
    a, b, c = values
    terms = {
        "add": (a, b),
        "sub": (a, b ^ mask),
        "mad.lo": (a * b & mask, c),
        "mad.hi": (a * b >> bits, c),
    }
    total = sum(terms[operation]) + flag
    return total & mask, total >> bits


def evaluate(chain: Sequence[str], values: Numbers, bits: int) -> list[int]:
    """The result of each operation of a chain, all of them on the same operands in turn."""
    results: list[int] = []
    flag = int(chain[0] == "sub")
    for index, operation in enumerate(chain):
        turned = [values[(index + position) % 3] for position in range(3)]
        word, flag = add_with_flag(operation, turned, flag, bits)
        results.append(word)
    return results


def chain_text(chain: Sequence[str], type_: str, operands: Sequence[str]) -> str:
    """`add.cc ...; subc.cc ...; madc.lo ...;`: the last one leaves the flag as it is."""
    lines: list[str] = []
    for index, operation in enumerate(chain):
        opcode, _, half = operation.partition(".")
        parts = [opcode + ("c" if index else ""), half, "cc" * (index < len(chain) - 1), type_]
        count = 3 if opcode == "mad" else 2
        turned = [operands[(index + position) % 3] for position in range(count)]
        mnemonic = ".".join(filter(None, parts))
        lines.append(f"{mnemonic} {', '.join([f'%r{index}', *turned])};")
    return "\n".join(lines)


def case(chain: Sequence[str], bits: int) -> Case:
    def meaning(*arrays: Array) -> tuple[Array, ...]:
        lanes = zip(*(a.tolist() for a in arrays), strict=True)
        found = [evaluate(chain, lane, bits) for lane in lanes]
        return tuple(np.array(found, np.uint64).T)

    type_ = f"u{bits}"
    return Case(
        chain_text(chain, type_, ("%a", "%b", "%c")),
        " ".join(f"{name}:{type_}" for name in "abc"),
        " ".join(f"r{index}:{type_}" for index in range(len(chain))),
        lambda a, b, c: meaning(a, b, c),
    )


def chains() -> Iterator[tuple[str, ...]]:
    """Every mix of two and of three."""
    for length in (2, 3):
        yield from itertools.product(OPERATIONS, repeat=length)


CASES = [case(chain, bits) for bits in (32, 64) for chain in chains()]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_chain(case: Case):
    check(case)


SECOND = {
    "addc.u32 %y, 100, 7;": 107,
    "subc.u32 %y, 100, 7;": 92,
    "madc.lo.u32 %y, 100, 7, 5;": 705,
}
"""Instructions that read the flag, and their results where it is 0."""


def trapping_kernel(name: str, first: str, second: str, expected: int) -> str:
    """A kernel of two instructions that traps unless the result is as expected."""
    return f"""
.visible .entry {name}()
{{
  .reg .b32 %r0, %y;
  .reg .pred %p;
  {first}
  {second}
  setp.ne.b32 %p, %y, {expected};
  @%p trap;
  ret;
}}"""


def traps(texts: Sequence[str], folder: Path) -> list[bool]:
    """Whether the machine code of each kernel of a module can trap."""
    module = ".version 8.6\n.target sm_90a\n.address_size 64\n" + "".join(texts)
    cubin = folder / "chains.cubin"
    cubin.write_bytes(assemble(module, "sm_90a").cubin)
    command = [tools.nvdisasm_path(), "-c", str(cubin)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    sections = dict(re.findall(r"\.section\t\.text\.k(\d+),(.*?)(?=\.section|\Z)", listing, re.S))
    return ["BPT.TRAP" in sections[str(index)] for index in range(len(texts))]


def test_the_assembler_computes_the_same_flags(tmp_path: Path):
    """It folds the flag of sums and differences of constants, and what reads a flag of 0: then the trap is gone."""
    random = Random(1)
    texts: list[str] = []
    flags: list[bool] = []
    for operation, (second, expected) in itertools.product(("add", "sub"), SECOND.items()):
        for _ in range(12):
            equal = random.choice([0, 1, 5, 2**31, 2**32 - 1, random.getrandbits(32)])
            values = random.sample([equal, equal, random.getrandbits(32)], 3)
            flags.append(bool(add_with_flag(operation, values, int(operation == "sub"), 32)[1]))
            first = chain_text((operation, "add"), "u32", [str(value) for value in values])
            texts.append(trapping_kernel(f"k{len(texts)}", first.splitlines()[0], second, expected))
    assert traps(texts, tmp_path) == flags
    assert 0 < sum(flags) < len(flags)
