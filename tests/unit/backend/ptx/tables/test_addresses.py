"""Sums of pointers wrap around at 64 bits and nowhere else: text, values, Python's integers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
