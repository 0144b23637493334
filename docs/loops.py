"""Writes the table of loops that opens `docs/performance.md`.

`python -m docs.loops` writes it from `bench/stored/loops.json`, which
`python -m bench.loops --store` writes; a test compares.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.loop_kernels import KERNELS
from bench.loops import GPUS, MEASURES, Row, best_rival, stored_rows

PAGE = Path(__file__).resolve().parent / "performance.md"
BLOCK = re.compile(r"(<!-- loops -->\n).*?(<!-- end of loops -->)", re.DOTALL)

GOAL, HIGH = 1.25, 0.5
"""A row above the first ratio, and above so many slots for a cycle, has a cause."""

TEXT = """
## Loops

Written by `python -m docs.loops` from `bench/stored/loops.json`, which `python -m bench.loops
--store` writes. `python -m bench.loops --only 'B by order' --gpu sm_90a` measures one row, with its
instructions by kind, loads, wavefronts, registers, blocks, stages and spills.

Cells count the instructions that all warps of a block execute in an iteration of the innermost
loop, for 2,048 multiply-adds. Each cell has our count, the better count of `tileiras` and Triton,
and the ratio. `tileiras` has four or eight warps, Triton the best of six pairs of warps and stages
without spills.
Kernels without dots are counted whole, for 32 elements. A loop is bound by tensor cores if its
busiest scheduler issues at most 0.5 instructions for each tensor-core cycle. The ratio of such a
loop is in parentheses; medians omit it.
"""

CAUSES: Mapping[str, str] = {
    "gemm tf32": "our threads round operands to tf32; the other compiler passes f32 to the matrix "
    "unit, which truncates it",
    "gemm e4m3": "these tensor cores add with 14 bits, so our threads, as those of `tileiras`, add "
    "partial sums in f32",
    "weights e4m3, scaled": "our threads store transposed weights by two bytes",
    "gradients": "Triton masks nothing beyond the length, and flushes subnormal powers",
    "convolution": "our loop computes half of the rows at a time, as registers of repeated "
    "indices are overestimated",
    "softmax": "Triton's divisions are approximate, and it flushes subnormal powers",
    "layer norm": "Triton's divisions and roots are approximate",
    "argmax": "our threads first exchange elements, as the body of a reduction need not commute",
}
"""Why kernels are above the goal, by the beginning of their name."""


def rows_of(stored: Mapping[str, Row], gpu: str, name: str) -> dict[str, Row]:
    """The rows of a kernel on a target, by who compiled it."""
    prefix = f"{gpu} {name}: "
    return {k.removeprefix(prefix): row for k, row in stored.items() if k.startswith(prefix)}


def measured(row: Row | None, measure: str) -> float | None:
    """A measure of a row, if there is one."""
    if row is None or isinstance(row, str):
        return None
    return row[list(MEASURES).index(measure)]


def ratio(rows: Mapping[str, Row]) -> float | None:
    """Our instructions to those of the better rival."""
    own = measured(rows.get("ours"), "instructions")
    other = measured(best_rival(rows), "instructions")
    return own / other if own is not None and other else None


def is_bound(rows: Mapping[str, Row]) -> bool:
    """Whether our loop is bound by the tensor cores."""
    slots = measured(rows.get("ours"), "slots")
    return slots is not None and slots <= HIGH


def cell(rows: Mapping[str, Row]) -> str:
    """Ours, the better rival's and the ratio."""
    if not rows:
        return ""
    own, found = rows.get("ours"), ratio(rows)
    if own is None or isinstance(own, str):
        return "refused"
    other = measured(best_rival(rows), "instructions")
    if found is None or other is None:
        return f"{own[0]:.2f}, no rival"
    told = f"({found:.2f})" if is_bound(rows) else f"**{found:.2f}**"
    return f"{own[0]:.2f}, {other:.2f}, {told}"


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def families(stored: Mapping[str, Row]) -> Iterator[str]:
    """Medians and 90th percentiles of the ratios that count, by family."""
    yield "| family | rows | bound by tensor cores | median | p90 |"
    yield "|---|---|---|---|---|"
    names: dict[str, list[str]] = {}
    for name, kernel in KERNELS.items():
        names.setdefault(kernel.family, []).append(name)
    for family, members in names.items():
        rows = [rows_of(stored, gpu, name) for name in members for gpu in GPUS]
        known = [each for each in rows if ratio(each) is not None]
        counted = [r for each in known if not is_bound(each) and (r := ratio(each)) is not None]
        if not known:
            continue
        told = "| | |"
        if counted:
            told = f"| {statistics.median(counted):.2f} | {_quantile(counted, 0.9):.2f} |"
        yield f"| {family} | {len(known)} | {len(known) - len(counted)} {told}"


def table(stored: Mapping[str, Row]) -> Iterator[str]:
    """A line for each kernel."""
    yield "| kernel | " + " | ".join(GPUS) + " |"
    yield "|---" * (len(GPUS) + 1) + "|"
    for name in KERNELS:
        cells = [cell(rows_of(stored, gpu, name)) for gpu in GPUS]
        if any(cells):
            yield f"| {name} | " + " | ".join(cells) + " |"


def above(stored: Mapping[str, Row]) -> dict[str, list[str]]:
    """The targets on which a kernel is above the goal, by its name."""
    found: dict[str, list[str]] = {}
    for name in KERNELS:
        for gpu in GPUS:
            rows = rows_of(stored, gpu, name)
            share = ratio(rows)
            if share is not None and share > GOAL and not is_bound(rows):
                found.setdefault(name, []).append(gpu)
    return found


def causes(stored: Mapping[str, Row]) -> Iterator[str]:
    """A line for each cause, after the rows above the goal that have it."""
    rows: dict[str, list[str]] = {}
    for name, gpus in above(stored).items():
        cause = next((text for begin, text in CAUSES.items() if name.startswith(begin)), "")
        rows.setdefault(cause, []).append(f"{name} ({', '.join(gpus)})")
    for cause, names in rows.items():
        yield f"- {'; '.join(names)}: {cause}"


def block(stored: Mapping[str, Row]) -> str:
    """The text between the marks."""
    parts = [TEXT, *families(stored), "", *table(stored), ""]
    parts += [f"Above {GOAL} are:", "", *causes(stored), ""] if above(stored) else []
    return "\n".join(parts)


def page(text: str) -> str:
    """The page with the block of what is stored."""
    new = block(stored_rows())
    return BLOCK.sub(lambda found: found[1] + new + found[2], text)


def main() -> None:
    """Writes the table."""
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
