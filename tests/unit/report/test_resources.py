"""Work, occupancy and roofline of kernels whose numbers are known."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.report.explained import ATTENTION, MATMUL, SAXPY, report_of
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.resource_drawings import resource_drawings
from tileir_xdsl.report.resources import Work, roofline_of


def test_a_vector_kernel():
    resources = report_of(SAXPY).resources
    assert resources is not None and resources.roofline is not None
    assert (resources.threads, resources.shared_bytes, resources.spills) == (128, 0, 0)
    assert (resources.blocks_per_sm, resources.occupancy, resources.limit) == (16, 1.0, "threads")
    # Two loads and a store of 128 floats; a multiplication and an addition of each.
    assert (resources.roofline.bytes, resources.roofline.flops) == (3 * 128 * 4, 2 * 128)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("gpu", "columns"), [("sm_90a", 0), ("sm_100a", 64)])
def test_a_matmul(gpu: str, columns: int):
    resources = report_of(MATMUL, gpu).resources
    assert resources is not None and resources.roofline is not None
    assert resources.tensor_columns == columns
    assert resources.roofline.flops == 2 * 64**3
    assert resources.roofline.bytes == 2 * 64 * 64 * 2
    assert resources.roofline.intensity == 32
    assert resources.limit in ("shared memory", "registers")


def test_resources_are_drawn_beside_the_last_pass():
    report = report_of(MATMUL, "sm_90a")
    resources, drawings = report.resources, report.phases[-1].drawings
    assert resources is not None
    titles = [drawing.title for drawing in drawings if drawing.kind == "resources"]
    assert titles[-2:] == [f"occupancy of @{resources.kernel}", "roofline"]
    assert f"{resources.blocks_per_sm} thread blocks" in drawings[-2].text


@pytest.mark.parametrize("threads", [None, 128])
@pytest.mark.parametrize("flops", [None, 0, 256])
def test_only_what_is_known_is_drawn(threads: int | None, flops: int | None):
    """What copies only has no roofline, and nothing has one whose work is not known."""
    resources = report_of(SAXPY).resources
    assert resources is not None and resources.roofline is not None
    roofline = None if flops is None else replace(resources.roofline, flops=flops)
    drawings = resource_drawings(replace(resources, threads=threads, roofline=roofline), "sm_90a")
    expected = (["occupancy of @saxpy"] if threads else []) + (["roofline"] if flops else [])
    assert [drawing.title for drawing in drawings] == expected


def test_peaks_are_those_of_the_target():
    roofline = roofline_of(Work(10, 5, 8), "sm_90a")
    assert roofline is not None
    assert (roofline.peak_flops, roofline.peak_bandwidth) == (2 * 2048 * 2, 32)
    assert roofline_of(Work(10, 0, 8), "sm_90a") is None


@pytest.mark.parametrize(
    ("file", "gpu", "options", "expected"),
    [
        # 65,536 registers for 6 blocks of 128 threads are 80 each; without the hint it takes 94.
        (ATTENTION, "sm_80", Options(occupancy=6), "occupancy=6"),
        (ATTENTION, "sm_80", Options(), None),
        # A kernel whose warps hand registers over has all that its launch allows.
        (MATMUL, "sm_90a", Options(), ".minnctapersm 1 of 256 threads"),
    ],
)
def test_registers_that_a_hint_limits(file: Path, gpu: str, options: Options, expected: str | None):
    report = explain(file.read_bytes(), "k.mlir", gpu, options, ReportFiles(())).report
    resources = report.resources
    assert resources is not None and resources.registers.limited_by == expected
    if expected is not None:
        assert resources.threads is not None
        most = min(65536 // ((options.occupancy or 1) * resources.threads), 255) // 8 * 8
        assert resources.registers.actual == most
