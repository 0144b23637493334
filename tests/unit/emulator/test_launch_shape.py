"""Shapes of launches: shared memory that the launch adds, and what a launch of one thread needs."""

from itertools import combinations

import numpy as np
import pytest

from tests.unit.emulator import kernels
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.emulator.launch_shape import LaunchShape


def behind(own: str, alignment: int, place: int) -> str:
    """A kernel that writes and reads a byte of the memory that its launch adds to its own."""
    return (
        kernels.HEADER
        + f"""
.extern .shared .align {alignment} .b8 added[];
.visible .entry k(.param .u64 out) .reqntid 1
{{
  {own}
  .reg .b32 %r<2>; .reg .b64 %rd<1>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, 77;
  st.shared.u8 [added+{place}], %r0;
  ld.shared.u8 %r1, [added+{place}];
  st.global.u32 [%rd0], %r1;
  ret;
}}
"""
    )


@pytest.mark.parametrize("own", ["", ".shared .b8 a[4];", ".shared .align 16 .b8 a[48];"])
@pytest.mark.parametrize("alignment", [1, 16, 128])
def test_added_memory_begins_where_its_alignment_says(own: str, alignment: int):
    """All of its bytes are there behind those of the kernel, and not one more."""
    for place in (0, 63):
        out = np.zeros(1, np.uint32)
        program = emulator.load(behind(own, alignment, place))
        program.launch("k", (1, 1, 1), [out], dynamic_shared=64)
        assert out[0] == 77
    with pytest.raises(EmulatorError, match="shared"):
        emulator.load(behind(own, alignment, 64)).launch(
            "k", (1, 1, 1), [np.zeros(1, np.uint32)], dynamic_shared=64
        )


@pytest.mark.parametrize("bytes", [-1, -64, 232_448])
def test_memory_that_no_block_can_have(bytes: int):
    program = emulator.load(behind(".shared .b8 a[4];", 1, 0))
    with pytest.raises(
        EmulatorError, match=r"a block has at least 0 bytes of dynamic shared memory"
    ):
        program.launch("k", (1, 1, 1), [np.zeros(1, np.uint32)], dynamic_shared=bytes)


DIRECTIVES = {
    ".reqntid": ".reqntid 32, 1, 1",
    ".reqnctapercluster": ".reqnctapercluster 2, 1, 1",
    ".blocksareclusters": ".blocksareclusters",
}


def test_what_a_launch_of_one_thread_needs():
    """A driver that is given blocks of 1x1x1 takes their shape from the kernel."""
    for count in range(len(DIRECTIVES) + 1):
        for given in combinations(DIRECTIVES, count):
            header = kernels.HEADER.replace("8.3", "9.0")
            lines = "\n".join(DIRECTIVES[name] for name in given)
            kernel = emulator.load(f"{header}.visible .entry k()\n{lines}\n{{ ret; }}").kernels["k"]
            missing = [name for name in DIRECTIVES if name not in given]
            if not missing:
                LaunchShape((1, 1, 1)).check_self_contained(kernel)
                continue
            with pytest.raises(EmulatorError, match=f"'k' has no {', '.join(missing)}, which"):
                LaunchShape((1, 1, 1)).check_self_contained(kernel)
