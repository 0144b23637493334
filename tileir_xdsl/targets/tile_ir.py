"""The element types, pointer kinds and atomics of Tile IR that only some targets support.

The rules and messages are those of NVIDIA's assembler of Tile IR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir_xdsl.targets.target import TARGETS, Target

COMPUTE_CAPABILITIES = tuple(sorted({target.compute_capability for target in TARGETS.values()}))
"""The compute capabilities of all targets, in ascending order."""


@dataclass(frozen=True)
class Requirement:
    """The compute capabilities that support a type or op."""

    message: str
    """The error message on other targets."""
    capabilities: frozenset[int]

    def supports(self, target: Target) -> bool:
        """Whether a target meets the requirement."""
        return target.compute_capability in self.capabilities

    @property
    def supporters(self) -> str:
        """The targets that meet the requirement: `sm_89 or later`, `sm_100, sm_103 or sm_107`."""
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
"""Requirements by the name of an element type; every target supports other types."""

POINTER_KINDS: Mapping[str, Requirement] = {
    kind: Requirement(f"unsupported {kind} pointers", _MULTI_DEVICE)
    for kind in ("multicast", "unicast")
}
"""Requirements by the kind of a pointer; every target supports pointers without a kind."""

FLOAT_ADDITIONS: Mapping[str, Requirement] = {
    "bf16": Requirement("atomicRMW ADDF with bf16 is not supported", _SINCE_ADA)
}
"""Requirements of atomic additions of floats, by element type; every target supports others."""
