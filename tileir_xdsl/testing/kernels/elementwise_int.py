"""Integer arithmetic by width and signedness, one row of the result per operation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

ROWS = 15


@kernel
def elementwise_int(
    a: Any, b: Any, out: Any, tile: ct.Constant[int], signed: ct.Constant[bool]
) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    divisor = y | 1
    amount = y & 7
    ct.store(out, index=(0, i), tile=ct.reshape(x + y, (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(x - y, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(x * y, (1, tile)))
    if signed:
        ct.store(out, index=(3, i), tile=ct.reshape(x // divisor, (1, tile)))
    else:
        # The front end emits no floor division of unsigned numbers that the disassembler reads.
        ct.store(out, index=(3, i), tile=ct.reshape(ct.cdiv(x, divisor), (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(x % divisor, (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.maximum(x, y), (1, tile)))
    ct.store(out, index=(6, i), tile=ct.reshape(ct.minimum(x, y), (1, tile)))
    ct.store(out, index=(7, i), tile=ct.reshape(x & y, (1, tile)))
    ct.store(out, index=(8, i), tile=ct.reshape(x | y, (1, tile)))
    ct.store(out, index=(9, i), tile=ct.reshape(x ^ y, (1, tile)))
    ct.store(out, index=(10, i), tile=ct.reshape(~x, (1, tile)))
    ct.store(out, index=(11, i), tile=ct.reshape(x << amount, (1, tile)))
    ct.store(out, index=(12, i), tile=ct.reshape(x >> amount, (1, tile)))
    ct.store(out, index=(13, i), tile=ct.reshape(ct.where(x < y, x, y - x), (1, tile)))
    ct.store(out, index=(14, i), tile=ct.reshape(ct.where(x == y, y, -x), (1, tile)))


def reference(x: Array, y: Array, _out: Array) -> list[Expected]:
    one, signed = x.dtype.type(1), x.dtype.kind == "i"
    with np.errstate(all="ignore"):
        rows = [
            x + y,
            x - y,
            x * y,
            x // (y | one) if signed else (x // (y | one) + (x % (y | one) != 0)).astype(x.dtype),
            x % (y | one),
            np.maximum(x, y),
            np.minimum(x, y),
            x & y,
            x | y,
            x ^ y,
            ~x,
            x << (y & x.dtype.type(7)),
            x >> (y & x.dtype.type(7)),
            np.where(x < y, x, y - x),
            np.where(x == y, y, x.dtype.type(0) - x),
        ]
    return [Expected(np.stack(rows))]


def _case(name: str, dtype: ct.DType, storage: type[np.integer[Any]]) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        (length,) = problem
        info = np.iinfo(storage)
        a, b = rng.integers(info.min, info.max, (2, length), storage, endpoint=True)
        if length:
            # The minimum divided by -1 has no meaning.
            a[a == info.min] = info.max
        return [a, b, np.zeros((ROWS, length), storage)]

    return KernelCase(
        name=f"elementwise_{name}",
        kernel=elementwise_int,
        parameters=(
            array(dtype),
            array(dtype),
            array(dtype, 2),
            ConstantConstraint(SHORT_TILE),
            ConstantConstraint(np.dtype(storage).kind == "i"),
        ),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=reference,
        outputs=(2,),
    )


CASES = (
    _case("i8", ct.int8, np.int8),
    _case("i16", ct.int16, np.int16),
    _case("i32", ct.int32, np.int32),
    _case("i64", ct.int64, np.int64),
    _case("u8", ct.uint8, np.uint8),
    _case("u16", ct.uint16, np.uint16),
    _case("u32", ct.uint32, np.uint32),
    _case("u64", ct.uint64, np.uint64),
)
