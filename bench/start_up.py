"""What a command from the shell costs: cold, with a server, and with the result in the cache.

`python -m bench.start_up [RUNS]` runs the commands in turns, each in processes of their own, and
prints medians of the processor time and the time that passes. With a server the processor time is
the client's. The first round, which is not counted, writes byte code, as an installed package has
it.
The goals are of the cold compile, twice `xdsl-opt --help`; of a hit, 40 ms from the shell and 2 ms
in a process; of importing the plug-in, 30 ms.
"""

import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tileir_xdsl
from bench.framework.results import Recorder, parse_runs
from bench.framework.timing import interleaved, process_seconds

REPOSITORY = Path(__file__).resolve().parents[1]
KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
XDSL_OPT = str(Path(sysconfig.get_path("scripts"), "xdsl-opt"))
CLIENT = "import sys; from tileir_xdsl.cli.compile_server.client import tileir; sys.exit(tileir())"
COMPILE = (sys.executable, "-c", CLIENT, "compile", KERNEL, "-o", os.devnull)
ALONE = {"TILEIR_SERVER": "0", "TILEIR_CACHE": "0"}


@dataclass(frozen=True)
class Command:
    """A command line, and the environment variables that it runs with."""

    words: tuple[str, ...]
    environment: Mapping[str, str]


COMMANDS = {
    "python -c pass": Command((sys.executable, "-c", "pass"), {}),
    "import xdsl.tools.xdsl_opt": Command((sys.executable, "-c", "import xdsl.universe"), {}),
    "the same and tileir_xdsl.universe": Command(
        (sys.executable, "-c", "import tileir_xdsl.universe"), {}
    ),
    "xdsl-opt --help": Command((XDSL_OPT, "--help"), {}),
    "xdsl-opt KERNEL": Command((XDSL_OPT, KERNEL), {}),
    "xdsl-opt KERNEL -p tileir-pipeline -t ptx": Command(
        (XDSL_OPT, KERNEL, "-p", "tileir-pipeline", "-t", "ptx"), {}
    ),
    "tileir compile KERNEL": Command(COMPILE, ALONE),
    "tileir compile KERNEL, with a server": Command(
        COMPILE, {"TILEIR_SERVER": "", "TILEIR_CACHE": "0"}
    ),
    "tileir compile KERNEL, found in the cache": Command(
        COMPILE, {"TILEIR_SERVER": "0", "TILEIR_CACHE": "1"}
    ),
}


def measure(command: Command) -> float:
    """The processor time of a command; what else it took is in `passed`."""
    os.environ.update(command.environment)
    start = time.perf_counter()
    seconds = process_seconds(command.words)
    passed.append(time.perf_counter() - start)
    return seconds


passed: list[float] = []
"""The time that passed in each measurement, in their order."""


def hit_in_process() -> float:
    """The time of a call of `tileir_xdsl.compile` whose result is in the cache."""
    start = time.perf_counter()
    tileir_xdsl.compile(KERNEL, "sm_90a")
    return time.perf_counter() - start


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints the table."""
    args = parse_runs(__doc__, 7, arguments)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    recorder = Recorder("start up", {"processor": "time", "passed": "time"})
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"TILEIR_SERVER_DIR": folder, "TILEIR_CACHE_DIR": folder}
        server = (sys.executable, "-c", CLIENT, "server")
        subprocess.run([*server, "start"], check=True, stdout=subprocess.DEVNULL)
        try:
            times = interleaved(
                {name: lambda c=command: measure(c) for name, command in COMMANDS.items()},
                args.runs,
            )
        finally:
            subprocess.run([*server, "stop"], check=True, stdout=subprocess.DEVNULL)
        os.environ["TILEIR_CACHE"] = "1"
        hits = [hit_in_process() for _ in range(50)]
        os.environ["TILEIR_CACHE"] = "0"
    print(f"{'medians of ' + str(args.runs) + ' runs':<52} {'processor':>9} {'passed':>7}")
    help_seconds = statistics.median(times["xdsl-opt --help"])
    for number, (name, taken) in enumerate(times.items()):
        # The first round, which fills caches, is not counted.
        waited = passed[len(COMMANDS) + number :: len(COMMANDS)]
        processor, median = statistics.median(taken), statistics.median(waited)
        recorder.add(name, [processor, median])
        print(f"{name:<52} {processor:>9.3f} {median:>7.3f}")
    hit = statistics.median(hits)
    print(f"{'tileir_xdsl.compile, found in the cache':<52} {'':>9} {hit:>7.4f}")
    cold = statistics.median(times["tileir compile KERNEL"])
    print(f"cold compile to xdsl-opt --help: {cold / help_seconds:.2f} (goal 2)")
    recorder.write(args.json)


if __name__ == "__main__":
    main()
