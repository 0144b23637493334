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
    """The attributes of IPython's shell that this package uses."""

    user_ns: dict[str, Any]
    """The names of the notebook."""
    display_formatter: Any

    def register_magic_function(
        self, func: Any, magic_kind: str = "line", magic_name: str | None = None
    ) -> None:
        """Registers a magic."""
        ...


@dataclass
class Session:
    """The state of one notebook."""

    shell: Shell
    last: ModuleOp | None = None
    """The module that the last cell produced."""
    passes: dict[str, type[ModulePass]] = field(default_factory=dict[str, type[ModulePass]])
    """The passes that cells have defined, by name."""
    cells: int = 0
    """The number of cells with magics run so far."""

    def cell(self, magic: str, line: str, text: str) -> tuple[str, str]:
        """A file name for the cell, and its text with an empty line in place of the magic.

        Diagnostics and tracebacks find the lines of the cell by that file name.
        """
        self.cells += 1
        # Python keeps its lines, as those of a file, under names in such brackets alone.
        name = f"<{magic} {self.cells}>"
        whole = f"{magic} {line}\n{text}"
        linecache.cache[name] = (len(whole), None, whole.splitlines(keepends=True), name)
        return name, f"\n{text}"

    def value(self, name: str | None, magic: str) -> Any:
        """The value of a name in the notebook, the zoo or a file; without name the last module.

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
        raise InputError(
            name, f"no value of the notebook, kernel of the zoo or file has this name{hint}"
        )

    def program(self, name: str | None, gpu: str | None, magic: str) -> Program:
        """The program that a name refers to. Raises InputError if its value is not a program."""
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
