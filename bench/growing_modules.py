"""Modules of any size, each form growing in one way.

kernels    copies of a vector addition in one module
ops        one kernel, a chain of elementwise ops
elements   the elements of a tile that is loaded, transformed and stored
depth      loops within loops
arguments  pointers that one kernel adds up
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.passes import enlarge
from tileir_xdsl.bytecode import write
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

VERSION = "13.3"
"""The version of the bytecode that modules are written in."""

SMALL_KERNEL = "vector_add"
CHAIN = ("addf", "mulf", "subf", "exp", "maxf", "negf")
"""The ops of a chain in turns, of two operands unless `UNARY`."""
UNARY = ("exp", "negf")

VIEW = "tensor_view<?xf32, strides=[1]>"
POINTER = "tile<ptr<f32>>"


def _module(arguments: Sequence[tuple[str, str]], body: Sequence[str]) -> str:
    named = ", ".join(f"{name}: {type}" for name, type in arguments)
    return "\n".join(
        [f"cuda_tile.module @m {{ entry @k({named}) {{", *body, "return } }"],
    )


def _view(name: str, argument: str, elements: int) -> list[str]:
    """A view of the array that an argument points to, in tiles."""
    partition = f"partition_view<tile=({elements}), {VIEW}>"
    return [
        f"%{name}_t = make_tensor_view {argument}, shape = [%n], strides = [1] : tile<i32> -> "
        + VIEW,
        f"%{name} = make_partition_view %{name}_t : {partition}",
    ]


def _load(view: str, tile: str, elements: int) -> str:
    partition = f"partition_view<tile=({elements}), {VIEW}>"
    return (
        f"{tile}, {tile}_l = load_view_tko weak %{view}[%bx] token = %t : {partition}, tile<i32> "
        f"-> tile<{elements}xf32>, token"
    )


def _store(view: str, tile: str, elements: int) -> str:
    partition = f"partition_view<tile=({elements}), {VIEW}>"
    return (
        f"%s = store_view_tko weak {tile}, %{view}[%bx] token = %t : tile<{elements}xf32>, "
        f"{partition}, tile<i32> -> token"
    )


_START = ["%bx, %by, %bz = get_tile_block_id : tile<i32>", "%t = make_token : token"]


def chain(ops: int, elements: int = 128) -> str:
    """A kernel that applies a chain of ops to a tile."""
    body = [*_START, *_view("v", "%x", elements), _load("v", "%a0", elements)]
    for number in range(ops):
        op = CHAIN[number % len(CHAIN)]
        operands = f"%a{number}" if op in UNARY else f"%a{number}, %a{max(0, number - 5)}"
        body.append(f"%a{number + 1} = {op} {operands} : tile<{elements}xf32>")
    body.append(_store("v", f"%a{ops}", elements))
    return _module([("%x", POINTER), ("%n", "tile<i32>")], body)


def nested(depth: int) -> str:
    """A kernel with a loop in a loop, as deep as is asked for; each of them loads and stores."""
    elements = 128
    body = [*_START, *_view("v", "%x", elements), _load("v", "%a0", elements)]
    body += ["%c0 = constant <i32: 0> : tile<i32>", "%c1 = constant <i32: 1> : tile<i32>"]
    tile, view = f"tile<{elements}xf32>", f"partition_view<tile=({elements}), {VIEW}>"
    for level in range(depth):
        tile_before, token_before = ("%a0", "%a0_l") if not level else (f"%y{level}", f"%u{level}")
        body += [
            f"%r{level + 1}, %w{level + 1} = for %i{level} in (%c0 to %n, step %c1) : tile<i32> "
            f"iter_values(%b{level} = {tile_before}, %k{level} = {token_before}) "
            f"-> ({tile}, token) {{",
            f"%x{level + 1}, %l{level + 1} = load_view_tko weak %v[%i{level}] token = %k{level} : "
            f"{view}, tile<i32> -> {tile}, token",
            f"%y{level + 1} = addf %x{level + 1}, %b{level} : {tile}",
            f"%u{level + 1} = store_view_tko weak %y{level + 1}, %v[%i{level}] "
            f"token = %l{level + 1} : {tile}, {view}, tile<i32> -> token",
        ]
    for level in reversed(range(depth)):
        value, token = ("%y", "%u") if level == depth - 1 else ("%r", "%w")
        number = level + 1 if level == depth - 1 else level + 2
        body.append(f"continue {value}{number}, {token}{number} : {tile}, token }}")
    body.append(_store("v", "%r1", elements))
    return _module([("%x", POINTER), ("%n", "tile<i32>")], body)


def many_arguments(count: int) -> str:
    """A kernel that adds up tiles of as many arrays as it has pointers."""
    elements = 128
    body = list(_START)
    for number in range(count):
        body += _view(f"v{number}", f"%x{number}", elements)
        body.append(_load(f"v{number}", f"%a{number}", elements))
    for number in range(1, count):
        before = "%a0" if number == 1 else f"%s{number - 1}"
        body.append(f"%s{number} = addf {before}, %a{number} : tile<{elements}xf32>")
    body.append(_store("v0", f"%s{count - 1}", elements))
    pointers = [(f"%x{number}", POINTER) for number in range(count)]
    return _module([*pointers, ("%n", "tile<i32>")], body)


def kernels(count: int) -> bytes:
    """Bytecode of a module with several kernels."""
    small = tools.parse(KERNELS[SMALL_KERNEL].text_path.read_text("utf-8"))
    size = sum(1 for op in small.walk() if op.name == "cuda_tile.entry" for _ in op.walk())
    return write(enlarge(small, size * (count - 1)), VERSION)


def _text(make: Callable[[int], str]) -> Callable[[int], bytes]:
    return lambda size: write(tools.parse(make(size)), VERSION)


@dataclass(frozen=True)
class Growth:
    """Modules of one form: the bytecode of a size, and the sizes that are measured."""

    bytecode: Callable[[int], bytes]
    sizes: tuple[int, ...]


GROWTHS: Mapping[str, Growth] = {
    "kernels": Growth(kernels, (1, 10, 100, 1_000)),
    "ops": Growth(_text(chain), (100, 1_000, 10_000, 100_000)),
    "elements": Growth(_text(lambda size: chain(12, size)), (1_024, 8_192, 65_536, 262_144)),
    "depth": Growth(_text(nested), (1, 5, 10, 20)),
    "arguments": Growth(_text(many_arguments), (2, 20, 100, 200)),
}
