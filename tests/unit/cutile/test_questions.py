"""`cutile.explain`, `check` and `tune`: answers that show themselves."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import tileir_xdsl as tileir
from tests.unit.cutile.test_launching import add, below, by_element, mean, plain, vectors
from tileir_xdsl import cutile


def html_of(answer: cutile.Explained | cutile.Checked | cutile.Tuned) -> str:
    """The text that a notebook shows."""
    return answer._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_explain(tmp_path: Path):
    """The page of the command, with the lines of this file."""
    explained = cutile.explain(add, (*vectors(), 128), "sm_90a")
    assert "tileir.Compiled" in repr(explained) and ":add" in repr(explained)
    assert html_of(explained).startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "ct.load(a, (i,), (tile,)) + ct.load(b" in explained.page
    explained.write(str(tmp_path / "k.html"))
    assert (tmp_path / "k.html").read_text() == explained.page


def test_explain_for_a_processor():
    explained = cutile.explain(add, (*vectors(), 128), "cpu")
    assert explained.report.llvm_ir is not None and ": asm for cpu-" in repr(explained)
    with pytest.raises(tileir.CompileError, match="unknown target 'cpu-486', expected one of cpu,"):
        cutile.explain(add, (*vectors(), 128), "cpu-486")


def test_explain_what_is_forced():
    name = "tileas-assign-load-store-layouts"
    explained = cutile.explain(add, (*vectors(), 128), "sm_90a")
    (phase,) = (phase for phase in explained.report.phases if phase.pass_name == name)
    other = next(
        candidate.force
        for decision in phase.decisions
        for candidate in decision.candidates
        if candidate.force and candidate.name not in (decision.chosen, None)
    )
    forced = cutile.explain(add, (*vectors(), 128), "sm_90a", force=[other])
    assert forced.compiled.text != explained.compiled.text
    with pytest.raises(tileir.CompileError, match="--force nothing"):
        cutile.explain(add, (*vectors(), 128), "sm_90a", force=["nothing"])


def test_check():
    """Every level, on copies of the arrays."""
    a, b, c = vectors()
    checked = cutile.check(8, add, (a, b, c, 128))
    assert checked.is_right and not c.any()
    assert [level.level for level in checked.levels] == [
        *("cuda_tile", "nv_tileaa", "nv_tileas", "ptx", "cpu")
    ]
    assert "on 8x1x1 blocks\nlevel" in repr(checked)
    assert "<pre>add(" in html_of(checked) and "nv_tileas" in html_of(checked)


def test_check_finds_races():
    """Both blocks write the same elements; `races` is what finds that."""
    x = np.zeros(64, np.float32)
    checked = cutile.check(2, plain, (x, 64))
    assert not checked.is_right and "races" in repr(checked)
    last = next(level for level in checked.levels if level.level == "ptx")
    assert all(" of argument x" in str(line) for line in (last.race, last.note, last.depends))
    assert cutile.check(2, plain, (x, 64), races=False).levels[0].race is None


def test_check_finds_undefined_behaviour():
    """At the line of the load; a tile outside and an output that is not whole are remarks."""
    checked = cutile.check(1, mean, (*below(100), 128), races=False)
    assert not checked.is_right
    assert [len(level.undefined) for level in checked.levels] == [1, 0, 0, 0]
    assert "no padding value" in repr(checked)
    assert cutile.check(1, mean, (*below(128), 128)).is_right

    a, c = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    checked = cutile.check(8, by_element, (a, c, 128))
    first = checked.levels[0]
    assert checked.is_right and len(first.remarks) == 3
    assert "argument c is never read, and 128 of its 1000 elements are written" in first.remarks[2]


def test_tune():
    a, b, c = vectors()
    with ThreadPoolExecutor(1) as executor:
        tuned = cutile.tune(
            8, add, (a, b, c, 128), "sm_80", warps=(4, 8), stages=(2,), executor=executor
        )
    assert len(tuned.measured) == 3 and tuned.best is not None and not c.any()
    assert repr(tuned).splitlines()[-1] in html_of(tuned)
    assert tuned.constants == {}


def test_tune_options():
    """What is not tried is as `options` say: one configuration with them is one variant."""
    asked = tileir.Options(warps=2)
    with ThreadPoolExecutor(1) as executor:
        tuned = cutile.tune(
            8,
            add,
            (*vectors(), 128),
            "sm_80",
            options=asked,
            search_space=[128],
            executor=executor,
        )
    (one,) = tuned.measured
    assert one.variant == asked and one.compiled is not None
    assert one.compiled.kernel().block == (64, 1, 1)


def test_tune_constants(tmp_path: Path):
    """As cuTile's own search: grid and arguments are functions of a configuration."""
    a, b, c = vectors()
    with ThreadPoolExecutor(1) as executor:
        tuned = cutile.tune(
            lambda tile: (-(-1000 // tile),),
            add,
            lambda tile: (a, b, c, tile),
            "sm_80",
            search_space=[64, 1024, 7],
            executor=executor,
        )
    assert tuned.constants == {"tile": 64} and not c.any()
    assert "arguments: --constant tile=64 --grid 16,1,1" in tuned.lines
    assert "not a power of two" in tuned.measured[-1].problem
    tuned.write(str(tmp_path / "best.json"))
    text = (tmp_path / "best.json").read_text()
    assert json.loads(text) == {"constants": {"tile": 64}, "grid": [16, 1, 1]}


def test_refused_searches():
    arrays = vectors()
    with pytest.raises(tileir.CompileError, match="expected at least one configuration"):
        cutile.tune(1, add, (*arrays, 64), search_space=[])
    with pytest.raises(tileir.CompileError, match="expected search_space"):
        cutile.tune(1, add, lambda tile: (*arrays, tile))


def test_refused():
    with pytest.raises(tileir.CompileError, match="expected a function decorated by"):
        cutile.check(1, len, ())
    with pytest.raises(tileir.CompileError, match="takes 4 arguments"):
        cutile.explain(add, vectors())
