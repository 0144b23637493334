"""Launches after a variable that the kernel reads has changed: no answer is of an old value."""

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileir_xdsl as tileir
from tileir_xdsl import cutile

HEAD = "import cuda.tile as ct\nimport tileir_settings_of_tests as settings\n"
KERNEL = """
@ct.kernel
def k(x):
    ct.store(x, (0,), ct.load(x, (0,), (8,)) * {})
"""
HELPERS = """
def inner(x):
    return 2 * x

@ct.function
def helper(x, by=settings.BY):
    return inner(x) + by
"""

_numbers = itertools.count()

Cell = Callable[[str], dict[str, Any]]


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cell:
    """Executes a cell of a notebook: each is a file, and all are of one module."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "tileir_settings_of_tests.py").write_text("BY = 1\n")
    monkeypatch.delitem(sys.modules, "tileir_settings_of_tests", raising=False)
    space: dict[str, Any] = {"__name__": "tileir_notebook_of_tests"}

    def execute(text: str) -> dict[str, Any]:
        file = tmp_path / f"cell{next(_numbers)}.py"
        file.write_text(text)
        exec(compile(text, str(file), "exec"), space)
        return space

    return execute


def launched(kernel: object, **options: Any) -> float:
    x = np.ones(8, np.float32)
    cutile.launch(1, kernel, (x,), **options)
    return float(x[0])


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("before", "read", "after", "results", "name"),
    [
        ("SCALE = 2", "SCALE", "SCALE = 3", (2, 3), "SCALE"),
        ("SIZES = (2, 3)", "SIZES[1]", "SIZES = (2, 4)", (3, 4), "SIZES[1]"),
        ("SIZES = [2]", "ct.static_eval(SIZES[0])", "SIZES[0] = 3", (2, 3), "SIZES[0]"),
        ("class C:\n  BY = 2", "C.BY", "C.BY = 3", (2, 3), "C.BY"),
        ("", "settings.BY", "settings.BY = 3", (1, 3), "settings.BY"),
        (HELPERS, "helper(1)", "def helper(x): return x", (3, 1), "helper"),
        (HELPERS, "helper(1)", "def inner(x): return x", (3, 2), "inner"),
        (HELPERS, "helper(1)", "settings.BY = 3", (3, None), None),
        ("SCALE = 2", "SCALE", "SCALE = 4 // 2", (2, None), None),
        (HELPERS, "helper(1)", HELPERS, (3, None), None),
    ],
)
def test_changed(
    cell: Cell, before: str, read: str, after: str, results: tuple[float, float | None], name: str
):
    kernel = cell(HEAD + before + KERNEL.format(read))["k"]
    first, second = results
    assert launched(kernel) == first
    cell(after)
    if second is None:
        assert launched(kernel) == first
        return
    for _ in range(2):
        with pytest.raises(tileir.CompileError) as raised:
            launched(kernel)
        assert raised.value.message.startswith(f"'{name}', which ")
        assert raised.value.line is not None
    assert launched(kernel, on_change="recompile") == second
    # From then on the new value is the one that counts.
    assert launched(kernel) == second


def test_other_signatures_are_of_the_same_values(cell: Cell):
    """All specializations of a kernel are of one set of values."""
    space = cell(HEAD + "SCALE = 2" + KERNEL.format("SCALE"))
    assert launched(space["k"]) == 2
    space["SCALE"] = 3
    wide = np.ones(8)
    with pytest.raises(tileir.CompileError, match="'SCALE', which k reads"):
        cutile.launch(1, space["k"], (wide,))
    with pytest.raises(tileir.CompileError, match="'SCALE', which k reads"):
        cutile.load(space["k"], (wide,))
    cutile.compile(space["k"], (wide,), on_change="recompile")
    assert launched(space["k"]) == 3


def test_another_kernel_with_the_same_helper(cell: Cell):
    """cuTile keeps helpers by function; a kernel that is new is made of what there is now."""
    space = cell(HEAD + "SCALE = 2\ndef helper(x): return x * SCALE\n" + KERNEL.format("helper(1)"))
    assert launched(space["k"]) == 2
    space["SCALE"] = 3
    other = cell(KERNEL.format("helper(1)"))["k"]
    assert launched(other) == 3


def test_mended_after_an_error(cell: Cell):
    """A helper that was wrong is not kept: it may be written anew before the first launch."""
    kernel = cell(HEAD + "def helper(x): return ct.load(x)\n" + KERNEL.format("helper(1)"))["k"]
    with pytest.raises(tileir.CompileError):
        launched(kernel)
    cell("def helper(x): return 5 * x\n")
    assert launched(kernel) == 5


def test_factories(cell: Cell):
    """Kernels of one code with other variables are apart."""
    space = cell(
        HEAD
        + """
def factory(by):
    def change(value):
        nonlocal by
        by = value
    @ct.kernel
    def k(x):
        ct.store(x, (0,), ct.load(x, (0,), (8,)) * by)
    return k, change
"""
    )
    (two, change), (three, _) = space["factory"](2), space["factory"](3)
    assert (launched(two), launched(three)) == (2, 3)
    change(4)
    with pytest.raises(tileir.CompileError, match="'by', which k reads, has changed from 2 to 4"):
        launched(two)
    assert (launched(two, on_change="recompile"), launched(three)) == (4, 3)


def test_unknown_choice(cell: Cell):
    kernel = cell(HEAD + KERNEL.format("2"))["k"]
    with pytest.raises(tileir.CompileError, match="on_change: error: expected 'raise' or 'recomp"):
        launched(kernel, on_change="ignore")
