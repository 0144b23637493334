"""The drawings of whole modules: each layout once, at its level, with the ids of its ops."""

from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.drawings.svg_reading import check_drawing
from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.kernel import drawings_of
from tileir_xdsl.testing.tools import parse, run_passes
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.walking import ops_in

KERNELS = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"
LAST = "tileas-insert-barriers"


@cache
def compiled(kernel: str, gpu: str, last: str = LAST) -> ModuleOp:
    """A kernel after a pass of the pipeline; nothing changes it."""
    names = [step.name for step in passes(gpu)]
    road = [str(step.pipeline_pass_spec()) for step in passes(gpu)][: names.index(last) + 1]
    return run_passes(parse((KERNELS / kernel).read_text()), ",".join(road), verify=False)


def op_names(op: Operation) -> list[str]:
    return [op.name]


def of_kind(drawings: list[Drawing], kind: str) -> list[Drawing]:
    return [drawing for drawing in drawings if drawing.kind == kind]


@pytest.mark.parametrize(
    ("kernel", "gpu"),
    [
        ("divisible/matmul_f16_warpgroup.mlir", "sm_90a"),
        ("divisible/matmul_f16_warpgroup.mlir", "sm_100a"),
        ("attention.mlir", "sm_80"),
    ],
)
def test_every_drawing_is_sound(kernel: str, gpu: str):
    drawings = drawings_of(compiled(kernel, gpu), "nv_tileas", gpu, op_names)
    assert drawings
    for drawing in drawings:
        check_drawing(drawing)
        assert drawing.ids
    assert len({(drawing.title, drawing.svg) for drawing in drawings}) == len(drawings)


def test_each_layout_is_drawn_once_with_the_ops_that_use_it():
    module = compiled("attention.mlir", "sm_80")
    users: dict[object, set[str]] = {}
    for op in ops_in(module):
        for value in (*op.operands, *op.results):
            if (layout := tile_layout(value.type)) is not None:
                users.setdefault(layout, set()).add(op.name)
    layouts = of_kind(drawings_of(module, "nv_tileas", "sm_80", op_names), "layout")
    assert len(layouts) == len(users) > 5
    assert [set(drawing.ids) for drawing in layouts] == list(users.values())


def test_the_accesses_that_were_chosen_are_drawn():
    gpu = "sm_90a"
    module = compiled("divisible/matmul_f16_warpgroup.mlir", gpu)
    (copy,) = (op for op in ops_in(module) if isinstance(op, nv_tileas.CopyOp))
    assert "access<matrices>" in str(copy)
    drawings = of_kind(drawings_of(module, "nv_tileas", gpu, op_names), "shared_memory")
    (access,) = (d for d in drawings if d.title == "stores to shared memory: copy")
    assert "4 instructions of 8x8 matrices a warp" in access.text
    assert access.ids == ("nv_tileas.copy",)


def test_tensor_memory_is_drawn_where_it_is_allocated():
    gpu = "sm_100a"
    module = compiled("divisible/matmul_f16_warpgroup.mlir", gpu)
    (drawing,) = of_kind(drawings_of(module, "nv_tileas", gpu, op_names), "tensor_memory")
    assert "64 of 512 columns are in use" in drawing.text
    assert "lanes 0 to 15, 32 to 47, 64 to 79, 96 to 111" in drawing.text


def test_levels_without_layouts_have_no_drawings():
    kernel, gpu = "divisible/matmul_f16_warpgroup.mlir", "sm_90a"
    assert drawings_of(parse((KERNELS / kernel).read_text()), "cuda_tile", gpu) == []
    assert drawings_of(compiled(kernel, gpu, "tileas-canonicalize"), "nv_tileas", gpu) == []
