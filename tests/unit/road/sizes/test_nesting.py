"""Regions a thousand deep: read, printed, lowered and run, in as many steps for each op as others.

What xDSL asks of each op that it attaches to a block, whether it is around that block, goes through
all levels around the block; it is left out of the steps.
"""

import cProfile
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from xdsl.utils.exceptions import ParseError

import tileir_xdsl as tileir
from tileir_xdsl.bytecode import read, write
from tileir_xdsl.nesting import MAX_NESTING, TOO_DEEP, levels_in
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.testing import tools

TILE, POSITIVE = "tile<f32>", "cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>"

KINDS = {
    "if": ("if",),
    "for": ("for",),
    "loop": ("loop",),
    "mixed": ("if", "for", "loop"),
}

HEADS = {
    "if": f"%c{{n}} = {POSITIVE}\n%r{{n}} = if %c{{n}} -> ({TILE}) {{{{",
    "for": "%r{n} = for %i{n} in (%zero to %n, step %one) : tile<i32> "
    f"iter_values(%v{{n}} = {{x}}) -> ({TILE}) {{{{",
    "loop": f"%r{{n}} = loop iter_values(%v{{n}} = {{x}}) : {TILE} -> {TILE} {{{{",
}

ENDS = {
    "if": f"yield {{y}} : {TILE}\n}}}} else {{{{ yield {{x}} : {TILE} }}}}",
    "for": f"continue {{y}} : {TILE}\n}}}}",
    "loop": f"%b{{n}} = {POSITIVE}\nif %b{{n}} {{{{ break {{y}} : {TILE} }}}}\n"
    f"continue {{y}} : {TILE}\n}}}}",
}


AROUND = ("parent_node", "is_ancestor")
"""What xDSL asks of each op that it attaches."""

ALONE = tuple(pytest.param(kind, marks=pytest.mark.soak) for kind in KINDS if kind != "mixed")
"""Kinds that the mixed one holds, too."""


def nested(kinds: Sequence[str], depth: int) -> str:
    """A kernel that adds a number to itself once in each of the ops nested in one another."""
    lines = [
        "cuda_tile.module @kernels {",
        f"entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {{ %x, %t = load_ptr_tko weak %a : tile<ptr<f32>> -> {TILE}, token",
        "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>",
    ]
    value, before = "%x", list[str]()
    for n in range(depth):
        kind = kinds[n % len(kinds)]
        before.append(value)
        lines.append(HEADS[kind].format(n=n, x=value))
        inner = value if kind == "if" else f"%v{n}"
        lines.append(f"%y{n} = addf {inner}, %x : {TILE}")
        value = f"%y{n}"
    for n in reversed(range(depth)):
        lines.append(ENDS[kinds[n % len(kinds)]].format(n=n, x=before[n], y=value))
        value = f"%r{n}"
    lines.append(
        f"%s = store_ptr_tko weak %a, {value} : tile<ptr<f32>>, {TILE} -> token\nreturn }} }}"
    )
    return "\n".join(lines)


def steps(work: Callable[[], object]) -> int:
    """How many calls of Python functions some work takes."""
    profile = cProfile.Profile(builtins=False)
    profile.runcall(work)
    return sum(
        entry.callcount
        for entry in profile.getstats()
        if not isinstance(entry.code, str) and entry.code.co_name not in AROUND
    )


@pytest.mark.parametrize("kind", ("mixed", *ALONE))
def test_a_thousand_are_read_printed_and_written(kind: str) -> None:
    limit = sys.getrecursionlimit()
    program = tileir.load(nested(KINDS[kind], 1000))
    assert levels_in(program.module) >= 1000
    assert tileir.load(program.text).text == program.text
    data = write(program.module, "13.3")
    assert write(read(data), "13.3") == data
    assert sys.getrecursionlimit() == limit


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("kind", "depth"),
    [
        *((kind, 10) for kind in KINDS),
        *(
            pytest.param(kind, depth, marks=pytest.mark.soak)
            for depth in (100, 1000)
            for kind in KINDS
        ),
    ],
)
def test_results(kind: str, depth: int) -> None:
    program = tileir.load(nested(KINDS[kind], depth), "sm_90a")
    for level in ("cuda_tile", "nv_tileaa", "nv_tileas", "ptx"):
        array = np.ones(1, np.float32)
        program.run(1, array, 1, level=level)
        assert array[0] == depth + 1, level


@pytest.mark.one_in(4)
@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("kind", KINDS)
def test_steps_of_the_road_are_linear(kind: str, gpu: str) -> None:
    few, many = (tileir.load(nested(KINDS[kind], depth), gpu) for depth in (20, 40))
    # What is imported or remembered counts once.
    few.compile()
    assert steps(many.compile) < 2.1 * steps(few.compile)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
def test_steps_of_reading_are_linear(kind: str) -> None:
    few, many = (
        partial(read_text, new_context(), nested(KINDS[kind], depth), "k.mlir")
        for depth in (100, 200)
    )
    few()
    assert steps(many) < 2.1 * steps(few)


def test_too_deep_is_one_line() -> None:
    with pytest.raises(CompileError, match=TOO_DEEP) as raised:
        tileir.load(nested(KINDS["if"], MAX_NESTING + 10))
    # The first `if` is on line 6, each on three lines; the module and the kernel are levels.
    assert raised.value.line == 6 + 3 * (MAX_NESTING - 2)


def test_xdsl_alone_ends_with_its_own_error() -> None:
    with pytest.raises(ParseError, match="nested too deeply"):
        tools.parse(nested(KINDS["if"], 1000))
