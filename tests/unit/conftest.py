"""Fixtures and options of all unit tests."""

import gc
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping

import pytest

from tests import shares
from tests.reach import map as reach_map
from tests.stub_driver.library import Stub, build, compiler
from tileir_xdsl.blas_threads import openblas_threads
from tileir_xdsl.extensions import Extension, registry
from tileir_xdsl.passes import OURS, PASSES, PassEntry
from tileir_xdsl.runtime.lowering import VERIFY_EACH_VARIABLE
from tileir_xdsl.testing.plugin import filecheck

__all__ = ["filecheck"]

# Also for the commands that tests start.
os.environ.setdefault(VERIFY_EACH_VARIABLE, "1")


# A shell has commands in the background ignore interrupts, and so would all that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def forgotten_extensions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only extensions that a test makes known are known to it, and none of these after it."""
    for known in ("_registered", "_imported"):
        monkeypatch.setattr(registry, known, {})
    ours = {name: entry for name, entry in PASSES.items() if entry.origin == OURS}
    _replace_passes(ours)
    _forget_parts()
    yield
    _replace_passes(ours)
    _forget_parts()


def _forget_parts() -> None:
    """Drops the parts of all extensions, if this process knows any."""
    if (joining := sys.modules.get("tileir_xdsl.joining")) is not None:
        for name in tuple(joining.REGISTERED):
            joining.register(Extension(name))
            del joining.REGISTERED[name]


def _replace_passes(passes: Mapping[str, PassEntry]) -> None:
    PASSES.clear()
    PASSES.update(passes)


def pytest_addoption(parser: pytest.Parser) -> None:
    """A seed for what `make test` leaves out."""
    parser.addoption(
        "--drawn",
        type=int,
        metavar="SEED",
        help="run a tenth of the cases that `one_in` leaves out, and nothing else",
    )


# Before pytest deselects by marks.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what `one_in` leaves out as `soak`, or draws from it.

    Workers begin with the files that take longest, so that none is left with one at the end.
    """
    if hasattr(config, "workerinput"):
        reach = reach_map.read()
        items.sort(key=lambda item: reach.dearest_first(item.nodeid.partition("::")[0]))
    left_out = shares.left_out(items)
    seed: int | None = config.getoption("--drawn")
    if seed is not None:
        items[:] = shares.drawn(left_out, seed)
        return
    for item in left_out:
        item.add_marker(pytest.mark.soak)


def pytest_collection() -> None:
    """Computes dots in one thread, and collects no garbage while tests are collected: it all stays.

    Several workers, each with a thread of BLAS for every processor, let them wait for each other.
    """
    importlib.import_module("numpy")
    if (threads := openblas_threads()) is not None:
        threads.write(1)
    gc.disable()


def pytest_collection_finish() -> None:
    """Tells the garbage collector that modules and collected tests stay, and to come seldom.

    IR is full of cycles, so it cannot stay away altogether.
    """
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the command that runs a failing test alone."""
    failed = {
        report.nodeid: None
        for outcome in ("failed", "error")
        for report in terminalreporter.stats.get(outcome, ())
    }
    if failed:
        terminalreporter.section("run one of them alone", sep="-")
    for name in failed:
        terminalreporter.line(f"{os.path.relpath(sys.executable)} -m pytest -n 0 -m '' '{name}'")


@pytest.fixture(scope="session")
def stub_driver(tmp_path_factory: pytest.TempPathFactory) -> Stub:
    """A driver without a GPU, for processes that tests start."""
    folder = tmp_path_factory.mktemp("stub_driver")
    build(folder, compiler())
    return Stub(folder)
