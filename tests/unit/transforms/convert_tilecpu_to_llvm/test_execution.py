"""Compiled programs compute the same as the interpreter, in vectors of each width."""

import ctypes

import numpy as np
import pytest

from bench.framework.jit import engine
from tests.unit.interpreters.evaluation import Tile
from tests.unit.transforms.convert_tileaa_to_tilecpu.programs import PROGRAMS, Program
from tests.unit.transforms.convert_tileaa_to_tilecpu.test_execution import inputs, parsed
from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileaa_to_tilecpu import ConvertTileAAToTileCPUPass
from tileir_xdsl.transforms.convert_tilecpu_to_llvm import ConvertTileCPUToLLVMPass
from tileir_xdsl.transforms.tilecpu_assign_buffers import TileCPUAssignBuffersPass
from tileir_xdsl.transforms.tilecpu_group import TileCPUGroupPass

ARENA_BYTES = 1 << 16


def compiled(case: Program, gpu: str, force: str | None = None) -> str:
    """LLVM IR of a program, whose accesses are not checked."""
    module = parsed(case)
    for module_pass in (
        TileCPUGroupPass(gpu=gpu, force=force),
        ConvertTileAAToTileCPUPass(),
        TileCPUAssignBuffersPass(),
        ConvertTileCPUToLLVMPass(unchecked=True),
    ):
        module_pass.apply(tools.context(), module)
        module.verify()
    helper = "declare void @tileir_fault(ptr, i64, i64, i64, i64)"
    return emit(module).replace(helper, helper.replace("declare", "define") + " {\n  ret void\n}")


def run(text: str, values: list[object]) -> None:
    """Runs one tile block of the kernel `@k`; arrays are updated in place."""
    slots = np.zeros(len(values), np.uint64)
    for number, value in enumerate(values):
        if isinstance(value, np.ndarray):
            slots[number] = value.ctypes.data
        else:
            slots[number] = int(value) & 0xFFFFFFFF  # pyright: ignore[reportArgumentType]
    grid, context = np.ones(3, np.int64), np.zeros(64, np.int64)
    arena = np.full(ARENA_BYTES + 64, 0xFF, np.uint8)
    start = arena.ctypes.data + -arena.ctypes.data % 64
    jitted = engine(text)
    types = [ctypes.c_void_p] * 4 + [ctypes.c_int64] * 2
    function = ctypes.CFUNCTYPE(None, *types)(jitted.get_function_address("k"))
    function(slots.ctypes.data, grid.ctypes.data, start, context.ctypes.data, 0, 1)
    assert not context.any()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gpu", ["cpu-x86-64-v3", "cpu-aarch64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_programs_agree(name: str, gpu: str):
    case = PROGRAMS[name]
    expected, found = ([Tile(text).empty() for text in case.results] for _ in range(2))
    launch(parsed(case), "k", (1, 1, 1), [*inputs(case), *expected])
    run(compiled(case, gpu), [*inputs(case), *found])
    for one, other in zip(found, expected, strict=True):
        assert (one == other).all()
