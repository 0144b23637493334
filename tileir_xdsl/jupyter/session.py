"""The state that the magics of one notebook share: names, the last module, and passes of cells."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.runtime.compiled import Compiled
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.program import Program, load
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.testing import tools

ZOO = Path(tools.__file__).parent / "kernels"


def zoo() -> dict[str, Path]:
    """The Tile IR of the kernels of the zoo, by name."""
    return {path.stem: path for path in sorted(ZOO.rglob("*.mlir"), reverse=True)}


class Shell(Protocol):
    """All that is asked of IPython's shell."""

    user_ns: dict[str, Any]
    """The names of the notebook."""
    display_formatter: Any

    def register_magic_function(
        self, func: Any, magic_kind: str = "line", magic_name: str | None = None
    ) -> None:
        """Makes a magic known."""
        ...


@dataclass
class Session:
    """The state of one notebook."""

    shell: Shell
    last: ModuleOp | None = None
    """The module that the last cell left."""
    passes: dict[str, type[ModulePass]] = field(default_factory=dict[str, type[ModulePass]])
    """Passes of cells, by name."""
    cells: int = 0
    """How many cells of magics were run."""

    def cell(self, magic: str, line: str, text: str) -> tuple[str, str]:
        """A name for the cell, and its text with an empty line in place of the magic.

        Diagnostics and tracebacks find the lines of the cell under that name.
        """
        self.cells += 1
        # Python keeps its lines, as those of a file, under names in such brackets alone.
        name = f"<{magic} {self.cells}>"
        whole = f"{magic} {line}\n{text}"
        linecache.cache[name] = (len(whole), None, whole.splitlines(keepends=True), name)
        return name, f"\n{text}"

    def value(self, name: str | None, magic: str) -> Any:
        """The value of a name, which a cell, the zoo or a file has; without one the last module.

        Raises InputError for an unknown name.
        """
        if name is None:
            if self.last is None:
                raise InputError(magic, "there is no module yet: name one, or begin with %%tileir")
            return self.last
        names: Mapping[str, Any] = self.shell.user_ns
        if name in names:
            return names[name]
        kernels = zoo()
        if name in kernels:
            return kernels[name]
        if Path(name).is_file():
            return Path(name)
        modules = [known for known, value in names.items() if isinstance(value, ModuleOp | Program)]
        hint = did_you_mean(name, (*modules, *kernels))
        raise InputError(name, f"neither the notebook, the zoo nor a file has this name{hint}")

    def program(self, name: str | None, gpu: str | None, magic: str) -> Program:
        """The program that a name stands for. Raises InputError for any other value."""
        match self.value(name, magic):
            case Program() as program:
                return program
            case ModuleOp() | str() | bytes() | Path() as source:
                return load(source, gpu)
            case other:
                raise InputError(
                    name or magic,
                    f"expected a module, a program, IR text or a path, got {type(other).__name__}",
                )

    def text(self, name: str | None, magic: str) -> str:
        """The text of a module, program or compiled kernel, or of a file. Raises InputError."""
        match self.value(name, magic):
            case str() as text:
                return text
            case ModuleOp() | Program() | Compiled() as value:
                return str(value)
            case _:
                return str(self.program(name, None, magic))
