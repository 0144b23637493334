"""Points of the sweep that were refused or slow once, run in the emulator next to numpy."""

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from bench.sweep.measuring import our_row
from bench.sweep.plan import point_of
from tests.unit.road import zoo
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.testing import tools

PAGED = "attention queries=16 keys=64 head=32 type={} causal=0 group=4 capped=0 paged=1 " + (
    "log_sum_exp=1 sinks=0"
)

POINTS = [
    # The layout of a page in memory, which has four dimensions, is none of registers.
    ("sm_80", PAGED.format("bf16")),
    ("sm_89", PAGED.format("f16")),
]


NARROW = (
    "attention queries=64 keys=32 head=128 type=f16 causal=0 group=1 capped=0 paged=1 "
    "log_sum_exp=0 sinks=0"
)
GROUPED = (
    "matmul m=64 n=32 k=128 type={} a_transposed=0 b_transposed={} form=grouped epilogue=plain "
    "ctas=1"
)
IN_MEMORY = [
    ("sm_90a", NARROW),
    ("sm_100a", GROUPED.format("f16", 1)),
    ("sm_90a", GROUPED.format("e4m3", 1)),
    ("sm_120a", GROUPED.format("bf16", 0)),
]
"""Operands with fewer rows than a swizzle has bytes, which are read where their loads put them."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("gpu", "name"), IN_MEMORY)
def test_narrow_operands_stay_in_shared_memory(gpu: str, name: str):
    generated = point_of(name).generate()
    copied: list[Operation] = []

    def look(module_pass: ModulePass, module: ModuleOp) -> None:
        if module_pass.name == "convert-tileas-to-llvm":
            copied.extend(
                op
                for loop in module.walk()
                if isinstance(loop, scf.ForOp)
                for op in loop.body.walk()
                if isinstance(op, nv_tileas.ConvertLayoutOp)
                and memory_of(op.result.type) is Memory.SHARED
            )

    zoo.lower(tools.parse(generated.text()), gpu, look)
    assert not copied
    row = our_row(generated, generated.text(), gpu, run_it=True)
    assert row.get("values") == "right", row


MULTIPLIED = (
    "matmul m=128 n=32 k=64 type=f32 a_transposed=1 b_transposed=0 form=plain epilogue=plain ctas=1"
)


WIDE = (
    "matmul m={} n={} k={} type=f32 a_transposed=0 b_transposed={} form=grouped epilogue={} ctas=4"
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("gpu", "name"),
    [
        ("sm_80", MULTIPLIED),
        ("sm_90a", MULTIPLIED),
        # Loads of single elements would cost less, were there registers for all of them.
        ("sm_90a", WIDE.format(32, 32, 128, 1, "plain")),
        ("sm_120a", WIDE.format(64, 256, 16, 0, "alpha_beta")),
    ],
)
def test_operands_of_multiply_adds_are_read_step_by_step(gpu: str, name: str):
    """A thread multiplies rows by columns of more elements than it has registers."""
    generated = point_of(name).generate()
    row = our_row(generated, generated.text(), gpu, run_it=True)
    assert row.get("values") == "right", row
    assert row["spilled"] == 0


DOUBLES = (
    "matmul m={} n={} k={} type=f64 a_transposed={} b_transposed={} form={} epilogue={} ctas={}"
)
PADDED = [
    ("sm_120a", DOUBLES.format(16, 16, 16, 0, 0, "plain", "plain", 1)),
    ("sm_120a", DOUBLES.format(32, 32, 32, 0, 1, "persistent", "alpha_beta", 2)),
    ("sm_120a", DOUBLES.format(64, 64, 32, 1, 0, "grouped", "plain", 1)),
    ("sm_103a", DOUBLES.format(64, 32, 64, 1, 1, "plain", "alpha_beta", 1)),
]
"""Matmuls of f64 where ptxas puts empty instructions between `mma.sync`."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("gpu", "name"), PADDED)
def test_multiply_adds_in_place_of_padded_instructions(gpu: str, name: str):
    generated = point_of(name).generate()
    assert "mma.sync" not in zoo.lower(tools.parse(generated.text()), gpu).ptx
    row = our_row(generated, generated.text(), gpu, run_it=True)
    assert row.get("values") == "right", row
    assert row["spilled"] == 0


LOADING_WARPS = 4
"""A warpgroup of which one warp issues loads."""

TRANSPOSED = [
    ("sm_80", "transpose order=120 first=4 second=128 third=64 type=f16", 0),
    ("sm_90a", "transpose order=021 first=32 second=8 third=128 type=f16", 0),
    (
        "sm_100a",
        "matmul m=256 n=128 k=128 type=i8 a_transposed=1 b_transposed=0 form=grouped "
        "epilogue=plain ctas=4",
        LOADING_WARPS,
    ),
]
"""256 elements of 8 or 16 bits for each thread of four warps, loaded one by one."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("gpu", "name", "loading"), TRANSPOSED)
def test_transpositions_that_take_elements_apart(gpu: str, name: str, loading: int):
    generated = point_of(name).generate()
    row = our_row(generated, generated.text(), gpu, run_it=True)
    assert row.get("values") == "right", row
    assert row["spilled"] == 0 and row["warps"] == 8 + loading


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("gpu", "name"), POINTS)
def test_points_that_were_refused(gpu: str, name: str):
    generated = point_of(name).generate()
    row = our_row(generated, generated.text(), gpu, run_it=True)
    assert row.get("values") == "right", row
