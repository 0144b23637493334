"""The table of `tileir tune`: differences between variants, and the reason for the best one."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.tuning import EQUAL, Measured

CHOICES: Mapping[str, Callable[[Measured], object]] = {
    "warps": lambda one: one.variant.warps,
    "stages": lambda one: one.variant.stages,
    "strategy": lambda one: one.variant.strategy,
    "CTAs": lambda one: one.variant.ctas,
    "occupancy": lambda one: one.variant.occupancy,
}
"""Options in which variants may differ; None leaves an option to the compiler."""

COSTS: Mapping[str, Callable[[Measured], object]] = {
    "us": lambda one: None if one.seconds is None else f"{one.seconds * 1e6:.1f}",
    "cycles": lambda one: None if one.modelled is None else round(one.modelled.cycles),
    "waves": lambda one: None if one.modelled is None else one.modelled.waves,
    "bound by": lambda one: None if one.modelled is None else one.modelled.bound,
    "instructions": lambda one: one.instructions,
    "spilled": lambda one: one.resources.spills,
    "registers": lambda one: one.resources.registers,
    "shared": lambda one: one.shared_bytes,
    "shared at most": lambda one: one.shared_limit,
}
"""Costs of variants: microseconds on a GPU or modelled cycles, and resources of a block."""

ALWAYS = ("us", "cycles")
"""The costs that are shown even if all variants have the same."""


def is_measured(one: Measured) -> bool:
    """Whether a variant was measured: it runs, and its code is not that of another variant."""
    return not one.problem and one.same_as is None and one.compiled is not None


def best_of(measured: Sequence[Measured]) -> Measured | None:
    """The best variant; None if no variant was measured, or if all rank the same."""
    known = [one for one in measured if is_measured(one)]
    if not known or (len(known) > 1 and known[0].rank == known[-1].rank):
        return None
    is_choice = len(known) > 1 or any(one.problem for one in measured)
    return known[0] if is_choice else None


def reason(measured: Sequence[Measured]) -> str:
    """Why the first variant is the best, in terms of the costs that order the variants."""
    known = [one for one in measured if is_measured(one)]
    if not known:
        return "no variant could be measured"
    best = best_of(measured)
    if best is None:
        if len(measured) == 1:
            return "one variant: nothing to compare with"
        same = "have the same code" if len(known) == 1 else "cost the same"
        return f"all variants {same}: nothing to choose"
    if len(known) == 1:
        return "best: 1, the only one that runs"
    equal = [one for one in known if one.rank == best.rank]
    others = ", and all that cost the same" if len(equal) > 1 else ""
    return f"best: 1{others}, {_advantage(best, known[len(equal)])}"


def _advantage(best: Measured, other: Measured) -> str:
    """The first cost in which two variants differ, in the order of ranking."""
    if best.seconds is not None and other.seconds is not None:
        return f"in {best.seconds / other.seconds:.0%} of the time of the next"
    assert best.modelled is not None
    time = f"{_time(best)}, bound by {best.modelled.bound}; the next {_time(other)}"
    step, spills, stages, cycles, _ = (
        here != there for here, there in zip(best.rank[1:], other.rank[1:], strict=True)
    )
    if step:
        return time
    equal = f"in cycles within {EQUAL:.0%}"
    if spills:
        less = f"spills {best.resources.spills} bytes, the next {other.resources.spills}"
        return f"{less}, {equal}"
    if stages:
        less = f"{_stages(best)}, the next {_stages(other)}"
        return f"{less}, {equal}: loads start earlier, which the model does not see"
    if cycles:
        return time
    return f"issues {best.instructions} instructions, the next {other.instructions}, {equal}"


def _time(one: Measured) -> str:
    assert one.modelled is not None
    count = one.modelled.waves
    waves = "1 wave" if count == 1 else f"{count} waves"
    return f"{one.modelled.cycles:.0f} cycles in {waves} of {one.modelled.resident} thread blocks"


def _stages(one: Measured) -> str:
    stages = one.variant.stages
    return "as many stages as fit" if stages is None else f"at most {stages} stages"


_FLAGS = {"opt_level": "-O", "device_tensor_maps": "--device-tensor-maps"}


def as_arguments(one: Measured) -> str:
    """The command-line arguments that select a variant, for other commands."""
    words = [f"--constant {name}={value}" for name, value in one.constants.items()]
    if one.constants:
        words.append(f"--grid {','.join(map(str, one.grid))}")
    for name, value in one.variant.given().items():
        flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
        words.append(flag if value is True else f"{flag} {value}")
    return " ".join(words)


def table(measured: Sequence[Measured]) -> list[str]:
    """The rows of the table, best first, and a line of what all variants have in common."""
    known = [one for one in measured if is_measured(one)]
    choices, common = _differing({**_constants(measured), **CHOICES}, measured)
    costs, equal = _differing(COSTS, known, ALWAYS)
    rows = [["", *choices, *costs]]
    for number, one in enumerate(measured, 1):
        row = [str(number), *(_cell(get(one)) for get in choices.values())]
        rows.append([*row, *(str(get(one)) for get in costs.values())] if one in known else row)
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(len(rows[0]))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=False))
        for row in rows
    ]
    for number, one in enumerate(measured, 1):
        lines[number] += _remark(one, measured)
    said = ", ".join(f"{name} {_cell(value)}" for name, value in (common | equal).items())
    return [*lines, f"all: {said}"] if said else lines


def _remark(one: Measured, measured: Sequence[Measured]) -> str:
    """The remark that replaces the costs of a variant: its error, or a variant of the same code."""
    if one.problem:
        first = next(n for n, other in enumerate(measured, 1) if other.problem == one.problem)
        return f"  {one.problem}" if measured[first - 1] is one else f"  as {first}"
    if one.same_as is None:
        return ""
    (number,) = (
        n
        for n, other in enumerate(measured, 1)
        if (other.variant, other.constants, other.configuration)
        == (one.same_as, one.constants, one.configuration)
    )
    return f"  the same code as {number}"


def _constants(measured: Sequence[Measured]) -> dict[str, Callable[[Measured], object]]:
    """A column for each constant of the kernel, and one for configurations if there are any."""
    names = dict.fromkeys(name for one in measured for name in one.constants)
    named: dict[str, Callable[[Measured], object]] = {n: partial(_constant, n) for n in names}
    if any(one.configuration for one in measured):
        named["configuration"] = lambda one: one.configuration
    return named


def _constant(name: str, one: Measured) -> object:
    value = one.constants.get(name, "")
    return value if isinstance(value, int | float) else str(value)


def _cell(value: object) -> str:
    return "default" if value is None else str(value)


def _differing(
    columns: Mapping[str, Callable[[Measured], object]],
    rows: Sequence[Measured],
    always: Sequence[str] = (),
) -> tuple[dict[str, Callable[[Measured], object]], dict[str, object]]:
    """The columns in which rows differ, and the common value of each other column."""
    differing: dict[str, Callable[[Measured], object]] = {}
    common: dict[str, object] = {}
    for name, get in columns.items():
        values = [get(one) for one in rows]
        if all(value is None for value in values):
            continue
        if name in always or len(set(values)) > 1:
            differing[name] = get
        else:
            common[name] = values[0]
    return differing, common


def result_lines(measured: Sequence[Measured]) -> list[str]:
    """The table, the reason for the best variant, and the arguments that select that variant."""
    lines, best = [*table(measured), reason(measured)], best_of(measured)
    if best is None:
        return lines
    return [*lines, f"arguments: {as_arguments(best) or 'none, it is the default'}"]


def best_options(measured: Sequence[Measured]) -> str:
    """The options of the best variant as JSON, with the constants and grid of its configuration.

    If all rank the same, this is the first variant. Raises InputError if no variant can be run.
    """
    best = best_of(measured) or next(filter(is_measured, measured), None)
    if best is None:
        raise InputError("tune", "no variant could be measured")
    launch = {"constants": best.constants, "grid": best.grid} if best.constants else {}
    return json.dumps({**launch, **best.variant.given()}) + "\n"


def as_data(measured: Sequence[Measured]) -> dict[str, object]:
    """The table and the best variant as plain data, for JSON."""
    best = best_of(measured)
    return {
        "best": None if best is None else best.variant.given(),
        "arguments": None if best is None else as_arguments(best),
        "reason": reason(measured),
        "variants": [dict(_facts(one)) for one in measured],
    }


def _facts(one: Measured) -> Iterator[tuple[str, object]]:
    if one.constants:
        yield "constants", {name: _constant(name, one) for name in one.constants}
        yield "grid", one.grid
    if one.configuration:
        yield "configuration", one.configuration
    yield "options", one.variant.given()
    if one.problem:
        yield "problem", one.problem
    elif one.same_as is not None:
        yield "same code as", one.same_as.given()
    else:
        for name, get in COSTS.items():
            if name != "us":
                yield name, get(one)
        yield "seconds", one.seconds
