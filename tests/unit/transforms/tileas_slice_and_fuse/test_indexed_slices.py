"""Loops that take slices of register tiles by their induction variable: which are written out."""

import pytest
from xdsl.dialects import scf

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools

KERNEL = """
nv_tileaa.func @k(%n: i32, %x: tensor<SIZExf32>, %a: !nv_tileaa.ptr<f32>) attributes {
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %pid = nv_tileaa.get_program_id 0 : i32
  scf.for %i = %c0 to UPPER step %c1 iter_args(%carried = %c0) -> (i32) : i32 {
    %same = arith.addi %pid, %i : i32
    %odd = arith.xori %i, %c1 : i32
    %next = arith.addi %i, OFFSET : i32
    %s = nv_tileaa.extract_slice %x[%next : i32] : tensor<SIZExf32> -> tensor<PARTxf32>
    %y = nv_tileaa.mulf %s, %s : tensor<PARTxf32>
    %t = nv_tileaa.print "%f", %y : tensor<PARTxf32> -> !nv_tileaa.mem_token
    scf.yield %next : i32
  }
  %p, %q = nv_tileaa.load weak %a : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token
  nv_tileaa.return
}
"""


def kernel(upper: str = "%c4", offset: str = "%c0", size: int = 1024) -> str:
    text = KERNEL.replace("UPPER", upper).replace("OFFSET", offset).replace("SIZE", str(size))
    return text.replace("PART", str(size // 8))


@pytest.mark.parametrize(
    ("text", "is_sliced"),
    [
        (kernel(), True),
        (kernel(offset="%c4"), True),
        # Trips, or a slice, that only the run of the program tells; the number is, as a variable
        # of a loop, the first argument of its block.
        (kernel(upper="%n"), False),
        (kernel(offset="%n"), False),
        (kernel(offset="%pid"), False),
        (kernel(offset="%same"), False),
        (kernel(offset="%odd"), False),
        (kernel(offset="%carried"), False),
        # A single iteration, and more elements of a thread than the code may have.
        (kernel(upper="%c1"), False),
        (kernel(size=262144), False),
    ],
)
def test_which_loops_are_sliced(text: str, is_sliced: bool):
    module = tools.run_passes(tools.parse(text), "tileas-slice-and-fuse{slices=1}")
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert ("sliceCount" in loop.attributes) == is_sliced


def test_each_iteration_takes_registers_that_are_known():
    passes = "tileas-slice-and-fuse{slices=1},convert-tileaa-to-tileas,tileas-slicing"
    module = tools.run_passes(tools.parse(kernel(offset="%c4")), f"{passes},tileas-canonicalize")
    assert not any(isinstance(op, scf.ForOp) for op in module.walk())
    slices = [op.slice for op in module.walk() if isinstance(op, nv_tileas.ExtractSliceOp)]
    assert [part.offsets for part in slices] == [(512,), (640,), (768,), (896,)]
