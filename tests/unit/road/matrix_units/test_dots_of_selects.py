"""A Tile IR program whose dot has a choice that is known: it is simplified on its way to PTX."""

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.arith import SelectOp
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileaa_to_tileas import ConvertTileAAToTileASPass
from tileir_xdsl.transforms.pipeline_road import steps

TEXT = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %i = iota : tile<32xi8>
    %row = reshape %i : tile<32xi8> -> tile<1x32xi8>
    %a = broadcast %row : tile<1x32xi8> -> tile<16x32xi8>
    %column = reshape %i : tile<32xi8> -> tile<32x1xi8>
    %b = broadcast %column : tile<32x1xi8> -> tile<32x16xi8>
    %twos = constant <i8: 2> : tile<16x32xi8>
    %acc = constant <i32: 5> : tile<16x16xi32>
    %known = constant <i1: KNOWN> : tile<16x32xi1>
    %chosen = select %known, %a, %twos : tile<16x32xi1>, tile<16x32xi8>
    %dot = mmai %chosen, %b, %acc signed signed : tile<16x32xi8>, tile<32x16xi8>, tile<16x16xi32>
    %one = reshape %p : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %all = broadcast %one : tile<1x1xptr<i32>> -> tile<16x16xptr<i32>>
    %t = store_ptr_tko weak %all, %dot : tile<16x16xptr<i32>>, tile<16x16xi32> -> token
  }
}
"""


@pytest.mark.parametrize(("known", "expected"), [("true", 10421), ("false", 997)])
def test_a_known_choice(known: str, expected: int):
    module = tools.parse(TEXT.replace("KNOWN", known))
    for step in steps("sm_90a"):
        step.module_pass.apply(tools.context(), module)
        if isinstance(step.module_pass, ConvertTileAAToTileASPass):
            (dot,) = (op for op in module.walk() if isinstance(op, nv_tileas.DotOp))
            assert not isinstance(dot.a.owner, SelectOp)
    out = np.zeros(1, np.int32)
    shared = dynamic_shared_memory(module, "k")
    emulator.load(emit(module)).launch("k", (1, 1, 1), [out], dynamic_shared=shared)
    assert out[0] == expected
