"""The process that has the results file: it starts workers, waits for their answers, ends those
that hang, and starts a fresh one after each fault."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import selectors
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.pack.runner.fake import REHEARSALS
from bench.pack.runner.memory import Pack
from bench.pack.runner.plan import DEFAULT_MINUTES, GROUPS, Plan, plan_for
from bench.pack.runner.results import PackError, Results
from bench.pack.runner.tools import run_profiler, run_sanitizer
from bench.pack.runner.worker import DEVICES, EMULATOR, FAKE, GPU, run_alone, serve, why_not

START_SECONDS = 120.0
"""What a worker may take until it has a device."""

GRACE_SECONDS = 30.0
"""What it may take beyond the time of a kernel: making data, comparing results."""

OUT_OF_TIME = {"status": "cut", "detail": "the time of the group was over"}

TOOL_KINDS = {"sanitize": run_sanitizer, "profile": run_profiler}


@dataclass
class Worker:
    """A process with the device."""

    process: subprocess.Popen[bytes]
    answers: int
    pending: bytearray = field(default_factory=bytearray)

    @staticmethod
    def start(pack: Path, device: str, rehearse: str) -> Worker:
        """A fresh process; answers come through a pipe of their own, as kernels may print."""
        ours, theirs = os.pipe()
        command = [sys.executable, str(Path(sys.argv[0]).resolve()), "--pack", str(pack)]
        command += ["--device", device, "--rehearse", rehearse, "--serve", str(theirs)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(theirs,)
        )
        os.close(theirs)
        return Worker(process, ours)

    def answer(self, seconds: float) -> dict[str, Any] | None:
        """The next answer; None if the process ends, or has none in time."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.answers, selectors.EVENT_READ)
            while b"\n" not in self.pending:
                if not selector.select(max(0.0, end - time.monotonic())):
                    return None
                data = os.read(self.answers, 1 << 16)
                if not data:
                    return None
                self.pending += data
        line, _, rest = bytes(self.pending).partition(b"\n")
        self.pending = bytearray(rest)
        return json.loads(line)

    def ask(self, item: str, seconds: float) -> dict[str, Any]:
        """The result of an item, whatever becomes of the process."""
        assert self.process.stdin is not None
        begun = time.monotonic()
        try:
            order = {"item": item, "without": []}
            self.process.stdin.write(f"{json.dumps(order)}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"status": "crash", "detail": "the process was gone", "lost": True}
        found = self.answer(seconds)
        while found is not None and "at" in found:
            found = self.answer(begun + seconds - time.monotonic())
        if found is not None:
            return found
        if time.monotonic() - begun >= seconds:
            return {"status": "hung", "detail": f"no answer after {seconds:g} s", "lost": True}
        code = self.process.wait(GRACE_SECONDS)
        return {"status": "crash", "detail": f"the process ended with {code}", "lost": True}

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            print("a process with a kernel that hangs does not end", file=sys.stderr)
        if self.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        os.close(self.answers)


@dataclass
class Run:
    """One run of a pack."""

    pack: Pack
    results: Results
    device: str
    rehearse: str
    grace: float = GRACE_SECONDS
    worker: Worker | None = None

    def _worker(self) -> Worker:
        """The process with the device; raises PackError where there is none to be had."""
        if self.worker is None:
            worker = Worker.start(self.pack.folder, self.device, self.rehearse)
            found = worker.answer(START_SECONDS)
            if found is None or "no_device" in found:
                worker.stop()
                raise PackError("no process starts" if found is None else found["no_device"])
            self.results.data["device"] = found["device"]
            self.worker = worker
        return self.worker

    def stop(self) -> None:
        """Ends the process with the device."""
        if self.worker is not None:
            self.worker.stop()
            self.worker = None

    def item(self, item: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The result of an item that may take so many seconds."""
        reason = why_not(item, self.device)
        if reason is not None:
            return {"status": "skipped", "detail": reason}
        if item["kind"] in TOOL_KINDS:
            if self.device != GPU:
                return {"status": "skipped", "detail": "only a GPU has tools to watch it"}
            # The tool starts a process of its own, which gets the device for itself.
            self.stop()
            return TOOL_KINDS[item["kind"]](self.pack.folder, item, seconds)
        worker = self._worker()
        limit = item["seconds"] + self.grace
        found = worker.ask(item["id"], min(limit, seconds))
        if found.pop("lost", False):
            self.stop()
        if found["status"] == "hung" and seconds < limit:
            return OUT_OF_TIME
        return found

    def group(self, group: str, items: list[dict[str, Any]], seconds: float) -> None:
        """Runs what is left of a group, as far as its time goes."""
        end = time.monotonic() + seconds
        for number, item in enumerate(items):
            left = end - time.monotonic()
            if left <= 0:
                for rest in items[number:]:
                    self.results.data["items"].setdefault(rest["id"], OUT_OF_TIME)
                self.results.save()
                break
            begun = time.monotonic()
            result = self.item(item, max(left, 1.0))
            took = round(time.monotonic() - begun, 3)
            kept = {key: item[key] for key in ("title", "who", "note", "prediction") if key in item}
            result = {**kept, **result, "group": group, "took": took}
            self.results.put(item["id"], result)
            if result["status"] not in ("right", "near", "measured", "dry", "answered", "skipped"):
                print(f"{item['id']}: {result['status']} {result.get('detail', '')}", flush=True)
        self.results.save()


def _selected(pack: Pack, args: argparse.Namespace, results: Results) -> list[dict[str, Any]]:
    chosen = [
        item
        for item in pack.manifest["items"]
        if item["group"] in args.groups and item["id"].startswith(tuple(args.only))
    ]
    return [item for item in chosen if not results.is_done(item["id"])]


def run_pack(pack: Pack, args: argparse.Namespace) -> int:
    """Runs what the arguments ask for; returns the status of the process."""
    path = args.results or Path(f"results-{args.device}.json")
    results = Results.open(path, pack.manifest["digest"], args.device)
    plan: Plan = plan_for(args.minutes, args.groups)
    items = _selected(pack, args, results)
    results.start(
        {
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "minutes": args.minutes,
            "cut": list(plan.cut),
            "python": platform.python_version(),
        }
    )
    print(f"{len(items)} items to run; cut: {', '.join(plan.cut) or 'nothing'}", flush=True)
    for item in items:
        if not plan.takes(item):
            results.data["items"][item["id"]] = {"status": "cut", "detail": "not in the plan"}
    run = Run(pack, results, args.device, args.rehearse, args.grace)
    end, problem = time.monotonic() + 60 * args.minutes, None
    try:
        for group, seconds in plan.seconds.items():
            mine = [item for item in items if item["group"] == group and plan.takes(item)]
            print(f"{group}: {GROUPS[group].title}, {len(mine)} items", flush=True)
            run.group(group, mine, min(seconds, end - time.monotonic()))
    except PackError as error:
        problem = str(error)
        for item in items:
            results.data["items"].setdefault(item["id"], {"status": "skipped", "detail": problem})
    finally:
        run.stop()
    results.session["ended"] = problem or "done"
    results.save()
    counts: dict[str, int] = {}
    for result in results.data["items"].values():
        counts[result["status"]] = counts.get(result["status"], 0) + 1
    print(f"{path}: {', '.join(f'{count} {status}' for status, count in sorted(counts.items()))}")
    if problem is not None:
        print(f"run_pack.py: error: {problem}", file=sys.stderr)
        return 1
    return 0


def _minutes(text: str) -> float:
    minutes = float(text)
    if not minutes > 0:
        raise argparse.ArgumentTypeError("expected more than 0 minutes")
    return minutes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run_pack.py",
        description="Runs the kernels of this pack on a GPU, and writes what they did to one file.",
    )
    parser.add_argument("--pack", type=Path, default=Path(sys.argv[0]).resolve().parent)
    parser.add_argument(
        "--results", type=Path, help="the results file, which a later run goes on with"
    )
    parser.add_argument(
        "--device",
        choices=DEVICES,
        default=GPU,
        help=f"{EMULATOR} runs a to c with tileir_xdsl; {FAKE} is a dry run",
    )
    parser.add_argument(
        "--minutes",
        type=_minutes,
        default=DEFAULT_MINUTES,
        help="f is cut first, then e, then half of d",
    )
    parser.add_argument("--groups", default="".join(GROUPS), help="letters of the groups to run")
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="PREFIX", help="items whose names begin so"
    )
    parser.add_argument("--rehearse", default="", help=f"for {FAKE}: {', '.join(REHEARSALS)}")
    parser.add_argument(
        "--alone", nargs="+", metavar="ITEM", help="run items in this process, without results"
    )
    parser.add_argument("--grace", type=float, default=GRACE_SECONDS, help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    return parser


def main() -> int:
    """The command line."""
    args = _parser().parse_args()
    pack = Pack(args.pack.resolve())
    try:
        if args.serve is not None:
            with os.fdopen(args.serve, "w") as answers:
                return serve(pack, args.device, args.rehearse, sys.stdin, answers)
        if args.alone:
            return run_alone(pack, args.alone)
        return run_pack(pack, args)
    except PackError as error:
        print(f"run_pack.py: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
