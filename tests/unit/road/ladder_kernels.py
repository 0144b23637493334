"""Kernels on tiles that a thread block cannot hold at once, of any size, type and order.

`python -m tests.unit.road.ladder_kernels [TARGET ..] [-k PART]` compiles all of them, has the
assembler take the PTX, and prints registers, bytes of shared memory and spills, or why not. With
`--tileiras` it also prints whether NVIDIA's compiler takes the program within 20 seconds.
"""

import argparse
import math
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.unit.road.agreement import DTYPES, Array, shaped
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.bytecode import write
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import Expected

GPUS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")


@dataclass(frozen=True)
class LadderKernel:
    """A kernel @k of one tile block: its text, the arrays that it reads, and what it writes."""

    text: str
    inputs: Sequence[Array]
    expected: Sequence[Array]
    tolerance: float = 0.0

    def within(self, wanted: Array) -> Expected:
        """One of the results, give or take the tolerance: relative, and a tenth of it absolute."""
        values = wanted.astype(np.float64)
        return Expected(wanted, (self.tolerance or 1e-6) * np.abs(values) + self.tolerance / 10)


def values(shape: Sequence[int], element: str, seed: int = 0) -> Array:
    """Small multiples of 1/4, so that sums of products are exact."""
    low, high = (0, 4) if element.startswith("u") else (-4, 5)
    numbers = np.random.default_rng(seed).integers(low, high, shape)
    scale = 1 if element.startswith("i") else 4
    return (numbers / scale).astype(DTYPES[element])


def view(name: str, pointer: str, element: str, array: Sequence[int], tile: Sequence[int]) -> str:
    """`%name`, the view of a whole array in tiles; padded with zeros."""
    strides = [math.prod(array[d + 1 :]) for d in range(len(array))]
    tensor, type = view_types(element, array, tile)
    return f"""
    %{name}_t = make_tensor_view %{pointer}, shape = {list(array)}, strides = {strides} : {tensor}
    %{name} = make_partition_view %{name}_t : {type}
    """


def view_types(element: str, array: Sequence[int], tile: Sequence[int]) -> tuple[str, str]:
    """The types of the tensor view and of the partition view."""
    strides = [math.prod(array[d + 1 :]) for d in range(len(array))]
    tensor = f"tensor_view<{'x'.join(map(str, array))}x{element}, strides={strides}>"
    tiles = "x".join(map(str, tile))
    return tensor, f"partition_view<tile=({tiles}), padding_value = zero, {tensor}>"


def entry(pointers: Sequence[str], body: str, hints: str = "") -> str:
    """A module with the kernel @k of aligned pointers %p<n>, and %zero and %one."""
    parameters = ", ".join(f"%q{n}: tile<ptr<{e}>>" for n, e in enumerate(pointers))
    aligned = "\n".join(
        f"%p{n} = assume div_by<16>, %q{n} : tile<ptr<{e}>>" for n, e in enumerate(pointers)
    )
    attributes = f" optimization_hints=<default = {{{hints}}}>" if hints else ""
    return f"""cuda_tile.module @m {{ entry @k({parameters}){attributes} {{
    {aligned}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    {body}
    return }} }}"""


def loaded(
    name: str, source: str, element: str, array: Sequence[int], tile: Sequence[int], at: str
) -> str:
    """`%name`, a tile of a view."""
    type = view_types(element, array, tile)[1]
    return (
        f"%{name}, %{name}_k = load_view_tko weak %{source}[{at}] "
        f": {type}, tile<i32> -> {shaped(tile, element)}, token"
    )


def stored(
    value: str, target: str, element: str, array: Sequence[int], tile: Sequence[int], at: str
) -> str:
    """Stores a tile of a view."""
    type = view_types(element, array, tile)[1]
    return (
        f"%{target}_s = store_view_tko weak %{value}, %{target}[{at}] "
        f": {shaped(tile, element)}, {type}, tile<i32> -> token"
    )


def matmul(
    rows: int,
    columns: int,
    depth: int,
    element: str,
    accumulator: str = "f32",
    order: str = "nn",
    *,
    alpha_beta: bool = False,
    steps: int = 3,
) -> LadderKernel:
    """C = A @ B, or alpha A @ B + beta C; `order` says which operands are transposed."""
    k = depth * steps
    a_array = (rows, k) if order[0] == "n" else (k, rows)
    b_array = (k, columns) if order[1] == "n" else (columns, k)
    a_tile = (rows, depth) if order[0] == "n" else (depth, rows)
    b_tile = (depth, columns) if order[1] == "n" else (columns, depth)
    a_at = "%zero, %i" if order[0] == "n" else "%i, %zero"
    b_at = "%i, %zero" if order[1] == "n" else "%zero, %i"
    a, b = values(a_array, element, 1), values(b_array, element, 2)
    c_array = (rows, columns)
    a_type, b_type = shaped((rows, depth), element), shaped((depth, columns), element)
    acc = shaped(c_array, accumulator)

    def turned(name: str, letter: str, tile: Sequence[int], type: str) -> str:
        source = shaped(tile, element)
        return (
            f"%{name} = permute %{name}0 [1, 0] : {source} -> {type}"
            if letter == "t"
            else f"%{name} = reshape %{name}0 : {source} -> {type}"
        )

    mma = "mmai %a, %b, %acc signed signed" if element == "i8" else "mmaf %a, %b, %acc"
    zero = "0" if accumulator.startswith("i") else "0.0"
    body = f"""
    {view("va", "p0", element, a_array, a_tile)}
    {view("vb", "p1", element, b_array, b_tile)}
    %count = constant <i32: {steps}> : tile<i32>
    %start = constant <{accumulator}: {zero}> : {acc}
    %sum = for %i in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %start) -> ({acc}) {{
      {loaded("a0", "va", element, a_array, a_tile, a_at)}
      {loaded("b0", "vb", element, b_array, b_tile, b_at)}
      {turned("a", order[0], a_tile, a_type)}
      {turned("b", order[1], b_tile, b_type)}
      %next = {mma} : {a_type}, {b_type}, {acc}
      continue %next : {acc}
    }}
    """
    inputs: list[Array] = [a, b]
    left = a.astype(np.float64) if order[0] == "n" else a.astype(np.float64).T
    right = b.astype(np.float64) if order[1] == "n" else b.astype(np.float64).T
    expected = left @ right
    result = "sum"
    if alpha_beta:
        c = values(c_array, accumulator, 3)
        inputs.append(c)
        expected = 2 * expected + 3 * c.astype(np.float64)
        body += f"""
        {view("vc", "p2", accumulator, c_array, c_array)}
        {loaded("c", "vc", accumulator, c_array, c_array, "%zero, %zero")}
        %alpha = constant <{accumulator}: 2.0> : {acc}
        %beta = constant <{accumulator}: 3.0> : {acc}
        %scaled = mulf %sum, %alpha : {acc}
        %scaled_c = mulf %c, %beta : {acc}
        %added = addf %scaled, %scaled_c : {acc}
        """
        result = "added"
    number = len(inputs)
    body += view("vd", f"p{number}", accumulator, c_array, c_array)
    body += stored(result, "vd", accumulator, c_array, c_array, "%zero, %zero")
    pointers = [element, element, *([accumulator] if alpha_beta else ()), accumulator]
    return LadderKernel(entry(pointers, body), inputs, [expected.astype(DTYPES[accumulator])])


def attention(
    rows: int, keys: int, depth: int, element: str = "f16", steps: int = 2
) -> LadderKernel:
    """Attention of `rows` queries with an online softmax."""
    length = keys * steps
    random = np.random.default_rng(0)
    q, k, v = (
        random.standard_normal(shape).astype(DTYPES[element])
        for shape in ((rows, depth), (length, depth), (length, depth))
    )
    scores, out, column = (shaped(s, "f32") for s in ((rows, keys), (rows, depth), (rows, 1)))
    line = shaped((rows,), "f32")

    def reduction(name: str, source: str, op: str, identity: str) -> str:
        return f"""
        %{name}0 = reduce %{source} dim=1 identities=[{identity} : f32] : {scores} -> {line}
        (%l_{name}: tile<f32>, %r_{name}: tile<f32>) {{
          %x_{name} = {op} %l_{name}, %r_{name} : tile<f32>
          yield %x_{name} : tile<f32>
        }}
        %{name} = reshape %{name}0 : {line} -> {column}
        """

    cast = "reshape" if element == "f32" else "ftof"
    narrowed = f"%w = {cast} %p : {scores} -> {shaped((rows, keys), element)}"
    body = f"""
    {view("vq", "p0", element, (rows, depth), (rows, depth))}
    {view("vk", "p1", element, (length, depth), (keys, depth))}
    {view("vv", "p2", element, (length, depth), (keys, depth))}
    {view("vo", "p3", "f32", (rows, depth), (rows, depth))}
    {loaded("q", "vq", element, (rows, depth), (rows, depth), "%zero, %zero")}
    %count = constant <i32: {steps}> : tile<i32>
    %acc0 = constant <f32: 0.0> : {out}
    %none = constant <f32: 0.0> : {scores}
    %m0 = constant <f32: -1.0e30> : {column}
    %l0 = constant <f32: 0.0> : {column}
    %r:3 = for %i in (%zero to %count, step %one) : tile<i32>
      iter_values(%acc = %acc0, %m = %m0, %l = %l0) -> ({out}, {column}, {column}) {{
      {loaded("k0", "vk", element, (length, depth), (keys, depth), "%i, %zero")}
      %k = permute %k0 [1, 0] : {shaped((keys, depth), element)} -> {shaped((depth, keys), element)}
      %s = mmaf %q, %k, %none : {shaped((rows, depth), element)}, {shaped((depth, keys), element)}, {scores}
      {reduction("top", "s", "maxf", "0xFF800000")}
      %m1 = maxf %m, %top : {column}
      %mb = broadcast %m1 : {column} -> {scores}
      %d = subf %s, %mb : {scores}
      %p = exp %d : {scores}
      %e = subf %m, %m1 : {column}
      %f = exp %e : {column}
      {reduction("total", "p", "addf", "0.0")}
      %l1 = mulf %l, %f : {column}
      %l2 = addf %l1, %total : {column}
      %fb = broadcast %f : {column} -> {out}
      %acc1 = mulf %acc, %fb : {out}
      {narrowed}
      {loaded("v", "vv", element, (length, depth), (keys, depth), "%i, %zero")}
      %acc2 = mmaf %w, %v, %acc1 : {shaped((rows, keys), element)}, {shaped((keys, depth), element)}, {out}
      continue %acc2, %m1, %l2 : {out}, {column}, {column}
    }}
    %lb = broadcast %r#2 : {column} -> {out}
    %o = divf %r#0, %lb : {out}
    {stored("o", "vo", "f32", (rows, depth), (rows, depth), "%zero, %zero")}
    """
    score = q.astype(np.float64) @ k.astype(np.float64).T
    weights = np.exp(score - score.max(axis=1, keepdims=True))
    wanted = weights / weights.sum(axis=1, keepdims=True) @ v.astype(np.float64)
    text = entry([element, element, element, "f32"], body)
    return LadderKernel(text, [q, k, v], [wanted.astype(np.float32)], 0.01)


def softmax(rows: int, columns: int, element: str = "f32") -> LadderKernel:
    """The softmax of each row."""
    shape, full, line = (rows, columns), shaped((rows, columns), "f32"), shaped((rows,), "f32")
    column = shaped((rows, 1), "f32")
    x = np.random.default_rng(0).standard_normal(shape).astype(DTYPES[element])
    same = element == "f32"
    widen = f"%x = {'reshape' if same else 'ftof'} %x0 : {shaped(shape, element)} -> {full}"
    narrow = f"%y = {'reshape' if same else 'ftof'} %y0 : {full} -> {shaped(shape, element)}"

    def reduction(name: str, source: str, op: str, identity: str) -> str:
        return f"""
        %{name}0 = reduce %{source} dim=1 identities=[{identity} : f32] : {full} -> {line}
        (%l_{name}: tile<f32>, %r_{name}: tile<f32>) {{
          %x_{name} = {op} %l_{name}, %r_{name} : tile<f32>
          yield %x_{name} : tile<f32>
        }}
        %{name}1 = reshape %{name}0 : {line} -> {column}
        %{name} = broadcast %{name}1 : {column} -> {full}
        """

    body = f"""
    {view("vx", "p0", element, shape, shape)}
    {view("vy", "p1", element, shape, shape)}
    {loaded("x0", "vx", element, shape, shape, "%zero, %zero")}
    {widen}
    {reduction("top", "x", "maxf", "0xFF800000")}
    %d = subf %x, %top : {full}
    %e = exp %d : {full}
    {reduction("total", "e", "addf", "0.0")}
    %y0 = divf %e, %total : {full}
    {narrow}
    {stored("y", "vy", element, shape, shape, "%zero, %zero")}
    """
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    wanted = (powers / powers.sum(axis=1, keepdims=True)).astype(DTYPES[element])
    return LadderKernel(entry([element, element], body), [x], [wanted], 0.01)


def layer_norm(rows: int, columns: int) -> LadderKernel:
    """Rows less their means, over their deviations, times a weight."""
    shape, full, line = (rows, columns), shaped((rows, columns), "f32"), shaped((rows,), "f32")
    column = shaped((rows, 1), "f32")
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s).astype(np.float32) for s in (shape, (columns,)))

    def mean(name: str, source: str) -> str:
        return f"""
        %{name}0 = reduce %{source} dim=1 identities=[0.0 : f32] : {full} -> {line}
        (%l_{name}: tile<f32>, %r_{name}: tile<f32>) {{
          %x_{name} = addf %l_{name}, %r_{name} : tile<f32>
          yield %x_{name} : tile<f32>
        }}
        %{name}1 = reshape %{name}0 : {line} -> {column}
        %{name}2 = mulf %{name}1, %inverse : {column}
        """

    row = shaped((columns,), "f32")
    body = f"""
    {view("vx", "p0", "f32", shape, shape)}
    {view("vw", "p1", "f32", (columns,), (columns,))}
    {view("vy", "p2", "f32", shape, shape)}
    %inverse = constant <f32: {1 / columns}> : {column}
    %small = constant <f32: 0.00001> : {column}
    {loaded("x", "vx", "f32", shape, shape, "%zero, %zero")}
    {loaded("w", "vw", "f32", (columns,), (columns,), "%zero")}
    {mean("m", "x")}
    %mb = broadcast %m2 : {column} -> {full}
    %d = subf %x, %mb : {full}
    %q = mulf %d, %d : {full}
    {mean("v", "q")}
    %ve = addf %v2, %small : {column}
    %s = rsqrt %ve : {column}
    %sb = broadcast %s : {column} -> {full}
    %n = mulf %d, %sb : {full}
    %w1 = reshape %w : {row} -> {shaped((1, columns), "f32")}
    %wb = broadcast %w1 : {shaped((1, columns), "f32")} -> {full}
    %y = mulf %n, %wb : {full}
    {stored("y", "vy", "f32", shape, shape, "%zero, %zero")}
    """
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    wanted = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * w
    return LadderKernel(entry(["f32"] * 3, body), [x, w], [wanted.astype(np.float32)], 0.001)


def elementwise(shape: Sequence[int], element: str = "f32") -> LadderKernel:
    """x * x + y, with views."""
    type = shaped(shape, element)
    x, y = values(shape, element, 1), values(shape, element, 2)
    suffix = "i" if element.startswith("i") else "f"
    at = ", ".join(["%zero"] * len(shape))
    body = f"""
    {view("vx", "p0", element, shape, shape)}
    {view("vy", "p1", element, shape, shape)}
    {view("vz", "p2", element, shape, shape)}
    {loaded("x", "vx", element, shape, shape, at)}
    {loaded("y", "vy", element, shape, shape, at)}
    %s = mul{suffix} %x, %x : {type}
    %z = add{suffix} %s, %y : {type}
    {stored("z", "vz", element, shape, shape, at)}
    """
    return LadderKernel(entry([element] * 3, body), [x, y], [np.add(np.multiply(x, x), y)])


def ordered(shape: Sequence[int], element: str, count: int = 1) -> str:
    """The sum of arrays, stored after all loads: no slice of the store may come before others."""
    type, at = shaped(shape, element), ", ".join(["%zero"] * len(shape))
    names = [f"x{number}" for number in range(count)]
    body = "".join(
        f"{view(f'v{number}', f'p{number}', element, shape, shape)}"
        f"{loaded(name, f'v{number}', element, shape, shape, at)}\n"
        for number, name in enumerate(names)
    )
    total, token = names[0], f"{names[0]}_k"
    for name in names[1:]:
        body += f"%s_{name} = addf %{total}, %{name} : {type}\n"
        body += f"%t_{name} = join_tokens %{token}, %{name}_k : token\n"
        total, token = f"s_{name}", f"t_{name}"
    store = stored(total, "vz", element, shape, shape, at)
    body += view("vz", f"p{count}", element, shape, shape)
    body += store.replace(f"[{at}]", f"[{at}] token = %{token}")
    return entry([element] * (count + 1), body)


def pointwise(size: int, element: str = "f32") -> LadderKernel:
    """The same through tiles of pointers, masked at the end."""
    x, y = values((size,), element, 1), values((size,), element, 2)
    used = size - 3
    type, places = shaped((size,), element), shaped((size,), "i32")
    mask = shaped((size,), "i1")
    pointers = shaped((size,), f"ptr<{element}>")
    suffix = "i" if element.startswith("i") else "f"
    zero = "0" if suffix == "i" else "0.0"

    def at(name: str, pointer: str) -> str:
        one = f"tile<1xptr<{element}>>"
        return f"""
        %{name}1 = reshape %{pointer} : tile<ptr<{element}>> -> {one}
        %{name}2 = broadcast %{name}1 : {one} -> {pointers}
        %{name} = offset %{name}2, %i : {pointers}, {places} -> {pointers}
        """

    def load(name: str) -> str:
        return (
            f"%{name}, %t{name} = load_ptr_tko weak %a{name}, %mask, %none "
            f": {pointers}, {mask}, {type} -> {type}, token"
        )

    body = f"""
    %i = iota : {places}
    %end = constant <i32: {used}> : {places}
    %mask = cmpi less_than %i, %end, signed : {places} -> {mask}
    %none = constant <{element}: {zero}> : {type}
    {at("ax", "p0")} {at("ay", "p1")} {at("az", "p2")}
    {load("x")}
    {load("y")}
    %s = mul{suffix} %x, %x : {type}
    %z = add{suffix} %s, %y : {type}
    %t = store_ptr_tko weak %az, %z, %mask : {pointers}, {type}, {mask} -> token
    """
    wanted = np.add(np.multiply(x, x), y)
    wanted[used:] = 0
    return LadderKernel(entry([element] * 3, body), [x, y], [wanted])


def collective(kind: str, shape: Sequence[int], axis: int, element: str = "f32") -> LadderKernel:
    """Sums along an axis, of all elements or running."""
    x = values(shape, element, 1)
    result = tuple(shape) if kind == "scan" else (*shape[:axis], *shape[axis + 1 :])
    out = result or (1,)
    suffix = "i" if element.startswith("i") else "f"
    zero = "0" if suffix == "i" else "0.0"
    at = ", ".join(["%zero"] * len(shape))
    out_at = ", ".join(["%zero"] * len(out))
    body = f"""
    {view("vx", "p0", element, shape, shape)}
    {view("vy", "p1", element, out, out)}
    {loaded("x", "vx", element, shape, shape, at)}
    %y0 = {kind} %x dim={axis} {"reverse=false " if kind == "scan" else ""}identities=[{zero} : {element}]
      : {shaped(shape, element)} -> {shaped(result, element)}
    (%e: tile<{element}>, %a: tile<{element}>) {{
      %r = add{suffix} %e, %a : tile<{element}>
      yield %r : tile<{element}>
    }}
    %y = reshape %y0 : {shaped(result, element)} -> {shaped(out, element)}
    {stored("y", "vy", element, out, out, out_at)}
    """
    wide = x.astype(np.int64 if suffix == "i" else np.float64)
    wanted = np.cumsum(wide, axis) if kind == "scan" else np.sum(wide, axis).reshape(out)
    return LadderKernel(entry([element] * 2, body), [x], [wanted.astype(x.dtype)])


def _cases() -> Mapping[str, Callable[[], LadderKernel]]:
    cases: dict[str, Callable[[], LadderKernel]] = {}
    for rows, columns, depth in ((128, 256, 64), (256, 128, 64), (256, 256, 64), (256, 256, 32)):
        for element, acc in (
            ("f16", "f32"),
            ("bf16", "f32"),
            ("f16", "f16"),
            ("i8", "i32"),
            ("f32", "f32"),
        ):
            for order in ("nn", "nt"):
                name = f"matmul {rows}x{columns}x{depth} {element} {acc} {order}"
                cases[name] = lambda r=rows, c=columns, d=depth, e=element, a=acc, o=order: matmul(
                    r, c, d, e, a, o
                )
    for rows, columns, depth in ((128, 128, 64), (128, 256, 64), (256, 256, 32)):
        name = f"alpha_beta {rows}x{columns}x{depth} f16 f32"
        cases[name] = lambda r=rows, c=columns, d=depth: matmul(r, c, d, "f16", alpha_beta=True)
    for rows, keys, depth in (
        (128, 128, 128),
        (128, 64, 128),
        (64, 64, 256),
        (1, 64, 64),
        (1, 128, 128),
        (16, 128, 256),
    ):
        for element in ("f16", "f32"):
            name = f"attention {rows}x{keys}x{depth} {element}"
            cases[name] = lambda r=rows, k=keys, d=depth, e=element: attention(r, k, d, e)
    for rows, columns in ((1, 16384), (1, 32768), (1, 65536), (4, 65536), (64, 1024)):
        cases[f"softmax {rows}x{columns}"] = lambda r=rows, c=columns: softmax(r, c)
        cases[f"layer_norm {rows}x{columns}"] = lambda r=rows, c=columns: layer_norm(r, c)
    for shape in ((65536,), (131072,), (262144,), (512, 512), (2048, 128), (16, 16384)):
        for element in ("f32", "i8"):
            name = f"elementwise {'x'.join(map(str, shape))} {element}"
            cases[name] = lambda s=shape, e=element: elementwise(s, e)
    for size in (65536, 262144):
        cases[f"pointwise {size}"] = lambda s=size: pointwise(s)
    for kind in ("reduce", "scan"):
        for shape, axis in (
            ((65536,), 0),
            ((1, 65536), 1),
            ((4, 65536), 1),
            ((512, 512), 0),
            ((512, 512), 1),
            ((4096, 64), 0),
        ):
            name = f"{kind} {'x'.join(map(str, shape))} axis {axis}"
            cases[name] = lambda k=kind, s=shape, a=axis: collective(k, s, a)
    return cases


CASES = _cases()


def compiled(text: str, gpu: str) -> str:
    """The PTX of a kernel."""
    module = tools.parse(text)
    tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}", verify=False)
    return emit(module, gpu)


def outcome(case: LadderKernel, gpu: str) -> str:
    """What comes of a kernel, in a line."""
    start = time.process_time()
    signal.alarm(40)
    try:
        ptx = compiled(case.text, gpu)
    except Exception as error:
        return f"refused: {type(error).__name__} {str(error).strip().splitlines()[-1][:150]}"
    middle = time.time()
    try:
        found = assemble(ptx, gpu).kernels["k"]
    except Exception as error:
        return f"not assembled: {type(error).__name__} {str(error).strip()[:150]}"
    finally:
        signal.alarm(0)
    return (
        f"{found.registers:>4} registers {found.spill_stores:>7} spilled "
        f"{len(ptx.splitlines()):>7} lines {middle and time.process_time() - start:6.1f} s "
        f"ptxas {time.time() - middle:6.1f} s"
    )


def tileiras_takes(case: LadderKernel, gpu: str) -> str:
    """Whether NVIDIA's compiler takes a kernel within 20 seconds."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.tileirbc"
        source.write_bytes(write(tools.parse(case.text), "13.3"))
        command = [tools.tileiras_path(), "--gpu-name", gpu.rstrip("a"), "-O3", str(source)]
        try:
            ran = subprocess.run(
                [*command, "-o", str(Path(folder) / "k.cubin")],
                capture_output=True,
                text=True,
                timeout=20,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "over 20 s"
        return "yes" if ran.returncode == 0 else f"no: {ran.stderr.strip()[:80]}"


def _expire(_signal: int, _frame: object) -> None:
    raise TimeoutError("over 90 s")


def main() -> None:
    """Compiles everything and prints what comes of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("gpus", nargs="*")
    parser.add_argument("-k", default="", nargs="*")
    parser.add_argument("--tileiras", action="store_true")
    args = parser.parse_args()
    signal.signal(signal.SIGALRM, _expire)
    for gpu in args.gpus or GPUS:
        for name, make in CASES.items():
            if any(k in name for k in args.k or [""]) and "f32 f32" not in name:
                theirs = f"  tileiras: {tileiras_takes(make(), gpu)}" if args.tileiras else ""
                print(f"{gpu:<9}{name:<36}{outcome(make(), gpu)}{theirs}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
