"""Nests of loops, each alone in the one before it: one loop runs the same iterations, in order."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.dialects.test import TestOp as UsingOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.testing.tools import parse, run_passes, to_text


def nest(loops: Sequence[tuple[int, int, int]], type: str = "index", given: str = "") -> str:
    """Loops from, to and by constants, each alone in the one before it; their indices are used.

    Of the outermost loop's bounds, the `given` ones (`start`, `end`, `step`) are not constants.
    """
    constants = sorted({number for loop in loops for number in loop})
    lines = [f"{name_of(number)} = arith.constant {number} : {type}" for number in constants]
    lines += [f'%{name} = "test.op"() : () -> {type}' for name in given.split()]
    counted = "" if type == "index" else f" : {type}"
    for n, loop in enumerate(loops):
        bounds = [name_of(number) for number in loop]
        for name in given.split() if n == 0 else ():
            bounds[BOUNDS.index(name)] = f"%{name}"
        lines.append("scf.for %i{3} = {0} to {1} step {2}{4} {{".format(*bounds, n, counted))
    indices = ", ".join(f"%i{n}" for n in range(len(loops)))
    lines.append("nv_tileas.alloc_tensor : tensor<1xf32>")
    lines.append(f'"test.op"({indices}) : ({", ".join([type] * len(loops))}) -> ()')
    return "\n".join([*lines, "}" * len(loops)])


def name_of(number: int) -> str:
    return f"%c{number}".replace("-", "_")


BOUNDS: tuple[str, ...] = ("start", "end", "step")


ARITHMETIC: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.DivSIOp: lambda a, b: int(a / b),
    arith.RemSIOp: lambda a, b: a - b * int(a / b),
}


def wrapped(number: int, type: Attribute) -> int:
    """A number as it is left in an integer of a type, or in an index of 64 bits."""
    half = 1 << (type.width.data if isinstance(type, IntegerType) else 64) - 1
    return (number + half) % (2 * half) - half


def iterations(module: ModuleOp, given: Mapping[str, int] | None = None) -> list[tuple[int, ...]]:
    """The indices that the innermost body of a module's loops uses, in order.

    `given` are the values that the module does not know, by name.
    """
    values: dict[SSAValue, int] = {}
    found: list[tuple[int, ...]] = []

    def run(ops: Iterable[Operation]) -> None:
        for op in ops:
            match op:
                case arith.ConstantOp():
                    assert isinstance(op.value, IntegerAttr)
                    values[op.result] = op.value.value.data
                case scf.ForOp():
                    for index in range(*(values[v] for v in (op.lb, op.ub, op.step))):
                        values[op.body.block.args[0]] = index
                        run(op.body.block.ops)
                case UsingOp() if op.results:
                    (value,) = op.results
                    values[value] = (given or {})[value.name_hint or ""]
                case UsingOp():
                    found.append(tuple(values[operand] for operand in op.operands))
                case _ if type(op) in ARITHMETIC:
                    function = ARITHMETIC[type(op)]
                    number = function(*(values[v] for v in op.operands))
                    values[op.results[0]] = wrapped(number, op.results[0].type)
                case _:
                    pass

    run(module.body.block.ops)
    return found


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
@pytest.mark.parametrize("rotation", range(5))
def test_nests_of_every_depth_become_one_loop(depth: int, rotation: int):
    loops = [(0, 2, 1), (1, 8, 3), (4, 5, 1), (0, 5, 2), (2, 4, 1)]
    text = nest([*loops[rotation:], *loops[:rotation]][:depth])
    module = run_passes(parse(text), "canonicalize")
    assert to_text(module).count("scf.for") == 1
    expected = iterations(parse(text))
    assert len(expected) > 1
    assert iterations(module) == expected


def test_a_middle_loop_of_unknown_length_ends_the_nest():
    """Its own inner loop still becomes one with it."""
    text = nest([(0, 2, 1), (1, 8, 3), (4, 6, 1)]).replace("to %c8", "to %n")
    module = run_passes(parse('%n = "test.op"() : () -> index\n' + text), "canonicalize")
    assert to_text(module).count("scf.for") == 2


@pytest.mark.parametrize("type", ["index", "i8", "i32"])
def test_nests_of_all_bounds_run_the_same_iterations(type: str):
    """Empty ones, bounds that are not known, starts below zero, trips that just fit the type."""
    rng = Random(type)
    for _ in range(30):
        loops = list[tuple[int, int, int]]()
        depth = rng.choice([2, 2, 2, 3])
        for _ in range(depth):
            start, trips = (
                rng.choice([0, 0, -5, 3]),
                rng.choice([[0, 1, 3, 8, 8, 16, 16], [0, 2, 4]][depth - 2]),
            )
            step = rng.choice([1, 1, 2, 5])
            loops.append((start, start + trips * step - rng.randrange(step), step))
        given = " ".join(name for name in BOUNDS if rng.random() < 0.3)
        text = nest(loops, type, given)
        known = dict(zip(BOUNDS, loops[0], strict=True))
        module = run_passes(parse(text), "canonicalize")
        assert iterations(module, known) == iterations(parse(text), known), text


def test_loops_that_say_something_of_their_iterations_stay():
    loops = [(0, 4, 1), (0, 8, 1)]
    for place in range(2):
        lines = nest(loops).splitlines()
        # The loops end together, the inner one first.
        ends = ["} {sliceCount = 2 : i32}" if n == place else "}" for n in (1, 0)]
        text = "\n".join([*lines[:-1], *ends])
        assert to_text(run_passes(parse(text), "canonicalize")).count("scf.for") == 2
