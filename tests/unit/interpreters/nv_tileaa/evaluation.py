"""Runs a few operations of `nv_tileaa` on given arrays: loads, the operations, stores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.unit.interpreters.evaluation import Tile
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools

TOKEN = "!nv_tileaa.mem_token"


def tensor(tile: Tile) -> str:
    """The type of a value: a tensor, or the bare element."""
    return f"tensor<{tile.text}>" if tile.shape else tile.element


def pointer(tile: Tile) -> str:
    """The type of a pointer to the elements."""
    return f"!nv_tileaa.ptr<{tile.element}>"


def _view(tile: Tile, name: str, base: str) -> tuple[str, str]:
    """Operations that make the view `name` of all elements behind `base`, and its type."""
    shape = tile.shape
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    sizes = "x".join(map(str, shape))
    memref = f"!nv_tileaa.memref<{sizes}x{tile.element}, strides = {strides}>"
    view = f"!nv_tileaa.tiled_view<{sizes}x{tile.element}, {memref}>"
    groups = [[dim] for dim in range(len(shape))]
    return (
        f"%{name}_memref = nv_tileaa.make_memref %{base} : {pointer(tile)} -> {memref}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_memref {{tileSizes = array<i64: "
        f"{', '.join(map(str, shape))}>, dimGroups = {groups}}} : {memref} -> {view}\n",
        view,
    )


def _load(tile: Tile, i: int) -> str:
    view, type_ = _view(tile, f"view{i}", f"p{i}")
    zeros, types = (", ".join([text] * len(tile.shape)) for text in ("%zero", "i32"))
    return (
        f"{view}%in{i}, %loaded{i} = nv_tileaa.tiled_load weak %view{i}[{zeros}] : "
        f"{type_}[{types}] -> {tensor(tile)}, {TOKEN}\n"
    )


def _store(tile: Tile, i: int, base: str) -> str:
    if not tile.shape:
        return (
            f"%stored{i} = nv_tileaa.store weak %{base}, %out{i} : {pointer(tile)}, "
            f"{tile.element} -> {TOKEN}\n"
        )
    view, type_ = _view(tile, f"result{i}", base)
    zeros, types = (", ".join([text] * len(tile.shape)) for text in ("%zero", "i32"))
    return (
        f"{view}%stored{i} = nv_tileaa.tiled_store weak %out{i}, %result{i}[{zeros}] : "
        f"{tensor(tile)}, {type_}[{types}] -> {TOKEN}\n"
    )


def evaluate(
    body: str,
    inputs: Sequence[tuple[str, Array | np.generic]] = (),
    outputs: Sequence[str] = (),
    module: str = "",
) -> list[Array]:
    """The values `%out0, ..` of types `outputs` that `body` makes of `%in0, ..`.

    Types are written as `4x8xf32`. `module` has other symbols of the module.
    """
    tiles, results = [Tile(t) for t, _ in inputs], [Tile(t) for t in outputs]
    arguments = [
        t.to_memory(np.asarray(a)) if t.shape else a.item()
        for t, (_, a) in zip(tiles, inputs, strict=True)
    ]
    arrays = [t.empty() for t in results]
    text = program(body, tiles, results, module)
    launch(tools.parse(text), "k", (1, 1, 1), [*arguments, *arrays])
    return [t.from_memory(a) for a, t in zip(arrays, results, strict=True)]


def program(body: str, tiles: Sequence[Tile], results: Sequence[Tile], module: str = "") -> str:
    """A module whose kernel `@k` loads its inputs, has the given body, and stores its outputs.

    Inputs of rank 0 are parameters themselves; those behind them are where the others are.
    """
    parameters = [
        f"%p{i}: {pointer(t)}" if t.shape else f"%in{i}: {t.element}" for i, t in enumerate(tiles)
    ] + [f"%r{i}: {pointer(t)}" for i, t in enumerate(results)]
    text = "".join(
        (
            module,
            f"nv_tileaa.func @k({', '.join(parameters)}) attributes "
            "{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {\n",
            "%zero = arith.constant 0 : i32\n",
            *(_load(tile, i) for i, tile in enumerate(tiles) if tile.shape),
            body,
            "\n",
            *(_store(tile, i, f"r{i}") for i, tile in enumerate(results)),
            "nv_tileaa.return\n}\n",
        )
    )
    return f"builtin.module {{\n{text}}}\n"


def apply(op: str, result: str, *inputs: tuple[str, Array | np.generic]) -> Array:
    """The value that one operation makes of its inputs; `op` is all but the result's name.

    Operands are `%in0, ..`; `T0, T1, ..` stand for their types, `R` for that of the result.
    """
    for i, (text, _) in enumerate(inputs):
        op = op.replace(f"T{i}", tensor(Tile(text)))
    return evaluate(
        f"%out0 = nv_tileaa.{op.replace(' R', f' {tensor(Tile(result))}')}", inputs, [result]
    )[0]
