"""`tileir compile --explain FOLDER`: compiles files as without the option, and writes reports."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tileir_xdsl.options import Options
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.many_files import Job, Outcome, outcome_of
from tileir_xdsl.runtime.outputs import CUBIN, PTX

if TYPE_CHECKING:
    from tileir_xdsl.runtime.compiled import Compiled


def check_explained(
    args: argparse.Namespace, emit: str, outputs: Sequence[str] = (PTX, CUBIN)
) -> None:
    """Raises InputError for an output without a report, and for options that a report replaces."""
    if emit not in outputs:
        known = " or ".join(outputs)
        raise InputError("compile", f"--explain follows a kernel to {known}, not {emit}")
    if args.verbose or args.verify_each:
        raise InputError("compile", "--explain shows what --verbose does, and verifies at the end")


def explain_into(
    folder: str,
    stem: str,
    contents: bytes,
    file: str,
    gpu: str | None,
    emit: str,
    options: Options,
) -> Compiled:
    """Compiles a file, and writes `STEM.report.html` and `.json` into a folder.

    Raises CompileError for an error of the file, after writing it into the report.
    """
    # Reports load only where something is explained.
    explaining = importlib.import_module("tileir_xdsl.report.explaining")
    files = importlib.import_module("tileir_xdsl.report.files").ReportFiles
    commands = importlib.import_module("tileir_xdsl.report.commands")
    return explaining.explain(
        contents,
        file,
        gpu,
        options,
        files.in_folder(folder, stem),
        command=commands.explain_command(file, gpu, options),
        emit=emit,
    ).compiled


@dataclass(frozen=True)
class Explainer:
    """Compiles one of several files; its report is in the same subfolder as its output."""

    outputs: str
    folder: str

    def __call__(self, job: Job) -> Outcome:
        """Compiles the file of a job."""
        place = Path(job.output).relative_to(self.outputs)
        stem = place.name.partition(".")[0]

        def compiled() -> Compiled:
            contents, file = read_bytes(job.source)
            folder = str(Path(self.folder, place.parent))
            return explain_into(folder, stem, contents, file, job.gpu, job.emit, job.options)

        return outcome_of(job, compiled)
