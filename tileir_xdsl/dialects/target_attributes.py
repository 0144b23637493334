"""The target of a module, in attributes that only this file reads and writes."""

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from tileir_xdsl.targets import (
    ABI,
    DEFAULT_TARGET,
    Target,
    UnknownTargetError,
    UnsupportedABIError,
    get_target,
    under_abi,
)
from tileir_xdsl.walking import ancestors

TARGET_ATTRIBUTE = "nv_tileaa.target_spec"
"""Module attribute, a string such as "sm_90a": the target that the module is compiled for."""
CAPABILITY_ATTRIBUTE = "nv_tileaa.compute_capability"
"""Module attribute, an integer such as 90: the compute capability of that target."""
ABI_ATTRIBUTE = "nv_tileaa.abi"
"""Module attribute, "native" (the default) or "tile": how the kernels are launched."""


def abi_of(module: ModuleOp) -> ABI:
    """How the kernels of a module are launched.

    Raises `UnsupportedABIError` for an ABI that does not exist.
    """
    attribute = module.attributes.get(ABI_ATTRIBUTE)
    if attribute is None:
        return ABI.NATIVE
    return abi_named(attribute.data if isinstance(attribute, StringAttr) else str(attribute))


def abi_named(name: str) -> ABI:
    """The ABI of this name; raises `UnsupportedABIError` if there is none."""
    try:
        return ABI(name)
    except ValueError:
        known = " or ".join(f"'{abi.value}'" for abi in ABI)
        raise UnsupportedABIError(f"unknown ABI '{name}', expected {known}") from None


def named_target(module: ModuleOp) -> str | int | None:
    """The target that a module names, by name or by compute capability."""
    spec = module.attributes.get(TARGET_ATTRIBUTE)
    if isinstance(spec, StringAttr):
        return spec.data
    capability = module.attributes.get(CAPABILITY_ATTRIBUTE)
    if isinstance(capability, IntegerAttr):
        return capability.value.data
    return None


def target_of(module: ModuleOp) -> Target | None:
    """The target that a module names; None if absent or unknown."""
    name = named_target(module)
    try:
        return None if name is None else under_abi(get_target(name), abi_of(module))
    except UnknownTargetError:
        return None


def target_or_default(module: ModuleOp) -> Target:
    """The target of a module, or the default target if absent or unknown."""
    return target_of(module) or under_abi(get_target(DEFAULT_TARGET), abi_of(module))


def target_around(op: Operation) -> Target | None:
    """The target of the innermost module around `op` that names one.

    Raises `UnknownTargetError` if unknown.
    """
    for parent in ancestors(op):
        if isinstance(parent, ModuleOp):
            gpu = parent.attributes.get(TARGET_ATTRIBUTE)
            if isinstance(gpu, StringAttr):
                return under_abi(get_target(gpu.data), abi_of(parent))
    return None
