"""What our compiler adds to `xdsl-opt`: the whole pipeline to PTX against a bare round trip.

`python -m bench.start_up [RUNS]` runs both commands alternately, in processes of their own, and
prints the medians.  The goal is below twice the round trip plus 0.3 seconds.
"""

import subprocess
import sysconfig
import time
from functools import partial
from pathlib import Path

from bench.framework.results import Recorder, parse_runs
from bench.framework.timing import medians

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCE = Path("tests", "kernels", "vector_add.mlir")
XDSL_OPT = Path(sysconfig.get_path("scripts"), "xdsl-opt")
FOREIGN = "func.func @f(%x: i32) -> i32 { return %x : i32 }\n"
PIPELINE = "tileir-pipeline"
COMMANDS = {
    "xdsl-opt on a file without our dialects": [],
    f"xdsl-opt {SOURCE.name}": [str(SOURCE)],
    f"xdsl-opt {SOURCE.name} -p {PIPELINE} -t ptx": [str(SOURCE), "-p", PIPELINE, "-t", "ptx"],
}


def seconds(arguments: list[str]) -> float:
    """The wall time of one run of `xdsl-opt`; raises CalledProcessError if it fails."""
    start = time.perf_counter()
    subprocess.run(
        [str(XDSL_OPT), *arguments],
        cwd=REPOSITORY,
        input=FOREIGN.encode(),
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - start


def main() -> None:
    """Measures and prints the table."""
    args = parse_runs(__doc__, 7)
    recorder = Recorder("start up", {"seconds": "time"})
    found = medians(
        {name: partial(seconds, arguments) for name, arguments in COMMANDS.items()}, args.runs
    )
    _, round_trip, pipeline = found.values()
    print(f"{'median of ' + str(args.runs) + ' runs':<52} {'seconds':>8}")
    for name, median in found.items():
        recorder.add(name, [median])
        print(f"{name:<52} {median:>8.3f}")
    print(f"{'pipeline / round trip':<52} {pipeline / round_trip:>7.2f}x")
    print(f"{'pipeline - round trip':<52} {pipeline - round_trip:>8.3f}")
    goal = 2 * round_trip + 0.3
    print(f"{'goal: 2 x round trip + 0.3':<52} {goal:>8.3f}")
    recorder.write(args.json)


if __name__ == "__main__":
    main()
