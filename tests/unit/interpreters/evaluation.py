"""Runs a few operations of `cuda_tile` on given arrays: loads, the operations, stores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array, memory_dtype
from tileir_xdsl.testing import tools


@dataclass(frozen=True)
class Tile:
    """A tile type as text, `4x8xf32`: its shape, element name, and how one is moved."""

    text: str

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(int(n) for n in self.text.split("x")[:-1])

    @property
    def element(self) -> str:
        return self.text.split("x")[-1]

    def view(self, name: str, pointer: str) -> tuple[str, str]:
        """Operations that make the view `name` of all elements behind `pointer`, and its type."""
        shape = self.shape or (1,)
        strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        sizes, steps = ", ".join(map(str, shape)), ",".join(map(str, strides))
        tensor = f"tensor_view<{'x'.join(map(str, shape))}x{self.element}, strides=[{steps}]>"
        view = f"partition_view<tile=({'x'.join(map(str, shape))}), {tensor}>"
        text = (
            f"%{name}_tensor = make_tensor_view %{pointer}, shape = [{sizes}], "
            f"strides = [{', '.join(map(str, strides))}] : {tensor}\n"
            f"%{name} = make_partition_view %{name}_tensor : {view}\n"
        )
        return text, view

    def indices(self) -> str:
        return ", ".join(["%zero"] * max(1, len(self.shape)))

    def whole(self) -> str:
        """The tile type of the view: rank 0 is loaded and stored as one element."""
        return f"tile<{self.text if self.shape else '1x' + self.text}>"

    def to_memory(self, values: Array) -> Array:
        """An array for a kernel that holds `values`; elements of 4 bits lie two to a byte."""
        values = np.array(values, order="C").reshape(self.shape)
        if self.element != "f4E2M1FN":
            return values
        nibbles = values.view(np.uint8).reshape(-1)
        return nibbles[0::2] | nibbles[1::2] << 4

    def empty(self) -> Array:
        """An array for a kernel to put a tile into."""
        element = ELEMENTS[self.element]
        # numpy has no type for fnv8E5M3FNU: its bits stand for it.
        held = memory_dtype(element) if self.element == "fnv8E5M3FNU" else element.dtype
        return self.to_memory(np.zeros(self.shape, held))

    def from_memory(self, array: Array) -> Array:
        """The tile in such an array."""
        if self.element == "f4E2M1FN":
            nibbles = np.stack([array & 0xF, array >> 4], axis=-1)
            array = nibbles.view(ELEMENTS[self.element].dtype)
        return array.reshape(self.shape)


def evaluate(
    body: str, inputs: Sequence[tuple[str, Array]] = (), outputs: Sequence[str] = ()
) -> list[Array]:
    """The tiles `%out0, ..` of types `outputs` that `body` makes of `%in0, ..`.

    Inputs are given as tile type (`4x8xf32`) and array.
    """
    tiles = [Tile(t) for t, _ in inputs]
    results = [Tile(t) for t in outputs]
    arrays = [t.to_memory(a) for t, (_, a) in zip(tiles, inputs, strict=True)]
    arrays += [t.empty() for t in results]
    parameters = ", ".join(
        f"%p{i}: tile<ptr<{t.element}>>" for i, t in enumerate([*tiles, *results])
    )
    lines = [f"entry @k({parameters}) {{\n%zero = constant <i32: 0> : tile<i32>\n"]
    for i, tile in enumerate(tiles):
        text, view = tile.view(f"view{i}", f"p{i}")
        name = f"in{i}" if tile.shape else f"in{i}_row"
        lines += [
            text,
            f"%{name}, %loaded{i} = load_view_tko weak %view{i}[{tile.indices()}] : "
            f"{view}, tile<i32> -> {tile.whole()}, token\n",
        ]
        if not tile.shape:
            lines.append(f"%in{i} = reshape %{name} : {tile.whole()} -> tile<{tile.text}>\n")
    lines.append(body + "\n")
    for i, tile in enumerate(results):
        text, view = tile.view(f"result{i}", f"p{len(tiles) + i}")
        name = f"out{i}"
        if not tile.shape:
            lines.append(f"%out{i}_row = reshape %out{i} : tile<{tile.text}> -> {tile.whole()}\n")
            name = f"out{i}_row"
        lines += [
            text,
            f"%stored{i} = store_view_tko weak %{name}, %result{i}[{tile.indices()}] : "
            f"{tile.whole()}, {view}, tile<i32> -> token\n",
        ]
    lines.append("return\n}\n")
    launch(_parse("".join(lines)), "k", (1, 1, 1), arrays)
    return [t.from_memory(a) for t, a in zip(results, arrays[len(tiles) :], strict=True)]


@cache
def _parse(body: str) -> ModuleOp:
    return tools.parse(f"cuda_tile.module @m {{\n{body}}}\n")


def apply(op: str, result: str, *inputs: tuple[str, Array]) -> Array:
    """The tile that one operation makes of its inputs; `op` is all but the result's name.

    Operands are `%in0, ..`; `T` stands for the type of the first input, `R` for `result`.
    """
    first = inputs[0][0] if inputs else ""
    return evaluate(f"%out0 = {typed(op, first, result)}", inputs, [result])[0]


def typed(op: str, first: str, result: str) -> str:
    """An operation with the types of its first operand and of its result."""
    return op.replace(": T", f": tile<{first}>").replace("-> R", f"-> tile<{result}>")
