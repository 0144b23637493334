"""What a compilation depends on makes another key; what it does not leaves the key alone."""

import os
from pathlib import Path

import pytest

from tileir_xdsl.levels import LEVELS
from tileir_xdsl.options import Options
from tileir_xdsl.runtime import ptxas
from tileir_xdsl.runtime.cache import keys
from tileir_xdsl.runtime.cache.keys import LIMIT, PLACE, SWITCH, compile_key, opened, store
from tileir_xdsl.runtime.outputs import LEVEL_NAMES

USUAL = (b"contents", "file", "sm_90a", "ptx", Options())


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch):
    for facts in (keys._sources, keys.ptxas_facts):  # pyright: ignore[reportPrivateUsage]
        facts.cache_clear()
    yield
    monkeypatch.undo()
    for facts in (keys._sources, keys.ptxas_facts):  # pyright: ignore[reportPrivateUsage]
        facts.cache_clear()


@pytest.mark.parametrize(
    ("position", "other"),
    [
        (0, b"other contents"),
        (1, "other"),
        (2, "sm_80"),
        (2, None),
        (3, "cubin"),
        (4, Options(warps=8)),
        (4, Options(lineinfo=True)),
        (4, Options(opt_level=1)),
    ],
)
def test_every_argument_counts(position: int, other: object):
    changed = list(USUAL)
    changed[position] = other  # pyright: ignore
    assert compile_key(*changed) != compile_key(*USUAL)  # pyright: ignore
    assert compile_key(*USUAL) == compile_key(*USUAL)
    assert compile_key(*USUAL, "purpose") != compile_key(*USUAL)


def test_variables_of_this_package_count(monkeypatch: pytest.MonkeyPatch):
    before = compile_key(*USUAL)
    monkeypatch.setenv("TILEIR_SOMETHING", "1")
    assert compile_key(*USUAL) != before
    monkeypatch.delenv("TILEIR_SOMETHING")
    for name in (SWITCH, PLACE, LIMIT, "UNRELATED"):
        monkeypatch.setenv(name, "7")
    assert compile_key(*USUAL) == before


def test_the_compiler_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before = compile_key(*USUAL)
    (tmp_path / "room").mkdir()
    source = tmp_path / "room" / "a.py"
    source.write_text("pass\n")
    (tmp_path / "notes.txt").write_text("no code")
    monkeypatch.setattr(keys, "_PACKAGE", tmp_path)
    keys._sources.cache_clear()  # pyright: ignore[reportPrivateUsage]
    other = compile_key(*USUAL)
    assert other != before
    os.utime(source, (1, 1))
    keys._sources.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert compile_key(*USUAL) != other


def test_ptxas_counts_for_machine_code_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    ptx, cubin = compile_key(*USUAL), compile_key(*USUAL[:3], "cubin", Options())
    other = tmp_path / "ptxas"
    other.touch()
    monkeypatch.setattr(ptxas, "ptxas_path", lambda: other)
    keys.ptxas_facts.cache_clear()
    assert compile_key(*USUAL) == ptx
    assert compile_key(*USUAL[:3], "cubin", Options()) != cubin


def test_a_process_older_than_the_compiler_s_files_has_no_cache(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(SWITCH)
    assert store() is not None
    monkeypatch.setattr(keys, "_LOADED", 0.0)
    assert store() is None


def test_the_environment_says_where_and_how_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(PLACE, str(tmp_path / "here"))
    monkeypatch.setenv(LIMIT, "3")
    assert opened().folder == tmp_path / "here" and opened().limit == 3 << 20
    monkeypatch.setenv(LIMIT, "much")
    assert opened().limit == keys.DEFAULT_LIMIT_MIB << 20
    monkeypatch.delenv(PLACE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "users"))
    assert tmp_path / "users" in opened().folder.parents
    monkeypatch.setenv(SWITCH, "0")
    assert store() is None


def test_a_missing_home_is_no_error(monkeypatch: pytest.MonkeyPatch):
    for name in ("HOME", "XDG_CACHE_HOME", PLACE):
        monkeypatch.delenv(name, raising=False)
    assert opened().folder.name == "tileir_xdsl"


def test_the_levels_have_the_names_of_the_outputs():
    assert tuple(level.name for level in LEVELS) == LEVEL_NAMES
