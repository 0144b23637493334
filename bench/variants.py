"""Variants of products and attention that the compiler was not built with in mind.

`python -m bench.variants [NAME ..]` compiles each for sm_90a, compares its code with that of
`tileiras` from the same program, and runs it in the emulator, late and with races looked for.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
from cuda.tile.compilation import ConstantConstraint, ParameterConstraint, ScalarConstraint
from numpy.typing import DTypeLike

from bench.framework.results import Recorder, add_arguments
from bench.matrix_units import of_ours, of_tileiras
from tests.unit.road.zoo import lower, run
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.problems import cdiv

ROWS, COLUMNS, DEPTH = 128, 128, 64
BF16 = np.dtype(ml_dtypes.bfloat16)
F8 = np.dtype(ml_dtypes.float8_e4m3fn)
DIVISOR = 16


def _sum(a: Any, b: Any, i: Any, j: Any, depth: Any) -> Any:
    """The product of a row of tiles and a column of tiles."""
    acc = ct.zeros((ROWS, COLUMNS), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(ROWS, depth))):
        x = ct.load(a, index=(i, k), shape=(ROWS, depth), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(depth, COLUMNS), padding_mode=zero)
        acc = ct.mma(x, y, acc)
    return acc


@kernel
def plain(a: Any, b: Any, c: Any, depth: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, index=(i, j), tile=ct.astype(_sum(a, b, i, j, depth), c.dtype))


@kernel
def with_bias(a: Any, b: Any, bias: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    row = ct.load(bias, index=(j,), shape=(COLUMNS,), padding_mode=ct.PaddingMode.ZERO)
    acc = _sum(a, b, i, j, DEPTH) + ct.astype(ct.expand_dims(row, 0), ct.float32)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def with_relu(a: Any, b: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.maximum(_sum(a, b, i, j, DEPTH), 0.0)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def with_silu(a: Any, b: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = _sum(a, b, i, j, DEPTH)
    ct.store(c, index=(i, j), tile=ct.astype(acc / (1.0 + ct.exp(-acc)), c.dtype))


@kernel
def with_tanh(a: Any, b: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.tanh(_sum(a, b, i, j, DEPTH))
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def with_residual(a: Any, b: Any, r: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    other = ct.load(r, index=(i, j), shape=(ROWS, COLUMNS), padding_mode=ct.PaddingMode.ZERO)
    acc = _sum(a, b, i, j, DEPTH) + ct.astype(other, ct.float32)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def scaled(a: Any, b: Any, c: Any, scale: float) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, index=(i, j), tile=ct.astype(_sum(a, b, i, j, DEPTH) * scale, c.dtype))


@kernel
def transposed_b(a: Any, b: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((ROWS, COLUMNS), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(ROWS, DEPTH))):
        x = ct.load(a, index=(i, k), shape=(ROWS, DEPTH), padding_mode=zero)
        y = ct.load(b, index=(j, k), shape=(COLUMNS, DEPTH), padding_mode=zero)
        acc = ct.mma(x, ct.transpose(y), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def transposed_a(a: Any, b: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((ROWS, COLUMNS), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=0, shape=(DEPTH, ROWS))):
        x = ct.load(a, index=(k, i), shape=(DEPTH, ROWS), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(DEPTH, COLUMNS), padding_mode=zero)
        acc = ct.mma(ct.transpose(x), y, acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def batched(a: Any, b: Any, c: Any) -> None:
    i, j, n = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((ROWS, COLUMNS), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=2, shape=(1, ROWS, DEPTH))):
        x = ct.load(a, index=(n, i, k), shape=(1, ROWS, DEPTH), padding_mode=zero)
        y = ct.load(b, index=(n, k, j), shape=(1, DEPTH, COLUMNS), padding_mode=zero)
        acc = ct.mma(ct.reshape(x, (ROWS, DEPTH)), ct.reshape(y, (DEPTH, COLUMNS)), acc)
    result = ct.reshape(ct.astype(acc, c.dtype), (1, ROWS, COLUMNS))
    ct.store(c, index=(n, i, j), tile=result)


@kernel
def persistent(a: Any, b: Any, c: Any) -> None:
    rows = ct.num_tiles(c, axis=0, shape=(ROWS, COLUMNS))
    columns = ct.num_tiles(c, axis=1, shape=(ROWS, COLUMNS))
    for tile in range(ct.bid(0), rows * columns, ct.num_blocks(0)):
        i, j = tile // columns, tile % columns
        ct.store(c, index=(i, j), tile=ct.astype(_sum(a, b, i, j, DEPTH), c.dtype))


@kernel
def gated(a: Any, b: Any, g: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((ROWS, COLUMNS), dtype=ct.float32)
    gate = ct.zeros((ROWS, COLUMNS), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(ROWS, DEPTH))):
        x = ct.load(a, index=(i, k), shape=(ROWS, DEPTH), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(DEPTH, COLUMNS), padding_mode=zero)
        z = ct.load(g, index=(k, j), shape=(DEPTH, COLUMNS), padding_mode=zero)
        acc = ct.mma(x, y, acc)
        gate = ct.mma(x, z, gate)
    ct.store(c, index=(i, j), tile=ct.astype(acc * gate, c.dtype))


@kernel
def split_k(a: Any, b: Any, c: Any) -> None:
    i, j, s = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((ROWS, COLUMNS), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(s, ct.num_tiles(a, axis=1, shape=(ROWS, DEPTH)), ct.num_blocks(2)):
        x = ct.load(a, index=(i, k), shape=(ROWS, DEPTH), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(DEPTH, COLUMNS), padding_mode=zero)
        acc = ct.mma(x, y, acc)
    ct.store(c, index=(s, i, j), tile=ct.reshape(acc, (1, ROWS, COLUMNS)))


@kernel
def attend(
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    scale: float,
    depth: ct.Constant[int],
    group: ct.Constant[int],
    cap: ct.Constant[bool],
    window: ct.Constant[int],
) -> None:
    block, head = ct.bid(0), ct.bid(1)
    length = k.shape[1]
    zero = ct.PaddingMode.ZERO
    query = ct.load(q, index=(head, block, 0), shape=(1, ROWS, depth), padding_mode=zero)
    query = ct.reshape(query, (ROWS, depth))
    rows = ct.expand_dims(block * ROWS + ct.arange(ROWS, dtype=ct.int32), 1)
    largest = ct.full((ROWS, 1), -1e30, dtype=ct.float32)
    total = ct.zeros((ROWS, 1), dtype=ct.float32)
    acc = ct.zeros((ROWS, depth), dtype=ct.float32)
    steps: Any = ct.cdiv(length, 64)
    for step in range(steps):
        key = ct.load(k, index=(head // group, step, 0), shape=(1, 64, depth), padding_mode=zero)
        key = ct.transpose(ct.reshape(key, (64, depth)))
        score = ct.mma(query, key, ct.zeros((ROWS, 64), dtype=ct.float32)) * scale
        if cap:
            score = ct.tanh(score) * 8.0
        columns = ct.expand_dims(step * 64 + ct.arange(64, dtype=ct.int32), 0)
        allowed = columns < length
        if window:
            allowed = allowed & (columns <= rows) & (columns > rows - window)
        score = ct.where(allowed, score, -1e30)
        higher = ct.maximum(largest, ct.max(score, 1, keepdims=True))
        weight = ct.exp2(score - higher)
        shrink = ct.exp2(largest - higher)
        total = total * shrink + ct.sum(weight, 1, keepdims=True)
        value = ct.load(v, index=(head // group, step, 0), shape=(1, 64, depth), padding_mode=zero)
        value = ct.reshape(value, (64, depth))
        acc = ct.mma(ct.astype(weight, v.dtype), value, acc * shrink)
        largest = higher
    result = ct.reshape(ct.astype(acc / total, out.dtype), (1, ROWS, depth))
    ct.store(out, index=(head, block, 0), tile=result)


def _random(shape: Sequence[int], dtype: DTypeLike, rng: np.random.Generator) -> Array:
    if np.dtype(dtype).kind == "i":
        return rng.integers(-4, 5, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


Shapes = Callable[[int, int, int], Sequence[tuple[int, ...]]]
"""From M, N and K to the shapes of the operands."""
Meaning = Callable[..., tuple[Array, Array]]
"""From the operands in f64 to the result, and to what its error is measured by."""


def _matmul(a: Array, b: Array) -> tuple[Array, Array]:
    return a @ b, np.abs(a) @ np.abs(b)


def _case(
    name: str,
    function: Any,
    meaning: Meaning = _matmul,
    *,
    element: tuple[ct.DType, DTypeLike] = (ct.bfloat16, BF16),
    result: tuple[ct.DType, DTypeLike] | None = None,
    shapes: Shapes = lambda m, n, k: ((m, k), (k, n)),
    output: Callable[[int, int, int], tuple[int, ...]] = lambda m, n, k: (m, n),
    grid: Callable[[int, int, int], tuple[int, int, int]] | None = None,
    constants: Sequence[ParameterConstraint] = (),
    scalars: Sequence[float] = (),
    problem: Problem = (144, 128, 208),
    divisible: int = DIVISOR,
) -> KernelCase:
    result = result or element
    ranks = [len(shape) for shape in shapes(*problem)]

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        made = [_random(shape, element[1], rng) for shape in shapes(*problem)]
        return [*made, np.zeros(output(*problem), result[1]), *scalars]

    def reference(*arrays: Any) -> list[Expected]:
        operands = [array.astype(np.float64) for array in arrays[: len(ranks)]]
        value, size = meaning(*operands, *scalars)
        return [within_roundings(value, size, np.dtype(result[1]), 64, np.float32)]

    def blocks(problem: Problem) -> tuple[int, int, int]:
        m, n, k = problem
        return (cdiv(m, ROWS), cdiv(n, COLUMNS), 1) if grid is None else grid(m, n, k)

    # Rows and batches are ragged.
    parameters = [array(element[0], rank, divisible=divisible, any_size=rank - 1) for rank in ranks]
    rank = len(output(*problem))
    return KernelCase(
        name=name,
        kernel=function,
        parameters=(
            *parameters,
            array(result[0], rank, divisible=divisible, any_size=rank - 1),
            *(ScalarConstraint(ct.float32) for _ in scalars),
            *constants,
        ),
        problems=(problem,),
        arguments=arguments,
        grid=blocks,
        reference=reference,
        outputs=(len(ranks),),
        folder=Path(tempfile.gettempdir()),
    )


def _attention(
    name: str, depth: int, *, group: int = 1, cap: bool = False, window: int = 0
) -> KernelCase:
    heads, length = 2, 176
    padded = 1 << (depth - 1).bit_length()
    scale = float(np.float32(1.4426950408889634 / depth**0.5))

    def meaning(q: Array, k: Array, v: Array, scale: float) -> tuple[Array, Array]:
        k, v = np.repeat(k, group, 0), np.repeat(v, group, 0)
        score = q @ k.transpose(0, 2, 1) * np.float32(scale)
        if cap:
            score = np.tanh(score) * 8
        if window:
            i, j = np.indices(score.shape[1:])
            score = np.where((j <= i) & (j > i - window), score, -np.inf)
        weight = np.exp2(score - score.max(2, keepdims=True))
        weight /= weight.sum(2, keepdims=True)
        return weight @ v, 8 * (weight @ np.abs(v)) * 2.0**8

    return _case(
        name,
        attend,
        meaning,
        shapes=lambda m, n, k: (
            (heads, m, depth),
            (heads // group, m, depth),
            (heads // group, m, depth),
        ),
        output=lambda m, n, k: (heads, m, depth),
        grid=lambda m, n, k: (cdiv(m, ROWS), heads, 1),
        constants=tuple(map(ConstantConstraint, (padded, group, cap, window))),
        scalars=(scale,),
        problem=(length, 0, 0),
    )


def _gated(a: Array, b: Array, g: Array) -> tuple[Array, Array]:
    (value, size), (right, right_size) = _matmul(a, b), _matmul(a, g)
    return value * right, size * right_size


def _biased(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    value, size = _matmul(a, b)
    return value + c, size + np.abs(c)


def _relu(a: Array, b: Array) -> tuple[Array, Array]:
    value, size = _matmul(a, b)
    return np.maximum(value, 0), size


def _tanh(a: Array, b: Array) -> tuple[Array, Array]:
    value, size = _matmul(a, b)
    return np.tanh(value), size


def _scaled(a: Array, b: Array, s: float) -> tuple[Array, Array]:
    value, size = _matmul(a, b)
    return value * s, size * s


def _turned_a(a: Array, b: Array) -> tuple[Array, Array]:
    return _matmul(a.T, b)


def _turned_b(a: Array, b: Array) -> tuple[Array, Array]:
    return _matmul(a, b.T)


def _halves(a: Array, b: Array) -> tuple[Array, Array]:
    """Every second step of the sum."""
    steps = cdiv(a.shape[1], DEPTH)
    parts: list[tuple[Array, Array]] = []
    for first in range(2):
        kept = np.concatenate(
            [np.arange(s * DEPTH, min((s + 1) * DEPTH, a.shape[1])) for s in range(first, steps, 2)]
        )
        parts.append(_matmul(a[:, kept], b[kept]))
    return np.stack([p[0] for p in parts]), np.stack([p[1] for p in parts])


def _silu(a: Array, b: Array) -> tuple[Array, Array]:
    x, size = _matmul(a, b)
    return x / (1 + np.exp(-x)), size


_DEPTH = (ConstantConstraint(DEPTH),)

CASES = {
    case.name: case
    for case in (
        _case("bias", with_bias, _biased, shapes=lambda m, n, k: ((m, k), (k, n), (n,))),
        _case("relu", with_relu, _relu),
        _case("silu", with_silu, _silu),
        _case("tanh", with_tanh, _tanh),
        _case("residual", with_residual, _biased, shapes=lambda m, n, k: ((m, k), (k, n), (m, n))),
        _case("scaled", scaled, _scaled, scalars=(0.25,)),
        _case("transposed_b", transposed_b, _turned_b, shapes=lambda m, n, k: ((m, k), (n, k))),
        _case("transposed_a", transposed_a, _turned_a, shapes=lambda m, n, k: ((k, m), (k, n))),
        _case(
            "batched",
            batched,
            shapes=lambda m, n, k: ((2, m, k), (2, k, n)),
            output=lambda m, n, k: (2, m, n),
            grid=lambda m, n, k: (cdiv(m, ROWS), cdiv(n, COLUMNS), 2),
        ),
        _case("persistent", persistent, grid=lambda m, n, k: (1, 1, 1)),
        _case("gated", gated, _gated, shapes=lambda m, n, k: ((m, k), (k, n), (k, n))),
        _case(
            "split_k",
            split_k,
            _halves,
            result=(ct.float32, np.float32),
            output=lambda m, n, k: (2, m, n),
            grid=lambda m, n, k: (cdiv(m, ROWS), cdiv(n, COLUMNS), 2),
        ),
        _case("half", plain, element=(ct.float16, np.float16), constants=_DEPTH),
        _case(
            "half_to_single",
            plain,
            element=(ct.float16, np.float16),
            result=(ct.float32, np.float32),
            constants=_DEPTH,
        ),
        _case(
            "e4m3",
            transposed_b,
            _turned_b,
            element=(ct.float8_e4m3fn, F8),
            result=(ct.float16, np.float16),
            shapes=lambda m, n, k: ((m, k), (n, k)),
        ),
        _case("deep", plain, constants=(ConstantConstraint(128),)),
        _case("shallow", plain, constants=(ConstantConstraint(32),)),
        _case("odd", plain, constants=_DEPTH, problem=(200, 168, 72), divisible=8),
        _case("unaligned", plain, constants=_DEPTH, problem=(131, 133, 67), divisible=1),
        _attention("attention_64", 64),
        _attention("attention_96", 96),
        _attention("attention_grouped", 64, group=2),
        _attention("attention_capped", 64, cap=True),
        _attention("attention_window", 64, window=40),
    )
}
"""The variants by name."""


def check(case: KernelCase, program: str) -> None:
    """Runs a variant for sm_90a, late and with races looked for."""
    kernel = lower(tools.parse(program), "sm_90a")
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description="Variants of products and attention.")
    parser.add_argument("names", nargs="*", choices=[[], *CASES], metavar="NAME")
    add_arguments(parser)
    args = parser.parse_args()
    recorder = Recorder("variants", {"ours": "count", "spilled": "count", "remarks": "count"})
    ratios: list[float] = []
    print(f"{'':<20}{'ours':>7}{'tileiras':>10}{'ratio':>7}{'spilled':>9}{'C75xx':>7}  values")
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names or CASES:
            case = replace(CASES[name], folder=Path(folder))
            program = text(case)
            case.text_path.write_text(program, "utf-8")
            ours = of_ours(case)
            theirs = min(of_tileiras(case, warps).instructions for warps in (4, 8))
            recorder.add(name, [ours.instructions, ours.spilled, ours.remarks])
            ratios.append(ours.instructions / theirs)
            print(
                f"{name:<20}{ours.instructions:>7}{theirs:>10}{ratios[-1]:>7.2f}"
                f"{ours.spilled:>9}{ours.remarks:>7}",
                end="  ",
                flush=True,
            )
            check(case, program)
            print("right", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")
    recorder.write(args.json)


if __name__ == "__main__":
    main()
