"""Requirements of an `nvvm` op: a target and a PTX version, stated once as data.

The verifier, the PTX printer and the documentation read this data.
"""

import abc
from dataclasses import dataclass
from typing import ClassVar

from xdsl.irdl import IRDLOperation
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.target_attributes import target_around as module_target
from tileir_xdsl.targets import (
    FEATURE_PTX_VERSIONS,
    TARGETS,
    Feature,
    PTXVersion,
    Target,
)


@dataclass(frozen=True)
class Requirement:
    """Requirements of an instruction: the lowest target and PTX version, and an optional feature.

    `compute_capability` is 10 * major + minor. Targets with a feature are listed, independent of
    compute capability; a feature has its own lowest PTX version.
    Source: the "PTX ISA Notes" and "Target ISA Notes" of the PTX ISA.
    """

    compute_capability: int = 0
    lowest_version: PTXVersion = (1, 0)
    feature: Feature | None = None

    @property
    def ptx_version(self) -> PTXVersion:
        """The lowest PTX version of the instruction."""
        if self.feature is None:
            return self.lowest_version
        return max(self.lowest_version, FEATURE_PTX_VERSIONS[self.feature])

    def is_met_by(self, target: Target) -> bool:
        """Whether a target supports the instruction."""
        if self.feature is not None and self.feature not in target.features:
            return False
        return target.compute_capability >= self.compute_capability

    def targets(self) -> tuple[str, ...]:
        """The names of all targets that support the instruction."""
        return tuple(name for name, target in TARGETS.items() if self.is_met_by(target))


@dataclass(frozen=True)
class Requires(OpTrait):
    """Trait: every op of a class has this requirement."""

    requirement: Requirement

    @staticmethod
    def target(compute_capability: int, lowest_version: PTXVersion) -> "Requires":
        """The ops need this compute capability and PTX version at least."""
        return Requires(Requirement(compute_capability, lowest_version))

    @staticmethod
    def feature(feature: Feature) -> "Requires":
        """The ops need this feature of the target."""
        return Requires(Requirement(feature=feature))


class NVVMOperation(IRDLOperation, abc.ABC):
    """Base of the dialect's ops, with their requirement and their PTX instruction."""

    PTX: ClassVar[str] = ""
    """The instruction in the notation of `backend/ptx/forms.py`; empty if the op becomes several.
    """

    @property
    def requirement(self) -> Requirement:
        """Requirements of this op; ops whose instruction depends on attributes refine it."""
        requires = self.get_traits_of_type(Requires)
        return requires[0].requirement if requires else Requirement()

    def verify_(self) -> None:
        super().verify_()
        if (target := module_target(self)) is None:
            return
        if not self.requirement.is_met_by(target):
            raise VerifyException(unmet_message(self.name, self.requirement, target))


def unmet_message(name: str, requirement: Requirement, target: Target) -> str:
    """The diagnostic for the op `name` on a target that lacks its instruction."""
    return f"'{name}' is not available on {target.name}: it needs {requirement.targets()[0]}"
