"""Nests of loops, each alone in the one before it: one loop runs the same iterations, in order."""

import operator
from collections.abc import Callable, Iterable, Sequence

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.test import TestOp as UsingOp
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.testing.tools import parse, run_passes, to_text


def nest(loops: Sequence[tuple[int, int, int]]) -> str:
    """Loops from, to and by constants, each alone in the one before it; their indices are used."""
    constants = sorted({number for loop in loops for number in loop})
    lines = [f"%c{number} = arith.constant {number} : index" for number in constants]
    lines += [
        f"scf.for %i{n} = %c{start} to %c{end} step %c{step} {{"
        for n, (start, end, step) in enumerate(loops)
    ]
    indices = ", ".join(f"%i{n}" for n in range(len(loops)))
    lines.append("nv_tileas.alloc_tensor : tensor<1xf32>")
    lines.append(f'"test.op"({indices}) : ({", ".join(["index"] * len(loops))}) -> ()')
    return "\n".join([*lines, "}" * len(loops)])


ARITHMETIC: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: operator.add,
    arith.MuliOp: operator.mul,
    arith.DivSIOp: operator.floordiv,
    arith.RemSIOp: operator.mod,
}


def iterations(module: ModuleOp) -> list[tuple[int, ...]]:
    """The indices that the innermost body of a module's loops uses, in order."""
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
                case UsingOp():
                    found.append(tuple(values[operand] for operand in op.operands))
                case _ if type(op) in ARITHMETIC:
                    function = ARITHMETIC[type(op)]
                    values[op.results[0]] = function(*(values[v] for v in op.operands))
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
