"""Products of 64 rows and more, by instructions of warpgroups and in tensor memory."""

import re

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.agreement import Array, evaluate, shaped
from tests.unit.road.matrix_units.test_matrix import MMA_OPS, mma, whole
from tests.unit.road.zoo import lower, run
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, Problem

GPU = "sm_90a"
GPUS = ("sm_90a", "sm_100a")
INSTRUCTION = re.compile(r"wgmma\.mma_async\.sync\.aligned\.(m64n\d+k\d+)")

NARROW = [types for types in MMA_OPS if types[0] not in ("f32", "f64")]
"""Element types that instructions multiply as they are."""


def instructions(ptx: str) -> set[str]:
    """The shapes of the instructions of warpgroups, or that there are products in tensor memory."""
    return set(INSTRUCTION.findall(ptx)) | set(re.findall(r"tcgen05\.mma", ptx))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("element", "accumulator"), NARROW)
def test_element_types(element: str, accumulator: str, gpu: str):
    mma(element, accumulator, (64, 32, 64), gpu=gpu)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "sizes",
    [(64, 8, 16), (64, 16, 16), (64, 256, 16), (128, 8, 32), (256, 16, 64), (64, 64, 256)],
    ids=str,
)
@pytest.mark.parametrize("gpu", GPUS)
def test_shapes(sizes: tuple[int, int, int], gpu: str):
    mma("f16", "f32", sizes, gpu=gpu)


@pytest.mark.parametrize("gpu", GPUS)
def test_batches(gpu: str):
    mma("bf16", "f32", (64, 32, 32), batch=2, gpu=gpu)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("signs", ["signed", "unsigned"])
def test_integers(signs: str, gpu: str):
    a, b = (whole(shape, "i8", seed) for seed, shape in enumerate([(64, 64), (64, 32)]))
    c = whole((64, 32), "i32", 2)
    body = f"%y0 = mmai %x0, %x1, %x2 {signs} {signs} : "
    types = ((64, 64), "i8"), ((64, 32), "i8"), ((64, 32), "i32")
    body += ", ".join(shaped(shape, type) for shape, type in types)
    (result,) = evaluate(body, [a, b, c], [("i32", (64, 32))], gpu)
    held = np.int8 if signs == "signed" else np.uint8
    wide_a, wide_b, wide_c = (array.astype(np.int64) for array in (a.view(held), b.view(held), c))
    expected = wide_a @ wide_b + wide_c
    np.testing.assert_array_equal(result, expected)


def computed(body: str, a: Array, b: Array, m: int, n: int, gpu: str) -> Array:
    """The result of a body that has %zero_sum, for two operands."""
    zero = f"%zero_sum = constant <f32: 0.0> : {shaped((m, n), 'f32')}"
    (result,) = evaluate(f"{zero}\n{body}", [a, b], [("f32", (m, n))], gpu)
    return result


@pytest.mark.parametrize("gpu", GPUS)
def test_transposed_operands(gpu: str):
    """A by columns and B by rows in shared memory."""
    a, b = whole((32, 64), "f16", 0), whole((64, 32), "f16", 1)
    body = """
    %a = permute %x0 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
    %b = permute %x1 [1, 0] : tile<64x32xf16> -> tile<32x64xf16>
    %y0 = mmaf %a, %b, %zero_sum : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    """
    result = computed(body, a, b, 64, 64, gpu)
    np.testing.assert_array_equal(result, a.T.astype(np.float32) @ b.T.astype(np.float32))


@pytest.mark.parametrize("gpu", GPUS)
def test_the_result_of_one_is_operand_a_of_the_next(gpu: str):
    a, b = whole((64, 32), "f16", 0), whole((32, 64), "f16", 1)
    body = """
    %p = mmaf %x0, %x1, %zero_sum : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    %q = ftof %p : tile<64x64xf32> -> tile<64x64xf16>
    %b = cat %x1, %x1 dim = 0 : tile<32x64xf16>, tile<32x64xf16> -> tile<64x64xf16>
    %y0 = mmaf %q, %b, %p : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    """
    result = computed(body, a, b, 64, 64, gpu)
    first = a.astype(np.float32) @ b.astype(np.float32)
    second = first @ np.concatenate([b, b]).astype(np.float32) + first
    np.testing.assert_array_equal(result, second)


LARGE = {
    "matmul_f16": (100, 64, 136),
    "matmul_f16_f16": (64, 64, 128),
    "matmul_tf32": (64, 64, 96),
    "matmul_f8": (64, 40, 128),
    "matmul_i8_u8": (64, 64, 64),
    "batched_matmul": (2, 64, 64, 72),
    "split_k_matmul": (64, 64, 200),
    "persistent_matmul": (100, 70, 90),
    "attention": (1, 100),
    "attention_causal": (1, 100),
}
"""Kernels of the zoo whose tiles are made larger, and the sizes of a problem."""


def enlarged(text: str, tile: int) -> str:
    """The text of a kernel with tiles of so many rows and columns in place of 32."""
    text = re.sub(r"(?<=[<x(])32(?=[x)])", str(tile), text)
    return text.replace("<i32: 32>", f"<i32: {tile}>")


@pytest.mark.one_in(10)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("name", "problem"), LARGE.items(), ids=LARGE)
def test_kernels(name: str, problem: Problem, gpu: str):
    """What a plain run finds, one with late work and races finds, too."""
    case = KERNELS[name]
    lowered = lower(tools.parse(enlarged(case.text_path.read_text(), 64)), gpu)
    assert instructions(lowered.ptx) or (name, gpu) == ("batched_matmul", "sm_100a")
    report = assemble(lowered.ptx, gpu)
    assert "C75" not in report and "0 bytes spill stores, 0 bytes spill loads" in report
    rows = -(-case.grid(problem)[0] // 2)
    grid = (rows, *case.grid(problem)[1:])
    run(case, lowered, problem, grid, late=True, races=True)


@pytest.mark.parametrize("tile", (64, 128))
def test_several_warpgroups(tile: int):
    """Which share the columns of one instruction's rows, or the rows."""
    case = KERNELS["matmul_bf16"]
    text = enlarged(case.text_path.read_text(), tile)
    text = text.replace("default = {}", "default = {num_worker_warps_per_cta = 8}")
    lowered = lower(tools.parse(text), GPU)
    assert instructions(lowered.ptx) == {"m64n32k16" if tile == 64 else "m64n128k16"}
    report = assemble(lowered.ptx, GPU)
    assert "C75" not in report and "0 bytes spill stores, 0 bytes spill loads" in report
    problem = (tile, tile, 2 * tile)
    run(case, lowered, problem, (1, 1, 1), late=True, races=True)
