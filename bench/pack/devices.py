"""The GPUs that packs are made for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tileir_xdsl.targets import Feature, get_target

TILE_IR_VERSION = "13.3"
"""The bytecode that `tileiras` gets."""


FIRST_WITH_SCALES = 100
"""The compute capability from which matrix units take block scales."""


@dataclass(frozen=True)
class PackDevice:
    """A GPU: what is compiled for, what `tileiras` calls that, and what a launch can ask for."""

    target: str
    tile_ir: str
    multiprocessors: int
    l2_bytes: int
    memory_bytes: int
    runs: tuple[str, ...]
    """The targets whose instructions it has, but for those that `lacks` matches."""
    lacks: str = "(?!)"

    @property
    def compute_capability(self) -> str:
        """As a driver counts: major and minor."""
        major, minor = divmod(get_target(self.target).compute_capability, 10)
        return f"{major}.{minor}"

    @property
    def shared_bytes(self) -> int:
        """The most shared memory of a block."""
        return get_target(self.target).limits.shared_memory_per_block

    def has(self, form: str, lowest: str) -> bool:
        """Whether it executes an instruction that PTX has from a target on."""
        return lowest in self.runs and re.match(self.lacks, form) is None

    @property
    def has_clusters(self) -> bool:
        """Whether the blocks of a cluster load what they share once."""
        return get_target(self.target).copies_to_clusters

    @property
    def has_work_requests(self) -> bool:
        """Whether a block can ask for the work of one that has not started."""
        return Feature.CLUSTER_LAUNCH_CONTROL in get_target(self.target).features

    @property
    def has_scales(self) -> bool:
        """Whether matrix units scale blocks."""
        return get_target(self.target).compute_capability >= FIRST_WITH_SCALES

    @property
    def described(self) -> dict[str, Any]:
        """The limits as the manifest has them."""
        return {
            "multiprocessors": self.multiprocessors,
            "l2_bytes": self.l2_bytes,
            "memory_bytes": self.memory_bytes,
            "shared_bytes_opt_in": self.shared_bytes,
        }


_BEFORE = ("sm_80", "sm_89", "sm_90", "sm_90a")
_OF_SM_90 = r"wgmma\."
_OF_SM_100 = (
    r"tcgen05\.|redux\.sync\.\w+(?:\.abs)?(?:\.NaN)?\.f32"
    r"|cp\.async\.bulk\..*(?:\.cta_group::|\.im2col::w|\.tile::(?:gather|scatter)4)"
)
"""Instructions that later GPUs lack, or other ones of the same age (PTX ISA, Target ISA Notes)."""

DEVICES: Mapping[str, PackDevice] = {
    device.target: device
    for device in (
        PackDevice("sm_90a", "sm_90", 132, 50 << 20, 80 << 30, _BEFORE),
        PackDevice(
            "sm_100a",
            "sm_100",
            148,
            126 << 20,
            180 << 30,
            (*_BEFORE, "sm_100", "sm_100a"),
            _OF_SM_90,
        ),
        PackDevice(
            "sm_120a",
            "sm_120",
            170,
            96 << 20,
            32 << 30,
            (*_BEFORE, "sm_100", "sm_100a", "sm_120a"),
            f"{_OF_SM_90}|{_OF_SM_100}",
        ),
    )
}
"""H100 SXM, B200 and RTX 5090 (NVIDIA's architecture papers of Hopper, Blackwell and RTX
Blackwell)."""
