"""Pairs of bytes of a packed register: two neighbours are a half of it."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from tests.unit.backend.ptx.harness import elementwise, evaluate, ptx

PAIRS = list(itertools.product(range(4), repeat=2))


def conversion(first: int, second: int, overwritten: bool = False) -> str:
    """Two bytes of a word as floats, the first minus the second."""
    inserts = (first, second, first) if overwritten else (first, second)
    lines = ["%b = llvm.bitcast %x0 : i32 to vector<4xi8>", "%v0 = llvm.mlir.undef : vector<2xi8>"]
    lines += [f"%c{n} = llvm.mlir.constant({n} : i32) : i32" for n in range(4)]
    for n, byte in enumerate(inserts):
        place = n if n < 2 else 1
        lines.append(f"%e{n} = llvm.extractelement %b[%c{byte} : i32] : vector<4xi8>")
        lines.append(f"%v{n + 1} = llvm.insertelement %e{n}, %v{n}[%c{place} : i32] : vector<2xi8>")
    lines += [
        f"%h = nvvm.convert.f8x2.to.f16x2 %v{len(inserts)} : vector<2xi8> (f8E5M2) -> vector<2xf16>",
        "%low = llvm.extractelement %h[%c0 : i32] : vector<2xf16>",
        "%high = llvm.extractelement %h[%c1 : i32] : vector<2xf16>",
        "%result = llvm.fsub %low, %high : f16",
    ]
    return "\n".join(lines)


def values(words: np.ndarray[tuple[int], np.dtype[np.int32]], first: int, second: int):
    """What `conversion` computes."""
    bytes = words.view(ml_dtypes.float8_e5m2).reshape(-1, 4).astype(np.float16)
    return bytes[:, first] - bytes[:, second]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_bytes_of_a_word(first: int, second: int) -> None:
    words = np.random.default_rng(0).integers(-(2**31), 2**31, 64).astype(np.int32)
    with np.errstate(invalid="ignore", over="ignore"):
        expected = values(words, first, second)
    ops = conversion(first, second)
    np.testing.assert_array_equal(evaluate(ops, [("i32", words)], "f16"), expected)
    is_half = (first, second) in ((0, 1), (2, 3))
    assert ("shl.b16" in ptx(elementwise(ops, ["i32"], "f16"))) != is_half


def test_the_last_insertion_counts() -> None:
    words = np.arange(64, dtype=np.int32) * 0x01030507
    ops = conversion(0, 1, overwritten=True)
    result = evaluate(ops, [("i32", words)], "f16")
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(result, values(words, 0, 0))
