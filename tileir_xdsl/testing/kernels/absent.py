"""Stand-ins for the names of cuTile, with which kernels have parameters but cannot be compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Name:
    """A name such as `ct.float32`; a call, as of a decorator, returns the name itself."""

    text: str

    def __getattr__(self, attribute: str) -> Name:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return Name(f"{self.text}.{attribute}")

    def __call__(self, *_arguments: object, **_hints: object) -> Name:
        return self


ct = Name("ct")


@dataclass(frozen=True)
class ParameterConstraint:
    """A parameter of a kernel."""


@dataclass(frozen=True)
class ConstantConstraint(ParameterConstraint):
    """A constant parameter, whose value is fixed when the kernel is compiled."""

    value: object


@dataclass(frozen=True)
class ScalarConstraint(ParameterConstraint):
    """A parameter that is a number of a given type."""

    dtype: object


@dataclass(frozen=True)
class TupleConstraint(ParameterConstraint):
    """A tuple of parameters."""

    elements: Sequence[ParameterConstraint]


@dataclass(frozen=True)
class ArrayConstraint(ParameterConstraint):
    """An array parameter, with the facts about its sizes and strides."""

    dtype: object
    ndim: int
    index_dtype: object
    stride_lower_bound_incl: int
    alias_groups: Sequence[str]
    may_alias_internally: bool
    stride_constant: Any
    shape_constant: Sequence[int | None] | None
    stride_divisible_by: Sequence[int]
    shape_divisible_by: Sequence[int]
    base_addr_divisible_by: int

    def __post_init__(self) -> None:
        if self.stride_constant is None:
            object.__setattr__(self, "stride_constant", (None,) * self.ndim)
