"""Files are written whole or left as they were, and nothing of others is overwritten on the way."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from tileir_xdsl.runtime.whole_files import replace_file


def write_new(stream: BinaryIO) -> None:
    stream.write(b"a\n" * 3)


def write_half(stream: BinaryIO) -> None:
    stream.write(b"half")
    raise OSError("no space left")


@pytest.mark.parametrize("mode", [None, 0o600, 0o755])
def test_a_file_is_replaced(mode: int | None, tmp_path: Path):
    file, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(file)
    if mode is not None:
        file.write_bytes(b"old")
        file.chmod(mode)
    replace_file(str(link), write_new)
    assert file.read_bytes() == b"a\n" * 3 and link.is_symlink()
    assert mode is None or stat.S_IMODE(file.stat().st_mode) == mode
    assert set(tmp_path.iterdir()) == {file, link}


def test_a_file_that_cannot_be_written_stays(tmp_path: Path):
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with pytest.raises(OSError, match="no space left"):
        replace_file(str(file), write_half)
    assert file.read_bytes() == b"old" and list(tmp_path.iterdir()) == [file]


def test_a_file_of_another_process_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Also one with the name of the file that is being filled."""
    monkeypatch.setattr(os, "urandom", bytes)
    beside = tmp_path / f".tileir-{bytes(8).hex()}"
    beside.write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        replace_file(str(tmp_path / "file"), write_new)
    assert beside.read_bytes() == b"theirs" and list(tmp_path.iterdir()) == [beside]


def test_a_device_has_no_contents_to_keep():
    replace_file(os.devnull, write_new)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
