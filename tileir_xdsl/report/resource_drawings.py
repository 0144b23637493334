"""Drawings of a kernel's occupancy and of its roofline."""

from __future__ import annotations

from collections.abc import Iterator

from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.resources import occupancy_drawing, roofline_drawing
from tileir_xdsl.report.resources import blocks_by_resource
from tileir_xdsl.report.schema import Resources
from tileir_xdsl.targets import get_target


def resource_drawings(resources: Resources, gpu: str) -> Iterator[Drawing]:
    """The occupancy, if threads are known, and the roofline of a kernel with traffic and math."""
    limits, threads, name = get_target(gpu).limits, resources.threads, resources.kernel
    if threads is not None:
        blocks = blocks_by_resource(limits, threads, resources.registers, resources.shared_bytes)
        most = limits.max_threads_per_multiprocessor // 32
        yield occupancy_drawing(blocks, -(-threads // 32), most, f"occupancy of @{name}")
    roof = resources.roofline
    # A logarithmic axis has no place for a kernel that computes nothing.
    if roof is not None and roof.flops:
        peaks = roof.peak_flops, roof.peak_bandwidth
        yield roofline_drawing(roof.flops, roof.bytes, *peaks, roof.source)
