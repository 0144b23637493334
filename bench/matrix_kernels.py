"""Kernels of the sizes that matrix units are built for: products of matrices, and attention.

Each is a `KernelCase` like those of the zoo, with tiles that fill a multiprocessor and arrays whose
strides are multiples of 16 bytes, as real ones are.
`python -m bench.matrix_kernels` writes their Tile IR.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
from cuda.tile.compilation import ConstantConstraint, ScalarConstraint

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.attention import attention
from tileir_xdsl.testing.kernels.attention import reference_of as attention_reference
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.matmul import F8, F32, F64, I8, I32, expected_matmul
from tileir_xdsl.testing.kernels.number_formats import round_to_tf32, unpack_four_bits
from tileir_xdsl.testing.kernels.problems import cdiv

FOLDER = Path(__file__).parent / "kernels"
TYPES_FOLDER = FOLDER / "types"
"""Of kernels that are no part of the reference set."""

PAIRS_FOLDER = FOLDER / "pairs"
"""Of kernels whose tile blocks are clusters of two thread blocks."""

TALL_FOLDER = FOLDER / "tall"
"""Of kernels whose thread blocks have tiles of 256 rows."""

PERSISTENT_FOLDER = FOLDER / "persistent"
"""Of kernels whose thread blocks go on from tile to tile."""

DIVISOR = 16
"""What divides sizes and strides."""


@kernel
def matmul(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(depth, columns), padding_mode=zero)
        acc = ct.mma(x, y, acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def matmul_case(rows: int, columns: int, depth: int) -> KernelCase:
    """`c = a @ b` of bfloat16 matrices, a tile of `c` per block, `depth` of the sum per step."""

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        a, b = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in ((m, k), (k, n)))
        return [a, b, np.zeros((m, n), ml_dtypes.bfloat16)]

    def reference(a: Array, b: Array, c: Array) -> list[Expected]:
        x, y = a.astype(np.float64), b.astype(np.float64)
        return [within_roundings(x @ y, np.abs(x) @ np.abs(y), c.dtype, depth, np.float32)]

    parameter = array(ct.bfloat16, 2, divisible=DIVISOR, any_size=1)
    return KernelCase(
        name=f"product_{rows}x{columns}x{depth}",
        kernel=matmul,
        parameters=(parameter,) * 3 + tuple(map(ConstantConstraint, (rows, columns, depth))),
        problems=((rows + 16, columns, 3 * depth + 16),),
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[0], rows), cdiv(problem[1], columns), 1),
        reference=reference,
        outputs=(2,),
        folder=FOLDER,
    )


@kernel
def persistent_matmul(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    """The same with a loop over tiles."""
    across = ct.num_tiles(c, axis=1, shape=(rows, columns))
    tiles = ct.num_tiles(c, axis=0, shape=(rows, columns)) * across
    zero = ct.PaddingMode.ZERO
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        i, j = tile // across, tile % across
        acc = ct.zeros((rows, columns), dtype=ct.float32)
        for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
            x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
            y = ct.load(b, index=(k, j), shape=(depth, columns), padding_mode=zero)
            acc = ct.mma(x, y, acc)
        ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def persistent_matmul_case(rows: int, columns: int, depth: int) -> KernelCase:
    """The product of bfloat16 matrices with a loop over tiles, two of them for a cluster."""

    def grid(problem: Problem) -> tuple[int, int, int]:
        tiles = cdiv(problem[0], rows) * cdiv(problem[1], columns)
        return max(1, tiles // 2), 1, 1

    return replace(
        matmul_case(rows, columns, depth),
        name=f"persistent_{rows}x{columns}x{depth}",
        kernel=persistent_matmul,
        problems=((rows + 16, 2 * columns, 3 * depth + 16),),
        grid=grid,
    )


@kernel
def typed_matmul(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
    form: ct.Constant[int],
) -> None:
    """The sums are of the type of the result; `form` is one of the numbers below."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=c.dtype)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(depth, columns), padding_mode=zero)
        if form == TF32:
            x, y = ct.astype(x, ct.tfloat32), ct.astype(y, ct.tfloat32)
        acc = ct.mma(x, y, acc, use_fast_acc=form == FAST)
    ct.store(c, index=(i, j), tile=acc)


PLAIN, TF32, FAST = 0, 1, 2
"""Operands as they are, rounded to tf32, and sums that may have fewer digits."""

FORMS = {"tf32": TF32, "f8_fast": FAST}

TYPES: dict[str, tuple[tuple[Any, Any], tuple[Any, Any]]] = {
    "f8": (F8, F32),
    "f8_fast": (F8, F32),
    "i8": (I8, I32),
    "tf32": (F32, F32),
    "f32": (F32, F32),
    "f64": (F64, F64),
}
"""Of operands and results, for cuTile and numpy."""


def typed_matmul_case(name: str, rows: int, columns: int, depth: int) -> KernelCase:
    """`c = a @ b` of other types than bfloat16, a tile of `c` per block."""
    operand, result = TYPES[name]
    accumulator = np.float16 if name == "f8_fast" else result[1]

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        if operand is I8:
            a, b = (rng.integers(-128, 128, shape, np.int8) for shape in ((m, k), (k, n)))
        else:
            a, b = (rng.standard_normal(shape).astype(operand[1]) for shape in ((m, k), (k, n)))
        return [a, b, np.zeros((m, n), result[1])]

    def reference(a: Array, b: Array, c: Array) -> list[Expected]:
        if name == "tf32":
            a, b = round_to_tf32(a), round_to_tf32(b)
        return [expected_matmul(a, b, c.dtype, accumulator)]

    parameters = [array(type, 2, divisible=DIVISOR, any_size=1) for type, _ in (operand,) * 2]
    parameters.append(array(result[0], 2, divisible=DIVISOR, any_size=1))
    constants = map(ConstantConstraint, (rows, columns, depth, FORMS.get(name, PLAIN)))
    return KernelCase(
        name=f"product_{name}_{rows}x{columns}x{depth}",
        kernel=typed_matmul,
        parameters=(*parameters, *constants),
        problems=((rows + 16, columns, 3 * depth + 16),),
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[0], rows), cdiv(problem[1], columns), 1),
        reference=reference,
        outputs=(2,),
        folder=TYPES_FOLDER,
        since="13.3" if name == "f8_fast" else "13.1",
    )


@kernel
def scaled_matmul(
    a: Any,
    a_scales: Any,
    b: Any,
    b_scales: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
    block: ct.Constant[int],
) -> None:
    """Both operands have rows along the sum, as their scales have."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(j, k), shape=(columns, depth), padding_mode=zero)
        s = ct.load(a_scales, index=(i, k), shape=(rows, depth // block), padding_mode=zero)
        t = ct.load(b_scales, index=(j, k), shape=(columns, depth // block), padding_mode=zero)
        acc = ct.mma_scaled(x, s, ct.transpose(y), ct.transpose(t), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def packed_scaled_matmul(
    a: Any,
    a_scales: Any,
    b: Any,
    b_scales: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
    block: ct.Constant[int],
) -> None:
    """The same of four-bit elements, two to a byte."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero, octets = ct.PaddingMode.ZERO, depth // 2
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, octets))):
        x = ct.load(a, index=(i, k), shape=(rows, octets), padding_mode=zero)
        y = ct.load(b, index=(j, k), shape=(columns, octets), padding_mode=zero)
        u = ct.unpack_from_bytes(ct.reshape(x, (rows * octets,)), ct.float4_e2m1fn)
        v = ct.unpack_from_bytes(ct.reshape(y, (columns * octets,)), ct.float4_e2m1fn)
        s = ct.load(a_scales, index=(i, k), shape=(rows, depth // block), padding_mode=zero)
        t = ct.load(b_scales, index=(j, k), shape=(columns, depth // block), padding_mode=zero)
        u = ct.reshape(u, (rows, depth))
        v = ct.reshape(v, (columns, depth))
        acc = ct.mma_scaled(u, s, ct.transpose(v), ct.transpose(t), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def ordered_scaled_matmul(
    a: Any,
    a_scales: Any,
    b: Any,
    b_scales: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
    block: ct.Constant[int],
) -> None:
    """Scales are in the order of the hardware: those of 128 rows and four blocks lie together."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero, words, m, n = ct.PaddingMode.ZERO, depth // (4 * block), rows // 128, columns // 128
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(j, k), shape=(columns, depth), padding_mode=zero)
        s = ct.load(a_scales, index=(i, k, 0, 0), shape=(m, words, 32, 16), padding_mode=zero)
        t = ct.load(b_scales, index=(j, k, 0, 0), shape=(n, words, 32, 16), padding_mode=zero)
        s = ct.permute(ct.reshape(s, (m, words, 32, 4, 4)), (0, 3, 2, 1, 4))
        t = ct.permute(ct.reshape(t, (n, words, 32, 4, 4)), (0, 3, 2, 1, 4))
        s = ct.reshape(s, (rows, depth // block))
        t = ct.reshape(t, (columns, depth // block))
        acc = ct.mma_scaled(x, s, ct.transpose(y), ct.transpose(t), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def packed_ordered_scaled_matmul(
    a: Any,
    a_scales: Any,
    b: Any,
    b_scales: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
    block: ct.Constant[int],
) -> None:
    """The same of four-bit elements, two to a byte."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero, words, m, n = ct.PaddingMode.ZERO, depth // (4 * block), rows // 128, columns // 128
    octets = depth // 2
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, octets))):
        x = ct.load(a, index=(i, k), shape=(rows, octets), padding_mode=zero)
        y = ct.load(b, index=(j, k), shape=(columns, octets), padding_mode=zero)
        u = ct.unpack_from_bytes(ct.reshape(x, (rows * octets,)), ct.float4_e2m1fn)
        v = ct.unpack_from_bytes(ct.reshape(y, (columns * octets,)), ct.float4_e2m1fn)
        s = ct.load(a_scales, index=(i, k, 0, 0), shape=(m, words, 32, 16), padding_mode=zero)
        t = ct.load(b_scales, index=(j, k, 0, 0), shape=(n, words, 32, 16), padding_mode=zero)
        s = ct.permute(ct.reshape(s, (m, words, 32, 4, 4)), (0, 3, 2, 1, 4))
        t = ct.permute(ct.reshape(t, (n, words, 32, 4, 4)), (0, 3, 2, 1, 4))
        s = ct.reshape(s, (rows, depth // block))
        t = ct.reshape(t, (columns, depth // block))
        u = ct.reshape(u, (rows, depth))
        v = ct.reshape(v, (columns, depth))
        acc = ct.mma_scaled(u, s, ct.transpose(v), ct.transpose(t), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


SCALED_KERNELS = {
    (False, False): scaled_matmul,
    (True, False): packed_scaled_matmul,
    (False, True): ordered_scaled_matmul,
    (True, True): packed_ordered_scaled_matmul,
}
"""By whether elements have four bits, and whether scales are in the order of the hardware."""


def in_hardware_order(scales: Array) -> Array:
    """Scales [rows, blocks] as [rows / 128, blocks / 4, 32, 16], zeros beyond their end."""
    rows, blocks = (
        cdiv(extent, whole) for extent, whole in zip(scales.shape, (128, 4), strict=True)
    )
    whole = np.zeros((128 * rows, 4 * blocks), scales.dtype)
    whole[: scales.shape[0], : scales.shape[1]] = scales
    parts = whole.reshape(rows, 4, 32, blocks, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(parts).reshape(rows, blocks, 32, 16)


def in_rows(scales: Array, rows: int, blocks: int) -> Array:
    """The inverse of `in_hardware_order` for so many rows and blocks."""
    parts = scales.reshape(*scales.shape[:3], 4, 4).transpose(0, 3, 2, 1, 4)
    return parts.reshape(128 * scales.shape[0], 4 * scales.shape[1])[:rows, :blocks]


@dataclass(frozen=True)
class ScaledFormat:
    """Operands with block scales: packed two to a byte or not, and how many share a scale."""

    packed: bool
    scale: Any
    block: int

    def operand(self, rows: int, k: int, rng: np.random.Generator) -> Array:
        """A matrix as it is in memory."""
        if self.packed:
            return rng.integers(0, 256, (rows, k // 2), np.uint8)
        return rng.standard_normal((rows, k)).astype(ml_dtypes.float8_e4m3fn)

    def scales(self, rows: int, k: int, rng: np.random.Generator) -> Array:
        """The scales of a matrix, powers of two where their type has nothing else.

        Rows begin at multiples of `DIVISOR`, as real ones do.
        """
        count = cdiv(k, self.block)
        shape = rows, DIVISOR * cdiv(count, DIVISOR)
        if self.scale is ct.float8_e8m0fnu:
            return np.exp2(rng.integers(-3, 4, shape)).astype(ml_dtypes.float8_e8m0fnu)[:, :count]
        return rng.uniform(0.25, 2, shape).astype(ml_dtypes.float8_e4m3fn)[:, :count]

    def numbers(self, operand: Array, scales: Array) -> Array:
        """What a matrix stands for."""
        wide = (unpack_four_bits(operand) if self.packed else operand).astype(np.float64)
        repeated = np.repeat(scales.astype(np.float64), self.block, axis=1)
        return wide * repeated[:, : wide.shape[1]]


SCALED_FORMATS = {
    "mxfp8": ScaledFormat(packed=False, scale=ct.float8_e8m0fnu, block=32),
    "mxfp4": ScaledFormat(packed=True, scale=ct.float8_e8m0fnu, block=32),
    "nvfp4": ScaledFormat(packed=True, scale=ct.float8_e4m3fn, block=16),
}


def scaled_matmul_case(
    name: str, rows: int, columns: int, depth: int, *, ordered: bool = False
) -> KernelCase:
    """`c = a @ b.T` with block scales, a tile of `c` per block, `depth` of the sum per step.

    Scales are row-major, or `ordered` as the hardware wants them.
    """
    form = SCALED_FORMATS[name]

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        pairs = [(form.operand(r, k, rng), form.scales(r, k, rng)) for r in (m, n)]
        if ordered:
            pairs = [(operand, in_hardware_order(scales)) for operand, scales in pairs]
        return [*(each for pair in pairs for each in pair), np.zeros((m, n), np.float32)]

    def reference(a: Array, s: Array, b: Array, t: Array, c: Array) -> list[Expected]:
        if ordered:
            blocks = cdiv(a.shape[1] * (1 + form.packed), form.block)
            s, t = (in_rows(each, len(of), blocks) for each, of in ((s, a), (t, b)))
        x, y = form.numbers(a, s), form.numbers(b, t)
        return [within_roundings(x @ y.T, np.abs(x) @ np.abs(y).T, c.dtype, depth, np.float32)]

    operand = ct.uint8 if form.packed else ct.float8_e4m3fn
    scales = array(form.scale, 2, divisible=DIVISOR, any_size=2)
    if ordered:
        scales = array(form.scale, 4, divisible=DIVISOR, any_size=2)
    a, b, c = (
        array(type, 2, divisible=DIVISOR, any_size=1) for type in (operand, operand, ct.float32)
    )
    constants = map(ConstantConstraint, (rows, columns, depth, form.block))
    return KernelCase(
        name=f"{name}{'_ordered' * ordered}_{rows}x{columns}x{depth}",
        kernel=SCALED_KERNELS[form.packed, ordered],
        parameters=(a, scales, b, scales, c, *constants),
        problems=((rows + 16, columns, 3 * depth + 2 * form.block),),
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[0], rows), cdiv(problem[1], columns), 1),
        reference=reference,
        outputs=(4,),
        folder=FOLDER,
        since="13.3",
    )


def attention_case(
    queries: int, keys: int, depth: int, causal: bool, folder: Path = FOLDER
) -> KernelCase:
    """Flash attention of bfloat16 heads of `depth`, `queries` per block, `keys` per step."""

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        heads, length = problem
        q, k, v = (
            rng.standard_normal((heads, length, depth)).astype(ml_dtypes.bfloat16) for _ in range(3)
        )
        return [q, k, v, np.zeros_like(q), float(np.float32(1.4426950408889634 / depth**0.5))]

    parameter = array(ct.bfloat16, 3, divisible=DIVISOR, any_size=2)
    return KernelCase(
        name=f"attention_{queries}x{keys}x{depth}" + ("_causal" if causal else ""),
        kernel=attention,
        parameters=(
            *(parameter,) * 4,
            ScalarConstraint(ct.float32),
            *map(ConstantConstraint, (queries, keys, depth, causal)),
        ),
        problems=((1, 2 * keys + 16),),
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[1], queries), problem[0], 1),
        reference=attention_reference(causal),
        outputs=(3,),
        folder=folder,
    )


CASES = {
    case.name: case
    for case in (
        matmul_case(128, 256, 64),
        matmul_case(128, 128, 64),
        attention_case(128, 128, 128, causal=False),
        attention_case(128, 128, 128, causal=True),
    )
}
"""Kernels that Triton has too."""

TYPED_CASES = {
    case.name: case
    for case in (
        typed_matmul_case("f8", 128, 128, 128),
        typed_matmul_case("f8_fast", 128, 128, 128),
        typed_matmul_case("i8", 128, 128, 128),
        typed_matmul_case("tf32", 128, 128, 32),
        typed_matmul_case("f32", 64, 64, 32),
        typed_matmul_case("f64", 64, 64, 16),
        attention_case(128, 128, 64, causal=False, folder=TYPES_FOLDER),
        attention_case(64, 64, 256, causal=False, folder=TYPES_FOLDER),
    )
}
"""Products of other types, and attention with other heads."""

SCALED_CASES = {
    case.name: case
    for ordered in (False, True)
    for rows, folder in ((128, FOLDER), (256, TALL_FOLDER))
    for name, depth in (("mxfp8", 128), ("mxfp4", 256), ("nvfp4", 256))
    for case in (
        replace(scaled_matmul_case(name, rows, 128, depth, ordered=ordered), folder=folder),
    )
}
"""Block-scaled products."""


PAIR_CASES = {
    case.name: case
    for case in (
        replace(matmul_case(256, 128, 64), folder=PAIRS_FOLDER),
        replace(matmul_case(256, 256, 64), folder=PAIRS_FOLDER),
        replace(persistent_matmul_case(256, 128, 64), folder=PAIRS_FOLDER),
    )
}
"""Products whose tile blocks are clusters of two thread blocks."""

PERSISTENT_CASES = {
    case.name: case
    for case in (
        replace(persistent_matmul_case(128, 128, 64), folder=PERSISTENT_FOLDER),
        replace(persistent_matmul_case(128, 256, 64), folder=PERSISTENT_FOLDER),
    )
}
"""Products whose thread blocks go on from tile to tile."""

TALL_CASES = {
    case.name: replace(case, folder=TALL_FOLDER)
    for case in (
        typed_matmul_case("f8", 256, 128, 128),
        typed_matmul_case("i8", 256, 128, 128),
        attention_case(256, 128, 64, causal=False),
        attention_case(256, 64, 128, causal=False),
    )
}
"""Tiles of 256 rows in one thread block."""

CTAS = 2
"""The thread blocks of `PAIR_CASES`."""


def text_of(case: KernelCase) -> str:
    """The Tile IR of a kernel, with the hint for clusters if it asks for them."""
    if case.name not in PAIR_CASES:
        return text(case)
    return text(case).replace("default = {}", f"default = {{num_cta_in_cga = {CTAS}}}")


def main() -> None:
    for case in (
        *CASES.values(),
        *TYPED_CASES.values(),
        *SCALED_CASES.values(),
        *PAIR_CASES.values(),
        *PERSISTENT_CASES.values(),
        *TALL_CASES.values(),
    ):
        case.text_path.write_text(text_of(case), "utf-8")


if __name__ == "__main__":
    main()
