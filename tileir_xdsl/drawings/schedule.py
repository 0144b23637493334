"""Timelines as pictures: a row per agent or unit, cycles from left to right, a colour per
iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir_xdsl.drawings import svg as svg_elements
from tileir_xdsl.drawings.colours import colour_of, ink_on
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.perfetto import trace_of
from tileir_xdsl.drawings.timeline import Bar, Timeline

KIND = "schedule"
WIDTH = 860
ROW_HEIGHT = 26
BAR_HEIGHT = 20
COLOURS = 8
WAIT_COLOUR = "#e0e0e0"
TICKS = 8


def schedule_drawing(timeline: Timeline, ids: Sequence[str] = ()) -> Drawing:
    """Draws a timeline, and adds its Perfetto trace to the drawing."""
    left = max(map(svg_elements.text_width, timeline.rows), default=0) + 12
    scale = WIDTH / max(timeline.end, 1)
    grid = 2 * svg_elements.LINE_HEIGHT
    height = grid + ROW_HEIGHT * len(timeline.rows)
    parts = _axis(timeline, left, scale, height)
    for row, name in enumerate(timeline.rows):
        y = grid + row * ROW_HEIGHT
        parts.append(svg_elements.text(0, y + 16, name))
        bars = (bar for bar in timeline.bars if bar.row == name)
        parts += [_bar(bar, left, y + 3, scale) for bar in bars]
    parts += _phases(timeline, left, scale, height)
    iterations = sorted({bar.iteration for bar in timeline.bars if not bar.waits})[:COLOURS]
    names = [(colour_of(number), f"iteration {number}") for number in iterations]
    names.append((WAIT_COLOUR, "waits"))
    swatches, swatch_height = svg_elements.legend(names, height + 8, left + WIDTH)
    parts += swatches
    height += 8 + swatch_height
    words = describe(timeline)
    lines = [line for line in words.split("\n") if not line.startswith("Cycle")]
    for line in lines:
        parts.append(svg_elements.note(line, height))
        height += svg_elements.LINE_HEIGHT
    width = max(left + WIDTH + 40, *map(svg_elements.text_width, lines))
    svg = svg_elements.document(width, height, timeline.title, parts, words)
    return Drawing(KIND, timeline.title, tuple(ids), svg, words, trace_of((timeline,)))


def _axis(timeline: Timeline, left: float, scale: float, height: float) -> list[str]:
    """The axis of cycles above the rows."""
    step = 1
    while timeline.end / step > TICKS:
        step *= 10 if timeline.end / step > 10 * TICKS else 2
    parts: list[str] = []
    for cycle in range(0, timeline.end + 1, step):
        x = left + cycle * scale
        parts.append(
            svg_elements.element(
                "line", x1=x, x2=x, y1=2 * svg_elements.LINE_HEIGHT - 4, y2=height, stroke="#e0e0e0"
            )
        )
        parts.append(
            svg_elements.text(
                x + 2, 2 * svg_elements.LINE_HEIGHT - 5, str(cycle), fill=svg_elements.FAINT_INK
            )
        )
    return parts


def _bar(bar: Bar, left: float, y: float, scale: float) -> str:
    x, width = left + bar.start * scale, max((bar.end - bar.start) * scale, 0.8)
    colour = WAIT_COLOUR if bar.waits else colour_of(bar.iteration % COLOURS)
    what = f"{bar.name}, iteration {bar.iteration}: cycles {bar.start} to {bar.end}"
    label = bar.name if svg_elements.text_width(bar.name) + 6 <= width else ""
    box = svg_elements.element(
        "rect", x=x, y=y, width=width, height=BAR_HEIGHT, fill=colour, stroke=svg_elements.RULE
    )
    return svg_elements.element(
        "g",
        svg_elements.titled(what),
        box,
        svg_elements.text(x + 3, y + 14, label, fill=ink_on(colour)) if label else "",
        data_id=svg_elements.joined_ids(bar.ids),
        data_cycles=f"{bar.start} {bar.end}",
        data_iteration=str(bar.iteration),
    )


def _phases(timeline: Timeline, left: float, scale: float, height: float) -> list[str]:
    """The marks of the prologue and of one interval of the steady state."""
    if timeline.steady_from is None:
        return []
    first, last = timeline.steady_from, timeline.steady_from + timeline.interval
    parts = [
        svg_elements.element(
            "line",
            x1=left + cycle * scale,
            x2=left + cycle * scale,
            y1=4,
            y2=height,
            stroke="#000000",
            stroke_width=1.5,
            stroke_dasharray="4 3",
        )
        for cycle in (first, last)
    ]
    if first * scale > svg_elements.text_width("prologue"):
        parts.append(
            svg_elements.text(left, svg_elements.FONT_SIZE, "prologue", font_weight="bold")
        )
    label = f"steady state: {timeline.interval} cycles"
    parts.append(
        svg_elements.text(
            left + first * scale + 4, svg_elements.FONT_SIZE, label, font_weight="bold"
        )
    )
    return parts


def describe(timeline: Timeline) -> str:
    """A timeline in words, with the bars of one iteration at the end."""
    lines = list(timeline.notes)
    if timeline.steady_from is None:
        lines.append("No two iterations begin at equal distances here.")
    else:
        lines.append(
            f"From cycle {timeline.steady_from} an iteration begins every {timeline.interval} "
            "cycles; what is before fills the pipeline."
        )
        shares = (
            f"{row} {timeline.busy(row):.0%}" for row in timeline.rows if timeline.busy(row) > 0
        )
        lines.append(f"Busy in a steady interval: {', '.join(shares)}.")
    last = max((bar.iteration for bar in timeline.bars), default=0) // 2
    lines += [
        f"Cycle {bar.start} to {bar.end}: {bar.row}, {bar.name}{', waits' if bar.waits else ''}."
        for bar in sorted(timeline.bars, key=lambda bar: (bar.start, bar.end))
        if bar.iteration == last
    ]
    return "\n".join(lines)
