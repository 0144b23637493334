"""A kernel of the zoo: its source, its numpy reference, its arguments.

Each kernel is written in cuTile Python. The kernel's Tile IR, as emitted by NVIDIA's front end, is
checked in next to the source as `<name>.mlir`; `generate` writes these files. The reference of a
kernel is a function on numpy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, assert_agrees
from tileir_xdsl.testing.kernels.cutile import (
    ArrayConstraint,
    ConstantConstraint,
    ParameterConstraint,
    ct,
)

if TYPE_CHECKING:
    from cuda.tile.compilation import KernelSignature

Argument: TypeAlias = Array | int | float
"""An argument of a kernel: an array, or a number for a scalar parameter."""

Problem: TypeAlias = tuple[int, ...]
"""The sizes of one launch; each kernel defines their meaning."""


def kernel(function: Callable[..., None] | None = None, **hints: Any) -> Any:
    """Marks a function as cuTile kernel; `hints` are those of `cuda.tile.kernel`."""
    return ct.kernel(function, **hints)


def array(
    dtype: ct.DType,
    rank: int = 1,
    *,
    contiguous: bool = True,
    aligned: int = 16,
    index: ct.DType = ct.int32,
    alias_groups: Sequence[str] = (),
    sizes: Sequence[int | None] | None = None,
    divisible: int = 1,
    any_size: int = 0,
) -> ArrayConstraint:
    """An array parameter; `contiguous` fixes the last stride to 1, `aligned` counts bytes.

    `index` is the type of sizes and strides; arrays of a common alias group may overlap. `sizes`
    are the constant sizes, or None. `divisible` divides the dynamic sizes, except those of the
    first `any_size` dimensions, and all strides but the last.
    """
    return ArrayConstraint(
        dtype,
        rank,
        index_dtype=index,
        stride_lower_bound_incl=0,
        alias_groups=alias_groups,
        may_alias_internally=False,
        stride_constant=(*(None,) * (rank - 1), 1) if contiguous else None,
        shape_constant=sizes,
        stride_divisible_by=(*(divisible,) * (rank - 1), 1),
        shape_divisible_by=[
            divisible if size is None and dimension >= any_size else 1
            for dimension, size in enumerate(sizes or (None,) * rank)
        ],
        base_addr_divisible_by=aligned,
    )


@dataclass(frozen=True)
class KernelCase:
    """One kernel with everything needed to launch and to judge it.

    `arguments(problem, rng)` makes the arguments of one launch. `reference(*arguments)` takes
    copies of the arguments, and returns the final contents of the arguments at the positions
    `outputs`. The last of `problems` is the typical one: small, with partial tiles if the kernel
    supports them. `since` is the lowest bytecode version that can express the kernel.
    `text_version` is the lowest version with the ops of the checked-in text: later versions may use
    other ops for the same kernel.
    """

    name: str
    kernel: Any
    parameters: tuple[ParameterConstraint, ...]
    problems: tuple[Problem, ...]
    arguments: Callable[[Problem, np.random.Generator], Sequence[Argument]]
    grid: Callable[[Problem], tuple[int, int, int]]
    reference: Callable[..., Sequence[Expected]]
    outputs: tuple[int, ...]
    since: str = "13.1"
    text_version: str = "13.3"
    folder: Path = Path(__file__).parent
    """The folder of the checked-in text."""

    @property
    def text_path(self) -> Path:
        """The checked-in Tile IR of the kernel."""
        return self.folder / f"{self.name}.mlir"

    @property
    def typical(self) -> Problem:
        """The problem for tests in which all problems take too long."""
        return self.problems[-1]

    def signature(self) -> KernelSignature:
        """The signature that the kernel is compiled for; its symbol is the kernel's name."""
        from cuda.tile.compilation import CallingConvention, KernelSignature

        return KernelSignature(
            self.parameters, CallingConvention.cutile_python_v2(), symbol=self.name
        )

    def make_arguments(self, problem: Problem, seed: int = 0) -> list[Argument]:
        """The arguments of one launch, the same for the same seed."""
        made = self.arguments(problem, np.random.default_rng(seed))
        # Constants, also in tuples, are not arguments of a launch; they come last.
        taken = [p for p in self.parameters if not isinstance(p, ConstantConstraint)]
        return [_aligned(argument, p) for argument, p in zip(made, taken, strict=False)]

    def expected(self, arguments: Sequence[Argument]) -> Sequence[Expected]:
        """The contents of `outputs` after a launch with `arguments`, which are not changed."""
        return self.reference(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))

    def check(self, arguments: Sequence[Argument], expected: Sequence[Expected]) -> None:
        """Raises AssertionError unless the output arguments agree with `expected`."""
        for position, output in zip(self.outputs, expected, strict=True):
            assert_agrees(np.asarray(arguments[position]), output, f"argument {position}")


def _aligned(argument: Argument, parameter: Any) -> Argument:
    """An argument with only the alignment that its parameter promises."""
    divisor = getattr(parameter, "base_addr_divisible_by", 1)
    if not isinstance(argument, np.ndarray) or argument.ctypes.data % divisor == 0:
        return argument
    return argument.copy()


def launch_arguments(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments of the compiled kernel: each array is followed by its sizes and strides.

    Strides count elements (cuTile calling convention 2).
    """
    expanded: list[Argument] = []
    for argument in arguments:
        expanded.append(argument)
        if isinstance(argument, np.ndarray):
            expanded += argument.shape
            expanded += (stride // argument.itemsize for stride in argument.strides)
    return expanded
