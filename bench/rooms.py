"""What the folders of the tests cost, and how those of the package depend on each other.

`python -m bench.rooms` prints the processor time that the tests of each folder are known to take
beside what they may take (`tests/reach/allotments.py`).

Then it counts the imports between the folders of `tileir_xdsl/analysis`, and between those of
`tileir_xdsl/transforms/convert_tileas_to_llvm`: pairs of files of two folders, one of which imports
the other, or a name in it, anywhere in its code. It prints them by importing and imported folder.
A folder may import only those before it.

Last it counts, for each op of `nv_tileas` and `nv_tileaa`, the files outside the dialects that name
its class: what a change of the op may touch. Of `nv_tileas` none is to be named in more than 25.

A folder above its allotment, an import against the order and an op that too many files name are
listed, and the exit status is 1.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import NamedTuple

from xdsl.ir import Dialect

from tests.imports import imported_modules, named_modules
from tests.reach import allotments
from tests.reach import map as reach
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileas import NVTileAS

REPOSITORY = Path(__file__).resolve().parents[1]
ANALYSIS = Path("tileir_xdsl", "analysis")
CONVERSION = Path("tileir_xdsl", "transforms", "convert_tileas_to_llvm")

ROOMS: Mapping[Path, tuple[str, ...]] = {
    ANALYSIS: (
        "regions",
        "values",
        "buffers",
        "threads",
        "access",
        "layouts",
        "mma",
        "allocation",
        "scheduling",
        "iteration_space",
    ),
    CONVERSION: (
        "thread",
        "arithmetic",
        "math",
        "shared_memory",
        "global_memory",
        "mma",
        "tiles",
        "control",
    ),
}
"""The folders of each part in their order, as `docs/architecture.md` lists them."""


MOST_FILES = 25
"""The most files outside the dialects that may name an op of `nv_tileas`."""


class Arrow(NamedTuple):
    """An import of one folder's file by another folder's, paths below the part."""

    importer: Path
    imported: Path

    @property
    def rooms(self) -> tuple[str, str]:
        """The folder that imports and the one that is imported."""
        return self.importer.parts[0], self.imported.parts[0]

    def is_against(self, order: Sequence[str]) -> bool:
        """Whether the imported folder comes after the importing one."""
        importer, imported = self.rooms
        return order.index(imported) > order.index(importer)


def _file_of(module: str, repository: Path) -> Path | None:
    """The file that defines a module, where it is one of `repository`."""
    path = module.replace(".", "/")
    candidates = (Path(f"{path}.py"), Path(path, "__init__.py"))
    return next((path for path in candidates if (repository / path).is_file()), None)


def imported_files(path: Path, repository: Path = REPOSITORY) -> Iterator[Path]:
    """The files of `repository` that the one at `path` below it imports, or names from.

    Those that it imports by name count, too: see `tests.imports.named_modules`.
    """
    is_package = path.name == "__init__.py"
    module = ".".join(path.parent.parts if is_package else path.with_suffix("").parts)
    source = (repository / path).read_text(encoding="utf-8")
    for name in imported_modules(source, module, is_package=is_package):
        # The last part may be a name in the module.
        file = _file_of(name, repository) or _file_of(name.rpartition(".")[0], repository)
        if file:
            yield file
    for name in named_modules(source, module, is_package=is_package):
        if file := _file_of(name, repository):
            yield file


def arrows(part: Path, repository: Path = REPOSITORY) -> list[Arrow]:
    """All imports between two folders of a part, each pair of files once."""
    folder = repository / part
    found = {
        Arrow(path.relative_to(folder), imported.relative_to(part))
        for path in folder.rglob("*.py")
        for imported in imported_files(path.relative_to(repository), repository)
        if imported.is_relative_to(part)
    }
    inside = (arrow for arrow in found if all(len(path.parts) > 1 for path in arrow))
    return sorted(arrow for arrow in inside if len(set(arrow.rooms)) > 1)


def table(found: Iterable[Arrow], order: Sequence[str]) -> str:
    """The number of imports, a row for each importing folder, a column for each imported one."""
    counts = Counter(arrow.rooms for arrow in found)
    rows: list[tuple[str, ...]] = [("imports", *order)]
    for importer in order:
        numbers = (counts[importer, imported] for imported in order)
        rows.append((importer, *(str(number or "") for number in numbers)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.rjust, row, widths)) for row in rows)
    return "\n".join(lines)


def named_ops(tree: ast.Module, dialect: str) -> set[str]:
    """The classes of a dialect that a file names: by themselves, or as members of a module."""
    package = f"tileir_xdsl.dialects.{dialect}"
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    of_dialect = [
        alias
        for node in imports
        for alias in node.names
        if f"{node.module}.{alias.name}.".startswith(f"{package}.")
    ]
    rooms = {alias.asname or alias.name for alias in of_dialect}
    members = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {alias.name for alias in of_dialect} | {
        node.attr for node in members if isinstance(node.value, ast.Name) and node.value.id in rooms
    }


def files_of_ops(dialect: str, ops: Iterable[str], repository: Path = REPOSITORY) -> dict[str, int]:
    """How many files outside the dialects name each op of one, by its class."""
    package = repository / "tileir_xdsl"
    counts = Counter[str]()
    for path in package.rglob("*.py"):
        if path.relative_to(package).parts[0] != "dialects":
            counts.update(named_ops(ast.parse(path.read_text(encoding="utf-8")), dialect))
    return {op: counts[op] for op in ops}


def counts_of(dialect: Dialect) -> dict[str, int]:
    """How many files outside the dialects name each op of one."""
    return files_of_ops(dialect.name, (op.__name__ for op in dialect.operations))


def summary(name: str, counts: Mapping[str, int]) -> str:
    """The files that name the ops of a dialect: the median, and the number for each op."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    named = ", ".join(f"{op} in {count}" for op, count in ordered)
    text = f"{name}: an op is named in {median(counts.values()):g} files; {named}"
    return fill(text, 100, subsequent_indent="  ")


def named_too_often(counts: Mapping[str, int]) -> list[str]:
    """The ops that more files name than may."""
    return [f"{op} in {count} files" for op, count in counts.items() if count > MOST_FILES]


def main() -> int:
    """Print the tables and counts, and what exceeds its allotment or is against the order."""
    measured = reach.read()
    exceeded = allotments.exceeded(measured)
    print(allotments.table(measured))
    for line in exceeded:
        print(f"  above its allotment: {line}")
    is_against = False
    for part, order in ROOMS.items():
        found = arrows(part)
        against = [arrow for arrow in found if arrow.is_against(order)]
        is_against |= bool(against)
        print(f"\n{table(found, order)}")
        print(f"{len(found)} imports in {part}, {len(against)} against the order")
        for arrow in against:
            print(f"  {arrow.importer} imports {arrow.imported}")
    print()
    for dialect in (NVTileAS, NVTileAA):
        print(summary(dialect.name, counts_of(dialect)))
    too_often = named_too_often(counts_of(NVTileAS))
    for line in too_often:
        print(f"  named too often: {line}")
    return 1 if is_against or exceeded or too_often else 0


if __name__ == "__main__":
    sys.exit(main())
