"""Meaning of optimisation hints, by operation and architecture.

Source: Tile IR specification, section 8.3.6 (entry), and the reference implementation's option
`-Wunsupported-hints`. Hints never change what a program computes, so a hint that an architecture
does not know is worth a remark, not an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i1
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileir_xdsl.targets import TARGETS, Feature

ARCHITECTURES = (*(name for name in TARGETS if name[-1].isdigit()), "default")
"""Keys that hints may have at the outer level."""


@dataclass(frozen=True)
class Hint:
    """A hint; `check` takes the architecture and the value, and returns a diagnostic or None.

    `{key}` in the diagnostic stands for the hint.
    """

    check: Callable[[str, int], str | None]
    boolean: bool = False


def _in_range(low: int, high: int) -> Callable[[str, int], str | None]:
    message = f"integer value in the range [{low}, {high}] is expected for {{key}}"
    return lambda architecture, value: None if low <= value <= high else message


def _power_of_two(limit: int) -> Callable[[str, int], str | None]:
    message = f"expected power-of-two ≤ {limit} for {{key}}"
    return lambda architecture, value: (
        None if 0 < value <= limit and is_power_of_two(value) else message
    )


def _cluster_size(architecture: str, value: int) -> str | None:
    target = TARGETS.get(architecture)
    if target is not None and Feature.CLUSTERS not in target.features:
        return None if value == 1 else "expected 1 for {key}"
    return _power_of_two(16)(architecture, value)


_LATENCY = Hint(_in_range(1, 10))
_VIEW_HINTS = {"latency": _LATENCY, "allow_tma": Hint(lambda _, __: None, boolean=True)}
_POINTER_HINTS = {"latency": _LATENCY}

HINTS: dict[str, dict[str, Hint]] = {
    "cuda_tile.entry": {
        "num_cta_in_cga": Hint(_cluster_size),
        "num_worker_warps_per_cta": Hint(_power_of_two(32)),
        "occupancy": Hint(_in_range(1, 32)),
    },
    "cuda_tile.load_view_tko": _VIEW_HINTS,
    "cuda_tile.store_view_tko": _VIEW_HINTS,
    "cuda_tile.load_ptr_tko": _POINTER_HINTS,
    "cuda_tile.store_ptr_tko": _POINTER_HINTS,
}
"""The hints of every operation that accepts hints."""


def hint_problems(operation: Operation) -> Iterator[tuple[tuple[str, str | None], str]]:
    """The errors in the hints of `operation`: architecture and key of each, and a message.

    The key is None where the architecture itself is unknown.
    """
    hints = operation.properties.get("optimization_hints")
    if not isinstance(hints, OptimizationHintsAttr):
        return
    known = HINTS[operation.name]
    for architecture, entry in hints.value.data.items():
        if architecture not in ARCHITECTURES:
            yield (architecture, None), f"unknown hint key {architecture}"
        elif isinstance(entry, DictionaryAttr):
            for key, value in entry.data.items():
                if key not in known:
                    message = f"{key} is not known hint for current Operation"
                    yield (architecture, key), message
                elif (message := _problem(known[key], architecture, value)) is not None:
                    yield (architecture, key), message.format(key=f"{architecture}.{key}")


def _problem(hint: Hint, architecture: str, value: Attribute) -> str | None:
    if not isinstance(value, IntegerAttr) or (value.get_type() == i1) != hint.boolean:
        return f"{'boolean' if hint.boolean else 'integer'} value expected for {{key}}"
    return hint.check(architecture, value.value.data)
