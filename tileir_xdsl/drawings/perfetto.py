"""Timelines as a trace in the Trace Event Format (JSON), for Perfetto and `chrome://tracing`.

A timeline becomes a process, a row a thread, a bar a complete event (`X`). A cycle counts as one
microsecond. Source: "Trace Event Format", Chromium.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tileir_xdsl.drawings.timeline import Timeline


def trace_of(timelines: Iterable[Timeline]) -> dict[str, Any]:
    """The trace of timelines, as plain data for `json.dumps`."""
    events = [
        event for process, timeline in enumerate(timelines) for event in _events(process, timeline)
    ]
    return {"displayTimeUnit": "ns", "traceEvents": events}


def _events(process: int, timeline: Timeline) -> Iterator[dict[str, Any]]:
    threads = {row: number for number, row in enumerate(timeline.rows)}
    yield _named("process_name", process, 0, timeline.title)
    for row, thread in threads.items():
        yield _named("thread_name", process, thread, row)
    for bar in timeline.bars:
        arguments: dict[str, Any] = {"iteration": bar.iteration}
        if bar.stage is not None:
            arguments["stage"] = bar.stage
        if bar.ids:
            arguments["ids"] = list(bar.ids)
        yield {
            "name": bar.name,
            "cat": "wait" if bar.waits else "work",
            "ph": "X",
            "ts": bar.start,
            "dur": bar.end - bar.start,
            "pid": process,
            "tid": threads[bar.row],
            "args": arguments,
        }


def _named(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
