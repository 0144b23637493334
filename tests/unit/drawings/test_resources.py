"""Shared-memory maps, occupancy and rooflines."""

import pytest

from tests.unit.drawings.svg_reading import NAMESPACE, check_drawing, root_of
from tests.unit.drawings.test_kernel import LAST, compiled, op_names
from tileir_xdsl.analysis.allocation.shared_memory_allocation import plan_shared_memory
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.drawings.program_memory import memory_map_of
from tileir_xdsl.drawings.resources import (
    HEIGHT,
    memory_map_drawing,
    occupancy_drawing,
    roofline_drawing,
)
from tileir_xdsl.targets import get_target
from tileir_xdsl.walking import ops_in

MATMUL = "divisible/matmul_f16_warpgroup.mlir"


def function_of(gpu: str, last: str = LAST) -> nv_tileaa.FuncOp:
    module = compiled(MATMUL, gpu, last)
    return next(op for op in ops_in(module) if isinstance(op, nv_tileaa.FuncOp))


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
def test_every_allocation_is_drawn_where_it_is(gpu: str):
    function = function_of(gpu)
    memory = memory_map_of(function, gpu, op_names)
    assert memory is not None
    drawing = memory_map_drawing(memory)
    check_drawing(drawing)
    plan = plan_shared_memory(function, get_target(gpu))
    expected = sorted((a.offset, a.request.bytes, a.op.name) for a in plan.allocations)
    drawn: list[tuple[int, int, str]] = []
    for group in root_of(drawing.svg).iter(f"{NAMESPACE}g"):
        if (bytes := group.get("data-bytes")) is None:
            continue
        offset, size = map(int, bytes.split())
        drawn.append((offset, size, group.attrib["data-id"]))
        for box in group.findall(f"{NAMESPACE}rect"):
            scale = HEIGHT / memory.bytes
            assert abs(float(box.attrib["y"]) - 16 - offset * scale) < 0.1
            height = max(3, size * scale)
            assert abs(float(box.attrib["height"]) - height) < 0.1
    assert sorted(drawn) == expected
    assert f"{memory.bytes} of {memory.limit} bytes in use" in drawing.text


def test_stages_and_barriers_are_named():
    memory = memory_map_of(function_of("sm_90a"), "sm_90a", op_names)
    assert memory is not None
    assert {use.name.split(" %")[0] for use in memory.uses} == {
        "stages of a pipeline",
        "barriers of a pipeline",
        "buffer",
    }


def test_there_is_no_map_before_allocation():
    function = function_of("sm_90a", "tileas-generate-schedule")
    assert memory_map_of(function, "sm_90a", op_names) is None


def test_the_least_resource_is_the_limit():
    drawing = occupancy_drawing({"registers": 3, "shared memory": 1, "blocks": 32}, 5, 64)
    check_drawing(drawing)
    assert "1 thread blocks of 5 warps" in drawing.text
    assert "8% of its 64 warps. The limit is shared memory." in drawing.text
    boxes = [box for box in root_of(drawing.svg).iter() if box.get("data-blocks")]
    assert [box.attrib["data-blocks"] for box in boxes] == ["3", "1", "32"]
    assert [box.attrib["fill"] == "#d55e00" for box in boxes] == [False, True, False]


@pytest.mark.parametrize(
    ("flops", "bound", "attainable"),
    [(1_600, "memory", 320), (1_600_000, "arithmetic", 4096)],
)
def test_a_kernel_is_under_the_roof(flops: float, bound: str, attainable: float):
    drawing = roofline_drawing(flops, 160, 4096, 32, "a table")
    check_drawing(drawing)
    (point,) = root_of(drawing.svg).iter(f"{NAMESPACE}circle")
    assert float(point.attrib["data-intensity"]) == flops / 160
    assert float(point.attrib["data-flops"]) == attainable
    assert f"bound by {bound}" in drawing.text
