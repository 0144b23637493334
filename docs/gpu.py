"""Writes `docs/gpu.md`, how to measure on a GPU, and what is measured there and in `README.md`.

`python -m docs.gpu` reads the newest stored results, of `bench/results`.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from bench.pack.build import DEFAULT_TARGET
from bench.pack.choice import BUILD_MINUTES, PROCESSORS, SIZE_LIMIT, WITH_TREE_LIMIT
from bench.pack.devices import DEVICES
from bench.pack.measured import newest
from bench.pack.report import report, summary
from bench.pack.runner.costs import COSTS
from bench.pack.runner.plan import DEFAULT_MINUTES, GROUPS, STAGES
from bench.pack.runner.rehearsal import EACH_GROUP
from bench.pack.runner.results import MOST_BYTES

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "gpu.md"
README = REPOSITORY / "README.md"
BLOCK = re.compile(r"(<!-- measured: .*?-->\n).*?(<!-- end of what is measured -->)", re.DOTALL)
"""Of the README, what is written here."""

WHAT: dict[str, str] = {
    "a": "launches that the compiler relies on: a block of 1x1x1, static and opt-in shared memory, "
    "large parameters, tensor maps made on the device, clusters of 2 to 16",
    "b": "the emulator's forms as micro-kernels, bit for bit, and the error of approximations",
    "c": "the kernels of the zoo and of [matrix units](performance.md#matrix-units), ours and "
    "`tileiras`', against numpy; ours under racecheck and synccheck",
    "d": "dots, attention, row kernels and copies against `tileiras` with four and eight warps, "
    "the best of six of Triton's, and torch: a graph of launches of each, on inputs larger "
    "than twice the L2 cache; medians, quartiles, clocks read",
    "e": "counters of ncu alongside the cycles that the compiler predicts",
    "f": "all candidates of the tuner for ten problems, and whether its choice is near the best",
    "r": "[open readings](open_readings.md): both compilers' kernels on the same inputs",
    "l": "fences, scopes and named barriers: forbidden outcomes, counted over 100,000 repetitions",
}

TEXT = """# Measuring on a GPU

A *pack* of compiled kernels is checked and measured on another machine, which has a GPU. Written by
`python -m docs.gpu`.

    python -m bench.pack build build/pack         # here: compiles everything, without a GPU
    python -m bench.pack build build/pack --target sm_100a
    python -m bench.pack slice                    # a drawn part of it, and the whole added up
    python run_pack.py --minutes {minutes:g}                # there, in the folder of the pack
    python run_pack.py --minutes 5 --results results-gpu.json   # goes on, on any machine
    python -m bench.pack report results-gpu.json  # here; --store keeps the results

A pack is a folder of at most {size} MiB, with machine code for one target, {targets} ({default}
where none is named), inputs, expected results, and `run_pack.py`. The script `run_pack.py` needs
Python with numpy, and `cuda-bindings` or `ctypes`; torch, compute-sanitizer and ncu are used if
installed. Building a pack takes at most {build_minutes} minutes on {processors} processors. Kernels
are added by priority while they fit (`bench/pack/sizes.json`); the pack lists omitted kernels. The
pack and all files that git tracks have less than {with_tree} MiB. With `--ptx` a pack also has the
PTX that `--device emulator` needs.

## What a pack asks

| group | | items |
|---|---|---|
{groups}

Packs of the three targets differ as follows:

| | {targets_head} |
|---|{rules}|
| multiprocessors, for grids and predictions | {multiprocessors} |
| mxfp8, mxfp4 and nvfp4, scales row-major and in the hardware's order (c, d) | {scales} |
| pairs of blocks, also persistent ones; on sm_100a they multiply together (c, d) | {clusters} |
| blocks that go on with other tiles of the grid on request (d) | {requests} |

A run measures items by priority, as long as its `--minutes` allow:

| stage | at most, in seconds |
|---|---|
{stages}

A run first prints its plan. `--groups ab` selects groups a and b, `--only c/ours/softmax` items by
the beginning of their names.

## How a run goes on

- **The results file** is updated after each item, and has at most {results_size} MiB. A run that
  gets the results file of an earlier run, of any machine, only runs items that are missing,
  skipped, cut or refused; wrong results are kept.
- **A failure ends one kernel only.** After a fault, a crash, or {hang:g} s without output, a new
  process measures the remaining kernels. Failed kernels are tried once more, each alone, at the
  end.
- **No GPU, another GPU, an old driver** are reported in one line, and all items are recorded as
  skipped.
- `--device emulator` runs groups a to c in this project's emulator. `--device fake` tests the run
  in seconds, with a driver that checks limits and computes nothing. `--rehearse hang:MODULE/KERNEL`
  simulates a hang, `--rehearse {each_group}` a fault, a hang and a refusal in every group.

## How to read results

| status | |
|---|---|
| right | equal bit for bit, or within the stated error |
| near | other bits, but no more than PTX allows, or than sums of another order lose |
| wrong | anything else; the first differences and the bits are in the file |
| fault, hung, crash | the kernel failed, did not end in time, or took its process with it |
| answered | a fact about the driver, whatever it is |
| measured | times or counters |
| refused | the driver takes no kernel of the item: its status says why |
| skipped, cut | not run: what is missing, or no time was left |

Accumulators of dots are compared with the emulator's; the difference is divided by the sum of the
magnitudes of all terms.

{results}"""

NOTHING = """## Measured

Nothing: no results are stored in `bench/results`, so there is no claim about any GPU here.
"""


def page() -> str:
    """The text of the page."""
    data = newest()
    groups = "\n".join(f"| {name} | {title} | {WHAT[name]} |" for name, title in GROUPS.items())
    results = NOTHING if data is None else f"## Measured\n\n{_deeper(report(data))}"
    devices = DEVICES.values()

    def row(cells: Iterable[object]) -> str:
        return " | ".join(map(str, cells))

    def marks(flags: Iterable[bool]) -> str:
        return row("yes" if flag else "" for flag in flags)

    return TEXT.format(
        minutes=DEFAULT_MINUTES,
        size=SIZE_LIMIT >> 20,
        with_tree=WITH_TREE_LIMIT >> 20,
        build_minutes=BUILD_MINUTES,
        processors=PROCESSORS,
        targets=", ".join([*DEVICES][:-1]) + f" or {[*DEVICES][-1]}",
        default=DEFAULT_TARGET,
        groups=groups,
        stages="\n".join(f"| {s.title} | {s.seconds:g} |".replace("inf", "") for s in STAGES),
        results_size=MOST_BYTES >> 20,
        hang=COSTS["hang"],
        each_group=EACH_GROUP,
        targets_head=row(DEVICES),
        rules="|".join("---" for _ in devices),
        multiprocessors=row(d.multiprocessors for d in devices),
        scales=marks(d.has_scales for d in devices),
        clusters=marks(d.has_clusters for d in devices),
        requests=marks(d.has_work_requests for d in devices),
        results=results,
    )


def _deeper(text: str) -> str:
    """Headings one level further down."""
    return text.replace("\n## ", "\n### ")


def readme() -> str:
    """The README with what is measured."""
    text, count = BLOCK.subn(
        lambda found: f"{found[1]}{summary(newest())}\n{found[2]}", README.read_text("utf-8")
    )
    if count != 1:
        raise ValueError(f"{README} has {count} places for what is measured")
    return text


def main() -> None:
    """Writes the page and the README."""
    PAGE.write_text(page(), "utf-8")
    README.write_text(readme(), "utf-8")


if __name__ == "__main__":
    main()
