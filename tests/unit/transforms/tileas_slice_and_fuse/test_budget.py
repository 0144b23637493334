"""The two pressures of a kernel: what fits while elements are taken apart fits in any case."""

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32

from bench.matrix_kernels import CASES, SCALED_CASES, TALL_CASES
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.resource_attributes import SLICES_ATTRIBUTE
from tileir_xdsl.options import DEFAULT_OPTIONS
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_slice_and_fuse.budget import (
    expected_pressure,
    is_taken_apart,
    most_pressure,
)

NAMES = (
    "attention",
    "cat_extract",
    "fft_step",
    "matmul_f8",
    "permute_3d",
    "rope",
    "transpose",
)


def before_slicing(text: str, gpu: str) -> ModuleOp:
    """A program as the pass gets it."""
    context, module = tools.context(), tools.parse(text)
    for step in steps(gpu, DEFAULT_OPTIONS):
        if step.name == "tileas-slice-and-fuse":
            break
        step.module_pass.apply(context, module)
    return module


@pytest.mark.parametrize(
    ("name", "gpu", "slices"),
    [
        ("attention_256x128x64", "sm_90a", 2),
        ("attention_256x64x128", "sm_90a", 2),
        ("attention_128x128x128", "sm_90a", None),
        # Dots of warps take operands step by step, and accumulators in tensor memory nothing.
        ("attention_256x64x128", "sm_80", None),
        ("attention_256x64x128", "sm_120a", None),
        ("attention_256x64x128", "sm_100a", None),
        # One accumulator next to nothing fits, however large.
        ("product_128x256x64", "sm_90a", None),
    ],
)
def test_chained_asynchronous_dots_leave_registers_to_an_agent(
    name: str, gpu: str, slices: int | None
) -> None:
    module = before_slicing((CASES | TALL_CASES)[name].text_path.read_text(), gpu)
    tools.run_passes(module, "tileas-slice-and-fuse")
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    found = [op.attributes[SLICES_ATTRIBUTE] for op in loops if SLICES_ATTRIBUTE in op.attributes]
    assert found == ([] if slices is None else [IntegerAttr(slices, i32)])


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_expected_is_at_most_the_most(name: str, gpu: str) -> None:
    module = before_slicing(KERNELS[name].text_path.read_text(), gpu)
    target, pressures = get_target(gpu), list[int]()
    for function in module.walk():
        if isinstance(function, nv_tileaa.FuncOp):
            expected = expected_pressure(function, target).registers
            assert expected <= most_pressure(function, target).registers
            pressures.append(expected)
    assert any(pressures)


@pytest.mark.parametrize(
    ("shape", "permutation", "is_apart"),
    [
        ((4, 8), (1, 0), True),
        ((2, 8), (1, 0), True),
        ((8, 2), (1, 0), True),
        ((2, 2), (1, 0), True),
        # Neighbours stay where the last dimension does, or is of one element before or after.
        ((4, 8), (0, 1), False),
        ((1, 8), (1, 0), False),
        ((8, 1), (1, 0), False),
        ((4, 2, 8), (1, 0, 2), False),
        ((4, 2, 8), (0, 2, 1), True),
        ((2, 4, 1), (1, 2, 0), False),
        ((1, 4, 2), (1, 2, 0), False),
        ((2, 4, 2), (1, 2, 0), True),
    ],
)
def test_which_permutations_take_neighbours_apart(
    shape: tuple[int, ...], permutation: tuple[int, ...], is_apart: bool
) -> None:
    old = "x".join(map(str, shape))
    new = "x".join(str(shape[dim]) for dim in permutation)
    module = tools.parse(f"""
    %x = "test.op"() : () -> tensor<{old}xf16>
    %y = nv_tileaa.permute %x {{permutation = array<i32: {", ".join(map(str, permutation))}>}} : tensor<{old}xf16> -> tensor<{new}xf16>
    "test.op"(%y) : (tensor<{new}xf16>) -> ()
    """)
    first = module.body.block.first_op
    assert first is not None and is_taken_apart(first.results[0]) == is_apart


def test_bytes_of_two_elements_that_dots_read_take_no_registers() -> None:
    """They stay in shared memory, as operands of one element to a byte do."""
    context = tools.context()
    module = tools.parse(SCALED_CASES["mxfp4_256x128x256"].text_path.read_text())
    for step in steps("sm_100a", DEFAULT_OPTIONS):
        if step.name == "tileas-slice-and-fuse":
            break
        step.module_pass.apply(context, module)
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    sums, scales = 256 * 128, (256 + 128) * 8 // 4
    assert expected_pressure(function, get_target("sm_100a")).registers <= sums + scales
