"""The table of `tileir tune`: differences between variants, and the reason for the best one."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tileir_xdsl.runtime.tuning import EQUAL, Measured

CHOICES: Mapping[str, Callable[[Measured], object]] = {
    "warps": lambda one: one.variant.warps,
    "stages": lambda one: one.variant.stages,
    "strategy": lambda one: one.variant.strategy,
    "CTAs": lambda one: one.variant.ctas or 1,
}
"""Options in which variants may differ."""

COSTS: Mapping[str, Callable[[Measured], object]] = {
    "us": lambda one: None if one.seconds is None else f"{one.seconds * 1e6:.1f}",
    "instructions": lambda one: one.instructions,
    "spilled": lambda one: one.resources.spills,
    "registers": lambda one: one.resources.registers,
    "shared": lambda one: one.shared_bytes,
}
"""Costs of variants: microseconds on a GPU or instructions of warps, and resources of a block."""

ALWAYS = ("us", "instructions")
"""The costs that are shown even where they are equal."""


def is_measured(one: Measured) -> bool:
    """Whether a variant has been measured by itself."""
    return not one.problem and one.same_as is None and one.compiled is not None


def best_of(measured: Sequence[Measured]) -> Measured | None:
    """The best variant; None where nothing could be measured, or where none is better."""
    known = [one for one in measured if is_measured(one)]
    if not known or (len(known) > 1 and known[0].rank == known[1].rank):
        return None
    is_choice = len(known) > 1 or any(one.problem for one in measured)
    return known[0] if is_choice else None


def reason(measured: Sequence[Measured]) -> str:
    """Why the first variant is the best, in the terms by which they are ordered."""
    known = [one for one in measured if is_measured(one)]
    if not known:
        return "no variant can be run"
    best = best_of(measured)
    if best is None:
        if len(measured) == 1:
            return "one variant: nothing to compare with"
        same = "have the same code" if len(known) == 1 else "cost the same"
        return f"all variants {same}: nothing to choose"
    if len(known) == 1:
        return "best: 1, the only one that runs"
    return f"best: 1, {_advantage(best, known[1])}"


def _advantage(best: Measured, other: Measured) -> str:
    """The first term of the order in which two variants differ."""
    if best.seconds is not None and other.seconds is not None:
        return f"in {best.seconds / other.seconds:.0%} of the time of the next"
    assert best.instructions is not None and other.instructions is not None
    if best.resources.spills != other.resources.spills:
        return f"spills {best.resources.spills} bytes, the next {other.resources.spills}"
    less = f"issues {best.instructions} instructions, the next {other.instructions}"
    if best.rank[2] != other.rank[2]:
        return less
    if best.variant.stages != other.variant.stages:
        return (
            f"has {best.variant.stages} stages, the next {other.variant.stages}, and instructions "
            f"within {EQUAL:.0%}: loads start earlier, which no count of instructions sees"
        )
    return less


def table(measured: Sequence[Measured]) -> list[str]:
    """The lines of the table, best first, and of what all variants have in common."""
    known = [one for one in measured if is_measured(one)]
    choices, common = _differing(CHOICES, measured)
    costs, equal = _differing(COSTS, known, ALWAYS)
    rows = [["", *choices, *costs]]
    for number, one in enumerate(measured, 1):
        row = [str(number), *(str(get(one)) for get in choices.values())]
        rows.append([*row, *(str(get(one)) for get in costs.values())] if one in known else row)
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(len(rows[0]))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=False))
        for row in rows
    ]
    for number, one in enumerate(measured, 1):
        lines[number] += _remark(one, measured)
    said = ", ".join(f"{name} {value}" for name, value in (common | equal).items())
    return [*lines, f"all: {said}"] if said else lines


def _remark(one: Measured, measured: Sequence[Measured]) -> str:
    """The remark on a variant in place of its costs."""
    if one.problem:
        return f"  {one.problem}"
    if one.same_as is None:
        return ""
    (number,) = (n for n, other in enumerate(measured, 1) if other.variant == one.same_as)
    return f"  the same code as {number}"


def _differing(
    columns: Mapping[str, Callable[[Measured], object]],
    rows: Sequence[Measured],
    always: Sequence[str] = (),
) -> tuple[dict[str, Callable[[Measured], object]], dict[str, object]]:
    """The columns in which rows differ, and the value of each of the others."""
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


def as_data(measured: Sequence[Measured]) -> dict[str, object]:
    """The same as plain data, for JSON."""
    best = best_of(measured)
    return {
        "best": None if best is None else best.variant.given(),
        "reason": reason(measured),
        "variants": [dict(_facts(one)) for one in measured],
    }


def _facts(one: Measured) -> Iterator[tuple[str, object]]:
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
