"""Products in tensor memory that stay on their way: form, values in every mode, and seeded bugs."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cuda.tile.compilation import ArrayConstraint

from bench.matrix_kernels import CASES as MMA_OPS
from bench.variants import CASES as VARIANTS
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.matrix_units.test_wgmma import enlarged
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase, Problem
from tileir_xdsl.testing.kernels.case import Argument
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass

GPU = "sm_100a"
BF16 = ml_dtypes.bfloat16
MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
)

LOOP = re.compile(r"\n(\$L\d+):\n(?:(?!\n\$L)[\s\S])*?\n\t@%p\d+ bra \1;")
"""A loop of a single block, with its waits."""


def loops_of_mmas(ptx: str) -> list[str]:
    """The loops that issue products."""
    return [loop[0] for loop in LOOP.finditer(ptx) if "tcgen05.mma" in loop[0]]


def is_in_flight(loop: str) -> bool:
    """Whether a loop waits for stages alone, and has the hardware release them."""
    waits = len(re.findall(r"mbarrier\.try_wait\.parity", loop))
    others = re.findall(r"bar\.sync|tcgen05\.(?:ld|st|wait)|mbarrier\.arrive\.", loop)
    return waits >= 1 and len(re.findall(r"tcgen05\.commit", loop)) == waits and not others


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ("product_128x256x64", "product_128x128x64"))
def test_one_thread_issues_the_products_of_a_loop(name: str):
    """Sums stay in tensor memory, where the first product overwrites what was there."""
    case = MMA_OPS[name]
    kernel = lower(tools.parse(case.text_path.read_text()), GPU)
    (loop,) = loops_of_mmas(kernel.ptx)
    assert is_in_flight(loop)
    assert re.search(r"tcgen05\.mma[^\n]*, (%p\d+);", loop)
    report = assemble(kernel.ptx, GPU)
    assert "0 bytes spill stores" in report and not re.search(r"C75\d\d", report)
    for modes in MODES:
        run(case, kernel, case.typical, case.grid(case.typical), **modes)


def test_a_loop_without_steps_gives_zeros():
    """No product overwrites what is in the columns, so threads clear them."""

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        a, b = (rng.standard_normal(shape).astype(BF16) for shape in ((m, 64), (64, n)))
        return [a[:, :k], b[:k], np.ones((m, n), BF16)]

    case = replace(MMA_OPS["product_128x128x64"], arguments=arguments)
    kernel = lower(tools.parse(case.text_path.read_text()), GPU)
    run(case, kernel, (128, 128, 0), (1, 1, 1), **MODES[0])


@cache
def attention() -> Lowered:
    """The kernel as it is."""
    case = MMA_OPS["attention_128x128x128"]
    return lower(tools.parse(case.text_path.read_text()), GPU)


FINAL_COMMIT = r"\ttcgen05\.commit[^\n]* (\[\w+_shared\+\d+\]);\n"
"""A commit to the barrier of an accumulator."""


def test_both_products_of_attention_run_beside_softmax():
    """Scores of the next iteration, then sums of this one: threads go round without a wait."""
    case, kernel = MMA_OPS["attention_128x128x128"], attention()
    assert "0 bytes spill stores" in assemble(kernel.ptx, GPU)
    first_mma = kernel.ptx.index("tcgen05.mma")
    commits = list(re.finditer(FINAL_COMMIT, kernel.ptx))
    of_scores = next(commit[1] for commit in commits if commit.start() > first_mma)
    _, in_loop = (commit for commit in commits if commit[1] == of_scores)
    rest = kernel.ptx[in_loop.end() :]
    until_next_iteration = rest[: rest.index("bra.uni")]
    assert "tcgen05.mma" in until_next_iteration
    assert not re.search(r"mbarrier\.try_wait\.shared|tcgen05\.ld", until_next_iteration)
    for modes in MODES:
        run(case, kernel, case.typical, case.grid(case.typical), **modes)


IN_FLIGHT = ("e4m3", "half", "transposed_a", "batched", "persistent", "split_k", "gated", "odd")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", (*IN_FLIGHT, "unaligned", "attention_64", "attention_grouped"))
def test_variants(name: str, tmp_path: Path):
    """Loops whose loads go by TMA keep products on their way; all give the right values."""
    case = replace(VARIANTS[name], folder=tmp_path)
    program = text(case)
    kernel = lower(tools.parse(program), GPU)
    case.text_path.write_text(program)
    loops = loops_of_mmas(kernel.ptx)
    assert (len(loops) == 1 and is_in_flight(loops[0])) == (name in IN_FLIGHT)
    assert "0 bytes spill stores" in assemble(kernel.ptx, GPU)
    run(case, kernel, case.typical, case.grid(case.typical), **MODES[0])


TYPES = {"matmul_f16_f16": True, "matmul_tf32": False, "matmul_f8": True, "matmul_i8_u8": True}
"""Kernels, and whether matrix descriptors can describe B as it is loaded, by columns."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", TYPES)
def test_element_types(name: str, tmp_path: Path):
    """Ragged sizes of which 16 bytes are known to be a divisor, so that loads go by TMA."""
    case = KERNELS[name]
    parameters = tuple(
        replace(each, stride_divisible_by=(16, 1), shape_divisible_by=(16, 16))
        if isinstance(each, ArrayConstraint)
        else each
        for each in case.parameters
    )
    case = replace(case, parameters=parameters, folder=tmp_path)
    program = enlarged(text(case), 64)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), GPU)
    assert "cp.async.bulk.tensor" in kernel.ptx
    assert [is_in_flight(loop) for loop in loops_of_mmas(kernel.ptx)] == [True] * TYPES[name]
    run(case, kernel, (80, 64, 208), (2, 1, 1), **MODES[0])


# Bugs.

SEEDED: KernelCase = MMA_OPS["product_128x128x64"]
PROBLEM, GRID = (128, 128, 448), (1, 1, 1)
"""One block, and more steps than stages."""

ARRIVE = r"\tmbarrier.arrive.shared::cta.b64 _, \1;\n"
"""What a thread does at once where hardware should do it later."""

COMMIT = r"\ttcgen05\.commit[^\n]*\n"
TRY_WAIT = r"\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\n\t@!%p\d+ bra \$M\d+;\n"
MMA = r"(\ttcgen05\.mma[^\n]*, )(%p\d+)(;\n)"

BUGS: dict[str, tuple[str, int, str]] = {
    "the hardware does not release stages": (COMMIT, 0, ""),
    "nobody tells when the sums are done": (COMMIT, 1, ""),
    "stages are released before products are done": (
        r"\ttcgen05\.commit[^\n]* (\[%r\d+\+\d+\]);\n",
        0,
        ARRIVE,
    ),
    "sums are read before products are done": (FINAL_COMMIT, 0, ARRIVE),
    "full stages are not waited for": (TRY_WAIT, 0, ""),
    "empty stages are not waited for": (TRY_WAIT, 1, ""),
    "the first product adds": (MMA, 0, r"\1%p_true\3"),
    "every step begins anew": (MMA, 0, r"\1%p_false\3"),
    "a step of a product begins anew": (MMA, 1, r"\1%p_false\3"),
    "loads are not waited for": (r"\ttcgen05\.wait::ld[^\n]*\n", 0, ""),
    "the memory is not given back": (r"\ttcgen05\.dealloc[^\n]*\n", 0, ""),
    "too few columns are allocated": (r"(tcgen05\.alloc[^\n]*), 128;", 0, r"\1, 64;"),
}
"""What is replaced, which of the places, and by what."""

PREDICATES = "\t.reg .pred %p_true, %p_false;\n\tsetp.eq.u32 %p_true, 0, 0;\n" + (
    "\tsetp.ne.u32 %p_false, 0, 0;\n"
)


@cache
def compiled() -> Lowered:
    """The kernel with three stages."""
    module = tools.parse(SEEDED.text_path.read_text())
    context = tools.context()
    for module_pass in passes(GPU):
        if isinstance(module_pass, TileASMaterializeAsyncPass):
            module_pass = replace(module_pass, num_stages=3)
        module_pass.apply(context, module)
    return Lowered(module, emit(module))


def changed(ptx: str, pattern: str, number: int, instead: str) -> str:
    """The text with another piece in one place."""
    match = list(re.finditer(pattern, ptx))[number]
    ptx = ptx[: match.start()] + match.expand(instead) + ptx[match.end() :]
    first = re.search(r"\n\t\.reg [^\n]*\n(?!\t\.reg)", ptx)
    assert first is not None
    return ptx[: first.end()] + PREDICATES + ptx[first.end() :]


@pytest.mark.parametrize("modes", MODES, ids=str)
def test_the_kernel_is_right(modes: dict[str, Any]):
    run(SEEDED, compiled(), PROBLEM, GRID, **modes)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", BUGS)
def test_bug_is_seen(name: str):
    kernel = replace(compiled(), ptx=changed(compiled().ptx, *BUGS[name]))
    with pytest.raises((EmulatorError, AssertionError)):
        for modes in MODES:
            run(SEEDED, kernel, PROBLEM, GRID, **modes)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", (1, 2, 3, 4))
def test_products_of_attention_are_waited_for(number: int):
    """Without the commit that a wait is for, of the scores or of the sums, it is over too soon.

    The first commit is of no product: it is for the sums at the start, which threads have stored.
    """
    case = MMA_OPS["attention_128x128x128"]
    kernel = replace(attention(), ptx=changed(attention().ptx, FINAL_COMMIT, number, ARRIVE))
    with pytest.raises((EmulatorError, AssertionError)):
        run(case, kernel, case.typical, (1, 1, 1), **MODES[0])
