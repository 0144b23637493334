"""A kernel that is launched as the dependent of another one, in the emulator."""

from typing import Any

import numpy as np
import pytest

from tests.unit.road.zoo import Lowered, lower
from tileir_xdsl import emulator
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

NAME, COUNT = "dependent_launch", 1000
CASE = KERNELS[NAME]


def launched(kernel: Lowered, arrays: list[Any]) -> emulator.Launch:
    module = tools.parse(CASE.text_path.read_text())
    values = bind_arguments(
        find_kernel(module, NAME, NAME), [Argument(None, as_argument(a, NAME)) for a in arrays]
    )
    return emulator.Launch(
        NAME,
        CASE.grid((COUNT,)),
        with_tensor_maps(kernel.module, NAME, values),
        dynamic_shared=dynamic_shared_memory(kernel.module, NAME),
    )


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
def test_the_result_of_one_launch_is_read_by_the_next_one(gpu: str):
    """Each multiplies by the weight."""
    kernel = lower(tools.parse(CASE.text_path.read_text()), gpu)
    weight, x = (np.arange(COUNT, dtype=np.float32) % n for n in (7, 11))
    found = [np.zeros(COUNT, np.float32) for _ in range(2)]
    pair = [launched(kernel, [weight, a, b]) for a, b in ((x, found[0]), found)]
    emulator.load(kernel.ptx).launch_pair(pair[0], pair[1], races=True, late=True)
    np.testing.assert_array_equal(found[1], weight * weight * x)
    without = kernel.ptx.replace("\tgriddepcontrol.wait;\n", "")
    assert without != kernel.ptx
    with pytest.raises(emulator.EmulatorError, match=r"race: .* no griddepcontrol\.wait"):
        emulator.load(without).launch_pair(pair[0], pair[1], races=True)
