"""As many blocks as leave room for the tiles in use."""

import pytest

from tileir_xdsl.analysis.threads.block_sharing import expected_blocks
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools

TILE = "tensor<64x128xf32, #nv_tileas.layout<((4, 16), 32, 4, 1), ((1, 512), 4, 128, 0)>>"
VIEW = "!nv_tileaa.tiled_view<64x128xf32, !nv_tileaa.memref<64x128xf32, strides = [128, 1]>>"


def blocks(occupancy: int, gpu: str) -> int:
    """The blocks of a kernel of four warps that holds 64 registers of a tile in each thread."""
    module = tools.parse(f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1, occupancy = {occupancy}>}} {{
      %v = "test.op"() : () -> {VIEW}
      %n = arith.constant 0 : index
      %t = nv_tileas.tiled_load weak %v[%n, %n] : {VIEW}[index, index] -> {TILE}
      nv_tileas.tiled_store weak %t, %v[%n, %n] : {TILE}, {VIEW}[index, index]
      nv_tileaa.return
    }}""")
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    return expected_blocks(function, get_target(gpu))


@pytest.mark.parametrize(("wanted", "fit"), [(1, 1), (2, 2), (3, 2), (16, 2)])
def test_blocks_with_agents(wanted: int, fit: int):
    """Two blocks of eight warps leave 128 registers to a thread, three leave 80."""
    assert blocks(wanted, "sm_90a") == fit


def test_without_agents_the_assembler_makes_room():
    assert blocks(16, "sm_80") == 16
