"""Tensor memory: lanes and columns as the layout says."""

import re

import pytest

from tests.unit.drawings.svg_reading import NAMESPACE, check_drawing, fields_of, root_of
from tileir_xdsl.drawings.colours import colour_of
from tileir_xdsl.drawings.tensor_memory import (
    COLUMN_WIDTH,
    LANE_HEIGHT,
    TensorAllocation,
    accumulator_drawing,
    tensor_memory_drawing,
)
from tileir_xdsl.layout.tensor_memory import LANE_SHIFT, tensor_memory_accumulator


@pytest.mark.parametrize("shape", [(128, 64), (64, 256), (128, 8)])
def test_elements_are_where_the_layout_says(shape: tuple[int, int]):
    layout = tensor_memory_accumulator(shape)
    drawing = accumulator_drawing(layout)
    check_drawing(drawing)
    (rows,) = fields_of(drawing.svg, "tensor_memory")
    for row, fields in enumerate(rows):
        assert len(fields) == min(16, shape[1])
        for column, field in enumerate(fields):
            match = re.fullmatch(r"l(\d+) c(\d+)", field.lines[0])
            assert match
            lane, at = map(int, match.groups())
            assert lane << LANE_SHIFT | at == layout.address(row * shape[1] + column)
            assert field.colour == colour_of(lane // 32)


def test_allocations_have_their_columns_and_lanes():
    drawing = tensor_memory_drawing(
        [
            TensorAllocation("accumulator", 0, 256, 128, ("o1", "o2")),
            TensorAllocation("b", 256, 64, 64),
        ],
        "tensor memory",
    )
    check_drawing(drawing)
    groups = root_of(drawing.svg).findall(f".//{NAMESPACE}g[@data-columns]")
    assert [group.get("data-id") for group in groups] == ["o1 o2", None]
    rows = (128, 64)
    for group, first, columns, held in zip(groups, (0, 256), (256, 64), rows, strict=True):
        boxes = group.findall(f"{NAMESPACE}rect")
        x = float(boxes[0].attrib["x"]) - 110
        assert abs(x - first * COLUMN_WIDTH) < 1e-3
        assert abs(float(boxes[0].attrib["width"]) - columns * COLUMN_WIDTH) < 1e-3
        lanes = sum(float(box.attrib["height"]) for box in boxes) / LANE_HEIGHT
        assert lanes == held
        layout = tensor_memory_accumulator((held, 8))
        starts = {layout.address(row * 8) >> LANE_SHIFT for row in range(held)}
        for box in boxes:
            top = (float(box.attrib["y"]) - 16) / LANE_HEIGHT
            for lane in range(int(top), int(top + float(box.attrib["height"]) / LANE_HEIGHT)):
                assert lane in starts
    assert "320 of 512 columns are in use" in drawing.text
    assert "b: columns 256 to 319, lanes 0 to 15, 32 to 47, 64 to 79, 96 to 111." in drawing.text
