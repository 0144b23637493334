"""Products of warps at full size: fragments are brought step by step, and registers suffice."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from bench.matrix_kernels import CASES, TYPED_CASES, attention_case
from bench.variants import CASES as VARIANTS
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import lower, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase, generate
from tileir_xdsl.transforms.pipeline_road import passes


def compiled(name: str, gpu: str, last: str | None = None) -> ModuleOp:
    """A kernel after the pass `last`, or after all of them."""
    return lowered((CASES | TYPED_CASES)[name].text_path.read_text(), gpu, last)


def lowered(program: str, gpu: str, last: str | None) -> ModuleOp:
    """Tile IR after the pass `last`, or after all of them."""
    module, context = tools.parse(program), tools.context()
    for module_pass in passes(gpu):
        module_pass.apply(context, module)
        if module_pass.name == last:
            break
    return module


def test_both_factors_share_a_stage_until_they_are_multiplied():
    text = str(compiled("product_128x128x64", "sm_80", "tileas-materialize-async"))
    assert text.count(".create_pipeline") == 1
    order = [text.index(word) for word in ("convert_layout", "nv_tileas.dot", ".consumer_release")]
    assert order == sorted(order)


def test_fragments_are_loaded_once_in_the_order_of_their_products():
    """A warp has 32 x 64 of the sums: two fragments of A a step, eight of B for two, 16 products."""
    ptx = emit(compiled("product_128x128x64", "sm_80"), "sm_80")
    ops = re.findall(r"ldmatrix|mma\.sync", ptx)
    assert len(ops) == 2 * (2 * (2 + 16) + 8)
    for half in (ops[:44], ops[44:]):
        assert half.count("ldmatrix") == 2 * 2 + 8
        assert half[0] == "ldmatrix"
        assert half[-1] == "mma.sync"


@pytest.mark.parametrize(("width", "kept"), [(128, 3), (256, 2)])
def test_queries_stay_in_memory_if_there_is_room(width: int, kept: int):
    """Heads of 256 need 192 KiB for a tile of each: queries are in registers, as in any loop."""
    program = generate.text(attention_case(128, 128, width, causal=False))
    module = lowered(program, "sm_89", "tileas-assign-dot-layouts")
    conversions = re.findall(r"convert_layout .*? -> (.*)", str(module))
    assert sum("memory<smem" in result for result in conversions) == kept


def test_warps_of_attention_exchange_nothing():
    """A warp has 16 queries: its sums of scores are in its lanes, its weights are operand A."""
    text = str(compiled("attention_128x128x128", "sm_80", "tileas-unspecialized-pipeline"))
    loop = text[text.rindex("wait_copies") :]
    body = loop[: loop.index("scf.yield %", loop.rindex("nv_tileas.dot"))]
    conversions = re.findall(r"convert_layout .*? : (.*)", body)
    assert len(conversions) == 3
    assert all("#nv_tileas.memory<smem" in types for types in conversions)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("name", "gpu"),
    [
        *((name, "sm_80") for name in CASES),
        ("attention_128x128x128", "sm_89"),
        ("attention_128x128x128_causal", "sm_120a"),
        ("product_128x256x64", "sm_120a"),
        ("attention_64x64x256", "sm_89"),
    ],
)
def test_registers_suffice(name: str, gpu: str):
    report = assemble(emit(compiled(name, gpu), gpu), gpu)
    assert re.search(r"\b0 bytes spill stores, 0 bytes spill loads", report)
    assert not re.search(r"C75\d\d", report)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("case", "gpu"),
    [
        (CASES["attention_128x128x128"], "sm_80"),
        (CASES["attention_128x128x128"], "sm_120a"),
        (TYPED_CASES["attention_64x64x256"], "sm_120a"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_attention_is_right(case: KernelCase, gpu: str):
    kernel = lower(tools.parse(case.text_path.read_text()), gpu)
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ("persistent", "gated", "attention_96"))
def test_variant(name: str, tmp_path: Path):
    """Loops in loops, two products of one factor, parts of tiles: one wait for each iteration."""
    case = replace(VARIANTS[name], folder=tmp_path)
    program = generate.text(case)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), "sm_80")
    assert "cp.async.commit_group" in kernel.ptx
    assert "mbarrier" not in kernel.ptx
    report = assemble(kernel.ptx, "sm_80")
    assert re.search(r"\b0 bytes spill stores, 0 bytes spill loads", report)
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)
