"""`tileir compile` of several files or of folders, in several processes, with a table."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from tileir_xdsl.cli.explaining import Explainer, check_explained
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.executors import opened_executor
from tileir_xdsl.runtime.many_files import CompileOne, Outcome, compile_files, jobs_of


def compile_many(args: argparse.Namespace, emit: str, options: Options) -> int:
    """Compiles the files and prints the result of each; the exit status is 1 if one failed.

    Earlier results come from the cache, so that an interrupted run continues where it stopped.
    Raises InputError for options that several files do not have.
    """
    if args.verbose or args.verify_each:
        raise InputError("compile", "--verbose and --verify-each are for one file")
    if args.explain is not None:
        check_explained(args, emit)
    if args.output is None:
        raise InputError("compile", "several files need -o FOLDER")
    jobs = jobs_of(args.files, args.output, args.gpu, emit, options)
    outcomes: list[Outcome] = []
    with opened_executor(args.executor, min(args.jobs or 1, len(jobs))) as executor:
        try:
            for outcome in compile_files(jobs, executor, _explaining(args)):
                outcomes.append(outcome)
                _show_progress(len(outcomes), len(jobs))
        except KeyboardInterrupt:
            executor.shutdown(cancel_futures=True)
            raise
    order = {job.output: number for number, job in enumerate(jobs)}
    outcomes.sort(key=lambda outcome: order[outcome.output])
    # As for one file, what is wrong is not in between results.
    for outcome in outcomes:
        said = [*outcome.remarks, *([] if outcome.error is None else [outcome.error])]
        sys.stderr.write("".join(f"{line}\n" for line in said))
    sys.stdout.write(_json(outcomes) if args.json else _table(outcomes))
    return int(any(outcome.error is not None for outcome in outcomes))


def _explaining(args: argparse.Namespace) -> CompileOne | None:
    """A function that compiles a file and writes a report; None without `--explain`."""
    return None if args.explain is None else Explainer(args.output, args.explain)


def _show_progress(done: int, count: int) -> None:
    if sys.stderr.isatty():
        end = "\r\x1b[K" if done == count else ""
        sys.stderr.write(f"\r{done}/{count} files{end}")
        sys.stderr.flush()


def _json(outcomes: list[Outcome]) -> str:
    return json.dumps([asdict(outcome) for outcome in outcomes], indent=1) + "\n"


def _table(outcomes: list[Outcome]) -> str:
    compiled = [outcome for outcome in outcomes if outcome.error is None]
    lines = [f"{outcome.source}: {outcome.output}, {outcome.seconds:.2f} s" for outcome in compiled]
    lines.append(f"{len(compiled)} of {len(outcomes)} files compiled")
    return "".join(f"{line}\n" for line in lines)
