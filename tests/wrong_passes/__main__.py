"""Measures `tileir check --pass` and `tileir reproduce` by wrong passes.

    python -m tests.wrong_passes
    python -m tests.wrong_passes as-no-wait llvm-proxy --no-reproduce

For each pass it prints the processor time until it is found, whether the message names it, and the
ops of the file that `tileir reproduce` writes, if that fails alike in a fresh process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from tests.wrong_passes import passes
from tileir_xdsl.cli.main import main as tileir
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.pass_checks import Fault, Summary, check_pass, find_candidates, subjects
from tileir_xdsl.walking import ops_in

FILE = str(Path(passes.__file__))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a row for each pass, then how many were found; 1 if one was not."""
    parser = argparse.ArgumentParser(prog="python -m tests.wrong_passes", description=__doc__)
    parser.add_argument("names", nargs="*", help="the passes, by default all")
    parser.add_argument("--file", default=FILE, help="the extension that has them")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--no-reproduce", action="store_true")
    options = parser.parse_args(arguments)
    found, sizes = 0, list[int]()
    candidates = find_candidates(options.file)
    names = options.names or [each.name for each in candidates]
    for name in names:
        fault, summary, seconds = check(options.file, name, options.seconds)
        if fault is None:
            print(f"{name:20} missed in {seconds:.1f} s: {summary}", flush=True)
            continue
        is_named = f"pass '{name}'" in fault.message
        found += is_named
        said = fault.message.partition(": ")[2].partition("; the first")[0][:160]
        small = (
            "" if options.no_reproduce else reproduce(options.file, name, options.seconds, sizes)
        )
        how = "PTX" if fault.is_of_ptx else "level"
        print(f"{name:20} {seconds:5.1f} s {how:5} {small} {said}", flush=True)
    print(f"found and named: {found} of {len(names)}")
    if sizes:
        print(f"ops of the file: median {statistics.median(sizes)}, {sorted(sizes)}")
    return int(found < len(names))


def check(file: str, name: str, seconds: float) -> tuple[Fault | None, Summary, float]:
    """What the check finds, and the processor time that it takes."""
    (candidate,) = find_candidates(name, [file])
    start = time.process_time()
    fault, summary = check_pass(candidate, subjects(candidate), seconds)
    return fault, summary, time.process_time() - start


def reproduce(file: str, name: str, seconds: float, sizes: list[int]) -> str:
    """How many ops the file has, and whether it fails alike in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        small = str(Path(folder) / "small.mlir")
        words = ["--seconds", str(seconds), "-o", small, "check", "--pass", name, "--with", file]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            tileir(["reproduce", *words, "--seconds", str(seconds)])
        module = tools.parse(Path(small).read_text("utf-8"), verify=False)
        sizes.append(len(ops_in(module)))
        again = subprocess.run(
            [sys.executable, "-m", "tileir_xdsl.cli.main", "reproduce", small],
            capture_output=True,
            text=True,
            check=False,
        )
        alike = again.returncode == 1 and "fails otherwise" not in again.stderr
        return f"{sizes[-1]:3} ops{'' if alike else ', fails otherwise'}"


if __name__ == "__main__":
    sys.exit(main())
