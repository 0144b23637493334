"""A persistent product of operands of several types, with steps along K from any one on, so that a
tile may have none, and an epilogue that may have a bias and a maximum. Rows of both operands go
along K.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
from cuda.tile.compilation import ConstantConstraint, ScalarConstraint

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.number_formats import round_to_tf32

PLAIN, BIAS, BIAS_AND_RELU = 0, 1, 2
"""The epilogues."""

TYPES: dict[str, tuple[Any, Any]] = {
    "f16": (ct.float16, np.dtype(np.float16)),
    "bf16": (ct.bfloat16, np.dtype(ml_dtypes.bfloat16)),
    "f8": (ct.float8_e4m3fn, np.dtype(ml_dtypes.float8_e4m3fn)),
    "tf32": (ct.float32, np.dtype(np.float32)),
}
"""The operands, for cuTile and numpy."""

RESULTS = {"f16": "f16", "bf16": "bf16", "f8": "bf16", "tf32": "tf32"}
"""The types of the results, by those of the operands."""

DIVISOR = 16


@kernel
def persistent_tiles(
    a: Any,
    b: Any,
    bias: Any,
    c: Any,
    first: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
    is_tf32: ct.Constant[int],
    epilogue: ct.Constant[int],
) -> None:
    across = ct.num_tiles(c, axis=1, shape=(rows, columns))
    tiles = ct.num_tiles(c, axis=0, shape=(rows, columns)) * across
    zero = ct.PaddingMode.ZERO
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        i, j = tile // across, tile % across
        acc = ct.zeros((rows, columns), dtype=ct.float32)
        for k in range(first, ct.num_tiles(a, axis=1, shape=(rows, depth))):
            x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
            y = ct.load(b, index=(j, k), shape=(columns, depth), padding_mode=zero)
            if is_tf32:
                x, y = ct.astype(x, ct.tfloat32), ct.astype(y, ct.tfloat32)
            acc = ct.mma(x, ct.transpose(y), acc)
        if epilogue != PLAIN:
            row = ct.load(bias, index=(j,), shape=(columns,), padding_mode=zero)
            acc = acc + ct.expand_dims(row, 0)
        if epilogue == BIAS_AND_RELU:
            acc = ct.maximum(acc, 0.0)
        ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def gated_tiles(
    a: Any,
    b: Any,
    gate: Any,
    c: Any,
    first: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    """The product with `b` times the one with `gate`, whose accumulators have the same loop."""
    across = ct.num_tiles(c, axis=1, shape=(rows, columns))
    tiles = ct.num_tiles(c, axis=0, shape=(rows, columns)) * across
    zero = ct.PaddingMode.ZERO
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        i, j = tile // across, tile % across
        left = ct.zeros((rows, columns), dtype=ct.float32)
        right = ct.zeros((rows, columns), dtype=ct.float32)
        for k in range(first, ct.num_tiles(a, axis=1, shape=(rows, depth))):
            x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
            y = ct.load(b, index=(j, k), shape=(columns, depth), padding_mode=zero)
            z = ct.load(gate, index=(j, k), shape=(columns, depth), padding_mode=zero)
            left = ct.mma(x, ct.transpose(y), left)
            right = ct.mma(x, ct.transpose(z), right)
        ct.store(c, index=(i, j), tile=ct.astype(left * right, c.dtype))


def _one_block(_problem: Problem) -> tuple[int, int, int]:
    return 1, 1, 1


@dataclass(frozen=True)
class Tiles:
    """The extents of a tile, its operands and its epilogue."""

    rows: int = 128
    columns: int = 64
    depth: int = 64
    operands: str = "bf16"
    epilogue: int = PLAIN
    is_gated: bool = False

    def case(self, folder: Path, hints: str = "") -> KernelCase:
        """The kernel, with its text in a folder; `hints` are those of its entry."""
        operand = array(TYPES[self.operands][0], 2, divisible=DIVISOR, any_size=1)
        result = array(TYPES[RESULTS[self.operands]][0], 2, divisible=DIVISOR, any_size=1)
        numbers = [self.rows, self.columns, self.depth]
        if not self.is_gated:
            numbers += [int(self.operands == "tf32"), self.epilogue]
        made = KernelCase(
            name="gated_tiles" if self.is_gated else "persistent_tiles",
            kernel=gated_tiles if self.is_gated else persistent_tiles,
            parameters=(
                operand,
                operand,
                operand if self.is_gated else array(ct.float32),
                result,
                ScalarConstraint(ct.int32),
                *map(ConstantConstraint, numbers),
            ),
            problems=((self.rows, self.columns, self.depth, 0),),
            arguments=self._arguments,
            grid=_one_block,
            reference=self._gated_reference if self.is_gated else self._reference,
            outputs=(3,),
            folder=folder,
        )
        written = text(made)
        assert "default = {}" in written
        made.text_path.write_text(written.replace("default = {}", f"default = {{{hints}}}"))
        return made

    def _arguments(self, problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k, first = problem
        dtype, result = TYPES[self.operands][1], TYPES[RESULTS[self.operands]][1]
        a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (n, k)))
        third = rng.standard_normal((n, k)).astype(dtype)
        if not self.is_gated:
            third = rng.standard_normal(n).astype(np.float32)
        return [a, b, third, np.zeros((m, n), result), first]

    def _product(self, a: Array, b: Array, first: int) -> tuple[Array, Array]:
        """The sums of a product without its first steps, and of their magnitudes."""
        if self.operands == "tf32":
            a, b = round_to_tf32(a), round_to_tf32(b)
        x, y = (each.astype(np.float64) for each in (a, b))
        x, y = (each[:, first * self.depth :] for each in (x, y))
        return x @ y.T, np.abs(x) @ np.abs(y).T

    def _reference(self, a: Array, b: Array, bias: Array, c: Array, first: int) -> list[Expected]:
        values, magnitude = self._product(a, b, first)
        if self.epilogue != PLAIN:
            values, magnitude = values + bias, magnitude + np.abs(bias)
        if self.epilogue == BIAS_AND_RELU:
            values = np.maximum(values, 0)
        return [within_roundings(values, magnitude, c.dtype, self.depth, np.float32)]

    def _gated_reference(
        self, a: Array, b: Array, gate: Array, c: Array, first: int
    ) -> list[Expected]:
        (left, of_left), (right, of_right) = (self._product(a, each, first) for each in (b, gate))
        return [within_roundings(left * right, of_left * of_right, c.dtype, self.depth, np.float32)]
