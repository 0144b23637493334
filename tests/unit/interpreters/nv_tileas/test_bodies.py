"""Bodies of reductions at level `nv_tileas`: elementwise ones run on whole tiles."""

from __future__ import annotations

from collections import Counter

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tests.unit.interpreters.test_kernels import module_of
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments


class CountRuns(LaunchListener):
    """How often the ops of each name ran."""

    def __init__(self) -> None:
        self.runs = Counter[str]()

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        self.runs[op.name] += 1


def test_a_reduction_combines_whole_tiles() -> None:
    case = KERNELS["softmax_f32"]
    module = module_of("softmax_f32").clone()
    lowered = lower(tools.context(), module, "nv_tileas", gpu="sm_90a", file="k.mlir")
    arguments = case.make_arguments(case.typical)
    expected, count = case.expected(arguments), CountRuns()
    launch(
        lowered.module,
        None,
        case.grid(case.typical),
        launch_arguments(arguments),
        listeners=[count],
    )
    case.check(arguments, expected)
    reductions, blocks = count.runs["nv_tileas.reduce"], int(np.prod(case.grid(case.typical)))
    assert reductions >= blocks
    assert count.runs["nv_tileas.yield"] <= 12 * reductions
