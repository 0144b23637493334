"""Reads drawings back: the fields with their labels, and what holds for every drawing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from tileir_xdsl.drawings.colours import contrast
from tileir_xdsl.drawings.drawing import Drawing

NAMESPACE = "{http://www.w3.org/2000/svg}"
_BOX = re.compile(r"M([-\d.]+) ([-\d.]+)h([\d.]+)v([\d.]+)h-([\d.]+)z")
_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True)
class ReadField:
    """A rectangle, its colour and the lines inside it."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    lines: tuple[str, ...]


def root_of(svg: str) -> ElementTree.Element:
    """The document, which must be well-formed XML."""
    return ElementTree.fromstring(svg)


def columns_of(svg: str, part: str) -> list[int]:
    """How many columns each group of a name says that it has."""
    groups = root_of(svg).findall(f".//{NAMESPACE}g[@data-part='{part}']")
    return [int(group.attrib["data-columns"]) for group in groups]


def lengths_of(row: list[ReadField], columns: int) -> list[int]:
    """How many columns each field of a row spans; coordinates are rounded to tenths."""
    unit = sum(field.width for field in row) / columns
    lengths = [round(field.width / unit) for field in row]
    assert sum(lengths) == columns
    for field, length in zip(row, lengths, strict=True):
        assert abs(field.width - length * unit) < 0.2
    return lengths


def fields_of(svg: str, part: str) -> list[list[list[ReadField]]]:
    """The fields of each group of a name, row by row from the top, each from the left."""
    groups = root_of(svg).findall(f".//{NAMESPACE}g[@data-part='{part}']")
    return [_rows(list(_fields(group))) for group in groups]


def _fields(group: ElementTree.Element) -> Iterator[ReadField]:
    texts = [
        (float(text.attrib["x"]), float(text.attrib["y"]), text.text or "")
        for text in group.iter(f"{NAMESPACE}text")
    ]
    for path in group.iter(f"{NAMESPACE}path"):
        for match in _BOX.finditer(path.attrib["d"]):
            x, y, width, height, back = map(float, match.groups())
            assert width == back
            inside = [t for t in texts if x <= t[0] < x + width and y <= t[1] < y + height]
            lines = tuple(line for _, _, line in sorted(inside, key=lambda text: text[1]))
            yield ReadField(x, y, width, height, path.attrib["fill"], lines)


def _rows(fields: list[ReadField]) -> list[list[ReadField]]:
    tops = sorted({field.y for field in fields})
    return [sorted((f for f in fields if f.y == y), key=lambda field: field.x) for y in tops]


def check_drawing(drawing: Drawing) -> None:
    """Holds for all drawings: accessible, self-contained, on its own ground, large enough text."""
    root = root_of(drawing.svg)
    assert root.tag == f"{NAMESPACE}svg"
    assert root.attrib["role"] == "img"
    assert root[0].tag == f"{NAMESPACE}title"
    assert root[0].text
    assert drawing.text
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    ground = root.find(f"{NAMESPACE}rect")
    assert ground is not None
    assert (ground.attrib["fill"], float(ground.attrib["width"])) == ("#ffffff", width)
    for node in root.iter():
        assert "style" not in node.attrib
        assert not node.tag.endswith(("style", "script", "image", "use"))
        for name in ("fill", "stroke"):
            value = node.attrib.get(name, "none")
            assert value == "none" or _COLOUR.fullmatch(value)
        if size := node.attrib.get("font-size"):
            assert float(size) >= 11
        # Text that stands on the ground reads on it.
        if node.tag.endswith("text") and (fill := node.attrib.get("fill")):
            assert max(contrast(fill, "#ffffff"), contrast(fill, "#0072b2")) >= 4.5
        if node.tag.endswith("text"):
            assert float(node.attrib["y"]) <= height
    for text in _absolute_texts(root):
        assert text[0] + 6 * len(text[2]) <= width + 1, text
        assert text[1] <= height


def _absolute_texts(root: ElementTree.Element) -> Iterator[tuple[float, float, str]]:
    def visit(node: ElementTree.Element, x: float, y: float) -> Iterator[tuple[float, float, str]]:
        if moved := re.fullmatch(
            r"translate\(([\d.]+) ([\d.]+)\)", node.attrib.get("transform", "")
        ):
            x, y = x + float(moved[1]), y + float(moved[2])
        if node.tag.endswith("text"):
            yield x + float(node.attrib["x"]), y + float(node.attrib["y"]), node.text or ""
        for child in node:
            yield from visit(child, x, y)

    return visit(root, 0, 0)
