"""The observable results of a launch, and how two launches differ."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.targets.symbols import ptx_name

ITERATION_LIMIT = 2_000
"""Loop iterations of one tile block after which a launch counts as endless."""

STEP_LIMIT = 3_000_000
"""Instructions after which a launch of PTX counts as endless."""

TOLERANCE = 64
"""The allowed error of floats in PTX, in roundings of the largest magnitude of the array.

The interpreters add and multiply in a fixed order and without approximate instructions.
"""


@dataclass(frozen=True)
class Observation:
    """The arrays after a launch by their position, and what was printed, or None if not known."""

    arrays: dict[int, Array]
    printed: str | None


def _arrays(arguments: Sequence[Argument]) -> dict[int, Array]:
    return {i: a for i, a in enumerate(arguments) if isinstance(a, np.ndarray)}


def interpret(
    module: ModuleOp,
    kernel: str,
    launch_input: LaunchInput,
    *,
    strict: bool = False,
    memory_order: MemoryOrder | None = None,
    listeners: Sequence[LaunchListener] = (),
    seconds: float | None = None,
) -> Observation:
    """Runs a kernel in the interpreters; raises their `InterpreterError`.

    A launch of more than `seconds` is an error.
    """
    arguments, output = launch_input.copy_arguments(), io.StringIO()
    interpreters.launch(
        module,
        kernel,
        launch_input.grid,
        arguments,
        output=output,
        iteration_limit=ITERATION_LIMIT,
        memory_order=memory_order,
        strict=strict,
        listeners=listeners,
        time_limit=seconds,
    )
    return Observation(_arrays(arguments), output.getvalue())


def emulate(
    module: ModuleOp,
    kernel: str,
    launch_input: LaunchInput,
    *,
    races: bool = False,
    seconds: float | None = None,
) -> Observation:
    """Runs the PTX of a module of `llvm` and `nvvm`.

    With `races`, unordered accesses are an error, and asynchronous work is delayed as long as
    possible. A launch of more than `seconds` is an error, too.

    Raises `EmulatorError` for an error of the kernel, `TensorMapError` where a launch cannot create
    a tensor map.
    """
    arguments, output = launch_input.copy_arguments(), io.StringIO()
    emulator.load(emit(module)).launch(
        ptx_name(kernel),
        launch_input.grid,
        with_tensor_maps(module, kernel, arguments),
        dynamic_shared=dynamic_shared_memory(module, kernel),
        step_limit=STEP_LIMIT,
        late=races,
        races=races,
        output=output,
        watch=None if seconds is None else emulator.Watch(seconds),
    )
    return Observation(_arrays(arguments), None)


def find_difference(before: Observation, after: Observation, *, exact: bool) -> str | None:
    """The first difference; NaN equals NaN. Unless `exact`, floats may differ by `TOLERANCE`."""
    masks = (
        _differing_by(first, after.arrays[position], exact=exact)
        for position, first in before.arrays.items()
    )
    return _first_difference(before, after, masks)


def find_difference_beyond(
    before: Observation, after: Observation, allowed: Sequence[Array]
) -> str | None:
    """The first difference of array elements that is larger than `allowed`."""
    masks = (
        _differing_beyond(first, after.arrays[position], error)
        for (position, first), error in zip(before.arrays.items(), allowed, strict=True)
    )
    return _first_difference(before, after, masks, " by more than roundings explain")


def _first_difference(
    before: Observation, after: Observation, masks: Iterable[Array], how: str = ""
) -> str | None:
    """The first difference of two observations; `masks` are the differing elements of arrays."""
    for (position, first), differs in zip(before.arrays.items(), masks, strict=True):
        if differs.any():
            index = int(np.argmax(differs))
            return (
                f"argument {position}: {int(differs.sum())} of {first.size} elements differ{how}, "
                f"the first at {index}: {first.reshape(-1)[index]} before, "
                f"{after.arrays[position].reshape(-1)[index]} after"
            )
    if None not in (before.printed, after.printed) and before.printed != after.printed:
        return f"{before.printed!r} printed before, {after.printed!r} after"
    return None


def differing_element(
    before: Observation, after: Observation, *, exact: bool
) -> tuple[int, int, int] | None:
    """The first argument that differs, its first differing element, and how many differ."""
    for position, first in before.arrays.items():
        differs = _differing_by(first, after.arrays[position], exact=exact)
        if differs.any():
            return position, int(np.argmax(differs)), int(differs.sum())
    return None


def differing_elements(before: Sequence[Array], after: Sequence[Array]) -> list[Array]:
    """Masks of the elements of arrays that differ by more than `TOLERANCE`."""
    return [_differing_by(*pair, exact=False) for pair in zip(before, after, strict=True)]


def _differing_by(first: Array, second: Array, *, exact: bool) -> Array:
    differs = _differing(first, second)
    if not exact and first.dtype.kind not in "biu" and differs.any():
        differs &= ~_are_within(first, second, tolerance(first))
    return differs


def _differing_beyond(first: Array, second: Array, allowed: Array) -> Array:
    differs = _differing(first, second)
    if first.dtype.kind not in "biu":
        differs &= ~_are_within(first, second, allowed)
    return differs


def same_values(first: Array, second: Array) -> bool:
    """Whether two arrays have the same type, shape and bits; a NaN equals a NaN."""
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    return not _differing(np.atleast_1d(first), np.atleast_1d(second)).any()


def _differing(first: Array, second: Array) -> Array:
    bits = np.dtype(f"u{first.dtype.itemsize}")
    nan = np.zeros(first.shape, np.bool_)
    if first.dtype.kind not in "biu":
        nan = np.isnan(first) & np.isnan(second)
    first, second = np.ascontiguousarray(first), np.ascontiguousarray(second)
    return (first.view(bits) != second.view(bits)) & ~nan


def tolerance(array: Array, units: float = 1.0) -> Array:
    """The allowed errors of elements of PTX, if each op has an error of `units` roundings."""
    if array.dtype.kind in "biu":
        return np.zeros(array.shape)
    with np.errstate(all="ignore"):
        values = array.astype(np.float64)
    finite = np.abs(values[np.isfinite(values)])
    scale = float(finite.max()) if finite.size else 0.0
    epsilon = float(ml_dtypes.finfo(array.dtype).eps)
    return np.full(array.shape, units * TOLERANCE * epsilon * scale)


def _are_within(first: Array, second: Array, allowed: Array) -> Array:
    with np.errstate(all="ignore"):
        one, other = first.astype(np.float64), second.astype(np.float64)
        return (one == other) | (np.abs(one - other) <= allowed)
