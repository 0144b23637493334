"""Kernels whose grid counts clusters: who runs, and what they know of themselves."""

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import assemble
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

LOWER = f"convert-tileaa-to-tileas,tileas-assign-load-store-layouts,{tools.TO_LLVM}"


def kernel(rows: int, columns: int) -> str:
    """Each CTA stores its number in the grid, and how many tile blocks there are."""
    return f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = {rows * columns}>,
        nv_tileaa.cluster_shape = array<i32: {rows}, {columns}>}} {{
      %x = nv_tileaa.get_program_id 0 : i32
      %y = nv_tileaa.get_program_id 1 : i32
      %n = nv_tileaa.get_num_programs 0 : i32
      %r = nv_tileaa.get_cta_id 0 : i32
      %c = nv_tileaa.get_cta_id 1 : i32
      %rows = arith.constant {rows} : i32
      %columns = arith.constant {columns} : i32
      %hundred = arith.constant 100 : i32
      %a = arith.muli %y, %n : i32
      %b = nv_tileaa.addi %a, %x : i32
      %d = arith.muli %b, %rows : i32
      %e = nv_tileaa.addi %d, %r : i32
      %f = arith.muli %e, %columns : i32
      %place = nv_tileaa.addi %f, %c : i32
      %g = arith.muli %n, %hundred : i32
      %value = nv_tileaa.addi %g, %place : i32
      %q = nv_tileaa.addptr %p, %place : !nv_tileaa.ptr<i32>, i32
      %s = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %t = nv_tileaa.store weak %q, %value token = %s
           : !nv_tileaa.ptr<i32>, i32 -> !nv_tileaa.mem_token
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 1), (1, 4), (2, 2), (4, 2)])
def test_ctas_of_a_grid(rows: int, columns: int):
    grid = (3, 2, 1)
    expected = 300 + np.arange(6 * rows * columns, dtype=np.int32)
    tile_program = tools.parse(kernel(rows, columns))
    found = np.zeros_like(expected)
    interpreters.launch(tile_program, "k", grid, [found])
    assert np.array_equal(found, expected)
    ptx = emit(tools.run_passes(tile_program, LOWER))
    assert (".blocksareclusters" in ptx) == (rows * columns > 1)
    assemble(ptx, "sm_90a")
    found = np.zeros_like(expected)
    emulator.load(ptx).launch("k", grid, [found])
    assert np.array_equal(found, expected)


def test_a_hint_alone_makes_no_cluster():
    """Without a division each thread block carries out a tile block as a whole."""
    text = kernel(1, 1).replace("num_ctas = 1>,", "num_ctas = 2>")
    text = text.replace("nv_tileaa.cluster_shape = array<i32: 1, 1>", "")
    ptx = emit(tools.run_passes(tools.parse(text), LOWER))
    assert "cluster" not in ptx


def test_a_launch_of_a_kernel_of_clusters():
    text = f"""
    builtin.module {{
      {kernel(2, 2)}
      nv_tileaa.func @all(%p: !nv_tileaa.ptr<i32>) attributes {{
          nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
        %two = arith.constant 2 : i32
        %one = arith.constant 1 : i32
        nv_tileaa.launch_func @k grid(%two, %one, %one) args(%p : !nv_tileaa.ptr<i32>)
        nv_tileaa.return
      }}
    }}
    """
    found = np.zeros(8, np.int32)
    interpreters.launch(tools.parse(text), "all", (1, 1, 1), [found])
    assert found.tolist() == list(range(200, 208))
