"""Compiles many files in parallel, by any executor of `concurrent.futures`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tileir_xdsl.options import Options
from tileir_xdsl.runtime.cache.keys import extension_facts
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.executors import (
    expect_extensions,
    interrupts_held,
    lost_worker_errors,
    processes,
)
from tileir_xdsl.runtime.files import write_file
from tileir_xdsl.runtime.outputs import CUBIN, PTX

if TYPE_CHECKING:
    from tileir_xdsl.runtime.compiled import Compiled

SOURCES = (".mlir", ".tileirbc")
"""The suffixes of files that are compiled when a folder is given."""

_LOST = "the process that compiled it has ended early"


@dataclass(frozen=True)
class Job:
    """One file to compile, with the path of its output."""

    source: str
    output: str
    gpu: str | None
    emit: str
    options: Options
    extensions: Mapping[str, str] = field(default_factory=dict[str, str])
    """The versions of the extensions that the options name, from `extension_facts`."""


@dataclass(frozen=True)
class Outcome:
    """The result of compiling one file."""

    source: str
    output: str
    seconds: float
    remarks: tuple[str, ...] = ()
    error: str | None = None


CompileOne = Callable[[Job], Outcome]
"""A function that compiles one of several files."""


def jobs_of(
    sources: Sequence[str], folder: str, gpu: str | None, emit: str, options: Options
) -> list[Job]:
    """The jobs for files and for all files of folders, in the order of their names.

    An output has the same path below `folder` as its source has in the source's folder. Raises
    CompileError for two outputs of the same name, and for folders with nothing to compile.
    """
    jobs, extensions = dict[str, Job](), extension_facts(options)
    for source in sources:
        for path, relative in _files_in(Path(source)):
            output = str(Path(folder, relative).with_suffix(_suffix(emit)))
            if output in jobs:
                raise CompileError(
                    str(path), f"has the same output {output} as {jobs[output].source}"
                )
            jobs[output] = Job(str(path), output, gpu, emit, options, extensions)
    return list(jobs.values())


def _files_in(source: Path) -> list[tuple[Path, Path]]:
    """The files of a source, each with its relative path in the source."""
    if not source.is_dir():
        return [(source, Path(source.name))]
    found = sorted(path for path in source.rglob("*") if path.suffix in SOURCES and path.is_file())
    if not found:
        raise CompileError(str(source), f"has no files that end in {' or '.join(SOURCES)}")
    return [(path, path.relative_to(source)) for path in found]


def _suffix(emit: str) -> str:
    return f".{emit}" if emit in (PTX, CUBIN) else f".{emit}.mlir"


def compile_file(job: Job) -> Outcome:
    """Compiles a file and writes its output; the outcome has its error."""
    # A process that hands out jobs needs no compiler.
    from tileir_xdsl.runtime.program import compile

    return outcome_of(
        job, lambda: compile(Path(job.source), job.gpu, emit=job.emit, options=job.options)
    )


def outcome_of(job: Job, compile_source: Callable[[], Compiled]) -> Outcome:
    """Writes the result of compiling the file of a job, or returns the error."""
    started = time.perf_counter()
    remarks: tuple[str, ...] = ()
    error: str | None = None
    try:
        expect_extensions(job.extensions)
        compiled = compile_source()
        remarks = tuple(map(str, compiled.remarks))
        output = compiled.output
        data = output.encode() if isinstance(output, str) else output
        # Writing says what is wrong with a folder that cannot be made.
        with suppress(OSError):
            Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        write_file(job.output, lambda stream: stream.write(data))
    except CompileError as problem:
        error = str(problem)
    return Outcome(job.source, job.output, time.perf_counter() - started, remarks, error)


def compile_files(
    jobs: Sequence[Job], executor: Executor, compile_one: CompileOne | None = None
) -> Iterator[Outcome]:
    """Compiles files, and yields the outcome of each file as soon as it is available.

    `compile_one` is called in place of `compile_file`, possibly in another process. If a process of
    the executor is killed, all unfinished files are compiled again. Each of these files gets a
    separate process, so that the file that kills its process is found.
    """
    work = compile_one or compile_file
    with interrupts_held():
        futures = {executor.submit(work, job): job for job in jobs}
    lost: list[Job] = []
    try:
        for future in as_completed(futures):
            outcome = _outcome(future, futures)
            if outcome is None:
                lost.append(futures[future])
            else:
                yield outcome
    finally:
        for future in futures:
            future.cancel()
    for job in sorted(lost, key=jobs.index):
        yield _alone(job, work)


def _outcome(future: Future[Outcome], jobs: Mapping[Future[Outcome], Job]) -> Outcome | None:
    try:
        return future.result()
    except lost_worker_errors():
        return None
    except MemoryError:
        return Outcome(jobs[future].source, jobs[future].output, 0.0, (), "out of memory")


def _alone(job: Job, work: CompileOne) -> Outcome:
    with processes(1) as executor:
        with interrupts_held():
            future = executor.submit(work, job)
        found = _outcome(future, {future: job})
    if found is not None:
        return found
    return Outcome(job.source, job.output, 0.0, (), f"{job.source}: error: {_LOST}")
