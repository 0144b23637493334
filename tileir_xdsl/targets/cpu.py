"""The processors that code is generated for, as data.

Levels of x86-64: the psABI. Names of processors and of their features: LLVM.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tileir_xdsl.targets.target import UnknownTargetError

CPU_PREFIX = "cpu"
"""The prefix of the names of all targets that are processors."""

HOST_CPU = "cpu"
"""The name that stands for the processor of this machine."""


@dataclass(frozen=True)
class CPUTarget:
    """A processor, by its name for `--gpu`."""

    name: str
    architecture: str
    """The first part of LLVM's triple."""
    processor: str
    """The name of the processor in LLVM."""
    settings: tuple[str, ...]
    """LLVM features that are enabled or disabled in addition."""
    required: frozenset[str]
    """The features that LLVM must find on the machine."""
    vector_bits: int
    """The width of a vector register."""
    registers: int
    """The number of vector registers."""


_V3 = frozenset({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"})
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

CPU_TARGETS = {
    target.name: target
    for target in (
        CPUTarget("cpu-x86-64-v3", "x86_64", "x86-64-v3", (), _V3, 256, 16),
        # Vectors have the width that the passes gave them.
        CPUTarget("cpu-x86-64-v4", "x86_64", "x86-64-v4", ("-prefer-256-bit",), _V4, 512, 32),
        CPUTarget("cpu-aarch64", "aarch64", "generic", (), frozenset({"neon"}), 128, 32),
    )
}
"""The processors by name; those with more features are last in their architecture."""

CPU_NAMES = (HOST_CPU, "cpu-native", *CPU_TARGETS)
"""All names of processors; the first two stand for this machine's processor."""


def is_cpu(name: str | None) -> bool:
    """Whether the name of a target is that of a processor."""
    return name is not None and (name == CPU_PREFIX or name.startswith(f"{CPU_PREFIX}-"))


def cpu_target(name: str, architecture: str, features: Collection[str]) -> CPUTarget:
    """The target of a name; a generic name means the best that the machine can run.

    Raises UnknownTargetError for an unknown name, and if no processor fits the machine.
    """
    if name not in CPU_NAMES:
        raise UnknownTargetError(f"unknown target '{name}', expected one of {', '.join(CPU_NAMES)}")
    if name in CPU_TARGETS:
        return CPU_TARGETS[name]
    able = [each for each in CPU_TARGETS.values() if not missing(each, architecture, features)]
    if not able:
        raise UnknownTargetError(f"no CPU target fits this processor ({architecture})")
    return able[-1]


def missing(target: CPUTarget, architecture: str, features: Collection[str]) -> list[str]:
    """The features that a machine lacks to run code for a processor, in order."""
    if target.architecture != architecture:
        return [target.architecture]
    return sorted(target.required.difference(features))
