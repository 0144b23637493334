"""What `tileir-as` takes with a warm server, next to `tileiras`.

`python -m bench.tileir_as [--runs N] [--every N] [--json FILE] [NAME ..]` has both make machine
code of kernels of the zoo for one target, in turns, and prints the milliseconds that pass, medians
of N rounds. The server has compiled before; nothing comes from the cache. The goal is a median
ratio of at most 1.0.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.compile_time import TILE_IR_GPU, bytecode, tileiras_command
from bench.framework.results import Kind, Recorder, add_arguments, add_every
from bench.framework.timing import Ratios, medians
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.testing.kernels import KERNELS

CLIENT = "import sys; from tileir_xdsl.cli.compile_server.client import {0}; sys.exit({0}())"


def command(program: str, *words: str) -> list[str]:
    """A command of the package, as its entry point executes it."""
    return [sys.executable, "-c", CLIENT.format(program), *words]


@contextmanager
def server() -> Generator[None]:
    """A server that this process's commands ask, with no cache; it ends with the block."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"TILEIR_SERVER_DIR": folder, "TILEIR_SERVER": "", "TILEIR_CACHE": "0"}
        start, stop = command("tileir", "server", "start"), command("tileir", "server", "stop")
        subprocess.run(start, check=True, stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            subprocess.run(stop, check=True, stdout=subprocess.DEVNULL)
            os.environ.clear()
            os.environ.update(before)


def passed_seconds(words: Sequence[str]) -> float:
    """The time that passes while a command runs; CalledProcessError if it fails."""
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - start


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels of the zoo")
    add_every(parser)
    add_arguments(parser, runs=3)
    args = parser.parse_args(arguments)
    unknown = set(args.names) - set(KERNELS)
    if unknown:
        parser.error(f"no such kernels: {', '.join(sorted(unknown))}")
    measures: dict[str, Kind] = dict.fromkeys(("tileir-as", "tileiras", "ratio"), "time")
    recorder, ratios = Recorder("tileir-as, next to tileiras", measures), dict[str, float]()
    print(f"{'milliseconds':<28}{'tileir-as':>10}{'tileiras':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder, server():
        for name in args.names or list(KERNELS)[:: args.every]:
            try:
                source = bytecode(name, Path(folder))
                words = (str(source), "--gpu-name", TILE_IR_GPU, "-O3", "-o", f"{source}.cubin")
                ours = command("tileir_as", *words)
                theirs = tileiras_command(source)
                taken = medians(
                    {
                        "ours": lambda words=ours: passed_seconds(words),
                        "theirs": lambda words=theirs: passed_seconds(words),
                    },
                    args.runs,
                )
            except (BytecodeError, subprocess.CalledProcessError) as error:
                recorder.add(name, f"refused: {error}"[:100])
                continue
            mine, other = (1e3 * seconds for seconds in taken.values())
            ratios[name] = mine / other
            recorder.add(name, [mine, other, ratios[name]])
            print(f"{name:<28}{mine:>10.1f}{other:>10.1f}{ratios[name]:>8.2f}", flush=True)
    if ratios:
        print(Ratios(ratios))
    recorder.write(args.json)


if __name__ == "__main__":
    main()
