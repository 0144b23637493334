"""Attention whose weights are operand A in tensor memory: form, values, choice, and seeded bugs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest
from cuda.tile.compilation import ConstantConstraint
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from bench.matrix_kernels import CASES, attention_case
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.attention_forms import (
    RACES,
    attention_of,
    forms,
    lengths,
    small_attention,
)
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.problems import cdiv
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_assign_load_store_layouts import (
    TileASAssignLoadStoreLayoutsPass,
)
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.forced import FORCE_ATTRIBUTE

GPU = "sm_100a"
ROWS, KEYS, DEPTH = 128, 64, 64

MMA = r"\ttcgen05\.mma[^\n]*\[%r\d+\], \[%r\d+\], [^\n]*\n"
"""One that reads A in tensor memory."""
STORE = r"\ttcgen05\.st\.sync\.aligned\.32x32b\.x16\.b32 [^\n]*\n"
"""The store of 32 weights of a thread, two in each column."""

MODES: tuple[dict[str, Any], ...] = (
    RACES,
    {**RACES, "warp_seed": 1},
    # Dots at once, so that one thread may be too early.
    *({"warp_seed": seed} for seed in range(2, 5)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@cache
def compiled(folder: Path, *, causal: bool) -> Lowered:
    case = small_attention(folder, causal=causal)
    return lower(tools.parse(case.text_path.read_text()), GPU)


def launch(lowered: Lowered, folder: Path, length: int, mode: dict[str, Any], causal: bool) -> None:
    case = small_attention(folder, causal=causal)
    problem = (1, length)
    run(case, lowered, problem, case.grid(problem), **mode)


def test_the_assembler_is_content():
    """Weights go from registers to tensor memory, and not through shared memory."""
    case = CASES["attention_128x128x128"]
    ptx = lower(tools.parse(case.text_path.read_text()), GPU).ptx
    # The sums of the loop and of its last iteration, eight steps of 16 keys each.
    assert len(re.findall(MMA, ptx)) == 2 * 8
    # Only the result is stored to shared memory, or made known there.
    assert ptx.count("fence.proxy.async.shared::cta") == 1
    assert not re.search(r"st\.shared\.v4", ptx[: ptx.index("tcgen05.ld")])
    report = assemble(ptx, GPU)
    assert "0 bytes spill stores" in report and not re.search(r"C75\d\d", report)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("length", "seed", "causal"), lengths(656))
def test_lengths(length: int, seed: int | None, causal: bool, folder: Path):
    """A loop that runs once, twice, and several times."""
    launch(compiled(folder, causal=causal), folder, length, {**RACES, "warp_seed": seed}, causal)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("form", forms(64))
def test_forms(form: dict[str, Any], tmp_path: Path):
    """The last keys are missing."""
    case = attention_of(form, tmp_path)
    lowered = lower(tools.parse(case.text_path.read_text()), GPU)
    assert re.search(MMA, lowered.ptx)
    run(case, lowered, case.typical, case.grid(case.typical), **RACES)


@kernel
def linear_attention(
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    rows: ct.Constant[int],
    keys: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    """Without a softmax: nobody reads the sums before the end."""
    block, zero = ct.bid(0), ct.PaddingMode.ZERO
    query = ct.load(q, index=(block, 0), shape=(rows, depth), padding_mode=zero)
    acc = ct.zeros((rows, depth), dtype=ct.float32)
    steps: Any = ct.cdiv(k.shape[0], keys)
    for step in range(steps):
        key = ct.load(k, index=(step, 0), shape=(keys, depth), padding_mode=zero)
        score = ct.mma(query, ct.transpose(key), ct.zeros((rows, keys), dtype=ct.float32))
        value = ct.load(v, index=(step, 0), shape=(keys, depth), padding_mode=zero)
        acc = ct.mma(ct.astype(score, v.dtype), value, acc)
    ct.store(out, index=(block, 0), tile=ct.astype(acc, out.dtype))


def linear_case(folder: Path) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        numbers = rng.integers(-1, 2, (3, problem[0], DEPTH)).astype(np.float16)
        return [*numbers, np.zeros((problem[0], DEPTH), np.float16)]

    def reference(q: Array, k: Array, v: Array, out: Array) -> list[Expected]:
        x, y, z = (a.astype(np.float64) for a in (q, k, v))
        score = x @ y.T
        return [within_roundings(score @ z, np.abs(score) @ np.abs(z), out.dtype, 4, np.float16)]

    parameter = array(ct.float16, 2, divisible=16, any_size=1)
    return KernelCase(
        name="linear_attention",
        kernel=linear_attention,
        parameters=(*(parameter,) * 4, *map(ConstantConstraint, (ROWS, KEYS, DEPTH))),
        problems=((272,),),
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[0], ROWS), 1, 1),
        reference=reference,
        outputs=(3,),
        folder=folder,
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", range(3))
def test_sums_that_stay_in_flight(number: int, folder: Path):
    """Threads wait for the dots before, which still read A, before they store it again."""
    case = linear_case(folder)
    program = text(case)
    case.text_path.write_text(program)
    lowered = lower(tools.parse(program), GPU)
    assert re.search(MMA, lowered.ptx)
    run(case, lowered, case.typical, case.grid(case.typical), **MODES[number])


# Which memory A is in.


def chosen(name: str | None, folder: Path, rows: int = ROWS, hint: str = "") -> list[Any]:
    """What the report says of the dots, the second of which is forced to be `name`."""
    case = replace(attention_case(rows, KEYS, DEPTH, causal=False), folder=folder)
    program = text(case).replace("default = {}", f"default = {{{hint}}}")
    module, context = tools.parse(program), tools.context()
    report = folder / "report.json"
    for module_pass in passes(GPU):
        if isinstance(module_pass, TileASAssignLoadStoreLayoutsPass):
            dots = [op for op in module.walk() if isinstance(op, MMAOp)]
            if name is not None:
                dots[1].attributes[FORCE_ATTRIBUTE] = StringAttr(name)
            replace(module_pass, explain=str(report)).apply(context, module)
            break
        module_pass.apply(context, module)
    (facts,) = json.loads(report.read_text())["functions"].values()
    return [fact for fact in facts if "dot" in fact]


def test_the_report(folder: Path):
    first, second = chosen(None, folder)
    assert "tmem_a" not in first["chosen"] and second["chosen"].endswith("32x32b_tmem_a")
    in_shared, in_tensor = (
        second["strategies"][f"umma_bf16_bf16_f32_32x32b{end}"] for end in ("", "_tmem_a")
    )
    assert in_shared["transactions"] > in_tensor["transactions"] == 0


def test_where_columns_do_not_suffice(folder: Path):
    """Four blocks of a multiprocessor have 128 columns each, which scores and sums take."""
    second = chosen(None, folder, hint="occupancy = 4")[1]
    assert second["chosen"] == "umma_bf16_bf16_f32_32x32b"
    reason = "4 blocks of 160 columns of tensor memory, there are 512"
    assert second["pruned"]["umma_bf16_bf16_f32_32x32b_tmem_a"] == reason


@pytest.mark.parametrize("access", ("32x32b_tmem_a", "16x256b_tmem_a", "32x32b"))
def test_what_is_forced(access: str, folder: Path):
    name = f"umma_bf16_bf16_f32_{access}"
    assert chosen(name, folder)[1]["chosen"] == name


@pytest.mark.one_in(2)
@pytest.mark.parametrize("access", ("32x32b", "16x256b_tmem_a"))
def test_what_is_forced_is_right(access: str, tmp_path: Path):
    """Weights through shared memory, or stored by another access."""
    case = replace(attention_case(ROWS, KEYS, DEPTH, causal=False), folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)

    def force(module_pass: ModulePass, module: ModuleOp) -> None:
        if isinstance(module_pass, TileASAssignLoadStoreLayoutsPass):
            dots = [op for op in module.walk() if isinstance(op, MMAOp)]
            dots[1].attributes[FORCE_ATTRIBUTE] = StringAttr(f"umma_bf16_bf16_f32_{access}")

    lowered = lower(tools.parse(program), GPU, force)
    assert bool(re.search(MMA, lowered.ptx)) == access.endswith("tmem_a")
    run(case, lowered, (1, 80), case.grid((1, 80)), **RACES)


def test_fewer_rows_have_no_lanes(folder: Path):
    """The lanes of 64 rows depend on the form of the instruction: A stays in shared memory."""
    with pytest.raises(PassFailedException, match="has no candidate"):
        chosen("umma_bf16_bf16_f32_32x32b_tmem_a", folder, rows=64)


BUGS: dict[str, tuple[str, str, int]] = {
    "weights are not stored": (STORE, "", 0),
    "stores are not waited for": (
        f"({STORE}" + r"[\s\S]*?)\ttcgen05\.wait::st[^\n]*\n",
        r"\1",
        0,
    ),
    "weights are stored after the barrier": (
        f"({STORE})" + r"([\s\S]*?tcgen05\.fence::before_thread_sync;\n\tbar\.sync 1, 256;\n)",
        r"\2\1",
        0,
    ),
    "threads do not meet": (f"({STORE}" + r"[\s\S]*?)\tbar\.sync 1, 256;\n", r"\1", 0),
    "a step reads the weights of another": (r"(add\.s32 %r\d+, %r\d+), 136;", r"\1, 144;", 0),
    "weights are read from the columns of scores": (r"(add\.s32 %r\d+, %r\d+), 144;", r"\1, 0;", 0),
    "a warpgroup stores to the columns of the other": (
        r"mad\.lo\.s32 (%r\d+), (%r\d+), 16, (%r\d+);",
        r"mov.b32 \1, \3;",
        0,
    ),
    "neighbours are swapped": (
        r"mov\.b32 (%r\d+), \{(%h\d+), (%h\d+)\};",
        r"mov.b32 \1, {\3, \2};",
        0,
    ),
    "weights are stored while dots read those before": (
        r"(\$L\d+):\n\tmbarrier\.try_wait[^\n]*\n\t@!%p\d+ bra \1;\n",
        r"\1:\n",
        1,
    ),
    "a block allocates too few columns": (r"(tcgen05\.alloc[^\n]*), 256;", r"\1, 128;", 0),
}
"""What is replaced, by what, and in which of its places."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_seen(bug: str, folder: Path):
    pattern, instead, place = BUGS[bug]
    kernel = compiled(folder, causal=False)
    found = list(re.finditer(pattern, kernel.ptx))
    assert len(found) > place
    match = found[place]
    ptx = kernel.ptx[: match.start()] + match.expand(instead) + kernel.ptx[match.end() :]
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in MODES:
            launch(replace(kernel, ptx=ptx), folder, 272, mode, False)
