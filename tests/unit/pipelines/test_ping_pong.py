"""Attention whose warpgroups start their products in turns: right, and the assembler is content."""

import re

from bench.matrix_kernels import CASES
from tests.unit import tools
from tests.unit.backend.ptx.harness import assemble
from tests.unit.pipelines.zoo import Lowered, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.transforms.tileas_materialize_schedule import TileASMaterializeSchedulePass
from tileir_xdsl.transforms.tileir_pipeline import passes


def test_attention():
    case = CASES["attention_128x128x128"]
    module, context = tools.parse(case.text_path.read_text()), tools.context()
    for module_pass in passes("sm_90a"):
        if isinstance(module_pass, TileASMaterializeSchedulePass):
            module_pass = TileASMaterializeSchedulePass(ping_pong=True)
        module_pass.apply(context, module)
    ptx = emit(module)
    # A turn in the loop, of two products, one in front of it, one behind it.
    assert ptx.count("bar.arrive 4, 256") == ptx.count("bar.sync 4, 256") == 3
    report = assemble(ptx, "sm_90a")
    assert re.search(r"\b0 bytes spill stores", report)
    assert not re.search(r"C75\d\d", report)
    run(case, Lowered(module, ptx), case.typical, case.grid(case.typical), late=True, races=True)
