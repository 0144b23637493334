"""Modelled cycles of launches, against waves and units that are counted by hand.

The figures of H100 are from NVIDIA's data sheet and the CUDA programming guide: 132
multiprocessors, 65,536 registers, 2,048 threads and 228 KiB of shared memory each, 32 bytes of
memory and 4,096 multiply-adds of 8 bits a cycle.
"""

import math

import pytest

from tileir_xdsl.emulator.machine import LaunchStatistics
from tileir_xdsl.emulator.work import Work
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel
from tileir_xdsl.runtime.modelled_cycles import modelled
from tileir_xdsl.runtime.ptxas import Assembly, KernelResources

LATENCY = 800


def compiled(registers: int, dynamic: int = 0, static: int = 0, spills: int = 0) -> Compiled:
    """A kernel of such resources; its PTX has ten instructions."""
    kernel = CompiledKernel("k", (), "", dynamic_shared=dynamic)
    resources = KernelResources(registers, 0, spills, 0, static)
    assembly = Assembly(b"", {"k": resources}, "")
    return Compiled("f", "sm_90a", "cubin", Options(), "i;\n" * 10, (kernel,), (), assembly)


def launched(
    blocks: int, threads: int = 128, instructions: int = 0, **work: int
) -> LaunchStatistics:
    """A launch each of whose blocks does so much; instructions are of each thread."""
    total = Work(**{name: count * blocks for name, count in work.items()})
    lanes = instructions * threads * blocks
    return LaunchStatistics(blocks, threads, 0, lanes, 0, 0, 0, 0, 0, {}, total)


@pytest.mark.parametrize(
    ("threads", "registers", "dynamic", "static", "resident"),
    [
        # 65536 / (64 * 256) by registers, 2048 / 256 by threads.
        (256, 64, 0, 0, 4),
        (256, 32, 0, 0, 8),
        # 32 blocks at most, 2048 threads at most.
        (32, 32, 0, 0, 32),
        (1024, 32, 0, 0, 2),
        # 228 KiB / (size + 1 KiB), whether static or dynamic.
        (128, 32, 56 * 1024, 0, 4),
        (128, 32, 0, 37 * 1024, 6),
        (128, 32, 227 * 1024, 0, 1),
    ],
)
@pytest.mark.parametrize("blocks", [1, 131, 132, 133, 1000, 8000])
def test_waves(threads: int, registers: int, dynamic: int, static: int, resident: int, blocks: int):
    done = launched(blocks, threads, global_bytes=3200)
    found = modelled(done, compiled(registers, dynamic, static))
    waves = math.ceil(blocks / (132 * resident))
    assert (found.waves, found.resident) == (waves, 132 * resident)
    last = blocks - (waves - 1) * 132 * resident
    blocks_in_turn = (waves - 1) * resident + math.ceil(last / 132)
    assert round(found.cycles, 6) == 100 * blocks_in_turn + LATENCY * waves
    assert found.bound == "global memory"


@pytest.mark.parametrize(
    ("work", "bound", "cycles"),
    [
        ({"global_bytes": 6400}, "global memory", 200),
        ({"shared_bytes": 12800}, "shared memory", 100),
        # 64 x 64 x 64 multiply-adds of 16 bits.
        ({"mma_bits": 64**3 * 16}, "matrix unit", 128),
        ({"special": 1600}, "special functions", 100),
        ({"double": 6400}, "arithmetic on f64", 100),
        ({"instructions": 300}, "issue of instructions", 300),
    ],
)
def test_the_unit_that_is_asked_most_of(work: dict[str, int], bound: str, cycles: int):
    found = modelled(launched(132, **work), compiled(32))
    assert (found.bound, round(found.cycles, 6)) == (bound, cycles + LATENCY)
    other = {"global_bytes": 32, "shared_bytes": 128, "mma_bits": 16, "special": 1, "double": 1}
    both = modelled(launched(132, **{**other, "instructions": 1, **work}), compiled(32))
    assert (both.bound, both.cycles) == (found.bound, found.cycles)


def test_spills_cost_as_often_as_instructions_are_executed():
    """Each of ten instructions runs 30 times: 40 bytes of each of 128 threads, 30 times."""
    found = modelled(launched(132, instructions=300), compiled(255, spills=40))
    assert found.bound == "spilled registers"
    assert round(found.cycles, 6) == 40 * 128 * 30 / 128 + LATENCY


def test_a_tile_size_that_wastes_a_wave_loses():
    """133 blocks need a second wave of one block; 132 that do a little more need one."""
    one_too_many = modelled(launched(133, global_bytes=32_000), compiled(255, 227 * 1024))
    fits = modelled(launched(132, global_bytes=33_000), compiled(255, 227 * 1024))
    assert one_too_many.waves == 2 and fits.waves == 1
    assert fits.cycles < 0.6 * one_too_many.cycles
