"""Runs a Python file as `python FILE` does, in this process."""

from __future__ import annotations

import io
import os
import sys
import sysconfig
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, TracebackType

from tileir_xdsl.frontends.contents import is_installed_file
from tileir_xdsl.runtime.errors import InputError

_PACKAGE = os.path.join(Path(__file__).parents[1], "")
_PYTHON = os.path.join(sysconfig.get_path("stdlib"), "")


def package_of(file: str) -> tuple[str, str]:
    """The folder that a file's package is imported from, and the package's name, perhaps empty."""
    folder, names = Path(file).resolve().parent, list[str]()
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return str(folder), ".".join(names)


def run_script(
    file: str, arguments: Sequence[str] = (), package: tuple[str, str] = ("", "")
) -> None:
    """Executes a file as the main module, with `sys.argv` and `sys.path` as Python sets them.

    These and the main module are not restored: processes that the script has started may use them.
    With a `package`, the folder of the package and its name, the file can use relative imports, as
    with `python -m`. A folder is executed by its `__main__.py`. Raises InputError for a file that
    cannot be read or is not Python, and any exception of the script.
    """
    if os.path.isdir(file):
        file = os.path.join(file, "__main__.py")
    try:
        with io.open_code(os.path.abspath(file)) as stream:
            text = stream.read()
    except (OSError, ValueError) as error:
        raise InputError(file, getattr(error, "strerror", None) or error) from error
    try:
        code = compile(text, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise InputError(
            f"{file}:{error.lineno or 1}:{error.offset or 1}", f"SyntaxError: {error.msg}"
        ) from error
    main = ModuleType("__main__")
    main.__file__ = file
    main.__dict__.update(__builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = main
    sys.argv = [file, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.realpath(file)))
    if package[1]:
        main.__package__ = package[1]
        sys.path.insert(1, package[0])
    exec(code, main.__dict__)


@contextmanager
def main_module_kept() -> Generator[None]:
    """Restores the main module, `sys.argv` and `sys.path` at the end of the block."""
    before, argv, path = sys.modules["__main__"], sys.argv, sys.path[:]
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before, argv, path


def place_in_script(error: BaseException, is_script: Callable[[str], bool]) -> str | None:
    """`FILE:LINE:COLUMN` of the innermost script line in the traceback of an exception.

    A line of an installed package counts only if there is no other line.
    """
    frames = traceback.extract_tb(error.__traceback__)
    found = [frame for frame in frames if is_script(frame.filename)]
    if not found:
        return None
    last = ([frame for frame in found if not is_installed_file(frame.filename)] or found)[-1]
    return f"{last.filename}:{last.lineno or 1}:{(last.colno or 0) + 1}"


def is_outside(filename: str) -> bool:
    """Whether a frame's file belongs neither to this package nor to Python."""
    file = os.path.abspath(filename)
    if filename.startswith("<") or file.startswith(_PACKAGE):
        return False
    # Installed packages are in a folder of Python's own.
    return is_installed_file(file) or not file.startswith(_PYTHON)


def without_own_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback that begins at the first frame of the script."""
    while trace is not None and not is_outside(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace
