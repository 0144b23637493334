"""Files that commands write: whole or not at all, with what they had before kept."""

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.cli.tileir_as.main import main as as_main
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import write_file

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
MATMUL = str(
    REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "divisible" / "matmul_f16_warpgroup.mlir"
)
ARGUMENTS = [f"--arg={fill}:f32:100" for fill in ("random", "random", "zeros")]


def commands(folder: Path) -> dict[str, list[str]]:
    """Every command that writes a file, but for its name."""
    bytecode, ptx = str(folder / "in.bc"), str(folder / "in.ptx")
    assert main(["asm", KERNEL, "-o", bytecode]) == 0
    assert main(["compile", KERNEL, "-o", ptx]) == 0
    sizes = [text for fill in ARGUMENTS for text in (fill, "--arg=100", "--arg=1")]
    return {
        "compile": ["compile", KERNEL, "-o"],
        "asm": ["asm", KERNEL, "-o"],
        "fmt": ["fmt", KERNEL, "-o"],
        "disasm": ["disasm", bytecode, "-o"],
        "run": ["run", KERNEL, "--level=cuda_tile", *ARGUMENTS, "--save"],
        "emulate": ["emulate", ptx, *sizes, "--save"],
    }


@pytest.mark.parametrize("command", ["compile", "asm", "fmt", "disasm", "run", "emulate"])
def test_a_full_disk_keeps_the_file(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    arguments = commands(tmp_path)[command]
    folder = tmp_path / "disk"
    folder.mkdir()
    output = folder / "out.npy"
    output.write_bytes(b"before")
    real = os.fdopen

    class Full:
        """A file on a disk that has room for ten bytes."""

        def __init__(self, handle: int, _mode: str):
            self.stream = real(handle, "wb")

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None:
            self.stream.close()

        def write(self, data: bytes) -> int:
            self.stream.write(data[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fdopen", Full)
    line = error_line(capsys, *arguments, str(output))
    assert line == f"{output}: error: No space left on device"
    assert output.read_bytes() == b"before"
    assert list(folder.iterdir()) == [output]


def test_an_interrupt_keeps_the_file(tmp_path: Path):
    output = tmp_path / "out"
    output.write_bytes(b"before")

    def interrupted(_stream: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_file(str(output), interrupted)
    assert output.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [output]


def test_permissions_and_links_stay(tmp_path: Path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"before")
    target.chmod(0o754)
    link.symlink_to(target)
    write_output(str(link), "after")
    assert link.is_symlink() and target.read_text() == "after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o754


def test_a_new_file_has_the_permissions_of_the_process(tmp_path: Path):
    before = os.umask(0o027)
    try:
        write_output(str(tmp_path / "new"), b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_devices_are_written_in_place(tmp_path: Path):
    before = os.stat(os.devnull)
    write_output(os.devnull, "nothing")
    assert os.stat(os.devnull).st_ino == before.st_ino
    with pytest.raises(InputError, match=r"^/dev/full: error: No space left on device$"):
        write_output("/dev/full", "too much")


def test_a_name_that_utf8_has_not(tmp_path: Path):
    """A text that holds part of a file name that is not UTF-8."""
    output = tmp_path / "out"
    output.write_text("before")
    with pytest.raises(InputError, match="surrogates not allowed"):
        write_output(str(output), "\udcff")
    assert output.read_text() == "before"


@pytest.mark.parametrize(
    "words",
    [
        ["compile", KERNEL],
        ["compile", KERNEL, "--emit", "nv_tileas"],
        ["asm", KERNEL],
        ["fmt", KERNEL],
        ["sample"],
        ["sample", "saxpy"],
    ],
)
def test_a_dash_is_the_standard_output(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 0
    expected = capfdbinary.readouterr()
    assert expected.out and main([*words, "-o", "-"]) == 0
    assert capfdbinary.readouterr() == expected
    # What the cache writes again.
    assert main([*words, "-o", "-"]) == 0
    assert capfdbinary.readouterr() == expected
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("one_process")
def test_a_dash_of_the_other_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
):
    monkeypatch.chdir(tmp_path)
    assert main(["explain", KERNEL, "-o", "-"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["schema"] == "tileir-report"
    assert main(["explain", MATMUL, "--perfetto", "-"]) == 0
    assert "traceEvents" in json.loads(capsysbinary.readouterr().out)
    sizes = ["--warps", "4", "--stages", "2", "--ctas", "1", "--jobs", "1", "--device", "emulator"]
    arrays = [
        w for name in "abc" for w in ("--arg", f"{name}:zeros:f32:64", "--arg", "64", "--arg", "1")
    ]
    assert main(["tune", KERNEL, *sizes, *arrays, "-o", "-"]) == 0
    # The options of the best, of which none is needed where the default is.
    options = json.loads(capsysbinary.readouterr().out.splitlines()[-1])
    assert options.keys() <= {"num_warps", "stages"}
    assert main(["asm", KERNEL, "-o", "k.tilebc"]) == 0
    assert as_main(["k.tilebc", "--gpu-name", "sm_90a", "-o", "-"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["k.tilebc"]
