"""How the time and memory of each tool grow with a program, against the bound that it promises.

`python -m bench.worst_cases [TOOL ..] [--growth NAME ..] [--json FILE]` runs the commands of
`tileir` on programs that grow in one way each: ops in a row (`flat`), loops within loops
(`nesting`), iterations of a loop (`iterations`) and tile blocks (`grid`). It prints the processor
time and the memory of each command, and the exponent of the time between a size and the one before,
both without those of the smallest size: 1 where twice the size takes twice the time. Each tool
promises an exponent for each growth. The status is 1 if it is exceeded by more than a quarter
between the two largest sizes, or if a command ends otherwise than by a result or by a diagnostic.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.framework.results import Kind, Recorder, add_arguments
from bench.growing_modules import chain, nested
from bench.scale import exponents

GPU = "sm_80"
TILE = 128
ALLOWED = 0.25
LEAST_SECONDS = 1.0
"""What a command takes longer than for the smallest size, below which growth is noise."""
_VIEW = """
import sys
from pathlib import Path
from tileir_xdsl.view.pages import report_page
print(len(report_page("r", "1", Path(sys.argv[1]).read_bytes()).text))
"""


@dataclass(frozen=True)
class Program:
    """The text of a kernel, the tiles of its array, its tile blocks, and the number it is given."""

    text: str
    tiles: int = 1
    grid: int = 1
    number: int = TILE

    @property
    def launch(self) -> tuple[str, ...]:
        """The options that launch it."""
        array = f"zeros:f32:{TILE * self.tiles}"
        return ("--grid", str(self.grid), "--arg", array, "--arg", str(self.number))


@dataclass(frozen=True)
class Growth:
    """Programs of a size, and the sizes that are measured."""

    program: Callable[[int], Program]
    sizes: tuple[int, ...]


GROWTHS: dict[str, Growth] = {
    "flat": Growth(lambda size: Program(chain(size)), (10, 1_000, 4_000)),
    "nesting": Growth(lambda size: Program(nested(size), number=1), (1, 20, 80)),
    "iterations": Growth(
        lambda size: Program(nested(1), size // TILE + 1, 1, size), (8, 2_000, 16_000)
    ),
    "grid": Growth(lambda size: Program(chain(8), size, size, TILE * size), (1, 1_024, 8_192)),
}


@dataclass(frozen=True)
class Tool:
    """A command on the files of a program, and the exponent that it promises for each growth.

    `command` is given the text, its PTX or its report, of which `needs` says which, and how it is
    launched.
    """

    command: Callable[[Path, Program], Sequence[str]]
    needs: str
    bounds: Mapping[str, float]


_MAIN = "import sys; from tileir_xdsl.cli.main import main; sys.exit(main())"
_TILEIR = (sys.executable, "-c", _MAIN)
_ALL = dict.fromkeys(GROWTHS, 1.0)
_STATIC = {"flat": 1.0, "nesting": 1.0}
"""What reads a program without running it does not depend on the launch."""

TOOLS: dict[str, Tool] = {
    "explain": Tool(
        lambda file, _: (*_TILEIR, "explain", str(file), "--gpu", GPU, "-o", f"{file}.html"),
        ".mlir",
        # A load looks through all loops around it for a store that its token follows.
        {"flat": 1.0, "nesting": 1.5},
    ),
    "explain --run": Tool(
        lambda file, program: (
            *(*_TILEIR, "explain", str(file), "--gpu", GPU, "-o", f"{file}.html"),
            *("--run", *program.launch),
        ),
        ".mlir",
        {"iterations": 1.0, "grid": 1.0},
    ),
    "check": Tool(
        lambda file, program: (*_TILEIR, "check", str(file), "--gpu", GPU, *program.launch),
        ".mlir",
        _ALL,
    ),
    "races of tile blocks": Tool(
        lambda file, program: (*_TILEIR, "run", str(file), "--races", *program.launch),
        ".mlir",
        _ALL,
    ),
    "races of threads": Tool(
        lambda file, program: (*_TILEIR, "emulate", str(file), "--races", *program.launch),
        ".ptx",
        _ALL,
    ),
    "emulator": Tool(
        lambda file, program: (*_TILEIR, "emulate", str(file), *program.launch), ".ptx", _ALL
    ),
    "lint": Tool(lambda file, _: (*_TILEIR, "lint", str(file)), ".ptx", _STATIC),
    "view": Tool(lambda file, _: (sys.executable, "-c", _VIEW, str(file)), ".json", _STATIC),
}


@dataclass(frozen=True)
class Cost:
    """Processor seconds and MB of a command; `refused` is its diagnostic, if it ends with one."""

    seconds: float
    megabytes: float
    refused: str = ""


def cost(command: Sequence[str]) -> Cost:
    """Runs a command. Raises RuntimeError where it ends without a result or a diagnostic."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().strip()
    lines = said.splitlines()
    if process.returncode not in (0, 1) or "Traceback" in said:
        raise RuntimeError(f"{' '.join(command)}: status {process.returncode}\n{said[-2000:]}")
    refused = next((line for line in lines if " error: " in line), "")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, refused)


def _source(tool: Tool, program: Program, folder: Path) -> Path:
    """The file that a command reads."""
    text = folder / "program.mlir"
    text.write_text(program.text, encoding="utf-8")
    file = text.with_suffix(tool.needs)
    if tool.needs != ".mlir":
        action = "compile" if tool.needs == ".ptx" else "explain"
        made = (*_TILEIR, action, str(text), "--gpu", GPU, "-o", str(file))
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return file


def measure(name: str, growth: str, recorder: Recorder) -> bool:
    """Prints and records the rows of a tool and a growth; whether its bound holds."""
    tool, sizes = TOOLS[name], GROWTHS[growth].sizes
    bound, costs = tool.bounds[growth], list[Cost]()
    powers: list[float | None] = []
    for size in sizes:
        program = GROWTHS[growth].program(size)
        with tempfile.TemporaryDirectory() as folder:
            try:
                file = _source(tool, program, Path(folder))
            except subprocess.CalledProcessError:
                print(f"{name:<22}{growth:<12}{size:>7,}  the compiler refuses the program")
                break
            found = cost(tool.command(file, program))
        costs.append(found)
        grown = [max(0.0, each.seconds - costs[0].seconds) for each in costs]
        powers = exponents(sizes[: len(costs)], grown)
        shown = "" if powers[-1] is None else f"{powers[-1]:.2f}"
        recorder.add(f"{name}, {growth} {size:,}", [found.seconds, found.megabytes, powers[-1]])
        print(
            f"{name:<22}{growth:<12}{size:>7,}{found.seconds:>9.2f}{found.megabytes:>8.0f}"
            f"{shown:>8}  {found.refused[:70]}",
            flush=True,
        )
    is_noise = not costs or costs[-1].seconds - costs[0].seconds < LEAST_SECONDS
    power = powers[-1] if powers else None
    return is_noise or power is None or power <= bound + ALLOWED


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=", ".join(TOOLS))
    parser.add_argument("--growth", action="append", choices=tuple(GROWTHS), help="default: all")
    add_arguments(parser, runs=1)
    args = parser.parse_args(arguments)
    if unknown := set(args.tools) - set(TOOLS):
        parser.error(f"no such tools: {', '.join(sorted(unknown))}")
    measures: dict[str, Kind] = dict.fromkeys(("seconds", "MB", "exponent of time"), "time")
    recorder = Recorder("worst_cases", measures)
    print(f"{'':<22}{'growth':<12}{'size':>7}{'s':>9}{'MB':>8}{'time ^':>8}")
    exceeded = [
        f"{name}, {growth}: grows faster than its bound, size^{TOOLS[name].bounds[growth]:g}"
        for name in args.tools or TOOLS
        for growth in args.growth or GROWTHS
        if growth in TOOLS[name].bounds and not measure(name, growth, recorder)
    ]
    recorder.write(args.json)
    print("\n".join(exceeded) or "All tools keep to their bounds.")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
