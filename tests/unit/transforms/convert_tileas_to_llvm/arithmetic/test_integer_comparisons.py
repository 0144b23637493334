"""Comparisons of integers that share work, against those of the first level."""

import re
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from tests.unit.road.agreement import Type, evaluate, whole_tiles
from tests.unit.transforms.convert_tileas_to_llvm.thread import llvm_values
from tests.unit.transforms.convert_tileas_to_llvm.thread.llvm_values import holds, started, value_of
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm.arithmetic.integer_comparisons import compare
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import LLVMBuilder

SIZE = 1024
TILE, BITS = f"tile<{SIZE}xi32>", f"tile<{SIZE}xi1>"
PREDICATES = ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than")
LIMITS = (-(2**31), -1, 0, 1, 511, 512, 700, 1023, 1024, 2**31 - 1)


def all_at(number: str) -> str:
    """%all, a tile of a number."""
    return f"""
  %one = reshape {number} : tile<i32> -> tile<1xi32>
  %all = broadcast %one : tile<1xi32> -> {TILE}
  """


def comparison(lhs: str, rhs: str, predicate: str = "less_than", sign: str = "signed") -> str:
    """%y0, whether each number of a tile compares with that of another, as 0 or 1."""
    return f"""
  %c = cmpi {predicate} {lhs}, {rhs}, {sign} : {TILE} -> {BITS}
  %ones = constant <i32: 1> : {TILE}
  %zeros = constant <i32: 0> : {TILE}
  %y0 = select %c, %ones, %zeros : {BITS}, {TILE}
  """


POSITIONS = f"%positions = iota : {TILE}\n"
KNOWN = "%limit = assume bounded<0, ?>, %x0 : tile<i32>\n"
OUTPUT = [("i32", (SIZE,))]


def ptx(body: str) -> str:
    """The PTX of a program of one number."""
    text = whole_tiles(body, [np.zeros((), np.int32)], OUTPUT)
    return emit(tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}"), "sm_90a")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_positions_and_any_number(limit: int, sign: str):
    body = POSITIONS + all_at("%x0") + comparison("%positions", "%all", sign=sign)
    evaluate(body, [np.array(limit, np.int32)], OUTPUT)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("limit", [limit for limit in LIMITS if limit >= 0])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_positions_and_a_size(limit: int, predicate: str):
    body = POSITIONS + KNOWN + all_at("%limit")
    evaluate(
        body + comparison("%all", "%positions", predicate, "unsigned"),
        [np.array(limit, np.int32)],
        OUTPUT,
    )


def test_sums_that_wrap():
    start = 2**31 - 600
    body = POSITIONS + KNOWN + all_at("%limit") + f"%moved = addi %positions, %all : {TILE}\n"
    evaluate(body + comparison("%moved", "%positions"), [np.array(start, np.int32)], OUTPUT)


def test_one_difference_for_all_registers():
    body = POSITIONS + KNOWN + all_at("%limit") + comparison("%positions", "%all")
    text = ptx(body)
    assert text.count("sub.s32") == 1
    assert "add.s32" not in text
    assert text.count("setp.lt.s32") == SIZE // 128


def test_numbers_that_may_be_negative_are_compared_as_they_are():
    text = ptx(POSITIONS + all_at("%x0") + comparison("%positions", "%all"))
    assert "sub.s32" not in text


LONG = f"tile<{SIZE}xi64>"


NUMBERS = f"""
  {POSITIONS}
  %first = reshape %x0 : tile<i32> -> tile<1xi32>
  %firsts = broadcast %first : tile<1xi32> -> {TILE}
  %second = reshape %x1 : tile<i32> -> tile<1xi32>
  %others = broadcast %second : tile<1xi32> -> {TILE}
  %numbers = addi %firsts, %positions : {TILE}
  %ones = constant <i32: 1> : {TILE}
  %zeros = constant <i32: 0> : {TILE}
"""
"""Numbers around the first one, and the second."""


def extended(
    kind: str, predicate: str, sign: str, constant: int | None = None, number: int = 0
) -> str:
    """%y and a number, how the numbers compare with the others, both as 64 bits."""
    other = f"exti %others {kind} : {TILE} -> {LONG}"
    if constant is not None:
        other = f"constant <i64: {constant}> : {LONG}"
    return f"""
  %lhs{number} = exti %numbers {kind} : {TILE} -> {LONG}
  %rhs{number} = {other}
  %c{number} = cmpi {predicate} %lhs{number}, %rhs{number}, {sign} : {LONG} -> {BITS}
  %y{number} = select %c{number}, %ones, %zeros : {BITS}, {TILE}
  """


def pair(first: int, second: int) -> list[np.ndarray]:
    return [np.array(first, np.int32), np.array(second, np.int32)]


def test_words_that_were_extended():
    signs, predicates = ("signed", "unsigned"), ("less_than", "equal")
    forms = list(product(signs, predicates, signs))
    body = NUMBERS + "".join(extended(*form, number=n) for n, form in enumerate(forms))
    outputs = OUTPUT * len(forms)
    for first, second in [(-500, -7), (2**31 - 500, 512)]:
        evaluate(body, pair(first, second), outputs)
    text = emitted(body, outputs)
    assert "setp" in text
    assert not re.search(r"setp\.\w+\.[bsu]64", text)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", ["signed", "unsigned"])
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("constant", [-(2**31) - 1, -1, 2**31, 2**32])
def test_words_that_were_extended_and_constants(kind: str, sign: str, constant: int):
    body = NUMBERS + extended(kind, "less_than", sign, constant)
    evaluate(body, pair(-500, 0), OUTPUT)
    least = -(2**31) if kind == "signed" else 0
    is_word = least <= constant < least + 2**32
    assert bool(re.search(r"setp\.\w+\.[bsu]64", emitted(body))) != is_word


def emitted(body: str, outputs: Sequence[Type] = OUTPUT) -> str:
    """The PTX of a program of two numbers."""
    text = whole_tiles(body, pair(0, 0), outputs)
    return emit(tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}"), "sm_90a")


EDGES = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 3 * 10**9, 2**63 - 1)
CONSTANTS = sorted({sign * edge - (sign < 0) for edge in EDGES for sign in (1, -1)})
"""Numbers of 64 bits around the ends of signed and unsigned words."""

WORDS: Sequence[int] = (-(2**31), -(2**31) + 1, -7, -1, 0, 1, 7, 2**31 - 2, 2**31 - 1)
EXTENSIONS = (llvm.SExtOp, llvm.ZExtOp)


def check_comparison(
    predicate: str, lhs: SSAValue, rhs: SSAValue, builder: LLVMBuilder, words: Sequence[SSAValue]
) -> bool:
    """Checks a comparison for all words against Python; returns whether it compares words."""
    found = compare(builder, predicate, lhs, rhs)
    for values in product(WORDS, repeat=len(words)):
        given: dict[SSAValue, int] = dict(zip(words, values, strict=True))
        left, right = value_of(lhs, given), value_of(rhs, given)
        expected = holds(predicate, left, right, 64)
        assert bool(value_of(found, given)) == expected, (predicate, left, right)
    assert isinstance(found.owner, llvm.ICmpOp)
    return found.owner.lhs.type == i32


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_extended_words_and_every_kind_of_constant(
    extension: type[llvm.SExtOp] | type[llvm.ZExtOp],
):
    """They compare as words where the constant, on either side, is one that was extended alike."""
    least = -(2**31) if extension is llvm.SExtOp else 0
    for predicate, constant in product(llvm_values.PREDICATES, CONSTANTS):
        builder, block = started([i32])
        word, number = block.args[0], builder.integer(constant, i64)
        extended = builder.insert(extension(word, i64))
        for lhs, rhs in ((extended, number), (number, extended)):
            are_words = check_comparison(predicate, lhs, rhs, builder, [word])
            assert are_words == (least <= constant < least + 2**32), constant


def test_two_extended_words():
    for predicate, first, second in product(llvm_values.PREDICATES, EXTENSIONS, EXTENSIONS):
        builder, block = started([i32, i32])
        lhs, rhs = (
            builder.insert(extension(word, i64))
            for extension, word in zip((first, second), block.args, strict=True)
        )
        are_words = check_comparison(predicate, lhs, rhs, builder, block.args)
        assert are_words == (first is second)
