"""`python -m tests.weakened --minutes 20`: looks for a kernel that shows each weaker op, writes
down which, and says what is left."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from tests.weakened.global_kernels import Text
from tests.weakened.kernels import MODES, Kernel, kernels
from tests.weakened.planting import Weakening, planted, weakenings
from tests.weakened.reasons import all_weakenings, explained

FOUND = Path(__file__).with_name("found.jsonl")
TRIES = 3
"""Kernels that a weaker op is put into until it counts as open."""

Found = dict[Weakening, tuple[str, int]]


def read(path: Path = FOUND) -> Found:
    """The kernel that shows each weaker op, and by which mode."""
    rows = map(json.loads, path.read_text("utf-8").splitlines()) if path.exists() else ()
    return {Weakening(row["site"], row["form"]): (row["kernel"], row["mode"]) for row in rows}


def still_open(found: Found) -> list[str]:
    """What is neither found nor explained, a line each."""
    known = {*found, *explained()}
    return [f"{w.site}: {w.form}" for w in all_weakenings() if w not in known]


def write(found: Found) -> None:
    """Adds what was found to what is stored: others may have found more meanwhile."""
    found = {**read(), **found}
    rows = sorted(
        ({"site": w.site, "form": w.form, "kernel": k, "mode": m} for w, (k, m) in found.items()),
        key=lambda row: (row["site"], row["form"]),
    )
    FOUND.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def first_mode(kernel: Kernel | Text, module: ModuleOp) -> int | None:
    """The first mode in which a module is not right."""
    return next((n for n, mode in enumerate(MODES) if not kernel.is_right(module, mode)), None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.weakened", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0, help="begin none after so long")
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    args = parser.parse_args(arguments)
    found, tries, end = read(), Counter[Weakening](), time.monotonic() + 60 * args.minutes
    for name, kernel in kernels().items():
        if args.only not in name or time.monotonic() > end:
            continue
        try:
            module = kernel.lowered()
        except (DiagnosticException, PassFailedException) as error:
            print(f"{name}: {str(error)[:80]}", flush=True)
            continue
        known = {*found, *explained()}
        wanted = [w for w in weakenings(module) if w not in known and tries[w] < TRIES]
        if wanted and first_mode(kernel, module) is not None:
            print(f"{name}: fails by itself", flush=True)
            continue
        for weakening in wanted:
            changed = planted(module, weakening)
            assert changed is not None
            tries[weakening] += 1
            mode = first_mode(kernel, changed)
            result = "not found" if mode is None else f"found by mode {mode}"
            print(f"{name}: {weakening.site}: {weakening.form}: {result}", flush=True)
            if mode is not None:
                found[weakening] = name, mode
                write(found)
    found = read()
    left = still_open(found)
    print(f"{len(found)} found, {len(explained())} explained, {len(left)} open", *left, sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
