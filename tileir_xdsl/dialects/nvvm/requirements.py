"""What an `nvvm` op needs to exist: a target and a PTX version, stated once as data.

The verifier, the PTX printer and the documentation all read it.
"""

import abc
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.targets import Target, get_target

GPU_ATTRIBUTE = "tileir.gpu"
"""Module attribute (a string such as "sm_90a") that names the target the module is compiled for."""


@dataclass(frozen=True)
class Requirement:
    """The lowest target and PTX version that have an instruction.

    `compute_capability` is major * 10 + minor. `architectures`, where not empty, lists the only
    targets that have it: architecture-specific (`a`) and family-specific (`f`) ones.
    Source: the "Target ISA Notes" and "PTX ISA Notes" of the PTX ISA.
    """

    compute_capability: int = 0
    ptx_version: tuple[int, int] = (1, 0)
    architectures: tuple[str, ...] = ()

    def missing_target(self, target: Target) -> str | None:
        """What `target` lacks, as "sm_90 or higher", or None where it lacks nothing."""
        if self.architectures:
            listed = " or ".join(self.architectures)
            return None if target.name in self.architectures else listed
        if target.compute_capability >= self.compute_capability:
            return None
        return f"sm_{self.compute_capability} or higher"

    def missing_version(self, version: tuple[int, int]) -> str | None:
        """The PTX version that is needed in place of `version`, or None."""
        if version >= self.ptx_version:
            return None
        return f"PTX {self.ptx_version[0]}.{self.ptx_version[1]} or higher"


@dataclass(frozen=True)
class Requires(OpTrait):
    """Every op of a class has this requirement."""

    requirement: Requirement

    @staticmethod
    def of(
        compute_capability: int = 0,
        ptx_version: tuple[int, int] = (1, 0),
        architectures: tuple[str, ...] = (),
    ) -> "Requires":
        return Requires(Requirement(compute_capability, ptx_version, architectures))


class NVVMOperation(IRDLOperation, abc.ABC):
    """Base of the dialect's ops: knows what each needs."""

    @property
    def requirement(self) -> Requirement:
        """What this op needs; ops whose instruction depends on attributes refine it."""
        requires = self.get_traits_of_type(Requires)
        return requires[0].requirement if requires else Requirement()

    def verify_(self) -> None:
        super().verify_()
        if (target := module_target(self)) is None:
            return
        if (needed := self.requirement.missing_target(target)) is not None:
            raise VerifyException(f"'{self.name}' needs {needed}, the target is {target.name}")


def module_target(op: Operation) -> Target | None:
    """The target named on the innermost module around `op` that names one."""
    for parent in _parents(op):
        if isinstance(parent, ModuleOp):
            gpu = parent.attributes.get(GPU_ATTRIBUTE)
            if isinstance(gpu, StringAttr):
                return get_target(gpu.data)
    return None


def _parents(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()
