"""The process that has the results file: it plans, orders items, drops what fails, and tries it
once more at the end."""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.pack.runner.clock import Clock
from bench.pack.runner.costs import Costs, contenders_of
from bench.pack.runner.fake import REHEARSALS
from bench.pack.runner.memory import Pack
from bench.pack.runner.plan import DEFAULT_MINUTES, GROUPS, in_time, plan_for, sorted_by_worth
from bench.pack.runner.processes import Answer, Worker, WorkerLost
from bench.pack.runner.rehearsal import EACH_GROUP, place_of, planted_in
from bench.pack.runner.results import FAILURES, TRIES, PackError, Results, failure_of
from bench.pack.runner.tools import TOOLS, find_program, run_profiler, run_sanitizer
from bench.pack.runner.worker import CLOCKS, DEVICES, EMULATOR, FAKE, GPU, run_alone, serve, why_not

START_SECONDS = 120.0
"""What a process may take until it has a device."""

OPEN_AGAIN = (2.0, 5.0, 10.0)
"""Pauses before a process asks for a device again that another one of this run has had."""

KERNEL_SHARE = 2 / 3
"""Of the time after which a silent process counts as hanging: what it waits for a kernel itself."""

RETRY_SHARE = 0.1
"""Of a run, at most, what is kept for trying once more what has failed."""

OUT_OF_TIME = {"status": "cut", "detail": "no time was left"}

TOOL_KINDS = {"sanitize": run_sanitizer, "profile": run_profiler}

MEASURED = ("right", "near", "measured", "dry", "answered")
"""How items end whose times are those of others of their kind."""

QUIET = (*MEASURED, "skipped", "cut")
"""How items may end without a line about it."""

KEPT = ("title", "who", "note", "prediction")
"""What results say of items beside what they have done."""


@dataclass
class Run:
    """One run of a pack, of so many seconds by its clock."""

    pack: Pack
    results: Results
    device: str
    rehearse: str
    clock: Clock
    costs: Costs
    seconds: float
    worker: Worker | None = None
    spare: Worker | None = None
    """A process that has imported torch, and takes the place of one that is lost."""
    suspects: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    """Kernels that have failed, and in which item: they are left to the end."""
    pending: int = 0
    """Items of which something has failed once."""
    was_open: bool = False
    """Whether a process of this run has had the device."""
    starting: float = 0.0
    """The seconds that processes have taken to start."""

    def __post_init__(self) -> None:
        self.begun = self.clock.now()
        self.end = self.begun + self.seconds
        for item in self.pack.manifest["items"]:
            known = self.results.contenders(item["id"])
            for who, launch in contenders_of(item).items():
                if failure_of(known.get(who, {})):
                    self.suspects[place_of(launch)] = item["id"]

    @property
    def passed(self) -> float:
        """The seconds of this run so far."""
        return self.clock.now() - self.begun

    def start(self, *, has_torch: bool) -> Worker:
        """A fresh process, which has no device yet."""
        folder = self.pack.folder
        return Worker.start(folder, self.device, self.rehearse, self.clock, has_torch=has_torch)

    def _worker(self, item: dict[str, Any]) -> Worker:
        """The process with the device; raises PackError where there is none to be had."""
        has_torch = needs_torch(item)
        if self.worker is not None and has_torch and not self.worker.has_torch:
            self.stop()
        if self.worker is None:
            begun = self.clock.now()
            self.worker = self._opened(has_torch=has_torch)
            self.starting += self.clock.now() - begun
        return self.worker

    def _opened(self, *, has_torch: bool) -> Worker:
        """A fresh process with the device, which may still be busy with the end of another one."""
        pauses = list(OPEN_AGAIN)
        while True:
            worker = (self.spare if has_torch else None) or self.start(has_torch=has_torch)
            if has_torch:
                # The next one imports torch while this one works.
                self.spare = self.start(has_torch=True)
            problem = self._problem_of(worker)
            if problem is None:
                return worker
            worker.stop()
            if not (pauses and self.was_open):
                raise PackError(problem)
            self.clock.sleep(pauses.pop(0))

    def _problem_of(self, worker: Worker) -> str | None:
        """Gives a process the device; why that cannot be."""
        try:
            ready = worker.line(START_SECONDS)["ready"]
            begun = self.clock.now()
            worker.send({"open": True})
            found = worker.line(START_SECONDS)
        except WorkerLost as lost:
            return f"no process starts: {lost}"
        if "no_device" in found:
            return found["no_device"]
        self.costs.steps["start" if worker.has_torch else "bare_start"] = round(ready, 3)
        self.costs.steps["open"] = round(self.clock.now() - begun, 3)
        self.results.data["device"] = found["device"]
        self.was_open = True
        return None

    def stop(self) -> None:
        """Ends the process with the device."""
        if self.worker is not None:
            self.worker.stop()
            self.worker = None

    def close(self) -> None:
        """Ends all processes."""
        self.stop()
        if self.spare is not None:
            self.spare.stop()
            self.spare = None

    def _ask(self, item: dict[str, Any], without: frozenset[str]) -> Answer:
        """What becomes of an item without some of its contenders."""
        worker, silence = self._worker(item), self.costs.table["hang"]
        left = max(self.end - self.clock.now(), 0.0)
        seconds = min(item["seconds"], KERNEL_SHARE * silence, left)
        order = {"item": item["id"], "seconds": seconds, "without": sorted(without)}
        answer = worker.ask(order, silence, self.end)
        if answer.lost:
            self.stop()
        if answer.lost and self.clock.now() >= self.end:
            return Answer(OUT_OF_TIME, None, lost=False)
        return answer

    def _tool(self, item: dict[str, Any]) -> dict[str, Any]:
        # The tool starts a process of its own, which gets the device for itself.
        self.stop()
        left = max(self.end - self.clock.now(), 1.0)
        return TOOL_KINDS[item["kind"]](self.pack.folder, item, min(item["seconds"], left))

    def run(self, item: dict[str, Any]) -> dict[str, Any]:
        """The result of an item, whatever becomes of some of its contenders."""
        if item["kind"] in TOOL_KINDS and self.device == GPU:
            return self._tool(item)
        # Without the tool: what it would take.
        self.clock.charge(self.costs.table.get(item["kind"], 0.0))
        dropped = self._dropped_before(item)
        while True:
            answer = self._ask(item, frozenset(dropped))
            found = answer.result
            if not answer.ended or answer.who is None:
                break
            dropped[answer.who] = self._failed(item, answer, 1)
            self.put(item, {**OUT_OF_TIME, "contenders": dropped})
        if dropped or "contenders" in found:
            found = {**found, "contenders": {**found.get("contenders", {}), **dropped}}
        return found

    def _dropped_before(self, item: dict[str, Any]) -> dict[str, Any]:
        """The contenders that have failed already, here or in another item."""
        known = self.results.contenders(item["id"])
        found = {who: each for who, each in known.items() if failure_of(each)}
        for who, launch in contenders_of(item).items():
            other = self.suspects.get(place_of(launch))
            if other is not None and who not in found:
                found[who] = {"postponed": f"it has failed in {other}"}
        return found

    def _failed(self, item: dict[str, Any], answer: Answer, tries: int) -> dict[str, Any]:
        """What is known of a contender that was dropped."""
        status, detail = answer.result["status"], answer.result.get("detail", "")
        print(f"{item['id']}, {answer.who}: {status} {detail}", flush=True)
        if status not in FAILURES:
            return {status: detail}
        launch = contenders_of(item).get(answer.who or "")
        if launch is not None:
            self.suspects[place_of(launch)] = item["id"]
        return {status: detail, "tries": tries}

    def put(self, item: dict[str, Any], result: dict[str, Any]) -> None:
        """Keeps a result, with what results say of items."""
        kept = {key: item[key] for key in KEPT if key in item}
        self.results.put(item["id"], {**kept, **result, "group": item["group"]})

    # All items.

    def all(self, items: Sequence[dict[str, Any]]) -> None:
        """Runs items by worth while there is time."""
        for item in in_time(items, self._cost, self.clock, self._end_of_first_tries):
            self._first_try(dict(item))

    def _cost(self, item: Mapping[str, Any]) -> float:
        """What an item takes, with the process that it may need."""
        has_torch = needs_torch(item)
        running = self.worker is not None and (self.worker.has_torch or not has_torch)
        start = 0.0 if running else self.costs.start_seconds(has_torch=has_torch)
        return self.costs.seconds(item) + start

    def _first_try(self, item: dict[str, Any]) -> None:
        begun, starting = self.clock.now(), self.starting
        result = self.run(item)
        took = self.clock.now() - begun - (self.starting - starting)
        failed = result["status"] in FAILURES
        self.put(item, {**result, "took": round(took, 3), **({"tries": 1} if failed else {})})
        if result["status"] not in QUIET:
            print(f"{item['id']}: {result['status']} {result.get('detail', '')}", flush=True)
        if failed or any(map(failure_of, result.get("contenders", {}).values())):
            self.pending += 1
        elif result["status"] in MEASURED and self.worker is not None:
            self.costs.note(item, took)

    def _end_of_first_tries(self) -> float:
        """Some time is kept for what has failed."""
        needed = self.pending * 2 * self.costs.table["hang"]
        return self.end - min(needed, RETRY_SHARE * self.seconds)

    def again(self, items: Sequence[dict[str, Any]]) -> None:
        """Tries once more, alone, what has failed; then what was left out for it."""
        ordered = [dict(item) for item in sorted_by_worth(items)]
        for item in ordered:
            if self.results.failed_once(item["id"]) and self._has_time(item):
                result = self.run(item)
                self.put(item, {**result, "tries": TRIES})
            for who, each in self.results.contenders(item["id"]).items():
                if failure_of(each) and each["tries"] < TRIES and self._has_time(item):
                    self._retry(item, who)
        for item in ordered:
            places = {who: place_of(launch) for who, launch in contenders_of(item).items()}
            for who, each in self.results.contenders(item["id"]).items():
                waits = "postponed" in each and places[who] not in self.suspects
                if waits and self._has_time(item):
                    self._retry(item, who)

    def _has_time(self, item: dict[str, Any]) -> bool:
        needed = self._cost(item) + self.costs.table["hang"]
        return self.clock.now() + needed <= self.end

    def _retry(self, item: dict[str, Any], who: str) -> None:
        """Runs one contender of an item without the others of which something is known."""
        known = self.results.items[item["id"]]
        others = {name: each for name, each in known["contenders"].items() if name != who}
        answer = self._ask(item, frozenset(others))
        found = answer.result
        if found is OUT_OF_TIME:
            return
        if answer.ended:
            failed = self._failed(item, replace(answer, who=who), TRIES)
            self.results.put(item["id"], {**known, "contenders": {**others, who: failed}})
            return
        launch = contenders_of(item).get(who)
        if launch is not None:
            self.suspects.pop(place_of(launch), None)
        keeps = known["status"] == "wrong" or found["status"] == "refused"
        status = known["status"] if keeps else found["status"]
        contenders = {**others, **found.get("contenders", {})}
        merged = {**known, **found, "status": status, "contenders": contenders}
        self.results.put(item["id"], merged)


def needs_torch(item: Mapping[str, Any]) -> bool:
    """Whether contenders of torch take part in an item."""
    return item["kind"] == "time"


def _reason(item: dict[str, Any], device: str) -> str | None:
    """Why an item is not run on this machine."""
    tool = TOOLS.get(item["kind"])
    if device == GPU and tool is not None and find_program(tool) is None:
        return f"{tool} is not there"
    return why_not(item, device)


def run_pack(pack: Pack, args: argparse.Namespace) -> int:
    """Runs what the arguments ask for; returns the status of the process."""
    path = args.results or Path(f"results-{args.device}.json")
    results = Results.open(path, pack.manifest["digest"], args.device)
    costs = Costs.corrected(pack.manifest.get("costs", {}), results.data["costs"])
    items = [
        item
        for item in pack.manifest["items"]
        if item["group"] in args.groups and item["id"].startswith(tuple(args.only))
    ]
    reasons = {item["id"]: _reason(item, args.device) for item in items}
    able = [item for item in items if reasons[item["id"]] is None]
    left = [item for item in able if not results.is_done(item["id"])]
    rehearse = args.rehearse
    if rehearse == EACH_GROUP:
        rehearse = ",".join(planted_in(able))
    seconds = 60 * args.minutes
    has_torch = bool(left) and needs_torch(sorted_by_worth(left)[0])
    plan = plan_for(left, seconds, costs.seconds, costs.start_seconds(has_torch=has_torch))
    print("\n".join(plan.lines()), flush=True)
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    session = {"date": date, "minutes": args.minutes, "planned": round(plan.seconds, 1)}
    results.start({**session, "python": platform.python_version()})
    clock = CLOCKS[args.device]()
    run = Run(pack, results, args.device, rehearse, clock, costs, seconds)
    problem = None
    try:
        run.all(left)
        run.again(able)
    except PackError as error:
        problem = str(error)
    finally:
        run.close()
    for item in items:
        reason = reasons[item["id"]] or problem
        if not results.items.get(item["id"]):
            run.put(item, {"status": "skipped", "detail": reason} if reason else OUT_OF_TIME)
    results.session |= {"ended": problem or "done", "seconds": round(run.passed, 1)}
    results.data["costs"] = costs.measured()
    results.save()
    return _ended(path, args, results, problem)


def _ended(path: Path, args: argparse.Namespace, results: Results, problem: str | None) -> int:
    """Says what there is now, and how to go on with what is left."""
    counts: dict[str, int] = {}
    for result in results.items.values():
        counts[result["status"]] = counts.get(result["status"], 0) + 1
    print(f"{path}: {', '.join(f'{count} {status}' for status, count in sorted(counts.items()))}")
    if problem is not None:
        print(f"run_pack.py: error: {problem}", file=sys.stderr)
        return 1
    if counts.get("cut"):
        print("what was cut, here or on another machine that has this file:")
        print(f"  python run_pack.py --minutes {args.minutes:g} --results {path}")
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
        help="the pack's items are run by worth while there is time",
    )
    parser.add_argument("--groups", default="".join(GROUPS), help="letters of the groups to run")
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="PREFIX", help="items whose names begin so"
    )
    parser.add_argument(
        "--rehearse",
        default="",
        metavar="WHAT,..",
        help=f"for {FAKE}: {', '.join(REHEARSALS)}, or {EACH_GROUP}",
    )
    parser.add_argument(
        "--alone", nargs="+", metavar="ITEM", help="run items in this process, without results"
    )
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    return parser


def main() -> int:
    """The command line."""
    args = _parser().parse_args()
    pack = Pack(args.pack.resolve())
    try:
        if args.serve is not None:
            with os.fdopen(args.serve, "w", encoding="utf-8") as answers:
                return serve(
                    pack, args.device, args.rehearse, sys.stdin, answers, has_torch=args.torch
                )
        if args.alone:
            return run_alone(pack, args.alone)
        return run_pack(pack, args)
    except PackError as error:
        print(f"run_pack.py: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
