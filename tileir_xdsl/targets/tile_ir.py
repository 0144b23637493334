"""Which Tile IR a target compiles: element types, pointer kinds and atomics that not all have.

Follows NVIDIA's assembler of Tile IR, for each architecture and in its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir_xdsl.targets.target import TARGETS, Target

COMPUTE_CAPABILITIES = tuple(sorted({target.compute_capability for target in TARGETS.values()}))
"""Of all targets, in ascending order."""


@dataclass(frozen=True)
class Requirement:
    """Something that only targets of some compute capabilities have."""

    message: str
    """The error on the other targets."""
    capabilities: frozenset[int]

    def supports(self, target: Target) -> bool:
        """Whether a target has it."""
        return target.compute_capability in self.capabilities

    @property
    def supporters(self) -> str:
        """The targets that have it: `sm_89 or later`, `sm_100, sm_103 or sm_107`."""
        lowest = min(self.capabilities)
        if self.capabilities == _since(lowest):
            return f"sm_{lowest} or later"
        *names, last = (f"sm_{capability}" for capability in sorted(self.capabilities))
        return f"{', '.join(names)} or {last}" if names else last


def _since(lowest: int) -> frozenset[int]:
    return frozenset(c for c in COMPUTE_CAPABILITIES if c >= lowest)


_SINCE_ADA, _SINCE_BLACKWELL, _MULTI_DEVICE = _since(89), _since(100), frozenset({100, 103, 107})

ELEMENT_TYPES: Mapping[str, Requirement] = {
    name: Requirement(f"unsupported type '{name}'", capabilities)
    for name, capabilities in (
        ("f8E4M3FN", _SINCE_ADA),
        ("f8E5M2", _SINCE_ADA),
        ("f8E8M0FNU", _SINCE_BLACKWELL),
        ("f4E2M1FN", _SINCE_BLACKWELL),
        ("fnv8E5M3FNU", frozenset({107})),
    )
}
"""By the name of the element type; the others are on every target."""

POINTER_KINDS: Mapping[str, Requirement] = {
    kind: Requirement(f"unsupported {kind} pointers", _MULTI_DEVICE)
    for kind in ("multicast", "unicast")
}
"""By the kind of a pointer; those without a kind are on every target."""

FLOAT_ADDITIONS: Mapping[str, Requirement] = {
    "bf16": Requirement("atomicRMW ADDF with bf16 is not supported", _SINCE_ADA)
}
"""Atomic additions of floats, by element type; the others are on every target."""
