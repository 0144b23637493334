"""Which files of a package run is recorded, function by function, and nothing else changes."""

import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reach import measure
from tests.reach.recording import Recorder

PACKAGE = "package_to_record"

FILES = {
    "__init__.py": "",
    "functions.py": '''
def documented():
    """What it does."""
    return 1


class Holder:
    def method(self):
        return [self.inner() for _ in range(2)]

    def inner(self):
        raise ValueError("here")
''',
    "tables.py": "TABLE = {'twice': lambda x: 2 * x}\n",
    "at_import.py": "def f():\n    return 3\n\n\nVALUE = f()\n",
    "generator.py": "def g():\n    yield 1\n\n\nasync def h():\n    pass\n",
}


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    folder = tmp_path / PACKAGE
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    path, finders = list(sys.path), list(sys.meta_path)
    sys.path.insert(0, str(tmp_path))
    recorder = Recorder(tmp_path.resolve(), (PACKAGE,))
    recorder.install()
    yield recorder
    sys.path[:], sys.meta_path[:] = path, finders
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def module(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")


def test_calls_are_recorded_and_imports_are_not(recorder: Recorder):
    functions, tables = module("functions"), module("tables")
    assert recorder.reached == set()
    assert functions.documented() == 1
    assert recorder.reached == {f"{PACKAGE}/functions.py"}
    assert tables.TABLE["twice"](4) == 8
    assert recorder.reached == {f"{PACKAGE}/functions.py", f"{PACKAGE}/tables.py"}


def test_functions_that_run_during_import_are_recorded(recorder: Recorder):
    assert module("at_import").VALUE == 3
    assert recorder.reached == {f"{PACKAGE}/at_import.py"}


def test_docstrings_lines_and_sources_stay(recorder: Recorder):
    functions = module("functions")
    assert functions.documented.__doc__ == "What it does."
    assert inspect.getsource(functions.documented).startswith("def documented()")
    with pytest.raises(ValueError, match="here") as caught:
        functions.Holder().method()
    assert (
        caught.traceback[-1].lineno + 1
        == FILES["functions.py"].splitlines().index('        raise ValueError("here")') + 1
    )


def test_generators_stay_generators(recorder: Recorder):
    generator = module("generator")
    assert inspect.isgeneratorfunction(generator.g) and list(generator.g()) == [1]
    assert inspect.iscoroutinefunction(generator.h)
    assert recorder.reached == {f"{PACKAGE}/generator.py"}


def test_nothing_marked_is_stored_as_byte_code(recorder: Recorder, tmp_path: Path):
    module("functions").documented()
    assert not list(tmp_path.rglob("*.pyc"))


def test_what_is_imported_already_is_an_error(recorder: Recorder):
    module("tables")
    with pytest.raises(RuntimeError, match=f"^{PACKAGE} is imported already$"):
        Recorder(Path("/"), (PACKAGE,)).install()


SCRIPT = """
import sys
from pathlib import Path
from tests.reach import map as stored, measure
measure.RECORDS = Path(sys.argv[1])
# All modules take seconds.
measure._modules = lambda: ("tileir_xdsl.layout.cute",)
try:
    measured = measure.measure(sys.argv[2:], 2)
except stored.ReachError as error:
    sys.exit(str(error))
for name, test in measured.items():
    print(name, test.uses_nvidia_tools, test.is_random, *sorted(test.reaches))
"""

TEST = """
import subprocess
from pathlib import Path
from tileir_xdsl.layout.cute import Layout
def test_it():
    assert Layout((4, 2), (1, 4)).size == 8
    subprocess.run(["{tool}", "--version"], check=True, capture_output=True)
    assert {holds}
"""


def test_a_test_file_is_measured_in_a_process_of_its_own(tmp_path: Path):
    for name, tool, holds in (("tool", "{path}/ptxas", "True"), ("fails", sys.executable, "False")):
        ptxas = tmp_path / "ptxas"
        ptxas.write_text("#!/bin/sh\n")
        ptxas.chmod(0o755)
        file = tmp_path / f"test_{name}.py"
        file.write_text(TEST.format(tool=tool.format(path=tmp_path), holds=holds))
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "records")]

    def run(*names: str) -> subprocess.CompletedProcess[str]:
        paths = [str(tmp_path / f"test_{name}.py") for name in names]
        environment = {**os.environ, "PYTHONPATH": str(measure.REPOSITORY)}
        return subprocess.run(
            [*command, *paths], capture_output=True, text=True, env=environment, check=False
        )

    done = run("fails", "tool")
    assert done.returncode == 1
    assert "test_fails.py: tests fail, see " in done.stderr and "test_tool.py:" not in done.stderr
    # What passed is kept, and not run again.
    (tmp_path / "ptxas").unlink()
    last = run("tool").stdout.splitlines()[-1].split()
    assert last[1:3] == ["True", "False"]
    assert "tileir_xdsl/layout/cute.py" in last[3:]
