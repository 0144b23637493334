"""The launch of a script that a command is about."""

import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.unit.frontends.habits import DOUBLE, HABITS, HEAD, PACKAGE, POOL, write
from tileir_xdsl.frontends.recording import Choice, choice_of, record
from tileir_xdsl.runtime.errors import CompileError

LAUNCH = "ct.launch(0, (4,), double, (x, out, 16))\n"
OTHER = DOUBLE.replace("double", "other")
FACTORY = (
    HEAD
    + """
def made(by):
    @ct.kernel
    def scale(x, out):
        ct.store(out, (0,), ct.load(x, (0,), (64,)) * by)
    return scale

for kernel in [made(2), made(3)]:
    ct.launch(0, (1,), kernel, (x, out))
"""
)


def recorded(folder: Path, text: str, kernel: str | None = None, number: int | None = None):
    (folder / "k.py").write_text(text)
    return record(Choice(str(folder / "k.py"), kernel, number))


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("a/k.py", Choice("a/k.py")),
        ("k.py:add", Choice("k.py", "add")),
        ("k.py:add.2", Choice("k.py", "add", 2)),
        ("k.mlir", None),
        ("k.py:1", None),
    ],
)
def test_choice(text: str, choice: Choice | None):
    assert choice_of(text) == choice


@pytest.mark.parametrize("end", ["", "raise ValueError", "raise SystemExit(3)", "1 / 0"])
def test_stops_before_the_launch(end: str, tmp_path: Path):
    """Nothing after the launch counts, nor what a script does with the end of it."""
    guarded = f"try:\n    {LAUNCH}finally:\n    assert not out.any()\n    {end or 'pass'}\n"
    launch = recorded(tmp_path, HEAD + DOUBLE + guarded)
    assert launch.grid == (4, 1, 1) and launch.frontend.source(launch.kernel).name == "double"


def test_own_launch(tmp_path: Path):
    """`cutile.launch` is a launch, too: it says how it ran, or is where the script stops."""
    text = HEAD + DOUBLE + OTHER + "from tileir_xdsl import cutile\n"
    text += "ran = cutile.launch(4, double, (x, out, 16), races=True)\nassert not ran.races\n"
    launch = recorded(
        tmp_path, text + "cutile.launch(2, other, (x, out, 16), level='ptx')", "other"
    )
    assert launch.grid == (2, 1, 1) and launch.keywords == {"level": "ptx"}


@pytest.mark.parametrize("habit", sorted(HABITS.keys() - {"helper_module", "generator"}))
def test_habits(habit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # Threads end as they do without pytest.
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    assert recorded(tmp_path, HABITS[habit]).frontend


def test_package(tmp_path: Path):
    """A file may import relative to its package, as it does when `python -m` runs it."""
    write(tmp_path, PACKAGE)
    launch = record(Choice(str(tmp_path / "package/run.py")))
    assert launch.frontend.source(launch.kernel).file == str(tmp_path / "package/kernels.py")
    sys.modules.pop("package.kernels")


def test_processes(tmp_path: Path):
    """Processes of the script run their launches, so that it comes to its end."""
    path = os.environ.get("PYTHONPATH")
    last = "ct.launch(0, (4,), double, (x, out, 16))\n"
    launch = recorded(tmp_path, POOL.replace(', "spawn"', ",") + last)
    assert launch.grid == (4, 1, 1) and os.environ.get("PYTHONPATH") == path
    with pytest.raises(CompileError, match="does not launch double"):
        recorded(tmp_path, POOL.replace(', "spawn"', ","))


def test_earlier_launches_run(tmp_path: Path):
    """The chosen kernel gets what another one has written."""
    text = HEAD + DOUBLE + OTHER + LAUNCH + "ct.launch(0, (4,), other, (out, x, 16))\n"
    launch = recorded(tmp_path, text, "other")
    arrays = [np.asarray(array) for array in launch.arguments[:2]]
    assert [array[5] for array in arrays] == [10, 5]


def test_number(tmp_path: Path):
    launch = recorded(tmp_path, FACTORY, "scale", 2)
    made = launch.frontend.specialize(launch.kernel, launch.arguments, None)
    assert made.arguments is not None and made.arguments[0].name == "x"
    assert np.asarray(launch.arguments[1])[1] == 2


@pytest.mark.parametrize(
    ("text", "kernel", "message"),
    [
        (HEAD + DOUBLE + OTHER + LAUNCH, None, r"k.py:double \(line 6\), .*k.py:other \(line 11\)"),
        (FACTORY, None, r"2 kernels, .*k.py:scale.1 \(line 7\), .*k.py:scale.2 \(line 7\)"),
        (HEAD + DOUBLE + LAUNCH, "add", "has no kernel 'add', only double"),
        (HEAD + DOUBLE, None, "does not launch double: add ct.launch"),
        (HEAD, None, "makes no kernel"),
        (
            HEAD + "raise SystemExit(3)",
            None,
            "the script ended with exit status 3 before the launch",
        ),
        (HEAD + "x + none_of_this", None, r"k.py:5:5: error: NameError: name 'none_of_this'"),
        ("x = (", None, r"k.py:1:5: error: SyntaxError: '\(' was never closed"),
    ],
)
def test_says_what_is_missing(text: str, kernel: str | None, message: str, tmp_path: Path):
    with pytest.raises(CompileError, match=message):
        recorded(tmp_path, text, kernel)


def test_no_such_file():
    with pytest.raises(CompileError, match=r"none.py: error: No such file"):
        record(Choice("none.py"))
