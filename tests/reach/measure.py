"""Runs every test file in a process of its own and records what it reaches and costs.

The parent imports the whole package, marked, collects the tests and forks for each file. So what
runs while modules are imported is no reach, what one test file leaves in a cache hides nothing from
the next, and the times are almost those of unmarked code, without the start of pytest. Records are
kept in `build/reach` until the map is written: an interrupted measurement goes on where it was.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import resource
import shutil
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from .map import PACKAGE, REPOSITORY, ReachError, TestFile
from .recording import Recorder

RECORDS = REPOSITORY / "build" / "reach"

GENERATORS = (
    "tests.conversion_search.graphs",
    "tileir_xdsl.testing.llvm_programs.generator",
    "tileir_xdsl.testing.programs.generator",
    "tests.ptx_mutations.mutate",
    "tileir_xdsl.testing.tileas_programs.generator",
)
"""What draws random programs."""

NVIDIA_TOOLS = frozenset({"cuobjdump", "nvcc", "nvdisasm", "ptxas", "tileiras", "tileirdisasm"})
NVIDIA_COMPILERS = ("tests.cuda_compiler", "tests.triton_compiler")
"""What calls NVIDIA's compiler as a library, or through another one."""


def measure(tests: Sequence[str], jobs: int) -> dict[str, TestFile]:
    """What each test file costs and reaches, at most `jobs` at a time.

    Raises:
        ReachError: the tests of a file fail.
    """
    waiting = [test for test in tests if not _record(test).exists()]
    RECORDS.mkdir(parents=True, exist_ok=True)
    if waiting:
        _measure_in_processes(waiting, jobs)
    # Without a log there is nothing to run: all tests of the file are marked `soak`.
    failed = [test for test in tests if not _record(test).exists() and _log(test).exists()]
    if failed:
        raise ReachError(f"{', '.join(failed)}: tests fail, see {_log(failed[0])}")
    return {test: TestFile(0.0, frozenset()) for test in tests} | recorded(tests)


def recorded(tests: Iterable[str]) -> dict[str, TestFile]:
    """What is known of test files that have been measured for a map that is not written yet."""
    records = {test: _record(test) for test in tests}
    return {
        test: _from_record(json.loads(record.read_text()))
        for test, record in records.items()
        if record.exists()
    }


def forget() -> None:
    """Removes the records of a measurement that is stored."""
    shutil.rmtree(RECORDS, ignore_errors=True)


def _measure_in_processes(tests: Sequence[str], jobs: int) -> None:
    recorder = Recorder(REPOSITORY, (PACKAGE, *GENERATORS, *NVIDIA_COMPILERS))
    recorder.install()
    for module in _modules():
        importlib.import_module(module)
    # Plug-ins of pytest, which rewrites their assertions, may be imported already. Captured output
    # would be in files that the processes share.
    options = ["-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning", "-s"]
    files = [str(REPOSITORY / test) for test in tests]
    status = pytest.main([*options, *files], plugins=[_ForkingLoop(recorder, jobs)])
    if status != pytest.ExitCode.OK:
        raise ReachError("the tests cannot be collected")


def _modules() -> Iterator[str]:
    """All modules of the package but those that do their work when imported."""
    package = importlib.import_module(PACKAGE)
    for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
        if module.name.rpartition(".")[2] not in ("__main__", "sitecustomize"):
            yield module.name


class _ForkingLoop:
    """Plug-in of pytest: runs the tests of each file in a process of its own."""

    def __init__(self, recorder: Recorder, jobs: int):
        self._recorder, self._jobs = recorder, jobs

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            items.setdefault(_relative(item.path), []).append(item)
        running: set[int] = set()
        for number, (test, group) in enumerate(items.items(), 1):
            while len(running) >= self._jobs:
                running.remove(os.wait()[0])
            print(f"{number}/{len(items)} {test}", flush=True)
            if (child := os.fork()) == 0:
                _run(test, group, session, self._recorder)
            running.add(child)
        while running:
            running.remove(os.wait()[0])
        return True


def _relative(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix() if path.is_relative_to(REPOSITORY) else str(path)


def _run(
    test: str, items: Sequence[pytest.Item], session: pytest.Session, recorder: Recorder
) -> None:
    """Runs the tests of a file, stores the record if they pass, and ends the process."""
    try:
        with _log(test).open("w") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        started: set[str] = set()
        sys.addaudithook(lambda event, args: _note_process(event, args, started))
        recorder.reached.clear()
        for item, following in zip(items, (*items[1:], None), strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
            reporter.summary_errors()
            reporter.summary_failures()
        else:
            _store(test, recorder.reached, started)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _note_process(event: str, args: tuple[Any, ...], started: set[str]) -> None:
    if event == "subprocess.Popen":
        # An audit hook must not raise, whatever a test passes.
        with contextlib.suppress(Exception):
            executable, arguments = args[0], args[1]
            first = executable or (arguments if isinstance(arguments, str) else arguments[0])
            started.add(Path(os.fsdecode(first)).name)


def _store(test: str, reached: set[str], started: set[str]) -> None:
    generators, compilers = (
        {f"{name.replace('.', '/')}.py" for name in names}
        for names in (GENERATORS, NVIDIA_COMPILERS)
    )
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    record = {
        "seconds": sum(one.ru_utime + one.ru_stime for one in usage),
        "nvidia": bool(started & NVIDIA_TOOLS or reached & compilers),
        "random": bool(reached & generators),
        "reaches": sorted(name for name in reached if name.startswith(f"{PACKAGE}/")),
    }
    temporary = _record(test).with_suffix(".tmp")
    temporary.write_text(json.dumps(record))
    temporary.replace(_record(test))


def _from_record(record: dict[str, Any]) -> TestFile:
    return TestFile(
        record["seconds"], frozenset(record["reaches"]), record["nvidia"], record["random"]
    )


def _record(test: str) -> Path:
    return RECORDS / f"{test.replace('/', '.')}.json"


def _log(test: str) -> Path:
    return RECORDS / f"{test.replace('/', '.')}.log"
