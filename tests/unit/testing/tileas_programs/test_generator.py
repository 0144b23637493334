"""Random `nv_tileas` programs are legal, well defined, and made of what passes have to get right."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from tests.unit.tools import REPOSITORY
from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.observation import find_difference
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.interpreters.memory_order import LateOrder, RandomOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import observe
from tileir_xdsl.testing.tileas_programs import generate

BATCHES = [range(first, first + 10) for first in range(0, 40, 10)]


def _is_buffer(op: Operation) -> bool:
    return any(
        isinstance(value.type, TensorType) and isinstance(value.type.encoding, nv_tileas.MemoryAttr)
        for value in op.results
    )


def _is_in_agent(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, nv_tileas.AgentSwitchOp):
        parent = parent.parent_op()
    return parent is not None


FEATURES: dict[str, Callable[[Operation], bool]] = {
    "a conversion of tiles": lambda op: (
        isinstance(op, nv_tileas.ConvertLayoutOp) and not _is_buffer(op)
    ),
    "a conversion of buffers": lambda op: (
        isinstance(op, nv_tileas.ConvertLayoutOp) and _is_buffer(op)
    ),
    "a product": lambda op: isinstance(op, nv_tileas.DotOp),
    "a scan": lambda op: isinstance(op, nv_tileas.ScanOp),
    "a choice between buffers": lambda op: isinstance(op, SelectOp) and _is_buffer(op),
    "a view of a view": lambda op: (
        isinstance(op, nv_tileas.ViewOp)
        and _is_buffer(op)
        and isinstance(op.source.owner, nv_tileas.ViewOp)
    ),
    "a view at a dynamic offset": lambda op: (
        isinstance(op, nv_tileas.ViewOp) and op.dynamic_offset is not None
    ),
    "a loop that carries buffers": lambda op: isinstance(op, scf.ForOp) and _is_buffer(op),
    "a loop with a test before it": lambda op: isinstance(op, scf.WhileOp) and _is_buffer(op),
    "a branch that gives buffers": lambda op: isinstance(op, scf.IfOp) and _is_buffer(op),
    "a loop in a loop": lambda op: (
        isinstance(op, scf.ForOp) and isinstance(op.parent_op(), scf.ForOp)
    ),
    "a loop to be sliced": lambda op: "sliceCount" in op.attributes,
    "a stage that is filled": lambda op: isinstance(op, nv_tileas.ProduceOneOp),
    "a stage that another agent empties": lambda op: (
        isinstance(op, nv_tileas.ConsumeOneOp) and _is_in_agent(op)
    ),
    "agents": lambda op: isinstance(op, nv_tileas.AgentSwitchOp),
    "agents that share nothing": lambda op: (
        isinstance(op, nv_tileas.AgentSwitchOp)
        and op.isolated is not None
        and bool(op.isolated.value.data)
    ),
    "a slice at a dynamic place": lambda op: (
        isinstance(op, nv_tileas.InsertSliceOp) and bool(op.offsets)
    ),
}


def test_what_passes_have_to_get_right_occurs() -> None:
    ops = [op for seed in range(150) for op in generate(seed).module.walk()]
    missing = [name for name, is_feature in FEATURES.items() if not any(map(is_feature, ops))]
    assert missing == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_programs_verify_run_and_read_back(seeds: range) -> None:
    for seed in seeds:
        program = generate(seed)
        program.module.verify()
        verify_dominance(program.module)
        text = tools.to_text(program.module)
        assert tools.to_text(tools.parse(text)) == text, f"seed {seed}"
        result = observe(program, program.module)
        assert result.arrays, f"seed {seed} stores nothing"


@pytest.mark.parametrize("seeds", BATCHES[:2], ids=str)
def test_the_order_that_tokens_leave_open_does_not_matter(seeds: range) -> None:
    for seed in seeds:
        program = generate(seed)
        expected = observe(program, program.module)
        for order in (RandomOrder(seed), LateOrder()):
            actual = observe(program, program.module, order)
            assert find_difference(expected, actual, exact=True) is None, f"seed {seed}"


def test_the_seed_decides_the_program() -> None:
    script = (
        "from tileir_xdsl.testing.tileas_programs import generate\n"
        "from tileir_xdsl.testing import tools\n"
        "print(tools.to_text(generate(7).module))"
    )
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPOSITORY)
    text = tools.to_text(generate(7).module)
    assert printed.stdout == text + "\n"
    assert text != tools.to_text(generate(8).module)


def test_arguments_are_read_and_results_written() -> None:
    """Other inputs give other results, for almost every program."""
    changed = 0
    for seed in range(20):
        program = generate(seed)
        first = observe(program, program.module)
        arguments = program.arguments(np.random.default_rng(seed))
        changed += any(
            not np.array_equal(first.arrays[i], np.asarray(arguments[i]), equal_nan=True)
            for i in program.outputs
        )
    assert changed >= 18
