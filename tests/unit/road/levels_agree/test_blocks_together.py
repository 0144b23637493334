"""Blocks of PTX that the emulator runs together leave what they leave one after the other."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from itertools import count, islice

import numpy as np
import pytest

from tests.unit.emulator.kernels import VECTOR_ADD
from tileir_xdsl import emulator
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.lowering import Lowered, lower
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments
from tileir_xdsl.testing.programs.generator import generate

ZOO = (
    "argmax_rows",
    "attention_causal",
    "atomic_updates_i32",
    "histogram",
    "matmul_f16",
    "moving_sum",
    "permute_3d",
    "softmax_f32",
)
"""Kernels whose results do not depend on the order of their blocks; two have atomic operations."""

RESIDENT = (3, None)

PROGRAMS = list(islice((s for s in count() if math.prod(generate(s).grid) > 1), 6))
"""Seeds of random programs that have several blocks."""


def leaves(
    program: Lowered,
    kernel: str,
    grid: tuple[int, int, int],
    arguments: Sequence[LaunchArgument | int | float],
    resident: int | None,
) -> tuple[list[bytes], str]:
    """The bytes of the arrays after a launch, and in which lines it prints."""
    assert program.ptx is not None
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    output = io.StringIO()
    emulator.load(program.ptx).launch(
        kernel,
        grid,
        with_tensor_maps(program.module, kernel, copies),
        dynamic_shared=dynamic_shared_memory(program.module, kernel),
        resident_blocks=resident,
        output=output,
    )
    arrays = [a.tobytes() for a in copies if isinstance(a, np.ndarray)]
    # Blocks print when they come to it, in any order.
    return arrays, "".join(sorted(output.getvalue()))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ZOO)
def test_kernels(name: str) -> None:
    case = KERNELS[name]
    module = tools.parse(case.text_path.read_text())
    program = lower(tools.context(), module, "ptx", gpu="sm_90a", file=name)
    grid, arguments = case.grid(case.typical), case.make_arguments(case.typical)
    assert math.prod(grid) > 1
    expanded = launch_arguments(arguments)
    one_by_one = leaves(program, name, grid, expanded, 1)
    for resident in RESIDENT:
        assert leaves(program, name, grid, expanded, resident) == one_by_one


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", PROGRAMS)
def test_random_programs(seed: int) -> None:
    random = generate(seed)
    program = lower(
        tools.context(), random.module.clone(), "ptx", gpu=random.target, file="program"
    )
    given = random.arguments(np.random.default_rng(seed))
    kernel = find_kernel(random.module, random.kernel, "program")
    arguments = bind_arguments(kernel, [Argument(None, each) for each in given])
    one_by_one = leaves(program, random.kernel, random.grid, arguments, 1)
    for resident in RESIDENT:
        assert leaves(program, random.kernel, random.grid, arguments, resident) == one_by_one


@pytest.mark.parametrize("resident", [1, *RESIDENT])
def test_a_fault_names_the_first_block_that_has_it(resident: int | None) -> None:
    """Blocks 2 and 3 write behind the array, each with all of its threads."""
    a, c = np.ones(512, np.float32), np.zeros(256, np.float32)
    with pytest.raises(emulator.EmulatorError, match=r"out-of-bounds.*block \(2, 0, 0\), warp 0"):
        emulator.load(VECTOR_ADD).launch(None, (4, 1, 1), [a, a, c, 512], resident_blocks=resident)
