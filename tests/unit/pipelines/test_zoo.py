"""Every kernel of the zoo at the last level: PTX computes what numpy computes, without races."""

import io

import pytest

from tests.kernels import KERNELS, KernelCase
from tests.unit import tools
from tests.unit.backend.ptx.harness import assemble
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context

NARROW_TYPES = ("f4E2M1FN", "f8E8M0FNU")
"""Element types that only the newest targets have."""

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")

LACKED_BY_THE_FIRST = ("f8E", "gdc_")
"""What in the text of a kernel tells that sm_80 cannot run it."""


def ptx(case: KernelCase, gpu: str) -> str:
    """The PTX of a kernel."""
    module = tools.parse(case.text_path.read_text())
    return emit(tools.run_passes(module, f'tileir-pipeline{{gpu="{gpu}"}}'), gpu)


def target_of(case: KernelCase) -> str:
    """The first target that has the element types of a kernel."""
    text = case.text_path.read_text()
    return "sm_100a" if any(type in text for type in NARROW_TYPES) else "sm_90a"


@pytest.mark.parametrize("name", KERNELS)
def test_ptx_equals_numpy_without_races(name: str):
    case = KERNELS[name]
    gpu = target_of(case)
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    module = tools.parse(case.text_path.read_text())
    kernel = find_kernel(module, name, name)
    program = lower(new_context(), module, "ptx", gpu=gpu, file=name)
    assert program.ptx is not None
    emulator.load(program.ptx).launch(
        name,
        case.grid(case.typical),
        bind_arguments(kernel, [Argument(None, as_argument(value, name)) for value in arguments]),
        dynamic_shared=dynamic_shared_memory(program.module, name),
        races=True,
        output=io.StringIO(),
    )
    case.check(arguments, expected)


@pytest.mark.parametrize("name", KERNELS)
def test_assembler_takes_the_ptx(name: str):
    """One of the targets for each kernel, in turn."""
    case = KERNELS[name]
    text = case.text_path.read_text()
    gpus = GPUS[1:] if any(word in text for word in LACKED_BY_THE_FIRST) else GPUS
    gpu = target_of(case)
    if gpu == "sm_90a":
        gpu = gpus[list(KERNELS).index(name) % len(gpus)]
    assemble(ptx(case, gpu), gpu)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("tile", (64, 128))
def test_tiles_of_warpgroups(tile: int, gpu: str):
    """Products that the matrix instructions of newer targets could take as a whole."""
    case = KERNELS["matmul_f16"]
    module = tools.parse(case.text_path.read_text().replace("32x32", f"{tile}x{tile}"))
    arguments = case.make_arguments((tile, tile, 2 * tile))
    expected = case.expected(arguments)
    kernel = find_kernel(module, case.name, case.name)
    program = lower(new_context(), module, "ptx", gpu=gpu, file=case.name)
    assert program.ptx is not None
    assemble(program.ptx, gpu)
    emulator.load(program.ptx).launch(
        case.name,
        (1, 1, 1),
        bind_arguments(kernel, [Argument(None, as_argument(a, case.name)) for a in arguments]),
        dynamic_shared=dynamic_shared_memory(program.module, case.name),
    )
    case.check(arguments, expected)
