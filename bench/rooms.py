"""What the folders of the tests cost, and how those of the last conversion depend on each other.

`python -m bench.rooms` prints the processor time that the tests of each folder are known to take
beside what they may take (`tests/reach/allotments.py`).

Then it counts the imports between the folders of
`tileir_xdsl/transforms/convert_tileas_to_llvm`: pairs of files of two folders, one of which imports
the other, or a name in it, anywhere in its code. It prints them by importing and imported folder.
A folder may import only those before it.

Last it counts, for each op of `nv_tileas` and `nv_tileaa`, the files outside the dialects that name
its class: what a change of the op may touch.

A folder above its allotment and an import against the order are listed, and the exit status is 1.
"""

import ast
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from xdsl.ir import Dialect

from tests.reach import allotments
from tests.reach import map as reach
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileas import NVTileAS

ROOMS = (
    "thread",
    "arithmetic",
    "math",
    "shared_memory",
    "global_memory",
    "mma",
    "tiles",
    "control",
)
"""The folders in their order, as `docs/architecture.md` lists them."""
REPOSITORY = Path(__file__).resolve().parents[1]
CONVERSION = Path("tileir_xdsl", "transforms", "convert_tileas_to_llvm")


class Arrow(NamedTuple):
    """An import of one folder's file by another folder's, paths below the conversion."""

    importer: Path
    imported: Path

    @property
    def rooms(self) -> tuple[str, str]:
        """The folder that imports and the one that is imported."""
        return self.importer.parts[0], self.imported.parts[0]

    @property
    def is_against_order(self) -> bool:
        """Whether the imported folder comes after the importing one."""
        importer, imported = self.rooms
        return ROOMS.index(imported) > ROOMS.index(importer)


def _file_of(module: str, repository: Path) -> Path | None:
    """The file that defines a module, where it is one of `repository`."""
    stem = Path(*module.split("."))
    candidates = (stem.with_suffix(".py"), stem / "__init__.py")
    return next((path for path in candidates if (repository / path).is_file()), None)


def imported_files(path: Path, repository: Path = REPOSITORY) -> Iterator[Path]:
    """The files of `repository` that the one at `path` below it imports, or names from."""
    package = ".".join(path.parent.parts)
    for node in ast.walk(ast.parse((repository / path).read_text(encoding="utf-8"))):
        names: Iterable[tuple[str, str]] = ()
        if isinstance(node, ast.Import):
            names = ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            module = importlib.util.resolve_name(relative, package)
            names = ((f"{module}.{alias.name}", module) for alias in node.names)
        for module, parent in names:
            file = _file_of(module, repository) or (parent and _file_of(parent, repository))
            if file:
                yield file


def arrows(repository: Path = REPOSITORY) -> list[Arrow]:
    """All imports between two folders of the conversion, each pair of files once."""
    folder = repository / CONVERSION
    found = {
        Arrow(path.relative_to(folder), imported.relative_to(CONVERSION))
        for path in folder.rglob("*.py")
        for imported in imported_files(path.relative_to(repository), repository)
        if imported.is_relative_to(CONVERSION)
    }
    inside = (arrow for arrow in found if all(len(path.parts) > 1 for path in arrow))
    return sorted(arrow for arrow in inside if len(set(arrow.rooms)) > 1)


def table(found: Iterable[Arrow]) -> str:
    """The number of imports, a row for each importing folder, a column for each imported one."""
    counts = Counter(arrow.rooms for arrow in found)
    rows: list[tuple[str, ...]] = [("imports", *ROOMS)]
    for importer in ROOMS:
        numbers = (counts[importer, imported] for imported in ROOMS)
        rows.append((importer, *(str(number or "") for number in numbers)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.rjust, row, widths)) for row in rows)
    return "\n".join(lines)


def named_ops(tree: ast.Module, dialect: str) -> set[str]:
    """The classes of a dialect that a file names: by themselves, or as members of the package."""
    package = f"tileir_xdsl.dialects.{dialect}"
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    found = {
        alias.name
        for node in imports
        if node.module is not None and f"{node.module}.".startswith(f"{package}.")
        for alias in node.names
    }
    packages = {
        alias.asname or alias.name
        for node in imports
        if node.module == "tileir_xdsl.dialects"
        for alias in node.names
        if alias.name == dialect
    }
    members = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return found | {
        node.attr
        for node in members
        if isinstance(node.value, ast.Name) and node.value.id in packages
    }


def files_of_ops(dialect: str, ops: Iterable[str], repository: Path = REPOSITORY) -> dict[str, int]:
    """How many files outside the dialects name each op of one, by its class."""
    package = repository / "tileir_xdsl"
    counts = Counter[str]()
    for path in package.rglob("*.py"):
        if path.relative_to(package).parts[0] != "dialects":
            counts.update(named_ops(ast.parse(path.read_text(encoding="utf-8")), dialect))
    return {op: counts[op] for op in ops}


def summary(dialect: Dialect) -> str:
    """The files that name the ops of a dialect: the median, and the ops that most files name."""
    counts = files_of_ops(dialect.name, (op.__name__ for op in dialect.operations))
    most = sorted(counts.items(), key=lambda item: -item[1])[:5]
    named = ", ".join(f"{op} in {count}" for op, count in most)
    return f"{dialect.name}: an op is named in {median(counts.values()):g} files; {named}"


def main() -> int:
    """Print the tables and counts, and what exceeds its allotment or is against the order."""
    measured = reach.read()
    exceeded = allotments.exceeded(measured)
    print(allotments.table(measured))
    for line in exceeded:
        print(f"  above its allotment: {line}")
    print()
    found = arrows()
    against = [arrow for arrow in found if arrow.is_against_order]
    print(table(found))
    print(f"{len(found)} imports between folders, {len(against)} against their order")
    for arrow in against:
        print(f"  {arrow.importer} imports {arrow.imported}")
    print()
    for dialect in (NVTileAS, NVTileAA):
        print(summary(dialect))
    return 1 if against or exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
