"""Kernels on tiles that fill the registers and the shared memory of a multiprocessor, or more.

`python -m tests.unit.road.sizes.large_tiles [TARGET ..]` compiles all of them for each target, with
four and eight warps, and has the assembler take the PTX; it takes some minutes for each.
"""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.unit.road.agreement import DTYPES, Array, shaped, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.ptxas import KernelResources, assemble
from tileir_xdsl.testing import tools

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")


@dataclass(frozen=True)
class LargeTile:
    """A kernel @k, the arrays that it reads, and the types of those that it writes."""

    text: str
    inputs: Sequence[Array]
    expected: Sequence[Array] = field(default_factory=tuple)


def values(shape: Sequence[int], element: str, seed: int = 0) -> Array:
    """Small integers, exact in every type."""
    numbers = np.random.default_rng(seed).integers(0, 2 if element == "i1" else 100, shape)
    return numbers.astype(DTYPES[element])


def chain(size: int, element: str) -> LargeTile:
    """Unary, binary and ternary ops, one after the other; -x + x * x where that is exact."""
    type, is_float = shaped((size,), element), element.startswith(("f", "bf"))
    bits = f"%c = cmpi not_equal %x0, %x0, signed : {type} -> {shaped((size,), 'i1')}"
    if element == "i1":
        ops = f"%n = xori %x0, %x1 : {type} %y0 = select %x0, %n, %x1 : {type}, {type}"
    elif is_float:
        ops = f"""
        %n = negf %x0 : {type}
        %s = addf %n, %x1 : {type}
        %c = cmpf less_than ordered %s, %x0 : {type} -> {shaped((size,), "i1")}
        %y0 = select %c, %s, %x1 : {shaped((size,), "i1")}, {type}
        """
    else:
        ops = f"""{bits}
        %n = negi %x0 : {type}
        %s = addi %n, %x1 : {type}
        %y0 = select %c, %x0, %s : {shaped((size,), "i1")}, {type}
        """
    inputs = [values((size,), element, seed) for seed in range(2)]
    return LargeTile(whole_tiles(ops, inputs, [(element, (size,))]), inputs)


def collective(
    kind: str, shape: Sequence[int], elements: Sequence[str], axis: int | None
) -> LargeTile:
    """The tuple with the largest first element, the earliest of equals; None: of the whole tile."""
    source = (math.prod(shape),) if axis is None else tuple(shape)
    along = axis or 0
    result = source if kind == "scan" else (*source[:along], *source[along + 1 :])
    names = "%z" if axis is None else "%x"
    first = elements[0]
    compare = (
        f"cmpf greater_than ordered %e0, %a0 : tile<{first}>"
        if first.startswith(("f", "bf"))
        else f"cmpi greater_than %e0, %a0, signed : tile<{first}>"
    )
    numbers = range(len(elements))
    selects = " ".join(
        f"%r{n} = select %m, %e{n}, %a{n} : tile<i1>, tile<{elements[n]}>" for n in numbers
    )
    reshapes = [
        f"%z{n} = reshape %x{n} : {shaped(shape, elements[n])} -> {shaped(source, elements[n])}"
        for n in numbers
    ]
    identities = ", ".join(f"{'0' if e.startswith('i') else '0.0'} : {e}" for e in elements)
    text = f"""
    {" ".join(reshapes) if axis is None else ""}
    {", ".join(f"%y{n}" for n in numbers)} = {kind} {", ".join(f"{names}{n}" for n in numbers)}
      dim={along} {"reverse=false " if kind == "scan" else ""}identities=[{identities}]
      : {", ".join(shaped(source, e) for e in elements)}
      -> {", ".join(shaped(result, e) for e in elements)}
    ({", ".join(f"%e{n}: tile<{e}>, %a{n}: tile<{e}>" for n, e in enumerate(elements))}) {{
      %m = {compare} -> tile<i1> {selects}
      yield {", ".join(f"%r{n}" for n in numbers)} : {", ".join(f"tile<{e}>" for e in elements)}
    }}
    """
    inputs = [values(shape, e, seed) for seed, e in enumerate(elements)]
    return LargeTile(whole_tiles(text, inputs, [(e, result) for e in elements]), inputs)


def gather(size: int, element: str) -> LargeTile:
    """Elements at loaded places, scattered to others."""

    def pointers(name: str, base: str, type: str, index: str) -> str:
        one, all = f"tile<1xptr<{type}>>", f"tile<{size}xptr<{type}>>"
        return f"""
        %{name}1 = reshape {base} : tile<ptr<{type}>> -> {one}
        %{name}2 = broadcast %{name}1 : {one} -> {all}
        %{name} = offset %{name}2, {index} : {all}, tile<{size}xi32> -> {all}
        """

    tiles = {e: f"tile<{size}xptr<{e}>>" for e in (element, "i32")}
    text = f"""cuda_tile.module @m {{
    entry @k(%p0: tile<ptr<{element}>>, %p1: tile<ptr<i32>>, %p2: tile<ptr<{element}>>) {{
    %i = iota : tile<{size}xi32>
    {pointers("a", "%p1", "i32", "%i")}
    %at, %t1 = load_ptr_tko weak %a : {tiles["i32"]} -> tile<{size}xi32>, token
    {pointers("b", "%p0", element, "%at")}
    %v, %t2 = load_ptr_tko weak %b : {tiles[element]} -> tile<{size}x{element}>, token
    {pointers("c", "%p2", element, "%at")}
    %t3 = store_ptr_tko weak %c, %v : {tiles[element]}, tile<{size}x{element}> -> token
    return }} }}"""
    at = np.random.default_rng(1).permutation(size).astype(np.int32)
    data = values((size,), element)
    return LargeTile(text, [data, at], [data])


TUPLES = (("f32",), ("f32", "i32"), ("i16", "f64", "i8"), ("f32", "i32", "bf16", "f32"))
"""Elements of one to four operands, of mixed widths."""

SQUARES = ((32, 32), (128, 128), (256, 256))


def _cases() -> Mapping[str, Callable[[], LargeTile]]:
    cases: dict[str, Callable[[], LargeTile]] = {}
    for size in (1024, 16384, 65536):
        for element in ("i1", "i8", "i32", "bf16", "f32", "f64"):
            cases[f"chain {size} {element}"] = lambda s=size, e=element: chain(s, e)
    for size in (16384, 131072):
        for element in ("i8", "f32", "f64"):
            cases[f"gather {size} {element}"] = lambda s=size, e=element: gather(s, e)
    for kind in ("reduce", "scan"):
        for shape in SQUARES:
            for tuple in TUPLES:
                # NVIDIA's compiler takes no scan of a reshaped tile either.
                for axis in (0, 1, None) if kind == "reduce" else (0, 1):
                    name = f"{kind} {shape[0]} {' '.join(tuple)} axis {axis}"
                    cases[name] = lambda k=kind, s=shape, t=tuple, a=axis: collective(k, s, t, a)
    return cases


CASES = _cases()


def with_warps(text: str, warps: int) -> str:
    """The kernel with a hint of its warps."""
    hints = f"optimization_hints=<default = {{num_worker_warps_per_cta = {warps}}}>"
    return text.replace(") {", f") {hints} {{", 1)


def resources(case: LargeTile, gpu: str, warps: int) -> KernelResources:
    """What the assembler says of our code."""
    return assemble(compiled(case, gpu, warps), gpu).kernels["k"]


def compiled(case: LargeTile, gpu: str, warps: int) -> str:
    """The PTX of a kernel."""
    module = tools.parse(with_warps(case.text, warps))
    tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}", verify=False)
    return emit(module, gpu)


def main() -> None:
    """Compiles everything; an error of the compiler or the assembler ends it."""
    for gpu in sys.argv[1:] or GPUS:
        for name, make in CASES.items():
            for warps in (4, 8):
                found = resources(make(), gpu, warps)
                print(f"{gpu:<9}{name:<40}{warps:>2}{found.registers:>5}{found.spill_stores:>8}")


if __name__ == "__main__":
    main()
