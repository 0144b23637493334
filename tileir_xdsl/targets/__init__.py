"""Targets sm_80 to sm_121 as data, with their atoms, mma shapes and PTX versions."""

from tileir_xdsl.targets.abi import ABI, UnsupportedABIError, under_abi
from tileir_xdsl.targets.features import FEATURE_PTX_VERSIONS, Feature, PTXVersion
from tileir_xdsl.targets.target import (
    DEFAULT_TARGET,
    TARGETS,
    CostWeights,
    Limits,
    Target,
    UnknownTargetError,
    assembled_as,
    forget_variants,
    get_target,
    register_variant,
    variant_origin,
)

__all__ = [
    "ABI",
    "DEFAULT_TARGET",
    "FEATURE_PTX_VERSIONS",
    "TARGETS",
    "CostWeights",
    "Feature",
    "Limits",
    "PTXVersion",
    "Target",
    "UnknownTargetError",
    "UnsupportedABIError",
    "assembled_as",
    "forget_variants",
    "get_target",
    "register_variant",
    "under_abi",
    "variant_origin",
]
