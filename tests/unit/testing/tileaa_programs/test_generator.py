"""Random `nv_tileaa` programs are legal and well defined, and made of what the level has."""

from __future__ import annotations

import pytest

from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.observation import find_difference
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.interpreters.memory_order import LateOrder, RandomOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import observe
from tileir_xdsl.testing.programs.targets import TARGETS
from tileir_xdsl.testing.tileaa_programs import generate

BATCHES = [range(first, first + 8) for first in range(0, 24, 8)]

FROM_ELSEWHERE = "cuda_tile programs have it, in the same form"
ASSEMBLY = "the interpreter reads no PTX"
ALONE = "nothing runs it: the interpreter or PTX says so, or it is not for a kernel"
NOT_GENERATED = {
    **dict.fromkeys(
        (
            "alloca",
            "assert",
            "assume",
            "cos",
            "exp",
            "exp2",
            "fpowi",
            "gdc_launch_dependents",
            "gdc_wait",
            "get_global",
            "get_num_programs",
            "global",
            "int_to_ptr",
            "log2",
            "memory_fence_alias",
            "pack",
            "print",
            "ptr_to_int",
            "remf",
            "rsqrt",
            "sin",
            "tanh",
            "unpack",
        ),
        FROM_ELSEWHERE,
    ),
    "elementwise_inline_asm": ASSEMBLY,
    **dict.fromkeys(
        (
            "call",
            "cancel_next_program_id",
            "conv_dot",
            "conv_tile",
            "current_program_id",
            "get_cta_id",
            "inject_ir",
            "is_valid_program_id",
            "launch_func",
            "message",
            "multimem_load_reduce",
            "multimem_reduce",
            "multimem_store",
            "plugin",
        ),
        ALONE,
    ),
}
"""Ops that do not occur in programs, and why."""


def test_every_op_occurs_or_is_named() -> None:
    found = {op.name for seed in range(150) for op in generate(seed).module.walk()}
    names = {op.name for op in NVTileAA.operations}
    missing = {name.removeprefix("nv_tileaa.") for name in names - found}
    assert missing == set(NOT_GENERATED)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_programs_verify_run_and_read_back(seeds: range) -> None:
    for seed in seeds:
        program = generate(seed)
        program.module.verify()
        verify_dominance(program.module)
        text = tools.to_text(program.module)
        assert tools.to_text(tools.parse(text)) == text, f"seed {seed}"
        expected = observe(program, program.module, strict=True)
        assert expected.arrays, f"seed {seed} stores nothing"
        for order in (RandomOrder(seed), LateOrder()):
            actual = observe(program, program.module, order, strict=True)
            assert find_difference(expected, actual, exact=True) is None, f"seed {seed}"


def test_the_seed_decides_the_program() -> None:
    texts = [tools.to_text(generate(seed).module) for seed in (5, 5, 6)]
    assert texts[0] == texts[1] != texts[2]
    assert {generate(seed, 2).target for seed in range(40)} == set(TARGETS)
