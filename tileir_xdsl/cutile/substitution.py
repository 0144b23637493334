"""Makes cuTile compile with `tileir-as`, also where NVIDIA's package is installed.

cuTile prefers the `tileiras` of NVIDIA's package to the one on PATH, and caches the path. This
module therefore replaces cuTile's search by a function that returns `tileir-as`.
"""

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tileir_xdsl.cli.tileir_as.installation import install
from tileir_xdsl.cli.tileir_as.main import main
from tileir_xdsl.frontends.interpreting import interpret as interpret_launches

SEARCH = "_find_compiler_bin"
COMPILER = "_CompilerBinary"
REMEMBERED = (
    "_get_compiler_version_string",
    "_get_max_supported_bytecode_version",
    "_find_tileirdisasm_bin",
)
"""cuTile's cached functions of facts about its compiler."""


class Use:
    """The use of this compiler by cuTile; as a context manager, it ends with the block."""

    def __init__(self, program: Path | None, undo: Callable[[], None]):
        self.program = program
        """The `tileiras` that cuTile finds; None if this package launches the kernels instead."""
        self._undo = undo

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._undo()


def use(*, in_process: bool = False, interpret: bool = False) -> Use:
    """Makes cuTile compile with `tileir-as` for the rest of the process.

        cutile.use()
        with cutile.use(in_process=True): ...

    With `in_process`, compilation starts no new process: faster, but without cuTile's time limit
    for its compiler.

    With `interpret` no GPU and no driver are needed, and `ct.launch` works on arrays of the host.
    This also holds for a `ct.launch` that scripts imported earlier. The variables `TILEIR_LEVEL`,
    `TILEIR_GPU`, `TILEIR_RACES` and `TILEIR_WITH` select the execution.

    Raises ImportError without cuTile, and NotImplementedError for a version of cuTile that finds
    its compiler in another way.
    """
    if interpret:
        return Use(None, interpret_launches(os.environ))
    cutile, program = _cutile(), _program()
    paths = (os.environ.get("PATH", ""), os.environ.get("LD_LIBRARY_PATH", ""))
    found = getattr(cutile, COMPILER)(str(program), *paths, pass_cuda_home_var=True)
    if in_process:
        found.run = _Call(cutile)
    before = getattr(cutile, SEARCH)
    _replace(cutile, lambda: found)
    return Use(program, lambda: _replace(cutile, before))


class _Call:
    """Runs `tileir-as` as a function of this process, where cuTile would start a compiler."""

    def __init__(self, cutile: Any):
        self._cutile = cutile

    def __call__(self, args: list[str], flags: list[str], timeout_sec: float | None = None) -> None:
        with _captured() as errors:
            status = main([*args, *flags])
        if status:
            message, location = self._cutile._parse_tileir_stderr(errors.getvalue())
            version = self._cutile._get_compiler_version_string()
            raise self._cutile.TileCompilerExecutionError(
                status, message, location, " ".join(flags), version
            )


@contextmanager
def _captured() -> Generator[io.StringIO]:
    """Captures the standard output and error streams; yields the captured error stream."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        yield errors


@cache
def _program() -> Path:
    return install(Path(tempfile.mkdtemp(prefix="tileir-as-")))


def _cutile() -> Any:
    compiler = import_module("cuda.tile._compile")
    for name in (SEARCH, COMPILER, *REMEMBERED):
        if not hasattr(compiler, name):
            raise NotImplementedError(
                f"this version of cuTile has no {name}: put the folder that "
                "`tileir-as --install DIR` fills on PATH instead"
            )
    return compiler


def _replace(cutile: Any, search: Any) -> None:
    setattr(cutile, SEARCH, search)
    for name in REMEMBERED:
        getattr(cutile, name).cache_clear()
