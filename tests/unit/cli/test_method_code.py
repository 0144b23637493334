"""Generated methods are those that Python makes, whatever the file with their code holds."""

import dataclasses
import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli import method_code
from tileir_xdsl.cli.method_code import MOST_ENTRIES, default_path, kept_method_code


@pytest.fixture(autouse=True)
def _byte_code_is_written(  # pyright: ignore[reportUnusedFunction]
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(method_code, "dont_write_bytecode", False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where code is kept; nothing is there yet, not even the folder."""
    return tmp_path / "__pycache__" / "code"


def point(path: Path | None) -> type:
    """A dataclass made with the code in a file."""
    with kept_method_code(path):

        @dataclasses.dataclass(frozen=True, order=True)
        class Point:
            x: int
            y: int = 2

    return Point


def behaves(made: type) -> None:
    """Holds a class made by `point` against what is written there."""
    assert repr(made(1)).endswith("Point(x=1, y=2)")
    assert made(1) == made(1, 2) < made(2, 0) and hash(made(1)) == hash((1, 2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        made(1).x = 2
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        made()


def test_compiled_once(file: Path, monkeypatch: pytest.MonkeyPatch):
    behaves(point(file))
    assert os.listdir(file.parent) == [file.name]
    before = file.read_bytes()

    def compiled(*_: object, **_options: object) -> None:
        pytest.fail("compiled again")

    monkeypatch.setattr(method_code, "compile", compiled, raising=False)
    behaves(point(file))
    assert file.read_bytes() == before


def test_what_two_processes_add_is_kept(file: Path):
    with kept_method_code(file):
        point(file)
        dataclasses.make_dataclass("First", ["a"])
    first = file.read_bytes()
    with kept_method_code(file):
        dataclasses.make_dataclass("Second", ["b"])
    assert len(file.read_bytes()) > len(first)


@pytest.mark.parametrize("damage", ["", "short", "other", "cut", "changed"])
def test_damaged(damage: str, file: Path):
    point(file)
    whole = file.read_bytes()
    contents = {
        "": b"",
        "short": whole[:5],
        "other": b"abcd" + whole[4:],
        "cut": whole[:-1],
        "changed": whole[:-1] + bytes([whole[-1] ^ 1]),
    }
    file.write_bytes(contents[damage])
    behaves(point(file))
    assert file.read_bytes() == whole


def test_former_text_does_not_add_up(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(method_code, "MOST_ENTRIES", 12)
    point(file)
    with kept_method_code(file):
        dataclasses.make_dataclass("Large", [f"f{n}" for n in range(5)], order=True)
    body = file.read_bytes()[8:]
    assert 0 < len(marshal.loads(body)) < 12 < MOST_ENTRIES


@pytest.mark.parametrize("place", ["/proc/nothing/code", "/dev/null/code", None])
def test_nowhere_to_write(place: str | None):
    behaves(point(None if place is None else Path(place)))


def test_a_disk_that_fills_up(file: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(method_code.os, "replace", full)
    behaves(point(file))
    assert not os.listdir(file.parent)


def test_nothing_stays_replaced(file: Path):
    with kept_method_code(file), kept_method_code(None):
        behaves(point(None))
    assert "exec" not in vars(dataclasses)


def test_the_file_is_where_byte_code_is():
    found = default_path()
    assert found is not None and sys.implementation.cache_tag in found.name
    assert found.parent.name == "__pycache__" or found.parent == Path(str(sys.pycache_prefix))


@pytest.mark.parametrize("reason", ["told", "not writable", "no tag"])
def test_the_cache_has_it_where_byte_code_may_not_be_written(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TILEIR_CACHE", "1")
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "cache"))
    if reason == "told":
        monkeypatch.setattr(method_code, "dont_write_bytecode", True)
    elif reason == "no tag":
        monkeypatch.setattr(sys.implementation, "cache_tag", None)
    else:

        def refused(*_: object) -> bool:
            return False

        monkeypatch.setattr(method_code.os, "access", refused)
    found = default_path()
    assert found is not None and found.parent == tmp_path / "cache"
    behaves(point(found))
    assert found.exists()
    # A folder that others may write to could hold code of theirs.
    found.parent.chmod(0o777)
    assert default_path() is None
    monkeypatch.setenv("TILEIR_CACHE", "0")
    assert default_path() is None


def test_the_command_keeps_code_for_the_next(tmp_path: Path):
    kernel = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
    program = "import sys; from tileir_xdsl.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-X", f"pycache_prefix={tmp_path}", "-c", program, "compile", kernel]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def compiled() -> bytes:
        return subprocess.run(command, check=True, capture_output=True, env=environment).stdout

    first = compiled()
    (file,) = tmp_path.rglob("*.generated")
    before = file.stat().st_mtime_ns
    assert compiled() == first and file.stat().st_mtime_ns == before
