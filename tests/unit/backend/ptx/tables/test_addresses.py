"""Sums of pointers wrap around at 64 bits and nowhere else: text, values, Python's integers."""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.backend.ptx.harness import GPUS, assemble, kernel, ptx
from tileir_xdsl import emulator

SIZES = {"i8": 1, "i16": 2, "f32": 4, "f64": 8, "vector<4xf32>": 16}

CORNERS = [0, *(1 << power for power in (2, 12, 28, 29, 30, 31, 32, 33, 40, 60, 61, 62, 63))]
"""What numbers are close to, or to the negative of."""


def near(bits: int) -> st.SearchStrategy[int]:
    """Signed numbers of so many bits close to the powers of two."""
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    signed = st.sampled_from([sign * corner for corner in CORNERS for sign in (1, -1)])
    return st.tuples(signed, st.integers(-20, 20)).map(lambda pair: min(max(sum(pair), low), high))


@dataclass(frozen=True)
class Step:
    """A `getelementptr`: a constant index, or thread index * factor + added, widened or not."""

    element: str
    added: int
    factor: int = 0
    extension: str = ""
    """How a sum of 32 bits is widened; one of 64 bits is none."""

    @property
    def constant(self) -> bool:
        return self.factor == 0 and not self.extension

    def text(self, number: int) -> str:
        p, q = f"%p{number}", f"%p{number + 1}"
        if self.constant and -(1 << 31) < self.added < 1 << 31:
            return f"{q} = llvm.getelementptr {p}[{self.added}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {self.element}"
        width = "i32" if self.extension else "i64"
        lines = [
            f"%f{number} = llvm.mlir.constant({self.factor} : {width}) : {width}",
            f"%a{number} = llvm.mlir.constant({self.added} : {width}) : {width}",
            f"%m{number} = llvm.mul %{'tid' if self.extension else 'wide'}, %f{number} : {width}",
            f"%s{number} = llvm.add %m{number}, %a{number} : {width}",
        ]
        index = f"%s{number}"
        if self.extension:
            index = f"%i{number}"
            lines.append(f"{index} = llvm.{self.extension} %s{number} : i32 to i64")
        lines.append(
            f"{q} = llvm.getelementptr {p}[{index}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {self.element}"
        )
        return "\n".join(lines)

    def bytes(self, thread: int) -> int:
        """What it adds to an address."""
        index = thread * self.factor + self.added
        if self.extension:
            index %= 1 << 32
            if self.extension == "sext" and index >> 31:
                index -= 1 << 32
        return index * SIZES[self.element]


def steps() -> st.SearchStrategy[list[Step]]:
    elements = st.sampled_from(list(SIZES))
    return st.lists(
        st.one_of(
            st.builds(Step, elements, near(64)),
            st.builds(Step, elements, near(64), near(64)),
            st.builds(Step, elements, near(32), near(32), st.sampled_from(["sext", "zext"])),
        ),
        min_size=1,
        max_size=3,
    )


def sums(chain: Sequence[Step]) -> str:
    """Every thread writes the address that a chain of steps leads to from the number %a."""
    body = "\n".join(step.text(number) for number, step in enumerate(chain))
    return kernel(
        f"""%tid = nvvm.read.ptx.sreg.tid.x : i32
        %wide = llvm.zext %tid : i32 to i64
        %p0 = llvm.inttoptr %a : i64 to !llvm.ptr<1>
        {body}
        %found = llvm.ptrtoint %p{len(chain)} : !llvm.ptr<1> to i64
        %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %found, %to : i64, !llvm.ptr<1>
        llvm.return""",
        "%a: i64, %out: !llvm.ptr<1>",
    )


def check(chain: Sequence[Step], start: int) -> None:
    found = np.zeros(64, np.uint64)
    emulator.load(ptx(sums(chain))).launch(None, (1, 1, 1), [start, found])
    wanted = [
        (start + sum(step.bytes(thread) for step in chain)) % (1 << 64) for thread in range(64)
    ]
    np.testing.assert_array_equal(found, np.array(wanted, np.uint64))


@settings(max_examples=150, deadline=None)
@given(steps(), near(63))
def test_sums_are_those_of_integers(chain: list[Step], start: int) -> None:
    check(chain, start % (1 << 63))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("element", SIZES)
@pytest.mark.parametrize("corner", CORNERS)
def test_constants_close_to_powers_of_two(element: str, corner: int) -> None:
    for sign in (1, -1):
        for rest in (-1, 0, 1):
            number = sign * corner + rest
            if -(1 << 63) <= number < 1 << 63:
                check([Step(element, number)], 1 << 36)
                check([Step("i8", 100), Step(element, number)], 1 << 36)


def test_a_negative_factor_of_an_unsigned_number() -> None:
    """`mad.wide.u32` takes its factor as unsigned, too."""
    for factor in (-1, -5, -(1 << 31), (1 << 31) + 3, (1 << 32) - 1, 1 << 32):
        text = f"""%tid = nvvm.read.ptx.sreg.tid.x : i32
        %wide = llvm.zext %tid : i32 to i64
        %f = llvm.mlir.constant({factor} : i64) : i64
        %i = llvm.mul %wide, %f : i64
        %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
        %q = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
        %found = llvm.ptrtoint %q : !llvm.ptr<1> to i64
        %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %found, %to : i64, !llvm.ptr<1>
        llvm.return"""
        found = np.zeros(64, np.uint64)
        module = emulator.load(ptx(kernel(text, "%a: i64, %out: !llvm.ptr<1>")))
        module.launch(None, (1, 1, 1), [1 << 40, found])
        wanted = [((1 << 40) + thread * factor) % (1 << 64) for thread in range(64)]
        np.testing.assert_array_equal(found, np.array(wanted, np.uint64))


@pytest.mark.parametrize("extension", ["zext", "sext"])
@pytest.mark.parametrize(
    ("number", "flag"),
    [
        *((number, flag) for number in (-64, -(1 << 31), 5) for flag in ("none", "nuw", "nsw")),
        # Some sums of threads wrap around.
        (-10, "none"),
        (-10, "nsw"),
        ((1 << 31) - 10, "none"),
        ((1 << 31) - 10, "nuw"),
    ],
)
def test_a_constant_is_widened_like_the_sum_it_is_of(
    extension: str, number: int, flag: str
) -> None:
    """The sum has 32 bits; whether its terms may be widened, its flag says."""
    text = f"""%tid = nvvm.read.ptx.sreg.tid.x : i32
    %c = llvm.mlir.constant({number} : i32) : i32
    %sum = llvm.add %tid, %c overflow<{flag}> : i32
    %i = llvm.{extension} %sum : i32 to i64
    %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %found = llvm.ptrtoint %q : !llvm.ptr<1> to i64
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
    llvm.store %found, %to : i64, !llvm.ptr<1>
    llvm.return"""
    found = np.zeros(64, np.uint64)
    emulator.load(ptx(kernel(text, "%a: i64, %out: !llvm.ptr<1>"))).launch(
        None, (1, 1, 1), [1 << 40, found]
    )
    sums_of_32 = (np.arange(64) + number).astype(np.int32 if extension == "sext" else np.uint32)
    np.testing.assert_array_equal(found, (1 << 40) + 4 * sums_of_32.astype(np.int64))


MIDDLE = (1 << 33) + (1 << 13)
IMMEDIATE = re.compile(r"\[%\w+\+(-?\d+)\]")
OFFSETS = [
    sign * corner + rest
    for corner in (1 << 31, 1 << 32, 1 << 33)
    for sign in (1, -1)
    for rest in (-4096, -16, 0, 16)
]


def accesses(offset: int) -> str:
    """Copies two vectors, 32 bytes each, from so many bytes after %a to as many before %b."""
    vector = "vector<8xf32>"
    return kernel(
        f"""%f = llvm.mlir.constant({offset} : i64) : i64
        %t = llvm.mlir.constant({-offset} : i64) : i64
        %from = llvm.getelementptr %a[%f] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
        %to = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
        %v = llvm.load %from {{alignment = 16 : i64}} : !llvm.ptr<1> -> {vector}
        %next = llvm.getelementptr %from[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {vector}
        %w = llvm.load %next {{alignment = 16 : i64}} : !llvm.ptr<1> -> {vector}
        llvm.store %v, %to {{alignment = 16 : i64}} : {vector}, !llvm.ptr<1>
        %last = llvm.getelementptr %to[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {vector}
        llvm.store %w, %last {{alignment = 16 : i64}} : {vector}, !llvm.ptr<1>
        llvm.return""",
        "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %all: !llvm.ptr<1>",
    )


@pytest.mark.parametrize("offset", OFFSETS)
def test_accesses_at_far_offsets(offset: int) -> None:
    """Immediates have 32 bits, those of the last part of an access too."""
    text = ptx(accesses(offset))
    assert IMMEDIATE.search(text)
    assert all(-(1 << 31) <= int(found) < 1 << 31 for found in IMMEDIATE.findall(text))
    array = emulator.sparse_array((2 * MIDDLE,), np.uint8)
    middle = array[MIDDLE:]
    array[MIDDLE + offset :][:64] = np.arange(1, 65)
    # The second pointer is 64 bytes further, so that source and target differ.
    target = array[MIDDLE + 64 :]
    emulator.load(text).launch(None, (1, 1, 1), [middle, target, array])
    np.testing.assert_array_equal(array[MIDDLE + 64 - offset :][:64], np.arange(1, 65))


def test_ptxas_takes_far_offsets() -> None:
    for gpu in GPUS:
        for offset in OFFSETS[::5]:
            assemble(ptx(accesses(offset), gpu), gpu)


def test_the_number_that_stands_for_a_value_is_no_index() -> None:
    text = kernel(
        """%p = llvm.getelementptr %a[-2147483648] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v = llvm.load %p : !llvm.ptr<1> -> i8
        llvm.store %v, %a : i8, !llvm.ptr<1>
        llvm.return""",
        "%a: !llvm.ptr<1>",
    )
    with pytest.raises(DiagnosticException, match="expected 1 dynamic indices, got 0"):
        ptx(text)


WIDTHS = (8, 16, 32, 64)
CONSTANTS = {"none": (0,), "add": (-3, 5, 200), "mul": (-5, -1, 0, 6, 1 << 9), "shl": (1, 7)}
"""Ops on an index with a constant on the right."""
APPLIED: dict[str, Callable[[int, int], int]] = {
    "none": lambda a, _: a,
    "add": operator.add,
    "mul": operator.mul,
    "shl": operator.lshift,
}
NO_WRAP = {"none": (0, 0), "nsw": (1, 0), "nuw": (0, 1)}
"""Whether the result is that of signed and of unsigned numbers."""


@dataclass(frozen=True)
class Index:
    """An index of some bits from an op with a constant, the bits that it is widened to, and what
    it is multiplied by then.
    """

    op: str
    constant: int
    flag: str
    width: int
    extension: str
    wide: int
    factor: int

    def text(self, name: str) -> list[str]:
        """The lines that define it as %NAME from %t8 up to %t64."""
        lines, last = list[str](), f"%t{self.width}"
        if self.op != "none":
            flag = f" overflow<{self.flag}>"
            lines += [
                f"%{name}c = llvm.mlir.constant({self.constant} : i{self.width}) : i{self.width}",
                f"%{name}r = llvm.{self.op} {last}, %{name}c{flag} : i{self.width}",
            ]
            last = f"%{name}r"
        kind = "bitcast" if self.width == self.wide else self.extension
        return [
            *lines,
            f"%{name}w = llvm.{kind} {last} : i{self.width} to i{self.wide}",
            f"%{name}f = llvm.mlir.constant({self.factor} : i{self.wide}) : i{self.wide}",
            f"%{name} = llvm.mul %{name}w, %{name}f : i{self.wide}",
        ]

    def value(self, thread: int) -> int | None:
        """The signed number that it is; None where its flag makes it poison."""
        range_ = 1 << self.width
        number, constant = thread % range_, self.constant % range_
        signed = [n - range_ * (n >> self.width - 1) for n in (number, constant)]
        apply, factor = APPLIED[self.op], constant if self.op == "shl" else signed[1]
        of_unsigned, of_signed = apply(number, constant), apply(signed[0], factor)
        result = of_unsigned % range_
        as_signed = result - range_ * (result >> self.width - 1)
        is_signed, is_unsigned = NO_WRAP[self.flag]
        if (is_signed and of_signed != as_signed) or (is_unsigned and of_unsigned != result):
            return None
        product = (as_signed if self.extension == "sext" else result) * self.factor
        half = 1 << self.wide - 1
        return (product + half) % (2 * half) - half


INDICES = [
    Index(op, constant, flag, width, extension, wide, factor)
    for op, constants in CONSTANTS.items()
    for constant in constants
    for flag in (NO_WRAP if op != "none" else ("none",))
    for width in WIDTHS
    if constant < 1 << width and (op != "shl" or constant < width)
    for wide in WIDTHS
    for extension in ("sext", "zext")
    if wide > width or (wide == width and extension == "sext")
    for factor in ((1, 1, -1, 1 << 33) if wide == 64 else (1,))
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("space", [1, 3])
@pytest.mark.parametrize(("element", "size"), [("f32", 4), ("!llvm.array<3 x i32>", 12)])
def test_indices_of_all_widths(element: str, size: int, space: int) -> None:
    """Sums, multiples and shifts, widened or not, in addresses of 64 and of 32 bits."""
    some = Random(f"{element} {space}").sample(INDICES, 85)
    start, bits = 1 << 20, {1: 64, 3: 32}[space]
    lines = [
        "%tid = nvvm.read.ptx.sreg.tid.x : i32",
        "%t32 = llvm.add %tid, %first : i32",
        *(f"%t{width} = llvm.trunc %t32 : i32 to i{width}" for width in (8, 16)),
        "%t64 = llvm.sext %t32 : i32 to i64",
        f"%p = llvm.inttoptr %a : i64 to !llvm.ptr<{space}>",
    ]
    for n, index in enumerate(some):
        lines += [
            *index.text(f"i{n}"),
            f"%q{n} = llvm.getelementptr %p[%i{n}] : (!llvm.ptr<{space}>, i{index.wide}) -> !llvm.ptr<{space}>, {element}",
            f"%f{n} = llvm.ptrtoint %q{n} : !llvm.ptr<{space}> to i64",
            f"%r{n} = llvm.getelementptr %out[{64 * n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64",
            f"%s{n} = llvm.getelementptr %r{n}[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64",
            f"llvm.store %f{n}, %s{n} : i64, !llvm.ptr<1>",
        ]
    text = kernel("\n".join([*lines, "llvm.return"]), "%a: i64, %first: i32, %out: !llvm.ptr<1>")
    program = emulator.load(ptx(text))
    for first in (-30, 100, (1 << 31) - 40):
        found = np.zeros((len(some), 64), np.uint64)
        program.launch(None, (1, 1, 1), [start, first, found])
        for index, row in zip(some, found.tolist(), strict=True):
            for thread in range(0, 64, 9):
                word = (first + thread + (1 << 31)) % (1 << 32) - (1 << 31)
                value = index.value(word)
                wanted = None if value is None else (start + value * size) % (1 << bits)
                assert wanted in (None, row[thread]), (index, word)
