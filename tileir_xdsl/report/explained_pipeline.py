"""The report of a module that `tileir-pipeline` lowers under `xdsl-opt`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from tileir_xdsl.backend import ptx
from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.options import OptionError, Options
from tileir_xdsl.report.explaining import Explanation
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.runtime.compiled import compiled_kernels
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.kernels import kernels
from tileir_xdsl.runtime.pass_specs import pass_spec
from tileir_xdsl.transforms.tileir_pipeline import TileIRPipelinePass
from tileir_xdsl.walking import ops_in

DEFAULT_NAME = "module"
"""The file name of a report on a module without kernels."""


@contextmanager
def explained(
    pipeline: TileIRPipelinePass, folder: str, module: ModuleOp
) -> Generator[Explanation]:
    """Writes a report of the passes run on a module within the context, into a folder.

    Raises PassFailedException if the report cannot be written.
    """
    try:
        names = tuple(kernel.name for kernel in kernels(module, DEFAULT_NAME))
        stem = names[0] if names else DEFAULT_NAME
        file, contents = _source(module, stem)
        explanation = Explanation(
            file,
            contents,
            pipeline.gpu,
            _options(pipeline),
            f"xdsl-opt FILE -p '{pass_spec(pipeline)}'",
            ReportFiles.in_folder(folder, stem),
            kernels=names,
        )
        explanation.start(module)
        try:
            with errors_in(explanation.file):
                yield explanation
        except CompileError as error:
            explanation.fail(error)
            assert error.__context__ is not None
            raise error.__context__ from None
        _finish(explanation, module)
    except CompileError as error:
        raise PassFailedException(f"explain: {error}") from error


def _source(module: ModuleOp, stem: str) -> tuple[str, bytes | None]:
    """The file that the locations of the ops name, if any, and its contents, if it can be read."""
    places = (location_text(op.location) for op in ops_in(module))
    place = next((place for place in places if place is not None), None)
    if place is None:
        return f"{stem}.mlir", None
    file = place.rsplit(":", 2)[0]
    try:
        return file, Path(file).read_bytes()
    except OSError:
        return file, None


def _options(pipeline: TileIRPipelinePass) -> Options:
    """The options of the pipeline, which itself rejects unsupported values."""
    try:
        return Options(**{field.name: getattr(pipeline, field.name) for field in fields(Options)})
    except OptionError:
        return Options()


def _finish(explanation: Explanation, module: ModuleOp) -> None:
    try:
        text = ptx.emit(module, explanation.gpu, trace=explanation.kernel)
    except DiagnosticException as error:
        # Nobody has asked for PTX yet: the pipeline itself has done its work.
        explanation.end_without_ptx(f"PTX: {error}")
        return
    explanation.finish(text, compiled_kernels(module, explanation.file))
