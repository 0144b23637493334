"""`python -m bench.pack`: build a pack, or report on what one has measured."""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from bench.pack.build import (
    CACHE,
    DEFAULT_TARGET,
    build,
    chosen_units,
    make_units,
    pack_size,
    units,
)
from bench.pack.choice import PROCESSORS, SIZES, store_costs, stored_costs
from bench.pack.devices import DEVICES
from bench.pack.measured import load, store
from bench.pack.report import report
from bench.pack.runner.results import PackError
from bench.pack.slice import SECONDS, SLICE, check


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.pack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="compile all kernels, and write a pack")
    building.add_argument("folder", type=Path, metavar="DIR")
    building.add_argument("--target", choices=DEVICES, default=DEFAULT_TARGET, help="of the GPU")
    building.add_argument("--only", nargs="+", default=(), metavar="PREFIX", help="of units")
    building.add_argument("--jobs", type=int, default=PROCESSORS, help="processes")
    building.add_argument("--cache", type=Path, default=CACHE, help="where made units are kept")
    building.set_defaults(run=_build)
    building.add_argument("--ptx", action="store_true", help="for --device emulator")
    sizing = commands.add_parser("sizes", help="store what each unit of a pack costs")
    sizing.add_argument("--target", choices=DEVICES, default=DEFAULT_TARGET)
    sizing.add_argument("--only", nargs="+", default=(), metavar="PREFIX", help="of units")
    sizing.add_argument("--jobs", type=int, default=PROCESSORS)
    sizing.set_defaults(run=_sizes)
    slicing = commands.add_parser("slice", help="build and rehearse a drawn part, add up the whole")
    slicing.add_argument("--target", choices=DEVICES, default=DEFAULT_TARGET)
    slicing.add_argument("--seed", type=int, help="of what is drawn; default: another each time")
    slicing.add_argument("--seconds", type=float, default=SECONDS, help="of a processor")
    slicing.add_argument("--jobs", type=int, default=PROCESSORS)
    slicing.set_defaults(run=_slice)
    reporting = commands.add_parser("report", help="say what a results file means, as Markdown")
    reporting.add_argument("results", type=Path, metavar="RESULTS.json")
    reporting.add_argument("--store", action="store_true", help="keep it in bench/results too")
    reporting.set_defaults(run=_report)
    return parser


def _build(args: argparse.Namespace) -> int:
    begun = time.monotonic()
    manifest = build(args.folder, args.only, args.jobs, args.cache, args.target, ptx=args.ptx)
    for note in manifest["notes"]:
        print(f"note: {note}")
    seconds = time.monotonic() - begun
    print(
        f"{args.folder}: {manifest['target']}, {len(manifest['items'])} items, "
        f"{len(manifest['modules'])} modules, {pack_size(args.folder) / 2**20:.1f} MiB "
        f"in {seconds:.0f} s"
    )
    return bool(manifest["failed"])


def _sizes(args: argparse.Namespace) -> int:
    device = DEVICES[args.target]
    specs = chosen_units(device, args.only)
    made = make_units(device, [*specs.values()], args.jobs, CACHE)
    known = stored_costs(args.target) | made.costs
    store_costs(args.target, {u.name: known[u.name] for u in units(device) if u.name in known})
    costs = made.costs.values()
    size, seconds = sum(c.size for c in costs) / 2**20, sum(c.seconds for c in costs)
    print(f"{SIZES}: {args.target}, {len(costs)} units, {size:.1f} MiB, {seconds:.0f} s")
    return bool(made.failed)


def _slice(args: argparse.Namespace) -> int:
    seed = random.randrange(1 << 16) if args.seed is None else args.seed
    problems = check(SLICE, args.target, seed, args.jobs, args.seconds)
    for problem in problems:
        print(f"bench.pack: error: {problem}", file=sys.stderr)
    return bool(problems)


def _report(args: argparse.Namespace) -> int:
    data = load(args.results)
    print(report(data), end="")
    if args.store:
        print(f"stored as {store(data)}; now run python -m docs.gpu", file=sys.stderr)
    return 0


def main() -> int:
    """The command line."""
    args = _parser().parse_args()
    try:
        return args.run(args)
    except PackError as error:
        print(f"bench.pack: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
