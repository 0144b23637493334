"""Which parameters of a kernel may be written, and what they are multiples of."""

import pytest

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.runtime.argument_facts import divisors, written_parameters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase

POINTERS = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%at = %p) -> (tile<ptr<i32>>) {
      %next = offset %at, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      continue %next : tile<ptr<i32>>
    }
    %v, %t = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
    %u = store_ptr_tko weak %r, %v : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


def entry(text: str) -> cuda_tile.EntryOp:
    (found,) = (op for op in tools.parse(text).walk() if isinstance(op, cuda_tile.EntryOp))
    return found


def positions(case: KernelCase) -> dict[int, int]:
    """Where in the parameters of the compiled kernel the arguments of a launch are."""
    at, found = 0, dict[int, int]()
    for number, argument in enumerate(case.make_arguments(case.problems[0])):
        found[number] = at
        at += 1 + 2 * getattr(argument, "ndim", 0)
    return found


def test_pointers_are_followed_through_loops():
    assert written_parameters(entry(POINTERS).body.block) == {0}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", sorted(KERNELS))
def test_outputs_are_written(name: str):
    case = KERNELS[name]
    written = written_parameters(entry(case.text_path.read_text()).body.block)
    at = positions(case)
    assert {at[output] for output in case.outputs} <= written


@pytest.mark.parametrize("name", ["vector_add", "matmul_f16", "softmax_f32", "embedding"])
def test_inputs_are_not(name: str):
    case = KERNELS[name]
    written = written_parameters(entry(case.text_path.read_text()).body.block)
    at = positions(case)
    assert written == {at[output] for output in case.outputs}


def test_divisors():
    found = divisors(entry(DIVISIBLE["matmul_f16"].text_path.read_text()).body.block)
    assert found[0] == 16 and found[3] == 16 and 4 not in found
