"""Runs notebooks without Jupyter: `python -m tests.notebooks [FILE ..]` stores their outputs anew.

The code cells of a notebook run in one namespace and in its folder. Of magics there are those
that `%load_ext` brings. What a cell shows is the text it prints and the value of a magic or of a
last expression: as a picture where a formatter is registered for its class
(`tileir_xdsl.drawings.formatters`) or the value says how (`_repr_mimebundle_`), else as text. A
cell with the tag `raises-exception` shows the diagnostic of an error, as it does in IPython.
"""

import ast
import contextlib
import importlib
import io
import json
import linecache
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tileir_xdsl.drawings import formatters
from tileir_xdsl.drawings.jupyter import bundle_of
from tileir_xdsl.jupyter.diagnostics import CellError

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


RAISES = "raises-exception"
"""The tag of cells after whose error Jupyter goes on."""

Output = dict[str, Any]
"""What a cell shows, as notebooks store it."""


class Formatter:
    """Which values are pictures, and how: what a notebook's formatter of mime bundles does."""

    def __init__(self) -> None:
        self.types: dict[tuple[str, str], Callable[[Any], dict[str, str]]] = {}

    def for_type_by_name(
        self, module: str, name: str, show: Callable[[Any], dict[str, str]]
    ) -> None:
        """Registers how values of a class are shown."""
        self.types[module, name] = show

    def for_type(self, kind: type, show: Callable[[Any], dict[str, str]]) -> None:
        """Registers how values of a class and of those derived from it are shown."""
        self.types[kind.__module__, kind.__name__] = show

    def bundle_of(self, value: Any) -> dict[str, str] | None:
        """The forms of a value, by MIME type; None for one that is text alone."""
        for kind in type(value).__mro__:
            show = self.types.get((kind.__module__, kind.__name__))
            if show is not None:
                return show(value)
        return value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else None


class Shell:
    """What extensions ask of the shell of a notebook."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.user_ns = namespace
        self.magics: dict[tuple[str, str], Callable[..., Any]] = {}
        self.formatter = Formatter()
        self.display_formatter = SimpleNamespace(mimebundle_formatter=self.formatter)
        self.Completer = SimpleNamespace(custom_matchers=list[Any]())
        formatters.register(self.formatter, bundle_of)
        self.register_magic_function(self._load_extension, "line", "load_ext")

    def register_magic_function(
        self, func: Callable[..., Any], magic_kind: str = "line", magic_name: str | None = None
    ) -> None:
        """Makes a magic known, by kind and name."""
        self.magics[magic_kind, magic_name or func.__name__] = func

    def run_line_magic(self, magic_name: str, line: str) -> Any:
        """The value of `%NAME LINE`."""
        return self.magics["line", magic_name](line)

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """The value of a cell that begins with `%%NAME LINE`."""
        return self.magics["cell", magic_name](line, cell)

    def _load_extension(self, name: str) -> None:
        importlib.import_module(name).load_ipython_extension(self)


def shell_of(namespace: dict[str, Any]) -> Shell:
    """The shell of a namespace, made with its first cell."""
    if "get_ipython" not in namespace:
        shell = Shell(namespace)
        namespace["get_ipython"] = lambda: shell
    return namespace["get_ipython"]()


_CELL_MAGIC = re.compile(r"%%(\w+) ?(.*)\n((?:.|\n)*)")
_LINE_MAGIC = re.compile(r"^(\w+ = )?%(\w+) ?(.*)$", re.MULTILINE)


def _as_python(source: str) -> str:
    """A cell as Python, with calls in place of its magics, as IPython makes them."""
    if (cell := _CELL_MAGIC.fullmatch(source)) is not None:
        name, line, text = cell.groups()
        return f"get_ipython().run_cell_magic({name!r}, {line!r}, {text!r})"
    return _LINE_MAGIC.sub(
        lambda m: f"{m[1] or ''}get_ipython().run_line_magic({m[2]!r}, {m[3]!r})", source
    )


def run_cell(source: str, namespace: dict[str, Any], name: str) -> list[Output]:
    """Runs a cell as Jupyter does; returns what it shows."""
    # For tracebacks, which take the lines of a cell from here.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    shell = shell_of(namespace)
    body = ast.parse(_as_python(source), name).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    pictures: list[Output] = []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
            if (bundle := shell.formatter.bundle_of(value)) is not None:
                pictures.append(_picture(bundle))
            elif value is not None:
                print(repr(value))
    text = printed.getvalue()
    return [*([_stream(text)] if text else []), *pictures]


def _stream(text: str) -> Output:
    lines = text.splitlines(keepends=True)
    return {"name": "stdout", "output_type": "stream", "text": lines}


def _picture(bundle: dict[str, str]) -> Output:
    data = {kind: text.splitlines(keepends=True) for kind, text in bundle.items()}
    return {"data": data, "metadata": {}, "output_type": "display_data"}


def run_notebook(file: Path) -> Iterator[tuple[dict[str, Any], list[Output]]]:
    """Each code cell, as JSON, with what it shows."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(file.parent):
        for number, cell in enumerate(code_cells(json.loads(file.read_text("utf-8"))), 1):
            name, source = f"{file.name}[{number}]", "".join(cell["source"])
            if RAISES in cell.get("metadata", {}).get("tags", ()):
                yield cell, [_error(source, namespace, name)]
            else:
                yield cell, run_cell(source, namespace, name)


def _error(source: str, namespace: dict[str, Any], name: str) -> Output:
    """What a cell shows that fails with an error of ours."""
    try:
        run_cell(source, namespace, name)
    except CellError as error:
        kind, said = type(error).__name__, str(error)
        return {"ename": kind, "evalue": said, "output_type": "error", "traceback": error.lines}
    raise AssertionError(f"{name} is to raise an error")


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The code cells of a notebook in JSON form."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def store_outputs(file: Path) -> None:
    """Runs the notebook and writes what its cells show into it."""
    notebook = json.loads(file.read_text("utf-8"))
    shown = [outputs for _, outputs in run_notebook(file)]
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), shown, strict=True), 1):
        cell["execution_count"], cell["outputs"] = number, outputs
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    for file in sys.argv[1:] or sorted(FOLDER.glob("*.ipynb")):
        store_outputs(Path(file).resolve())


if __name__ == "__main__":
    main()
