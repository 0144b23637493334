"""The problems that are timed: cuTile kernels at the sizes that GPUs are bought for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cuda.tile as ct
from cuda.tile.compilation import ConstantConstraint, ParameterConstraint, ScalarConstraint

from bench import rows
from bench.matrix_kernels import SCALED_FORMATS, SCALED_KERNELS, matmul
from bench.pack.devices import PackDevice
from bench.pack.layers import layer_problems
from bench.pack.problem import (
    DIVISOR,
    NORMAL,
    Problem,
    Shape,
    array_of,
    case_of,
    constants,
)
from tileir_xdsl.testing.kernels.attention import LOG2_E, attention
from tileir_xdsl.testing.kernels.case import KernelCase, array, kernel
from tileir_xdsl.testing.kernels.problems import cdiv

ROW = 1024


def _matmul(
    a: Any,
    b: Any,
    c: Any,
    rows: int,
    columns: int,
    depth: int,
    accumulator: Any,
    operand: Any = None,
) -> None:
    """One tile of `c = a @ b.T`, the operands converted to `operand` where it is given."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=accumulator)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(j, k), shape=(columns, depth), padding_mode=zero)
        if operand is not None:
            x, y = ct.astype(x, operand), ct.astype(y, operand)
        acc = ct.mma(x, ct.transpose(y), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def matmul_transposed(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    _matmul(a, b, c, rows, columns, depth, ct.float32)


@kernel
def matmul_tf32(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    _matmul(a, b, c, rows, columns, depth, ct.float32, ct.tfloat32)


@kernel
def matmul_i8(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    _matmul(a, b, c, rows, columns, depth, ct.int32)


@kernel
def matmul_persistent(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    high: Any = ct.cdiv(c.shape[0], rows)
    wide: Any = ct.cdiv(c.shape[1], columns)
    zero = ct.PaddingMode.ZERO
    for number in range(ct.bid(0), high * wide, ct.num_blocks(0)):
        i, j = number % high, number // high
        acc = ct.zeros((rows, columns), dtype=ct.float32)
        for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
            x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
            y = ct.load(b, index=(k, j), shape=(depth, columns), padding_mode=zero)
            acc = ct.mma(x, y, acc)
        ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def rope(x: Any, cosines: Any, sines: Any, out: Any, half: ct.Constant[int]) -> None:
    i = ct.bid(0)
    position = i % cosines.shape[0]
    first = ct.load(x, index=(i, 0), shape=(1, half))
    second = ct.load(x, index=(i, 1), shape=(1, half))
    c = ct.load(cosines, index=(position, 0), shape=(1, half))
    s = ct.load(sines, index=(position, 0), shape=(1, half))
    ct.store(out, index=(i, 0), tile=first * c - second * s)
    ct.store(out, index=(i, 1), tile=second * c + first * s)


@kernel
def cross_entropy(x: Any, labels: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    label = ct.load(labels, index=(i,), shape=(1,))
    largest = ct.max(row, 1, keepdims=True)
    total = ct.sum(ct.exp(row - largest), 1, keepdims=True)
    at = ct.expand_dims(ct.arange(columns, dtype=ct.int32), 0)
    chosen = ct.sum(ct.where(at == ct.expand_dims(label, 0), row, 0.0), 1, keepdims=True)
    ct.store(out, index=(i,), tile=ct.reshape(ct.log(total) + largest - chosen, (1,)))


@kernel
def row_sum(x: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i,), tile=ct.sum(row, 1))


@kernel
def transpose(x: Any, out: Any, tile: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, index=(j, i), tile=ct.transpose(ct.load(x, index=(i, j), shape=(tile, tile))))


@kernel
def gather_rows(table: Any, rows_: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    number = ct.load(rows_, index=(i,), shape=(1,))
    at = ct.arange(columns, dtype=ct.int32)
    found: Any = ct.gather(table, (ct.expand_dims(number, 1), ct.expand_dims(at, 0)))
    ct.store(out, index=(i, 0), tile=found)


@kernel
def copy_rows(x: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    ct.store(out, index=(i, 0), tile=ct.load(x, index=(i, 0), shape=(1, columns)))


@dataclass(frozen=True)
class Dot:
    """Products of matrices of one element type, in tiles."""

    function: Any
    operand: tuple[ct.DType, str]
    result: tuple[ct.DType, str]
    tile: Shape
    recipe: Mapping[str, Any]
    tolerance: float
    transposed: bool = True


MMA_OPS: Mapping[str, Dot] = {
    "bf16": Dot(
        matmul, (ct.bfloat16, "bfloat16"), (ct.bfloat16, "bfloat16"), (128, 256, 64), NORMAL,
        0.02, transposed=False,
    ),
    "f16": Dot(
        matmul, (ct.float16, "float16"), (ct.float16, "float16"), (128, 256, 64), NORMAL,
        0.01, transposed=False,
    ),
    "f8": Dot(
        matmul_transposed, (ct.float8_e4m3fn, "float8_e4m3fn"), (ct.bfloat16, "bfloat16"),
        (128, 256, 128), NORMAL, 0.03,
    ),
    "tf32": Dot(
        matmul_tf32, (ct.float32, "float32"), (ct.float32, "float32"), (128, 128, 32), NORMAL,
        0.01,
    ),
    "i8": Dot(
        matmul_i8, (ct.int8, "int8"), (ct.int32, "int32"), (128, 256, 128),
        {"integers": [-64, 64]}, 1e-6,
    ),
}  # fmt: skip
"""By element type; the tolerance is relative, on the scale of the output."""

SQUARES = {
    "bf16": (8192, 4096, 2048, 1024, 16384),
    "f16": (8192, 4096),
    "f8": (8192, 4096),
    "tf32": (8192, 4096),
    "i8": (8192, 4096),
}
OTHER_SHAPES = {
    "tall": (65536, 1024, 4096),
    "flat": (1024, 65536, 4096),
    "deep": (2048, 2048, 65536),
}


def matmul_problem(type_: str, size: tuple[int, int, int], name: str, second_half: bool) -> Problem:
    """A product of matrices."""
    m, n, k = size
    kind = MMA_OPS[type_]
    (operand, operand_name), (result, result_name) = kind.operand, kind.result
    matrix = array_of(operand, 2)
    parameters = [matrix, matrix, array_of(result, 2), *constants(*kind.tile)]
    right = (n, k) if kind.transposed else (k, n)
    return Problem(
        f"matmul_{type_}_{name}",
        f"matmul_{type_}",
        case_of(f"matmul_{type_}", kind.function, parameters),
        (
            (operand_name, (m, k), kind.recipe),
            (operand_name, right, kind.recipe),
            (result_name, (m, n), {}),
        ),
        (2,),
        (cdiv(m, kind.tile[0]), cdiv(n, kind.tile[1]), 1),
        2.0 * m * n * k,
        "FLOP",
        "matmul",
        kind.tolerance,
        {"transposed": kind.transposed},
        tile=kind.tile,
        second_half=second_half,
    )


def with_twice_the_rows(problem: Problem) -> Problem:
    """The same in tiles of twice the rows, for clusters of two blocks."""
    parameters = list(problem.case.parameters)
    first = next(i for i, p in enumerate(parameters) if isinstance(p, ConstantConstraint))
    rows = parameters[first]
    assert isinstance(rows, ConstantConstraint)
    assert isinstance(rows.value, int)
    parameters[first] = ConstantConstraint(2 * rows.value)
    return replace(
        problem,
        case=replace(problem.case, parameters=tuple(parameters)),
        grid=(cdiv(problem.grid[0], 2), *problem.grid[1:]),
    )


def persistent_case() -> KernelCase:
    """The product of bfloat16 matrices with a loop over tiles."""
    matrix = array_of(ct.bfloat16, 2)
    parameters = [matrix] * 3 + constants(*MMA_OPS["bf16"].tile)
    return case_of("matmul_persistent", matmul_persistent, parameters)


def attention_problem(depth: int, causal: bool, length: int, second_half: bool) -> Problem:
    """Attention of so many tokens; the heads are as many as make 128k rows in all."""
    heads = (1 << 17) // length
    queries, keys = (64, 64) if depth > 128 else (128, 128)
    suffix = "_causal" if causal else ""
    scale = LOG2_E / depth**0.5
    parameters = [array_of(ct.bfloat16, 3)] * 4 + [ScalarConstraint(ct.float32)]
    parameters += [*map(ConstantConstraint, (queries, keys, depth, causal))]
    family = f"attention_{depth}{suffix}"
    shape = (heads, length, depth)
    work = 4.0 * heads * length**2 * depth / (2 if causal else 1)
    inputs = [("bfloat16", shape, NORMAL)] * 3
    return Problem(
        f"{family}_{length}",
        family,
        case_of(family, attention, parameters),
        (*inputs, ("bfloat16", shape, {})),
        (3,),
        (length // queries, heads, 1),
        work,
        "FLOP",
        "attention",
        0.02,
        {"causal": causal, "scale": scale, "queries": queries, "keys": keys},
        (scale,),
        second_half=second_half,
    )


SCALED_SQUARES = (8192, 4096)
SCALED_TILES: Mapping[str, Shape] = {
    "mxfp8": (128, 128, 128),
    "mxfp4": (128, 128, 256),
    "nvfp4": (128, 128, 256),
}

_SCALES: Mapping[Any, tuple[str, Mapping[str, Any]]] = {
    ct.float8_e8m0fnu: ("float8_e8m0fnu", {"integers": [124, 131]}),
    ct.float8_e4m3fn: ("float8_e4m3fn", {"integers": [0x28, 0x40]}),
}
"""The types of scales, and their bits: powers of two from 1/8 to 8, and numbers from 1/4 to 2."""


def scaled_problem(name: str, size: int, ordered: bool, second_half: bool) -> Problem:
    """A product of square matrices with block scales, row-major or in the hardware's order."""
    form, tile = SCALED_FORMATS[name], SCALED_TILES[name]
    bytes_, blocks = size // (1 + form.packed), size // form.block
    scale_name, scale_recipe = _SCALES[form.scale]
    scale_shape = (size // 128, blocks // 4, 32, 16) if ordered else (size, blocks)
    operand = ("uint8", (size, bytes_), {"integers": [0, 256]})
    if not form.packed:
        operand = ("float8_e4m3fn", (size, bytes_), NORMAL)
    scales = (scale_name, scale_shape, scale_recipe)
    matrix = array_of(ct.uint8 if form.packed else ct.float8_e4m3fn, 2)
    scaled = array(form.scale, len(scale_shape), divisible=DIVISOR, any_size=len(scale_shape))
    family = f"matmul_{name}{'_ordered' * ordered}"
    parameters = [matrix, scaled, matrix, scaled, array_of(ct.bfloat16, 2)]
    case = case_of(
        family,
        SCALED_KERNELS[form.packed, ordered],
        parameters + constants(*tile, form.block),
    )
    return Problem(
        f"{family}_{size}",
        family,
        replace(case, since="13.3"),
        (operand, scales, operand, scales, ("bfloat16", (size, size), {})),
        (4,),
        (cdiv(size, tile[0]), cdiv(size, tile[1]), 1),
        2.0 * size**3,
        "FLOP",
        "scaled_matmul",
        0.03,
        {"block": form.block, "packed": form.packed, "ordered": ordered},
        second_half=second_half,
    )


def scaled_problems() -> list[Problem]:
    """Products with block scales."""
    return [
        scaled_problem(name, size, ordered, not ordered or size != SCALED_SQUARES[0])
        for name in SCALED_TILES
        for ordered in (True, False)
        for size in SCALED_SQUARES
    ]


def row_problems() -> list[Problem]:
    """Kernels that memory bounds: what each moves, at 10 to 50 times the second-level cache."""
    count = 1 << 18
    f32, x = ct.float32, ("float32", (count, ROW), NORMAL)
    zeros: Mapping[str, Any] = {}
    out, moved = ("float32", (count, ROW), zeros), 8.0 * count * ROW
    vector, numbers = array_of(f32, 1), ("float32", (count,), zeros)
    matrix, grid, inputs = array_of(f32, 2), (count, 1, 1), {"inputs": 1}
    indices = array(ct.int32, 1)
    half, length, square, tile = 64, 4096, 16384, 64
    heads_rows = count * 4
    turned = ("bfloat16", (square, square), NORMAL)

    def problem(
        name: str,
        function: Any,
        parameters: Sequence[ParameterConstraint],
        arrays: Sequence[tuple[str, Shape, Mapping[str, Any]]],
        outputs: Sequence[int],
        grid: tuple[int, int, int],
        work: float,
        settings: Mapping[str, Any],
        **more: Any,
    ) -> Problem:
        case = case_of(name, function, parameters)
        reference, tolerance = more.pop("reference", name), more.pop("tolerance", 1e-4)
        return Problem(
            name,
            name,
            case,
            arrays,
            outputs,
            grid,
            work,
            "B",
            reference,
            tolerance,
            settings,
            **more,
        )

    return [
        problem(
            "copy",
            copy_rows,
            [matrix, matrix, *constants(ROW)],
            (x, out),
            (1,),
            grid,
            moved,
            inputs,
            tolerance=0.0,
        ),
        problem(
            "softmax",
            rows.softmax,
            [matrix, matrix, *constants(ROW)],
            (x, out),
            (1,),
            grid,
            moved,
            inputs,
        ),
        problem(
            "layer_norm",
            rows.layer_norm,
            [
                matrix,
                vector,
                vector,
                matrix,
                array(f32),
                array(f32),
                ScalarConstraint(f32),
                *constants(ROW),
            ],
            (x, ("float32", (ROW,), NORMAL), ("float32", (ROW,), NORMAL), out, numbers, numbers),
            (3,),
            grid,
            moved,
            {"inputs": 3},
            scalars=(rows.EPSILON,),
            tolerance=1e-3,
        ),
        problem(
            "rope",
            rope,
            [matrix, matrix, matrix, matrix, *constants(half)],
            (
                ("float32", (heads_rows, 2 * half), NORMAL),
                ("float32", (length, half), NORMAL),
                ("float32", (length, half), NORMAL),
                ("float32", (heads_rows, 2 * half), zeros),
            ),
            (3,),
            (heads_rows, 1, 1),
            16.0 * heads_rows * half,
            {"inputs": 3},
        ),
        problem(
            "cross_entropy",
            cross_entropy,
            [matrix, indices, array(f32), *constants(ROW)],
            (x, ("int32", (count,), {"integers": [0, ROW]}), numbers),
            (2,),
            grid,
            4.0 * count * ROW,
            {"inputs": 2},
            second_half=True,
        ),
        problem(
            "row_sum",
            row_sum,
            [matrix, array(f32), *constants(ROW)],
            (x, numbers),
            (1,),
            grid,
            4.0 * count * ROW,
            inputs,
            tolerance=1e-3,
            second_half=True,
        ),
        problem(
            "transpose",
            transpose,
            [array_of(ct.bfloat16, 2), array_of(ct.bfloat16, 2), *constants(tile)],
            (turned, ("bfloat16", (square, square), zeros)),
            (1,),
            (square // tile, square // tile, 1),
            4.0 * square * square,
            {},
            tolerance=0.0,
            second_half=True,
        ),
        problem(
            "gather",
            gather_rows,
            [matrix, indices, matrix, *constants(ROW)],
            (x, ("int32", (count,), {"permutation": count}), out),
            (2,),
            grid,
            moved,
            {},
            tolerance=0.0,
            second_half=True,
        ),
    ]


def problems(device: PackDevice) -> list[Problem]:
    """All problems of a device, the more important ones first."""
    found: list[Problem] = []
    for type_, sizes in SQUARES.items():
        found += [
            matmul_problem(type_, (size, size, size), str(size), position > 0)
            for position, size in enumerate(sizes)
        ]
    found += [matmul_problem("bf16", size, name, True) for name, size in OTHER_SHAPES.items()]
    found += [
        attention_problem(depth, causal, length, (depth, length) != (128, 16384))
        for depth in (128, 64)
        for causal in (False, True)
        for length in (16384, 1024, 4096, 32768)
    ]
    found += [attention_problem(256, False, 4096, True)]
    found += row_problems()
    found += layer_problems()
    if device.has_scales:
        found += scaled_problems()
    return sorted(found, key=lambda problem: problem.second_half)
