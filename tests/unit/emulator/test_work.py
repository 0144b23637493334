"""What a launch asks of the units of a multiprocessor, against counts by hand."""

from dataclasses import replace
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest

from tileir_xdsl import cutile, emulator
from tileir_xdsl.emulator.work import Work
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.tuning import emulated
from tileir_xdsl.testing.kernels.case import kernel

MMA = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) .reqntid 64, 1, 1 {{
  .reg .b32 %a<4>, %b<2>, %x;
  .reg .f32 %c<4>;
  .reg .f64 %d;
  .reg .b64 %p;
  .reg .pred %q;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %p, [p];
  mov.u32 %x, %tid.x;
  setp.lt.u32 %q, %x, 8;
  {body}
  ret;
}}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("@%q ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%p];", {"global_bytes": 8 * 16}),
        ("st.global.b32 [%p], %x;", {"global_bytes": 64 * 4}),
        ("st.shared.v2.b32 [s], {%x, %x};", {"shared_bytes": 64 * 8}),
        ("ex2.approx.f32 %c0, %c0;", {"special": 64}),
        ("fma.rn.f64 %d, %d, %d, %d;", {"double": 64}),
        ("cvt.f64.f32 %d, %c0;", {}),
        # Two warps, 16 x 8 x 16 multiply-adds of 16 bits each.
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
            "{%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};",
            {"mma_bits": 2 * 16 * 8 * 16 * 16},
        ),
        # Of 8 bits twice as many at the same rate.
        (
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%a0, %a1, %a2, %a3}, "
            "{%a0, %a1, %a2, %a3}, {%b0, %b1}, {%a0, %a1, %a2, %a3};",
            {"mma_bits": 2 * 16 * 8 * 32 * 8},
        ),
    ],
)
def test_work_of_an_instruction(body: str, expected: dict[str, int]):
    zeros = "\n".join(
        [f"mov.b32 %a{n}, 0;" for n in range(4)]
        + [f"mov.b32 %b{n}, 0;" for n in range(2)]
        + [f"mov.f32 %c{n}, 0f00000000;" for n in range(4)]
        + ["mov.f64 %d, 0d0000000000000000;"]
    )
    module = emulator.load(MMA.format(body=zeros + body))
    done = module.launch(None, (1, 1, 1), [np.zeros(64, np.float32)])
    assert done.work == replace(Work(), **expected)


@kernel
def matmul(
    a: Any, b: Any, c: Any, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]
) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for step in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, index=(i, step), shape=(m, k))
        acc = ct.mma(x, ct.load(b, index=(step, j), shape=(k, n)), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


# By `cp.async` and `mma.sync`, by TMA and `wgmma`, by TMA and `tcgen05.mma`.
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("tile", [(64, 64, 64), (128, 64, 32)])
@pytest.mark.parametrize("dtype", [np.dtype(np.float16), np.dtype(ml_dtypes.float8_e4m3fn)])
@pytest.mark.one_in(3)
def test_work_of_a_matmul(gpu: str, tile: tuple[int, int, int], dtype: np.dtype[np.float16]):
    if gpu == "sm_80" and dtype.itemsize == 1:
        dtype = np.dtype(np.float16)
    size = 128
    a, b = np.ones((size, size), dtype), np.ones((size, size), dtype)
    c = np.zeros((size, size), np.float32)
    program = cutile.load(matmul, (a, b, c, *tile), gpu)
    values = bind_arguments(program.kernel(), [Argument(None, each) for each in (a, b, c)])
    compiled = program.compile("ptx")
    grid = (size // tile[0], size // tile[1], 1)
    work = emulated(compiled.text, compiled.kernel(), grid, values).work
    blocks, steps = grid[0] * grid[1], size // tile[2]
    loaded = steps * (tile[0] + tile[1]) * tile[2] * dtype.itemsize
    assert work.global_bytes == blocks * (loaded + tile[0] * tile[1] * 4)
    assert work.mma_bits == size**3 * 8 * dtype.itemsize
