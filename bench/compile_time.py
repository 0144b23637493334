"""What compiling to PTX costs: next to NVIDIA's compiler, and next to another commit.

`python -m bench.compile_time [--runs N] [--json FILE] [NAME ..]` prints one table, in milliseconds
of processor time, medians of N rounds in which all take their turn. Ours is from bytecode to PTX in
a process that has compiled before (`bench.compile_worker`); theirs is `tileiras -O3` from the same
bytecode, less what `ptxas -O3` takes of our PTX, both with the start of their processes. The goals
are a median ratio of at most 0.4, none above 1.0, and at most 100 MB of memory for each kernel, the
compiler itself included.

`python -m bench.compile_time --against COMMIT [NAME ..]` checks a commit out beside the present
tree and compiles the zoo and two large modules with both: `long`, one kernel of 4,000 ops, and
`many`, 300 small kernels. The goal for these two is 0.47 of the time at commit 4301a42.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from bench.framework.results import Kind, Recorder, add_arguments, add_every
from bench.framework.timing import Ratios, medians, process_seconds
from bench.growing_modules import VERSION, chain, kernels
from tileir_xdsl.bytecode import write
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

GPU, TILE_IR_GPU = "sm_90a", "sm_90"
REPOSITORY = Path(__file__).resolve().parents[1]
WORKER = REPOSITORY / "bench" / "compile_worker.py"

LONG_OPS, SMALL_KERNELS = 4_000, 300


class RefusedError(Exception):
    """A worker does not compile a program; the message is its own."""


class Compiled(NamedTuple):
    """What a worker says of a compilation."""

    seconds: float
    """Of the processor."""
    megabytes: float
    """The most memory that the process held, with the compiler itself."""
    ptx: Path


class Worker:
    """A process that compiles with the package of one checkout, until the `with` block ends."""

    def __init__(self, checkout: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        environment.pop("TILEIR_VERIFY_EACH", None)
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=environment,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def compile(self, source: Path) -> Compiled:
        """Compiles a file.

        Raises `RefusedError` if it is not compiled, and EOFError if the process ends.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        print(GPU, source, file=self._process.stdin, flush=True)
        first, _, rest = self._process.stdout.readline().strip().partition(" ")
        if not first:
            raise EOFError(f"the worker ended at {source}")
        if first == "refused":
            raise RefusedError(rest)
        peak, _, ptx = rest.partition(" ")
        return Compiled(float(first), float(peak), Path(ptx))


@contextmanager
def checkout(commit: str) -> Generator[Path]:
    """A commit in a temporary folder; CalledProcessError if there is no such commit."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(REPOSITORY), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def tileiras_command(source: Path) -> list[str]:
    """NVIDIA's compiler on a bytecode file."""
    output = str(source.with_suffix(".tileiras.cubin"))
    return [tools.tileiras_path(), "--gpu-name", TILE_IR_GPU, "-O3", str(source), "-o", output]


def ptxas_command(ptx: Path) -> list[str]:
    """NVIDIA's assembler on our PTX."""
    output = str(ptx.with_suffix(".cubin"))
    return [tools.ptxas_path(), f"-arch={GPU}", "-O3", str(ptx), "-o", output]


def _long() -> bytes:
    return write(tools.parse(chain(LONG_OPS)), VERSION)


def _many() -> bytes:
    return kernels(SMALL_KERNELS)


LARGE: Mapping[str, Callable[[], bytes]] = {"long": _long, "many": _many}
"""Bytecode of one long kernel, and of many small ones."""


def bytecode(name: str, folder: Path) -> Path:
    """A file with a kernel of the zoo or a large module; BytecodeError if it has none."""
    path = folder / f"{name}.tileirbc"
    make = LARGE.get(name)
    path.write_bytes(
        make() if make else write(tools.parse(KERNELS[name].text_path.read_text("utf-8")), VERSION)
    )
    return path


def next_to_tileiras(names: Sequence[str], folder: Path, runs: int) -> Recorder:
    """Prints a row for each kernel that both compile, and the ratios of all."""
    measures: dict[str, Kind] = dict.fromkeys(("ours", "tileiras", "ptxas", "ratio", "MB"), "time")
    recorder, ratios = Recorder("compile time, next to tileiras", measures), dict[str, float]()
    print(f"{'milliseconds':<28}{'ours':>9}{'tileiras':>10}{'ptxas':>8}{'ratio':>8}{'MB':>7}")
    with Worker(REPOSITORY) as worker:
        for name in names:
            try:
                source = bytecode(name, folder)
                first = worker.compile(source)
                taken = medians(
                    {
                        "ours": lambda source=source: worker.compile(source).seconds,
                        "theirs": lambda source=source: process_seconds(tileiras_command(source)),
                        "ptxas": lambda ptx=first.ptx: process_seconds(ptxas_command(ptx)),
                    },
                    runs,
                )
            except (BytecodeError, RefusedError, subprocess.CalledProcessError) as error:
                recorder.add(name, f"refused: {error}"[:100])
                continue
            ours, theirs, assembler = (1e3 * seconds for seconds in taken.values())
            ratios[name] = ours / (theirs - assembler)
            recorder.add(name, [ours, theirs, assembler, ratios[name], first.megabytes])
            print(
                f"{name:<28}{ours:>9.1f}{theirs:>10.1f}{assembler:>8.1f}{ratios[name]:>8.2f}"
                f"{first.megabytes:>7.0f}"
            )
    if ratios:
        print(Ratios(ratios))
    return recorder


def next_to_commit(names: Sequence[str], commit: str, folder: Path, runs: int) -> Recorder:
    """Prints a row for each program that both checkouts compile, and the ratios of all."""
    measures: dict[str, Kind] = dict.fromkeys(("now", "then", "ratio"), "time")
    recorder, ratios = Recorder(f"compile time, next to {commit}", measures), dict[str, float]()
    print(f"{'milliseconds':<28}{'now':>9}{'then':>9}{'ratio':>8}")
    with checkout(commit) as tree, Worker(REPOSITORY) as present, Worker(tree) as earlier:
        for name in names:
            try:
                source = bytecode(name, folder)
                taken = medians(
                    {
                        "now": lambda source=source: present.compile(source).seconds,
                        "then": lambda source=source: earlier.compile(source).seconds,
                    },
                    runs,
                )
            except (BytecodeError, RefusedError) as error:
                recorder.add(name, f"refused: {error}"[:100])
                continue
            now, then = (1e3 * seconds for seconds in taken.values())
            ratios[name] = now / then
            recorder.add(name, [now, then, ratios[name]])
            print(f"{name:<28}{now:>9.1f}{then:>9.1f}{ratios[name]:>8.2f}", flush=True)
    if ratios:
        print(Ratios(ratios))
    return recorder


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description="What compiling to PTX costs.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="kernels of the zoo, `long` and `many`"
    )
    parser.add_argument("--against", metavar="COMMIT", help="compare with this commit")
    add_every(parser)
    add_arguments(parser, runs=5)
    args = parser.parse_args(arguments)
    unknown = set(args.names) - set(KERNELS) - set(LARGE)
    if unknown:
        parser.error(f"no such kernels: {', '.join(sorted(unknown))}")
    zoo = list(KERNELS)[:: args.every]
    with tempfile.TemporaryDirectory() as folder:
        if args.against is None:
            recorder = next_to_tileiras(args.names or zoo, Path(folder), args.runs)
        else:
            names = args.names or [*LARGE, *zoo]
            recorder = next_to_commit(names, args.against, Path(folder), args.runs)
    recorder.write(args.json)


if __name__ == "__main__":
    main()
