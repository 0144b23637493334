"""Real files with one thing wrong: cut off anywhere, or any byte changed.

Each of them is read, or is refused by a `BytecodeError`, within a second and 200 MB. The other
tests of this folder, which break one thing on purpose, ask for the same by `building.error_of`.
"""

import random
from collections.abc import Iterator
from functools import cache

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.unit.bytecode import building
from tileir_xdsl.bytecode import BytecodeError, read, write
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.testing.kernels import KERNELS, generate

FILES = (
    ("vector_add", "13.1"),
    ("linear_recurrence", "13.2"),
    ("transpose", "13.3"),
    ("histogram", "13.4"),
    ("embedding", "13.5"),
)
"""Views, scans and inlined calls, permutations, atomics, indexed access."""

STEPS = (13, pytest.param(1, marks=pytest.mark.soak))
"""Bytes from one position to the next; `make soak` takes all positions."""

_FRONT_END_NEWEST = generate.VERSIONS[-1]


@cache
def file(name: str, version: str) -> bytes:
    """What the front end writes; a version it does not write is written from the last it does."""
    if version in generate.VERSIONS:
        return generate.bytecode(KERNELS[name], version)
    return write(read(generate.bytecode(KERNELS[name], _FRONT_END_NEWEST)), version)


@pytest.fixture
def limited_memory() -> Iterator[None]:
    """Keeps the memory of a whole test limited."""
    with building.limited_memory():
        yield


def try_to_read(data: bytes, *, use: bool = False) -> bool:
    """Whether `data` is read; with `use`, what is read and valid is also printed and written."""
    with building.limited_time():
        try:
            module = read(data)
        except BytecodeError as error:
            assert error.section is not None
            assert error.offset is not None and 0 <= error.offset <= len(data)
            return False
    if use:
        try:
            module.verify()
        except VerifyException:
            return True
        text = disassemble(module, debug_info=True)
        assert disassemble(read(write(module, f"13.{data[9]}")), debug_info=True) == text
    return True


@pytest.mark.usefixtures("limited_memory")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("name", "version"), FILES)
def test_truncation(name: str, version: str, step: int):
    data = file(name, version)
    assert try_to_read(data)
    lengths = {*range(0, len(data), step), len(data) - 1}
    assert not any(try_to_read(data[:length]) for length in lengths)


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("limited_memory")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("change", ["one more", "highest bit", "any other"])
@pytest.mark.parametrize(("name", "version"), FILES)
def test_one_byte(name: str, version: str, change: str, step: int):
    data = file(name, version)
    choose = random.Random(0)
    read_count = 0
    positions = range(0, len(data), step)
    for position in positions:
        byte = data[position]
        match change:
            case "one more":
                other = (byte + 1) % 256
            case "highest bit":
                other = byte ^ 0x80
            case _:
                other = (byte + choose.randrange(2, 256)) % 256
        changed = data[:position] + bytes([other]) + data[position + 1 :]
        read_count += try_to_read(changed, use=change == "one more")
    # Most bytes matter; padding, names and numbers may become others.
    assert 0 < read_count < len(positions) / 2


@pytest.mark.usefixtures("limited_memory")
@pytest.mark.parametrize(("name", "version"), FILES)
def test_bytes_that_are_inserted_or_lost(name: str, version: str):
    data = file(name, version)
    for position in range(12, len(data), 13):
        try_to_read(data[:position] + data[position + 1 :])
        try_to_read(data[:position] + b"\xff" * 9 + data[position:])


@pytest.mark.usefixtures("limited_memory")
def test_noise():
    choose = random.Random(0)
    header = file("vector_add", "13.1")[:12]
    for length in range(200):
        assert not try_to_read(header + choose.randbytes(length))
