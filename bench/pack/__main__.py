"""`python -m bench.pack`: build a pack, or report on what one has measured."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from bench.pack.build import CACHE, DEFAULT_TARGET, build, pack_size
from bench.pack.devices import DEVICES
from bench.pack.report import load, report, store
from bench.pack.runner.results import PackError


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.pack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="compile all kernels, and write a pack")
    building.add_argument("folder", type=Path, metavar="DIR")
    building.add_argument("--target", choices=DEVICES, default=DEFAULT_TARGET, help="of the GPU")
    building.add_argument("--only", nargs="+", default=(), metavar="PREFIX", help="of units")
    building.add_argument("--jobs", type=int, default=2, help="processes")
    building.add_argument("--cache", type=Path, default=CACHE, help="where made units are kept")
    building.add_argument("--ptx", action="store_true", help="for --device emulator")
    reporting = commands.add_parser("report", help="say what a results file means, as Markdown")
    reporting.add_argument("results", type=Path, metavar="RESULTS.json")
    reporting.add_argument("--store", action="store_true", help="keep it in bench/results too")
    return parser


def _build(args: argparse.Namespace) -> None:
    begun = time.monotonic()
    manifest = build(args.folder, args.only, args.jobs, args.cache, args.target, ptx=args.ptx)
    for note in manifest["notes"]:
        print(f"left out: {note}")
    seconds = time.monotonic() - begun
    print(
        f"{args.folder}: {manifest['target']}, {len(manifest['items'])} items, "
        f"{len(manifest['modules'])} modules, {pack_size(args.folder) / 2**20:.1f} MiB "
        f"in {seconds:.0f} s"
    )


def _report(args: argparse.Namespace) -> None:
    data = load(args.results)
    print(report(data), end="")
    if args.store:
        print(f"stored as {store(data)}; now run python -m docs.gpu", file=sys.stderr)


def main() -> int:
    """The command line."""
    args = _parser().parse_args()
    try:
        (_build if args.command == "build" else _report)(args)
    except PackError as error:
        print(f"bench.pack: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
