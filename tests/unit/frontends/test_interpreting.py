"""Scripts of different habits, unchanged: in this process, and in processes that they start."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import cuda.tile as ct
import pytest
from cuda.tile import kernel, launch

from tests.unit.frontends.habits import DOUBLE, HABITS, HEAD, HELPER
from tileir_xdsl.frontends.interpreting import Interpreter, with_children
from tileir_xdsl.frontends.scripts import main_module_kept, run_script
from tileir_xdsl.frontends.serving import serving
from tileir_xdsl.runtime.errors import CompileError, UndefinedWarning


def run(folder: Path, text: str, *arguments: str, interpreter: Interpreter | None = None) -> None:
    (folder / "helper_of_habits.py").write_text(HELPER)
    script = folder / "script.py"
    script.write_text(text)
    with serving(interpreter or Interpreter()), main_module_kept():
        try:
            run_script(str(script), arguments)
        finally:
            sys.modules.pop("helper_of_habits", None)


@pytest.mark.parametrize("habit", HABITS)
def test_habits(habit: str, tmp_path: Path):
    run(tmp_path, HABITS[habit], *(["--tile", "32"] if habit == "arguments" else []))


@pytest.mark.parametrize("level", ["nv_tileas", "ptx"])
def test_levels(level: str, tmp_path: Path):
    run(tmp_path, HABITS["several_launches"], interpreter=Interpreter(level, "sm_100a"))


def test_race(tmp_path: Path):
    race = HEAD + DOUBLE.replace("i = ct.bid(0)", "i = 0 * ct.bid(0)")
    text = race + "ct.launch(0, (2,), double, (x, out, 16))\n"
    run(tmp_path, text)
    with pytest.raises(CompileError, match=r"race: .*script\.py"):
        run(tmp_path, text, interpreter=Interpreter(races=True))


def test_a_script_that_asks_for_the_processor(tmp_path: Path):
    """Its code notes no undefined behaviour, which the other launches warn of."""
    text = "from tileir_xdsl import cutile\n" + HEAD + DOUBLE
    text += "run = cutile.launch((4,), double, (x, out, 16), gpu='cpu')\n"
    run(tmp_path, text + "assert run.level == 'cpu' and (out == 2 * x).all()\n")


FIRST_ROWS = """
@ct.kernel
def total(x, out, tile: ct.Constant[int]):
    ct.store(out, (0,), ct.sum(ct.load(x, (0,), (tile,))).reshape((1,)))
"""


def test_undefined_behaviour(tmp_path: Path):
    """A warning at the line of the load, for the first launch of each signature."""
    launches = "for _ in range(2):\n    ct.launch(0, (1,), total, (x, out, 128))\n"
    text = HEAD + "x = x[:60]\n" + FIRST_ROWS + launches
    with pytest.warns(UndefinedWarning, match="no padding value") as found:
        run(tmp_path, text)
    (warning,) = found
    line = text.splitlines()[warning.lineno - 1]
    assert Path(warning.filename).name == "script.py" and "ct.load(x" in line
    with pytest.warns(UndefinedWarning):
        run(tmp_path, text, interpreter=Interpreter("ptx", "sm_90a"))


def test_changed_global(tmp_path: Path):
    """A global that changes between launches is an error by default, or compiles anew."""
    text = (
        HEAD
        + "BY = 2\n"
        + DOUBLE.replace("* 2", "* BY")
        + "ct.launch(0, (4,), double, (x, out, 16))\nBY = 3\n"
        + "ct.launch(0, (4,), double, (x, out, 16))\nassert (out == 3 * x).all()\n"
    )
    with pytest.raises(CompileError, match=r"script\.py:\d+:\d+: error: 'BY', which double reads"):
        run(tmp_path, text)
    run(tmp_path, text, interpreter=Interpreter(on_change="recompile"))


def test_reference_taken_before():
    """`from cuda.tile import launch` before the hook is there; afterwards all is as before."""
    made = kernel.__init__
    before = ct.launch
    with serving(Interpreter()):
        assert ct.launch is launch is not before
    assert ct.launch is launch is before and kernel.__init__ is made


def test_compute_capability(monkeypatch: pytest.MonkeyPatch):
    """Scripts ask cuTile for it as well, which has no driver to ask: it is that of the target."""
    extension: Any = import_module("cuda.tile._cext")
    before = extension.get_compute_capability
    with serving(Interpreter()):
        assert extension.get_compute_capability() == (9, 0)
        monkeypatch.setenv("TILEIR_GPU", "sm_100a")
        assert extension.get_compute_capability(0) == (10, 0)
    assert extension.get_compute_capability is before


def test_cupy_is_refused(tmp_path: Path):
    """By name, as a package that is missing, so that scripts which can do without it do so."""
    with pytest.raises(ImportError, match=r"cupy works on a GPU only: .* numpy, torch and jax"):
        run(tmp_path, "import cupy\n")
    run(tmp_path, "try:\n    import cupy\nexcept ImportError:\n    import numpy as cupy\n")


def test_child_processes(tmp_path: Path):
    """A process of the script is served, and runs the `sitecustomize` that ours hides."""
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.hidden = 7\n")
    (tmp_path / "script.py").write_text(HABITS["main"] + "assert hidden == 7\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    with_children(environment)
    once = environment["PYTHONPATH"]
    with_children(environment)
    assert environment["PYTHONPATH"] == once
    subprocess.run([sys.executable, tmp_path / "script.py"], env=environment, check=True)
