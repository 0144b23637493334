"""Runs notebooks without Jupyter: `python -m tests.notebooks [FILE ..]` stores their outputs anew.

The code cells of a notebook run in one namespace and in its folder; there are no magics and no
display hooks. What a cell shows is the text it prints and the value of a last expression: as a
picture where a formatter is registered for its class (`tileir_xdsl.drawings.formatters`) or the
value says how (`_repr_mimebundle_`), else as text.
"""

import ast
import contextlib
import io
import json
import linecache
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tileir_xdsl.drawings import formatters
from tileir_xdsl.drawings.jupyter import bundle_of

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


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

    def bundle_of(self, value: Any) -> dict[str, str] | None:
        """The forms of a value, by MIME type; None for one that is text alone."""
        show = self.types.get((type(value).__module__, type(value).__name__))
        if show is not None:
            return show(value)
        return value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else None


FORMATTER = Formatter()
formatters.register(FORMATTER, bundle_of)


def run_cell(source: str, namespace: dict[str, Any], name: str) -> list[Output]:
    """Runs a cell as Jupyter does; returns what it shows."""
    # For tracebacks, which take the lines of a cell from here.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    body = ast.parse(source, name).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    pictures: list[Output] = []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
            if (bundle := FORMATTER.bundle_of(value)) is not None:
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
            yield cell, run_cell("".join(cell["source"]), namespace, f"{file.name}[{number}]")


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
