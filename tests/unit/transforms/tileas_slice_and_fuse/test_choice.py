"""Which of several ways to slice a kernel is the best."""

from collections.abc import Sequence

import pytest
from xdsl.ir import Block, SSAValue

from tileir_xdsl.analysis.values.tile_division import Site
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slice_and_fuse.budget import Budget
from tileir_xdsl.transforms.tileas_slice_and_fuse.choice import Rejected, Slicing, best
from tileir_xdsl.transforms.tileas_slice_and_fuse.phases import Phases

LIMITS = Budget(held=100, goal=64, threads=128)
DOT = """
%a, %b, %c = "test.op"() : () -> (tensor<128x16xf16>, tensor<16x64xf16>, tensor<128x64xf32>)
%d = nv_tileaa.dot %a, %b, %c : tensor<128x16xf16>, tensor<16x64xf16>, tensor<128x64xf32>
"""


def dot() -> SSAValue:
    last = tools.parse(DOT).body.block.last_op
    assert last is not None
    return last.results[0]


def way(loops: int, registers: int, count: int = 2, dim: int | None = None) -> Slicing:
    """A way of so many loops; with `dim` of a dot of 128 x 64."""
    tile = dot()
    divided: dict[Site, int] = {} if dim is None else {tile: dim}
    phases = Phases(Block(), divided, (), ((),) * loops, {})
    return Slicing(tile, 0, count, phases, registers)


WAYS: dict[str, tuple[Sequence[Slicing | Rejected], int | None]] = {
    "none": ((), None),
    "rejected, or in one slice": ((Rejected(dot(), 0, "no"), way(1, 10, count=1)), None),
    "the fewest loops": ((way(2, 10), way(1, 90), way(3, 5)), 1),
    "the first of equal ones": ((way(1, 20), way(1, 10)), 0),
    "what fits, in more loops": ((way(1, 101), way(2, 100)), 1),
    "what fits, if dots are cut short": ((way(1, 101), way(2, 90, 4, 0)), 1),
    "the fewest loops of what does not fit": ((way(2, 101), way(1, 200)), 1),
    "the fewest registers of what does not fit": ((way(1, 300), way(1, 200)), 1),
    "dots that are not cut short": ((way(1, 90, 4, 0), way(2, 90, 2, 0)), 1),
    "columns that are not cut short": ((way(1, 90, 4, 1), way(2, 90, 2, 1)), 1),
    "rows that are cut short no more than columns": ((way(1, 90, 4, 0), way(1, 90, 4, 1)), 0),
}


@pytest.mark.parametrize("name", WAYS)
def test_the_best_is(name: str):
    ways, index = WAYS[name]
    assert best(ways, LIMITS) is (None if index is None else ways[index])
