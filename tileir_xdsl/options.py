"""The compile options, as one dataclass for library, command line, pipeline and tuning.

    Options(warps=8, stages=3, strategy="warp-specialize")

The compiler chooses options that are left out. An option takes effect through a pass that has the
same option, so the IR shows its effect. Warps, CTAs and occupancy appear in
`nv_tileaa.kernel_spec`, stages in the pipelines, and the strategy in the agents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.targets import ABI, Feature, Target, under_abi

OPTIMIZATION_LEVELS = (0, 1, 2, 3)

UNSPECIALIZE, WARP_SPECIALIZE = "unspecialize", "warp-specialize"
STRATEGIES = (UNSPECIALIZE, WARP_SPECIALIZE)
"""Either the warps that compute issue the loads of pipelines, or an additional warp does."""

MOST_OCCUPANCY = 32
"""The largest value of the hint `occupancy`: thread blocks of a multiprocessor."""


MOST_NUMBER = 2**31 - 1
"""The largest number that an attribute of the IR holds."""

_MOST_DIGITS = 20
_MOST_LETTERS = 60


def _integer(digits: str) -> int | str:
    # Python refuses thousands of digits, without saying where; no option takes a text of digits.
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


DECODER = json.JSONDecoder(parse_int=_integer)
"""Reads options from JSON; it returns too long integers as text, which no option accepts.
"""


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}..."


class OptionError(ValueError):
    """An unknown option, or an unsupported value of one."""

    def __init__(self, name: str, value: object, message: str):
        super().__init__(name, value, message)
        self.location = f"{name}={_shown(value)}"
        """The option as it was given, with a long value shortened."""
        self.message = message

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


@dataclass(frozen=True)
class Options:
    """The compile options of a program; None leaves a choice to the compiler.

    Raises OptionError for a value that no target supports.
    """

    opt_level: int = 3
    """0 to 3; level 0 omits the passes that only improve code."""
    warps: int | None = None
    """The number of a thread block's computing warps, a power of two."""
    stages: int | None = None
    """The most stages of each pipeline."""
    ctas: int | None = None
    """The number of thread blocks (CTAs) in the cluster of a tile block."""
    strategy: str | None = None
    """One of `STRATEGIES`; kernels whose loads one warp cannot issue are not specialized."""
    occupancy: int | None = None
    """The number of thread blocks that should fit on a multiprocessor."""
    dynamic_persistent: bool = False
    """Whether thread blocks take over tile blocks that have not started, from sm_100 on."""
    lineinfo: bool = False
    """Whether the PTX states the source lines of its instructions."""
    abi: str | None = None
    """The launch ABI of kernels: `native` or `tile`; None for that of the program."""
    device_tensor_maps: bool | None = None
    """Whether kernels of ABI `tile` make tensor maps; by default if they loop over many tiles."""
    from_pass: str | None = None
    """The first pass to run; None for the pass after the module's `nv_tileaa.progress`."""
    extensions: tuple[str, ...] = ()
    """Names of extensions to use, or Python files that define an extension."""

    def __post_init__(self) -> None:
        for field in fields(Options):
            value = getattr(self, field.name)
            left_out = value is None and field.default is None
            if not left_out and (problem := _CHECKS[field.name](value)) is not None:
                raise OptionError(field.name, value, problem)
        if self.opt_level == 0:
            for name in ("stages", "strategy"):
                if (value := getattr(self, name)) is not None:
                    raise OptionError(name, value, "there are no pipelines at opt_level=0")
            if self.ctas not in (None, 1):
                raise OptionError(
                    "ctas", self.ctas, "tile blocks are not divided among CTAs at opt_level=0"
                )

    def check(self, target: Target) -> None:
        """Raises OptionError or, for the ABI, UnknownTargetError if the target lacks an option."""
        if self.abi is not None:
            under_abi(target, ABI(self.abi))
        most = target.limits.max_warps_per_block
        if self.warps is not None and self.warps > most:
            raise OptionError("warps", self.warps, f"a thread block has at most {most} warps")
        most = target.limits.max_blocks_per_cluster if target.copies_to_clusters else 1
        if self.ctas is not None and self.ctas > most:
            message = f"a cluster of {target.name} has at most {most} thread blocks"
            raise OptionError("ctas", self.ctas, message)
        if self.strategy == WARP_SPECIALIZE and Feature.SETMAXNREG not in target.features:
            message = f"warps of {target.name} cannot hand registers to others"
            raise OptionError("strategy", self.strategy, message)

    def given(self) -> dict[str, Any]:
        """The options that are not at their defaults, by name."""
        return {
            field.name: value
            for field in fields(Options)
            if (value := getattr(self, field.name)) != field.default
        }

    def to_json(self) -> str:
        """The given options as a JSON object of one line."""
        return json.dumps(self.given()) + "\n"

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Options by name. Raises OptionError for an unknown option or an unsupported value."""
        known = [field.name for field in fields(Options)]
        for name, value in values.items():
            if name not in known:
                hint = did_you_mean(name, known)
                raise OptionError(name, value, f"unknown option, expected {', '.join(known)}{hint}")
        named = values.get("extensions")
        # JSON has no tuples.
        return cls(
            **values if not isinstance(named, list) else {**values, "extensions": tuple(named)}
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads what `to_json` writes.

        Raises OptionError, or ValueError for text other than a JSON object.
        """
        try:
            values = DECODER.decode(text)
        except RecursionError as error:
            raise ValueError("the values are nested too deeply") from error
        if not isinstance(values, dict):
            raise ValueError("expected a JSON object of options")
        return cls.from_mapping(values)

    def replaced(self, **values: Any) -> Options:
        """A copy of the options with `values` replaced. Raises OptionError."""
        return Options.from_mapping({**asdict(self), **values})

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.given().items()) or "default"


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(low: int, high: int | None = None) -> Callable[[Any], str | None]:
    wanted = f"a number from {low} on" if high is None else f"a number from {low} to {high}"
    return lambda value: (
        None
        if _is_number(value) and low <= value <= (MOST_NUMBER if high is None else high)
        else f"expected {wanted}"
    )


def _power_of_two(value: Any) -> str | None:
    right = _is_number(value) and 0 < value <= MOST_NUMBER and value.bit_count() == 1
    return None if right else "expected a power of two"


def _strategy(value: Any) -> str | None:
    return None if value in STRATEGIES else f"expected {' or '.join(STRATEGIES)}"


def _abi(value: Any) -> str | None:
    known = [abi.value for abi in ABI]
    expected = " or ".join(f"'{name}'" for name in known)
    return None if value in known else f"unknown ABI '{_shown(value)}', expected {expected}"


def _name(value: Any) -> str | None:
    return None if isinstance(value, str) and value else "expected the name of a pass"


def _names(value: Any) -> str | None:
    right = isinstance(value, tuple) and all(isinstance(name, str) and name for name in value)
    return None if right else "expected a list of names of extensions"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "expected true or false"


_CHECKS: Mapping[str, Callable[[Any], str | None]] = {
    "opt_level": _number(OPTIMIZATION_LEVELS[0], OPTIMIZATION_LEVELS[-1]),
    "warps": _power_of_two,
    "stages": _number(1),
    "ctas": _number(1),
    "strategy": _strategy,
    "occupancy": _number(1, MOST_OCCUPANCY),
    "dynamic_persistent": _flag,
    "lineinfo": _flag,
    "abi": _abi,
    "device_tensor_maps": _flag,
    "from_pass": _name,
    "extensions": _names,
}
"""The error in the value of each option; None if there is none."""

DEFAULT_OPTIONS = Options()
"""Options that leave all choices to the compiler."""
