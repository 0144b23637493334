"""What our compiler adds to `xdsl-opt`: the whole pipeline to PTX against a bare round trip.

`python -m bench.start_up [RUNS]` runs both commands alternately, in processes of their own, and
prints the medians.  The goal is below twice the round trip plus 0.3 seconds.
"""

import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

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
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    # The first round fills caches and is not counted; rounds alternate to spread disturbances.
    for turn in range(runs + 1):
        for name, arguments in COMMANDS.items():
            measured = seconds(arguments)
            if turn:
                times[name].append(measured)

    medians = {name: statistics.median(measured) for name, measured in times.items()}
    _, round_trip, pipeline = medians.values()
    print(f"{'median of ' + str(runs) + ' runs':<52} {'seconds':>8}")
    for name, median in medians.items():
        print(f"{name:<52} {median:>8.3f}")
    print(f"{'pipeline / round trip':<52} {pipeline / round_trip:>7.2f}x")
    print(f"{'pipeline - round trip':<52} {pipeline - round_trip:>8.3f}")
    goal = 2 * round_trip + 0.3
    print(f"{'goal: 2 x round trip + 0.3':<52} {goal:>8.3f}")


if __name__ == "__main__":
    main()
