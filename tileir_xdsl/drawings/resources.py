"""Shared memory over a program: the bytes of each buffer, and the ops from first to last use.

Although agents run concurrently, their ops are numbered in the order of the text. The module also
draws the occupancy of a multiprocessor, and the roofline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10

from tileir_xdsl.drawings.colours import CONFLICT, colour_of, ink_on
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.svg import (
    FAINT_INK,
    FONT_SIZE,
    LINE_HEIGHT,
    RULE,
    document,
    element,
    joined_ids,
    note,
    text,
    text_width,
    titled,
)

KIND = "resources"
WIDTH, HEIGHT = 760, 320
LEAST_HEIGHT = 3
"""The least height of a buffer in pixels, so that small buffers are visible."""
ROOFLINE_HEIGHT = 220
DECADES = 4


@dataclass(frozen=True)
class MemoryUse:
    """An allocation of bytes, and the first and last op that needs it."""

    name: str
    offset: int
    size: int
    spans: tuple[tuple[int, int], ...]
    """For each agent that uses the allocation, the numbers of its first and last op."""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class MemoryMap:
    """All uses of the shared memory of a function."""

    function: str
    uses: tuple[MemoryUse, ...]
    ops: int
    """How many ops the function has."""
    limit: int
    """The most bytes of a thread block."""

    @property
    def bytes(self) -> int:
        """The bytes in use."""
        return max((use.offset + use.size for use in self.uses), default=0)


def memory_map_drawing(memory: MemoryMap, ids: Sequence[str] = ()) -> Drawing:
    """Draws buffers by offset, downwards, and by the ops that need them, to the right."""
    title = f"shared memory of @{memory.function}"
    left, top = text_width("000000") + 8, LINE_HEIGHT
    down, right = HEIGHT / max(memory.bytes, 1), WIDTH / max(memory.ops, 1)
    faint = [text(left, FONT_SIZE, "ops of the function in the order of the text")]
    offsets = sorted({use.offset for use in memory.uses} | {memory.bytes})
    last = -100.0
    for offset in offsets:
        y = top + offset * down
        if y - last >= 12:
            faint.append(text(0, y + 9, str(offset)))
            last = y
    parts = [
        element("rect", x=left, y=top, width=WIDTH, height=HEIGHT, fill="#f2f2f2"),
        element("g", *faint, fill=FAINT_INK),
    ]
    # The smallest last, so that nothing hides them.
    ordered = sorted(enumerate(memory.uses), key=lambda item: -item[1].size)
    parts += [_use(use, number, left, top, right, down) for number, use in ordered]
    height = top + HEIGHT + LEAST_HEIGHT + 14
    words = _describe_map(memory)
    width = left + WIDTH
    for line in words.split("\n"):
        parts.append(note(line, height))
        width = max(width, text_width(line))
        height += LINE_HEIGHT
    svg = document(width, height, title, parts, words)
    return Drawing(KIND, title, tuple(ids), svg, words)


def _use(use: MemoryUse, number: int, left: float, top: float, right: float, down: float) -> str:
    colour = colour_of(number)
    y, height = top + use.offset * down, max(use.size * down, LEAST_HEIGHT)
    boxes: list[str] = []
    for first, last in use.spans:
        x, width = left + first * right, (last - first + 1) * right
        boxes.append(
            element("rect", x=x, y=y, width=width, height=height, fill=colour, stroke=RULE)
        )
        label = f"{use.name}: {use.size}"
        if height >= 16 and text_width(label) + 8 <= width:
            boxes.append(text(x + 4, y + 13, label, fill=ink_on(colour)))
    what = titled(f"{use.name}: bytes {use.offset} to {use.offset + use.size - 1}")
    return element(
        "g", what, *boxes, data_id=joined_ids(use.ids), data_bytes=f"{use.offset} {use.size}"
    )


def _describe_map(memory: MemoryMap) -> str:
    requested = sum(use.size for use in memory.uses)
    lines = [
        f"{memory.bytes} of {memory.limit} bytes in use ({memory.bytes / memory.limit:.0%}); "
        f"{requested} were asked for, what is not needed at the same time shares them."
    ]
    lines += [
        f"{use.name}: bytes {use.offset} to {use.offset + use.size - 1}, ops "
        + " and ".join(f"{first} to {last}" for first, last in use.spans)
        for use in sorted(memory.uses, key=lambda use: (use.offset, use.size))
    ]
    return "\n".join(lines)


def occupancy_drawing(
    blocks: Mapping[str, int], warps: int, most_warps: int, title: str = "occupancy"
) -> Drawing:
    """Draws how many thread blocks each resource allows; the minimum is the occupancy.

    Args:
        blocks: by resource, how many blocks of it fit on a multiprocessor.
        warps: warps of a block.
        most_warps: warps that a multiprocessor holds.
    """
    resident = min(blocks.values())
    left = max(map(text_width, blocks)) + 12
    scale = (WIDTH - left) / max(*blocks.values(), 1)
    parts: list[str] = []
    for row, (name, allowed) in enumerate(blocks.items()):
        y, colour = row * 24, CONFLICT if allowed == resident else colour_of(0)
        parts.append(text(0, y + 15, name))
        parts.append(
            element(
                "rect",
                x=left,
                y=y,
                width=max(allowed * scale, 1),
                height=20,
                fill=colour,
                data_blocks=str(allowed),
            )
        )
        parts.append(text(left + 4, y + 15, str(allowed), fill=ink_on(colour)))
    limits = " and ".join(name for name, allowed in blocks.items() if allowed == resident)
    share = resident * warps / most_warps
    words = (
        f"{resident} thread blocks of {warps} warps on a multiprocessor: {share:.0%} of its "
        f"{most_warps} warps. The limit is {limits}."
    )
    height = len(blocks) * 24 + 4
    parts.append(note(words, height))
    svg = document(max(WIDTH, text_width(words)), height + LINE_HEIGHT, title, parts, words)
    return Drawing(KIND, title, (), svg, words)


def roofline_drawing(
    flops: float, bytes: float, peak_flops: float, peak_bandwidth: float, source: str
) -> Drawing:
    """Draws the roofline of a target, and the point of a kernel under the roofline.

    Peaks are per cycle of a multiprocessor; `source` says where the peaks are stated.
    """
    intensity, ridge = flops / bytes, peak_flops / peak_bandwidth
    attainable = min(peak_flops, intensity * peak_bandwidth)
    middle = log10(ridge)
    first = min(middle - DECADES / 2, log10(intensity) - 0.5)
    last = max(middle + DECADES / 2, log10(intensity) + 0.5)
    left = text_width("flops a cycle ") + 8

    def x(value: float) -> float:
        return left + (log10(value) - first) / (last - first) * (WIDTH - left)

    def y(value: float) -> float:
        return LINE_HEIGHT + (log10(peak_flops) - log10(value)) / (DECADES) * ROOFLINE_HEIGHT

    lowest = max(10**first * peak_bandwidth, peak_flops / 10**DECADES)
    start = lowest / peak_bandwidth
    points = [(x(start), y(lowest)), (x(ridge), y(peak_flops)), (WIDTH, y(peak_flops))]
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
    bound = "memory" if intensity < ridge else "arithmetic"
    at = y(max(attainable, lowest))
    parts = [
        element("path", d=path, fill="none", stroke=colour_of(6), stroke_width=2),
        element(
            "circle",
            cx=x(intensity),
            cy=at,
            r=6,
            fill=CONFLICT,
            data_intensity=f"{intensity:g}",
            data_flops=f"{attainable:g}",
        ),
        text(x(intensity) + 10, at + 18, f"{intensity:.3g} flops a byte"),
        text(0, y(peak_flops) + 4, f"{peak_flops:g}"),
        text(0, LINE_HEIGHT + ROOFLINE_HEIGHT / 2, "flops a cycle", fill=FAINT_INK),
        text(left, LINE_HEIGHT + ROOFLINE_HEIGHT + 14, "flops a byte of memory", fill=FAINT_INK),
    ]
    words = (
        f"{flops:g} floating-point operations and {bytes:g} bytes: {intensity:.3g} operations a "
        f"byte. Below {ridge:.3g} memory is the limit: at most {attainable:.4g} of "
        f"{peak_flops:g} operations a cycle, bound by {bound}."
    )
    height = LINE_HEIGHT + ROOFLINE_HEIGHT + 24
    for line in (words, f"Peaks: {source}."):
        parts.append(note(line, height))
        height += LINE_HEIGHT
    svg = document(max(WIDTH + 120, text_width(words)), height, "roofline", parts, words)
    return Drawing(KIND, "roofline", (), svg, words)
