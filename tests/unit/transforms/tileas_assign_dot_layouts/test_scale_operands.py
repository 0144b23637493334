"""Block scales that stay in shared memory: which do, in what layout, and who loads them."""

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType

from bench.matrix_kernels import SCALED_CASES
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes

ROWS, ORDERED = "mxfp8_128x128x128", "mxfp8_ordered_128x128x128"


def after_pass(text: str, gpu: str = "sm_100a") -> ModuleOp:
    module, context = tools.parse(text), tools.context()
    for module_pass in passes(gpu):
        module_pass.apply(context, module)
        if module_pass.name == "tileas-assign-dot-layouts":
            break
    return module


def text_of(name: str) -> str:
    return SCALED_CASES[name].text_path.read_text()


def in_memory(module: ModuleOp) -> Sequence[bool]:
    (dot,) = (op for op in module.walk() if isinstance(op, MMAOp))
    return [is_shared(scales.type) for scales in dot.scales]


def copies(module: ModuleOp) -> Sequence[str]:
    """The layouts of buffers that threads copy to."""
    types = [
        op.destination.type
        for op in module.walk()
        if isinstance(op, nv_tileas.AsyncTiledLoadOp) and op.destination is not None
    ]
    return [str(type.encoding) for type in types if isinstance(type, TensorType)]


def test_rows_are_rearranged_by_copies():
    module = after_pass(text_of(ROWS))
    assert in_memory(module) == [True, True]
    layout = "#nv_tileas.memory<smem, <((32, 4), 4), ((16, 4), 1)>>"
    assert copies(module) == [layout, layout]


def test_ordered_scales_are_loaded_as_they_are():
    module = after_pass(text_of(ORDERED))
    assert in_memory(module) == [True, True] and copies(module) == []


@pytest.mark.parametrize("name", [ROWS, ORDERED])
def test_a_warp_reads_scales_from_registers(name: str):
    module = after_pass(text_of(name), "sm_120a")
    assert in_memory(module) == [False, False] and copies(module) == []
    (dot,) = (op for op in module.walk() if isinstance(op, MMAOp))
    # Those that TMA brings as they are come from a buffer, others from global memory.
    owners = [scales.owner for scales in dot.scales]
    is_read = [
        isinstance(op, nv_tileas.ConvertLayoutOp) and is_shared(op.source.type) for op in owners
    ]
    assert is_read == [name == ORDERED] * 2


def test_both_or_none():
    """Scales of B with another user come through registers, and then those of A do."""
    text = text_of(ROWS)
    bits = "%bits = bitcast %tile_54 : tile<128x4xf8E8M0FNU> -> tile<128x4xi8>\n      "
    shown = 'print_tko "%d", %bits : tile<128x4xi8> -> token\n      continue %5'
    assert text.count("continue %5") == 1
    module = after_pass(text.replace("continue %5", bits + shown))
    assert in_memory(module) == [False, False] and copies(module) == []
