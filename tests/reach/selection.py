"""What to run: a cover of the package within a time, or what reaches some of its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from tests.imports import imported_modules, named_modules

from .map import PACKAGE, REPOSITORY, TESTS, ReachError, ReachMap, all_sources

BUDGET = 80.0
"""Processor seconds of tests that fit into a minute on two cores, with the start of pytest."""

IN_PROCESSES = ("tileir_xdsl/cli/compile_server/", "tileir_xdsl/cli/python.py", "tileir_xdsl/lsp/")
"""Sources, and folders of them, that only run in processes of their own."""


@dataclass(frozen=True)
class Selection:
    """Test files to run, and what is to be said about them."""

    tests: tuple[str, ...]
    notes: tuple[str, ...] = ()


def select_cover(
    reach: ReachMap,
    tests: Iterable[str],
    *,
    changed: Iterable[str] = (),
    seconds: float = BUDGET,
) -> Selection:
    """Test files that reach as many sources as a greedy choice finds within a time.

    Those that start NVIDIA's tools or draw random programs are left out.

    Args:
        tests: all test files there are.
        changed: those among them that differ from what is committed; they are always selected
            where the map lacks them.
    """
    new = _new_tests(reach, tests)
    new_and_changed = sorted(set(new) & set(changed))
    left, missing, chosen = seconds, set(reach.sources), list[str]()
    candidates = {
        name: test
        for name, test in reach.tests.items()
        if not (test.uses_nvidia_tools or test.is_random)
    }

    def gain(name: str) -> tuple[float, str]:
        test = candidates[name]
        return len(test.reaches & missing) / max(test.seconds, 0.1), name

    while fitting := [name for name, test in candidates.items() if test.seconds <= left]:
        best = max(fitting, key=gain)
        test = candidates.pop(best)
        if not test.reaches & missing:
            break
        chosen.append(best)
        left -= test.seconds
        missing -= test.reaches
    covered = len(reach.sources) - len(missing)
    note = (
        f"{len(chosen)} test files of {seconds - left:.0f} s reach {covered} of "
        f"{len(reach.sources)} sources"
    )
    return Selection((*sorted(chosen), *new_and_changed), (note, *_note_on_new(new)))


def select_for(
    reach: ReachMap,
    files: Iterable[str],
    tests: Iterable[str],
    sources: Iterable[str],
    imports: Mapping[str, frozenset[str]],
    *,
    changed: Iterable[str] = (),
    seconds: float = BUDGET,
) -> Selection:
    """Test files that reach any of some files of the package, or stand among `files` themselves.

    First the test of the file itself, wherever it stands, then those in the folder of the tests that
    mirrors a file, then the cheapest, as far as they fit into `seconds`; how many are left out is in the notes. A file of which no test
    calls a function, such as a table, is reached by what reaches a file that imports it.

    Args:
        files: sources, test files, or folders of such.
        imports: for each source the sources that import it.
        changed: as in `select_cover`.
    Raises:
        ReachError: a file is neither a source nor a test file.
    """
    tests, sources = tuple(tests), tuple(sources)
    named, wanted = set[str](), set[str]()
    for file in files:
        of_tests, of_package = _under(file, tests), _under(file, sources)
        if not of_tests and not of_package:
            raise ReachError(f"{file}: neither a file of {PACKAGE} nor one with tests in {TESTS}")
        named |= of_tests
        wanted |= of_package
    reaching = {name for source in wanted for name in reaching_tests(reach, source, imports)}
    new = _new_tests(reach, tests)
    named |= set(new) & set(changed) if wanted else set[str]()
    folders = {mirrored_folder(source, tests) for source in wanted}

    def order(name: str) -> tuple[bool, bool, float, str]:
        own = any(is_own(name, source) for source in wanted)
        return not own, not _mirrors(name, folders), reach.tests[name].seconds, name

    chosen, left = list[str](), seconds
    candidates = sorted(reaching - named, key=order)
    for name in candidates:
        if reach.tests[name].seconds <= left:
            chosen.append(name)
            left -= reach.tests[name].seconds
    notes = [f"{len(chosen)} of {len(candidates)} test files that reach {', '.join(sorted(files))}"]
    if omitted := set(candidates) - set(chosen):
        time = sum(reach.tests[name].seconds for name in omitted)
        notes.append(f"{len(omitted)} test files of {time:.0f} s in all are left out: `make test`")
    return Selection((*sorted(named), *chosen), (*notes, *_note_on_new(new)))


def reaching_tests(
    reach: ReachMap, source: str, imports: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The test files that reach a source, or else one that imports it, or one that imports that.

    What runs in processes that tests start is not recorded: the tests of its folder reach it.
    """
    seen, ring = {source}, {source}
    while ring:
        found = frozenset[str]().union(*(reach.reaching(name) for name in ring))
        if found:
            return found
        ring = {user for name in ring for user in imports.get(name, ())} - seen
        seen |= ring
    if source.startswith(IN_PROCESSES):
        folder = mirrored_folder(source, reach.tests)
        return frozenset(name for name in reach.tests if name.startswith(f"{folder}/"))
    return frozenset()


def mirrored_folder(source: str, tests: Iterable[str]) -> str:
    """Where the tests of a source stand: `tests/unit/layout` for `tileir_xdsl/layout/cute.py`.

    Where that folder has none, it is the next one above that has.
    """
    tests, folder = tuple(tests), PurePosixPath(TESTS, *PurePosixPath(source).parts[1:-1])
    while str(folder) != TESTS and not any(test.startswith(f"{folder}/") for test in tests):
        folder = folder.parent
    return str(folder)


def is_own(test: str, source: str) -> bool:
    """Whether a test file is named after a source."""
    return PurePosixPath(test).stem == f"test_{PurePosixPath(source).stem}"


def _mirrors(test: str, folders: set[str]) -> bool:
    """Whether a test file is of a file in one of the folders, or of one of these as a whole."""
    path = PurePosixPath(test)
    whole = path.with_name(path.stem.removeprefix("test_"))
    return any(path.is_relative_to(folder) or str(whole) == folder for folder in folders)


def _under(file: str, files: Iterable[str]) -> set[str]:
    """The file itself, or what a folder holds."""
    return {name for name in files if name == file or name.startswith(f"{file.rstrip('/')}/")}


def _new_tests(reach: ReachMap, tests: Iterable[str]) -> list[str]:
    """The test files that the map lacks.

    Raises:
        ReachError: the map has one that is gone.
    """
    tests = set(tests)
    if gone := sorted(reach.tests.keys() - tests):
        raise ReachError(
            f"{gone[0]} is gone, and {len(gone)} in all: `python -m tests.reach update` drops them"
        )
    return sorted(tests - reach.tests.keys())


def _note_on_new(new: Iterable[str]) -> list[str]:
    number = len(list(new))
    advice = "`python -m tests.reach update` measures them"
    return [f"{number} test files are not in the map: {advice}"] if number else []


@cache
def importers(root: Path = REPOSITORY) -> Mapping[str, frozenset[str]]:
    """For each source the sources that import it."""
    sources = all_sources(root)
    names = {_module(source): source for source in sources}
    found: dict[str, set[str]] = {}
    for source in sources:
        text = (root / source).read_text("utf-8")
        is_package = source.endswith("/__init__.py")
        module = _module(source)
        imports = (
            *imported_modules(text, module, is_package=is_package),
            *named_modules(text, module, is_package=is_package),
        )
        for name in imports:
            imported = names.get(name) or names.get(name.rpartition(".")[0])
            if imported is not None and imported != source:
                found.setdefault(imported, set()).add(source)
    return {source: frozenset(users) for source, users in found.items()}


def _module(source: str) -> str:
    return source.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def relative(file: str, root: Path = REPOSITORY) -> str:
    """A path, relative to the working folder or absolute, relative to the repository.

    Raises:
        ReachError: there is no such file.
    """
    for path in (Path(file).resolve(), (root / file).resolve()):
        if path.exists() and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    raise ReachError(f"{file}: no such file in the repository")


__all__ = [
    "BUDGET",
    "Selection",
    "importers",
    "is_own",
    "mirrored_folder",
    "reaching_tests",
    "relative",
    "select_cover",
    "select_for",
]
