"""The hint `occupancy`: as many blocks as the assembler finds registers for, and a remark."""

import re

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.agreement import DTYPES, shaped, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.diagnostics import remarks_of
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.targets import TARGETS, get_target
from tileir_xdsl.testing import tools


def tile(shape: tuple[int, ...], element: str):
    return np.zeros(shape, DTYPES[element])


def dot(rows: int, columns: int) -> str:
    """One mma, whose instructions name many registers where there are warpgroups."""
    a, b, c = (rows, 64), (64, columns), (rows, columns)
    types = ", ".join((shaped(a, "f16"), shaped(b, "f16"), shaped(c, "f32")))
    return whole_tiles(
        f"%y0 = mmaf %x0, %x1, %x2 : {types}",
        [tile(a, "f16"), tile(b, "f16"), tile(c, "f32")],
        [("f32", c)],
    )


def negation(size: int, element: str) -> str:
    """One elementwise op."""
    type = shaped((size,), element)
    return whole_tiles(f"%y0 = negf %x0 : {type}", [tile((size,), element)], [(element, (size,))])


KERNELS = {
    "narrow product": dot(64, 64),
    "wide product": dot(64, 256),
    "small tile": negation(256, "f32"),
    "large tile": negation(16384, "f32"),
    "large f64 tile": negation(16384, "f64"),
}


def hinted(text: str, occupancy: int, warps: int = 4) -> str:
    hints = f"{{num_worker_warps_per_cta = {warps}, occupancy = {occupancy}}}"
    return text.replace(") {", f") optimization_hints=<default = {hints}> {{", 1)


def compiled(text: str, gpu: str) -> tuple[ModuleOp, str, int]:
    """The module at the last level, its PTX, and the blocks that it asks for."""
    module = tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}", verify=False)
    ptx = emit(module, gpu)
    assert ".reqntid" in ptx
    (blocks,) = re.findall(r"\.minnctapersm (\d+)", ptx)
    return module, ptx, int(blocks)


CASES = [
    (name, gpu, (4, 8)[number % 2], (2, 4, 8, 32)[(number + place) % 4])
    for place, name in enumerate(KERNELS)
    for number, gpu in enumerate(("sm_80", "sm_90a", "sm_100a", "sm_120a"))
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "gpu", "warps", "occupancy"), CASES, ids=str)
def test_the_assembler_takes_the_hint(name: str, gpu: str, warps: int, occupancy: int):
    module, ptx, blocks = compiled(hinted(KERNELS[name], occupancy, warps), gpu)
    assembly = assemble(ptx, gpu)
    assert "warning" not in assembly.report
    limits = get_target(gpu).limits
    threads = blocks * 32 * warps
    assert threads <= limits.max_threads_per_multiprocessor
    assert assembly.kernels["k"].registers * threads <= limits.registers_per_multiprocessor
    reduced = f"<test>: remark: occupancy of {occupancy} is reduced to {blocks}: "
    lines = [line for line in map(str, remarks_of(module, "<test>")) if "occupancy" in line]
    assert len(lines) == (blocks < occupancy)
    assert all(reduced in re.sub(r"<test>:\d+:\d+", "<test>", line) for line in lines)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
def test_wide_instructions_keep_their_registers(gpu: str, warps: int):
    """A number that leaves fewer is refused with C7602."""
    for occupancy in (4, 8, 16):
        _, ptx, _ = compiled(hinted(KERNELS["narrow product"], occupancy, warps), gpu)
        assemble(ptx, gpu)


@pytest.mark.parametrize("gpu", TARGETS)
def test_threads_of_every_target(gpu: str):
    _, ptx, blocks = compiled(hinted(KERNELS["small tile"], 32), gpu)
    limits = get_target(gpu).limits
    assert blocks == min(
        limits.max_threads_per_multiprocessor // 128, limits.max_blocks_per_multiprocessor
    )
    assert "warning" not in assemble(ptx, gpu).report


def test_a_hint_that_fits_stays():
    module, _, blocks = compiled(hinted(KERNELS["large tile"], 3), "sm_90a")
    assert (blocks, remarks_of(module, "<test>")) == (3, [])


def test_shared_memory_of_a_block():
    shape = (64, 128)
    transposed = shape[::-1]
    text = f"%y0 = permute %x0 [1, 0] : {shaped(shape, 'f32')} -> {shaped(transposed, 'f32')}"
    text = whole_tiles(text, [tile(shape, "f32")], [("f32", transposed)])
    module, _, blocks = compiled(hinted(text, 8), "sm_120a")
    (line,) = map(str, remarks_of(module, "<test>"))
    found = re.search(
        r"to (\d): a block takes (\d+) bytes of shared memory, a multiproc.* 102400", line
    )
    assert found is not None
    assert int(found[1]) == blocks == 102400 // int(found[2]) < 8
