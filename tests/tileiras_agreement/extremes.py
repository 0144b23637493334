"""Modules at the limits: large and deep ones, of many dimensions, with much or nothing in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.testing import tools

Modules = Iterator[tuple[str, Callable[[], ModuleOp]]]


def _parsed(
    body: str, arguments: str = "%p: tile<ptr<f32>>, %c: tile<i1>, %n: tile<i32>"
) -> ModuleOp:
    return tools.parse(
        f"cuda_tile.module @kernels {{ entry @kernel({arguments}) {{ {body} }} }}", verify=False
    )


def _nested(depth: int, opening: str) -> str:
    store = "%t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token"
    body = f"%x = constant <f32: 1.0> : tile<f32> {store}"
    for level in range(depth):
        body = f"{opening.replace('LEVEL', str(level))} {{ {body} }}"
    return f"%one = constant <i32: 1> : tile<i32> {body}"


def _chain(length: int) -> str:
    lines = ["%x0, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token"]
    lines += [f"%x{i + 1} = mulf %x{i}, %x{i} : tile<f32>" for i in range(length)]
    store = f"%u = store_ptr_tko weak %p, %x{length} token=%t : tile<ptr<f32>>, tile<f32> -> token"
    return "\n".join([*lines, store])


def _whole(shape: str, operation: str) -> str:
    """An operation between a load and a store of a tile."""
    rank = shape.count("x") + 1
    ones = "x".join("1" * rank)
    pointers, type_ = f"tile<{shape}xptr<f32>>", f"tile<{shape}xf32>"
    return f"""
    %r = reshape %p : tile<ptr<f32>> -> tile<{ones}xptr<f32>>
    %b = broadcast %r : tile<{ones}xptr<f32>> -> {pointers}
    %x, %t = load_ptr_tko weak %b : {pointers} -> {type_}, token
    %y = {operation.replace("T", type_)}
    %u = store_ptr_tko weak %b, %y token=%t : {pointers}, {type_} -> token"""


def _views(shape: str, tensor: str, strides: str, tile: str) -> str:
    view = f"tensor_view<{tensor}xf32, strides=[{strides}]>"
    indices = ", ".join(["%n"] * (tile.count("x") + 1))
    part = f"partition_view<tile=({tile}), {view}>"
    return f"""
    %v = make_tensor_view %p, shape = [{shape}], strides = [{strides}] : {view}
    %w = make_partition_view %v : {part}
    %x, %t = load_view_tko weak %w[{indices}] : {part}, tile<i32> -> tile<{tile}xf32>, token
    %u = store_view_tko weak %x, %w[{indices}] token = %t : tile<{tile}xf32>, {part}, tile<i32> -> token"""


def extremes() -> Modules:
    """Modules by what is extreme about them."""
    loop = "for %iLEVEL in (%n to %n, step %one) : tile<i32>"
    programs = {
        "32 nested ifs": _nested(32, "if %c"),
        "8 nested loops": _nested(8, loop),
        "a chain of 1000": _chain(1000),
        "rank 12": _whole("x".join(["2"] * 12), "absf %x : T"),
        "rank 20 of ones": _whole("x".join(["1"] * 20), "absf %x : T"),
        "2**16 elements": _whole("65536", "absf %x : T"),
        "2**16 elements in a row of rank 2": _whole("1x65536", "exp2 %x : T"),
        "one element of rank 1": _whole("1", "sin %x : T"),
        "strides beyond 32 bits": _views("8, 8", "8x8", "17179869184,1", "8x8"),
        "sizes beyond 32 bits": _views("17179869184", "17179869184", "1", "64"),
        "strides of one everywhere": _views("64, 64", "64x64", "1,1", "8x8"),
        "rows of 3": _views("5, 3", "5x3", "3,1", "8x4"),
        "a view of one element": _views("1", "1", "1", "1"),
        "a tile larger than its tensor": _views("2, 2", "2x2", "2,1", "64x64"),
        "a step of 0": f"""%zero = constant <i32: 0> : tile<i32>
            for %i in (%zero to %n, step %zero) : tile<i32> {{ {_STORE} }}""",
        "an endless loop": f"loop {{ {_STORE} continue }}",
        "code after an endless loop": f"loop {{ continue }} {_STORE}",
        "division by 0": """%zero = constant <i32: 0> : tile<i32>
            %d = divi %n, %zero signed : tile<i32> %f = itof %d signed : tile<i32> -> tile<f32>
            %t = store_ptr_tko weak %p, %f : tile<ptr<f32>>, tile<f32> -> token""",
        "a shift by more than the width": """%k = constant <i32: 77> : tile<i32>
            %d = shli %n, %k : tile<i32> %f = itof %d signed : tile<i32> -> tile<f32>
            %t = store_ptr_tko weak %p, %f : tile<ptr<f32>>, tile<f32> -> token""",
        "an assertion that fails": '%f = constant <i1: false> : tile<i1> assert %f, "no" : tile<i1>',
        "an assumption that is wrong": """%k = constant <i32: 3> : tile<i32>
            %a = assume div_by<4>, %k : tile<i32> %f = itof %a signed : tile<i32> -> tile<f32>
            %t = store_ptr_tko weak %p, %f : tile<ptr<f32>>, tile<f32> -> token""",
        "500 tokens": "\n".join(
            [
                *(f"%t{i} = make_token : token" for i in range(500)),
                f"%j = join_tokens {_ALL} : token",
            ]
        ),
        "nothing that is used": "%x = constant <f32: 1.0> : tile<64xf32> %y = exp %x : tile<64xf32>",
    }
    for label, body in programs.items():
        yield label, partial(_parsed, body)


_STORE = """%x = constant <f32: 1.0> : tile<f32>
    %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token"""
_ALL = ", ".join(f"%t{i}" for i in range(500))
