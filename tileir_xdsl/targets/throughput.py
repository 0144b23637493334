"""Rates of one multiprocessor, and latencies of memory, for the cost model of schedules.

Source: CUDA C++ programming guide, "Arithmetic Instructions"; architecture white papers for matrix
units and memory.
"""

from dataclasses import dataclass, replace
from enum import Enum

from .target import Target


class Resource(Enum):
    """Resources that ops of a schedule compete for."""

    MATRIX = "matrix unit"
    COPY = "copy engine"
    LOAD_STORE = "load and store"
    ARITHMETIC = "arithmetic"
    SPECIAL = "special functions"


@dataclass(frozen=True)
class Throughput:
    """Rates per cycle, and latencies in cycles."""

    mma_macs_of_16_bits: int
    """Multiply-adds of 16-bit operands; the rate is double for 8 bits, half for 32 bits."""
    memory_bytes: int
    """Bytes from the L2 cache or global memory."""
    shared_bytes: int = 128
    tensor_memory_bytes: int = 512
    """Bytes that `tcgen05.ld` loads: a column of each lane (PTX ISA, "tcgen05.ld")."""
    arithmetic: int = 128
    """Operations on f32 or integers."""
    double: int = 2
    """Operations on f64."""
    special: int = 16
    """Exponentials, logarithms, square roots and the like."""
    memory_latency: int = 800
    mma_latency: int = 32
    """Cycles from the end of the multiplications until the accumulator can be read."""
    shared_latency: int = 30
    arithmetic_latency: int = 4
    barrier_latency: int = 40
    """Cycles from the last arrival at a named barrier until waiting threads resume.

    The value is estimated from microbenchmarks of `bar.sync` on earlier architectures.
    """
    has_packed_f32: bool = False
    """Whether `fma.rn.f32x2` is one instruction; for other targets ptxas splits it into two."""

    has_maxima_of_three: bool = False
    """Whether ptxas combines two integer maxima in one instruction."""


_DOUBLE = {80: 32, 90: 64, 100: 64, 107: 64}
"""Rates of f64 for the compute capabilities with many f64 units; 10.7 is assumed equal to 10.0."""

_TWO_MAXIMA = frozenset({107})
"""Compute capabilities, unlike others of their major, on which ptxas combines no two maxima."""

_BY_MAJOR: dict[int, Throughput] = {
    8: Throughput(mma_macs_of_16_bits=1024, memory_bytes=24),
    9: Throughput(
        mma_macs_of_16_bits=2048, memory_bytes=32, mma_latency=64, has_maxima_of_three=True
    ),
    10: Throughput(
        mma_macs_of_16_bits=4096,
        memory_bytes=40,
        mma_latency=64,
        has_packed_f32=True,
        has_maxima_of_three=True,
    ),
    11: Throughput(mma_macs_of_16_bits=4096, memory_bytes=24, mma_latency=64),
    12: Throughput(mma_macs_of_16_bits=512, memory_bytes=24),
}


def throughput_of(target: Target) -> Throughput:
    """The rates of a target's multiprocessors."""
    capability = target.compute_capability
    rates = _BY_MAJOR[capability // 10]
    return replace(
        rates,
        double=_DOUBLE.get(capability, rates.double),
        has_maxima_of_three=rates.has_maxima_of_three and capability not in _TWO_MAXIMA,
    )
