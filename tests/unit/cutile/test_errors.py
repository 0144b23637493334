"""Errors of launches: one each, at the line of the user, of the class of its cause."""

import inspect
import linecache
import pickle
import re
import traceback
from pathlib import Path
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

import tileir_xdsl as tileir
from tests.unit.frontends.habits import DOUBLE, HEAD
from tileir_xdsl import cutile
from tileir_xdsl.frontends.interpreting import Interpreter
from tileir_xdsl.frontends.scripts import main_module_kept, run_script
from tileir_xdsl.frontends.serving import serving
from tileir_xdsl.testing.kernels.case import kernel


@kernel
def rank(x: Any) -> None:
    ct.store(x, (0,), ct.load(x, (0, 0), (8,)))  # ct.load


def helper(x: Any) -> Any:
    return ct.load(x, (0,), (7,))  # ct.load


@kernel
def calls(x: Any) -> None:
    ct.store(x, (0,), helper(x))


@kernel
def asserts(x: Any) -> None:
    ct.static_assert(False, "never")


@kernel
def outside(x: Any) -> None:
    ct.store(x, (0,), ct.gather(x, ct.arange(8, dtype=ct.int32) + 4, check_bounds=False))


@kernel
def waits(x: Any) -> None:
    while ct.atomic_cas(x, 0, 1, 2) != 1:
        pass


@kernel
def races(x: Any) -> None:
    ct.store(x, (0,), ct.full((8,), ct.bid(0), ct.float32))


def column_of(line: int, text: str) -> int:
    return Path(__file__).read_text().splitlines()[line - 1].index(text) + 1


def raised(function: Any, *arguments: object, **options: Any) -> tileir.CompileError:
    with pytest.raises(tileir.CompileError) as caught:
        cutile.launch(2, function, arguments, **options)
    return caught.value


def x() -> np.ndarray:
    return np.zeros(8, np.float32)


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileas", "ptx"])
def test_memory_fault(level: str):
    error = raised(outside, x(), level=level, gpu="sm_80")
    assert type(error) is tileir.MemoryFaultError and error.file == __file__
    assert error.line and error.column == column_of(error.line, "ct.gather")
    assert "byte 32 of argument x, which has 32 bytes" in error.message


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_deadlock(level: str):
    error = raised(waits, np.zeros(8, np.int32), level=level, gpu="sm_80")
    assert type(error) is tileir.DeadlockError and error.file == __file__


@pytest.mark.parametrize(
    "arguments", [(), (x(), x()), ("x",), (x()[::-1],), (x().astype("c8"),), ((x(),),)]
)
def test_arguments(arguments: tuple[object, ...]):
    assert isinstance(raised(outside, *arguments), tileir.ArgumentError | tileir.CodeError)


@pytest.mark.parametrize(
    ("argument", "level"), [(x().astype("f2"), None), (x().astype("f2"), "ptx"), (3, "cuda_tile")]
)
def test_arguments_of_programs(argument: object, level: str | None):
    program = cutile.load(races, (x(),))
    with pytest.raises(tileir.ArgumentError):
        program.run(1, argument, 8, 1, level=level)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.ones(8), 8, 1), "argument x of 'races': an array of float32"),
        ((x(), 2.5, 1), "argument x.shape[0] of 'races': 2.5 is not a number"),
        ((np.ones(16, np.float32)[::2],), "argument x of 'races' has stride 2"),
        ((x(), 8, x()), "argument x.strides[0] of 'races': a number"),
    ],
)
def test_arguments_are_named(given: tuple[object, ...], message: str):
    program = cutile.load(races, (x(),))
    with pytest.raises(tileir.ArgumentError) as caught:
        program.run(1, *given)
    assert message in caught.value.message


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_race(tmp_path: Path, level: str):
    script = tmp_path / "script.py"
    script.write_text(
        HEAD
        + DOUBLE.replace("i = ct.bid(0)", "i = 0").replace("load(x", "load(out")
        + "ct.launch(0, (2,), double, (x, out, 16))\n"
    )
    with (
        pytest.raises(tileir.RaceError) as caught,
        serving(Interpreter(level, "sm_80", races=True)),
        main_module_kept(),
    ):
        run_script(str(script))
    assert caught.value.file == str(script) and caught.value.line
    line = script.read_text().splitlines()[caught.value.line - 1]
    assert caught.value.message.count("race: ") == 1 and caught.value.message.count(str(script)) < 3
    assert caught.value.column in (line.index("ct.store") + 1, line.index("ct.load") + 1)


@pytest.mark.parametrize("wrong", [rank, calls])
def test_both_kinds_of_error(wrong: object):
    """An error of cuTile is one of this package, with the line, a caret, and each call."""
    error = raised(wrong, x())
    assert isinstance(error, tileir.CodeError) and isinstance(error, ct.TileTypeError)
    assert "\n" not in str(error) and vars(error)["loc"].line == error.line
    assert error.line and error.column == column_of(error.line, "ct.load")
    (note,) = error.notes
    assert "^^^" in note and f"line {error.line}, col {error.column}" in note
    assert ("helper(x)" in note) == (wrong is calls)


@pytest.mark.parametrize("wrong", [rank, asserts])
def test_other_processes(wrong: object):
    error = raised(wrong, x())
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and isinstance(again, type(error).__bases__[1])
    assert (str(again), again.notes, str(vars(again)["loc"])) == (
        str(error),
        error.notes,
        str(vars(error)["loc"]),
    )
    fault = raised(outside, x())
    copied = pickle.loads(pickle.dumps(fault))
    assert type(copied) is type(fault) and str(copied) == str(fault)


@pytest.mark.parametrize("wrong", [rank, outside])
def test_traceback(wrong: object):
    """It ends at the call, and shows the line of the kernel with a caret; nothing of ours."""
    error = raised(wrong, x())
    text = "".join(traceback.format_exception(error))
    assert text.count("Traceback") == 1
    assert sum("tileir_xdsl" in line for line in text.splitlines() if "  File" in line) == 1
    line, caret = text.splitlines()[-2:]
    assert line.index("ct.gather" if wrong is outside else "ct.load") == caret.index("^")


def test_cells_of_notebooks(monkeypatch: pytest.MonkeyPatch):
    """The line is shown of a kernel that is in no file, too."""
    text = inspect.getsource(vars(outside)["_annotated_function"].pyfunc)
    lines = text.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, "<cell>", (len(text), None, lines, "<cell>"))
    space: dict[str, Any] = {"ct": ct, "kernel": ct.kernel, "Any": Any}
    exec(compile(text, "<cell>", "exec"), space)
    error = raised(space["outside"], x())
    assert error.location == f"<cell>:3:{lines[2].index('ct.gather') + 1}"
    shown, caret = vars(error)["__notes__"][0].splitlines()
    assert shown.index("ct.gather") == caret.index("^")


def test_core_does_not_import_cutile():
    """Only the front end itself and kernels of tests need the package."""
    root = Path(tileir.__file__).parent
    importing = {
        path.relative_to(root).parts[0]
        for path in root.rglob("*.py")
        if re.search(r"^\s*(import|from) cuda\.tile\b", path.read_text(encoding="utf-8"), re.M)
    }
    assert importing <= {"samples", "testing"}
