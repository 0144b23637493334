"""The flags of `tileir-as`: read as `tileiras` reads them, refused with its exit status and words."""

import subprocess
from pathlib import Path

import pytest

from tileir_xdsl.cli.main import main as tileir
from tileir_xdsl.cli.tileir_as.assembly import options_of
from tileir_xdsl.cli.tileir_as.command_line import FLAGS, help_text, parse
from tileir_xdsl.cli.tileir_as.main import main
from tileir_xdsl.testing import tools

KERNEL = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %v = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %p, %v : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bytecode, whole and cut off, and what is none."""
    folder = tmp_path_factory.mktemp("bytecode")
    (folder / "k.mlir").write_text(KERNEL)
    assert tileir(["asm", str(folder / "k.mlir"), "-o", str(folder / "k.tilebc")]) == 0
    whole = (folder / "k.tilebc").read_bytes()
    (folder / "cut.tilebc").write_bytes(whole[: len(whole) // 2])
    (folder / "text.tilebc").write_text("hello\n")
    (folder / "empty.tilebc").write_bytes(b"")
    return folder


CALLS = {
    "no file": [],
    "an unknown flag": ["--frob", "k.tilebc"],
    "a missing file": ["--gpu-name", "sm_90", "missing.tilebc"],
    "two files": ["--gpu-name", "sm_90", "k.tilebc", "k.tilebc"],
    "an unknown GPU": ["--gpu-name=sm_91", "k.tilebc"],
    "no GPU": ["k.tilebc"],
    "a level out of range": ["-O4", "--gpu-name", "sm_90", "k.tilebc"],
    "a level apart from its flag": ["-O", "2", "--gpu-name", "sm_90", "k.tilebc"],
    "a flag without its value": ["k.tilebc", "--gpu-name"],
    "cut bytecode": ["--gpu-name", "sm_90", "cut.tilebc"],
    "text": ["--gpu-name", "sm_90", "text.tilebc"],
    "nothing": ["--gpu-name", "sm_90", "empty.tilebc"],
    "an output that cannot be": ["--gpu-name", "sm_90", "k.tilebc", "-o", "missing/k.cubin"],
    "an unknown sanitizer": ["--sanitize=foo", "--gpu-name", "sm_90", "k.tilebc"],
    "an unknown preview": ["--preview=foo", "--gpu-name", "sm_90", "k.tilebc"],
    "a library": ["-l", "foo", "--gpu-name", "sm_90", "k.tilebc"],
    "an unknown host": ["--host-arch=mips", "--gpu-name", "sm_90", "k.tilebc"],
    "optimized debugging": ["--device-debug", "-O3", "--gpu-name", "sm_90", "k.tilebc"],
    "controls": ["--apply-controls=foo", "--gpu-name", "sm_90", "k.tilebc"],
}

OWN_WORDS = {"no GPU", "no file", "an output that cannot be", "an unknown flag", "cut bytecode"}
"""Where `tileiras` says nothing, or less, or suggests another flag; the last line agrees."""


@pytest.mark.parametrize("call", CALLS)
def test_refusals_beside_tileiras(
    call: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(folder)
    words = CALLS[call]
    theirs = subprocess.run(
        [tools.tileiras_path(), *words], capture_output=True, text=True, check=False
    )
    status = main(words)
    output = capsys.readouterr()
    assert status == theirs.returncode
    assert output.err and not list(folder.glob("*.o"))
    if call not in OWN_WORDS:
        said = output.err.replace("tileir-as", "tileiras")
        assert said == theirs.stderr.replace(tools.tileiras_path(), "tileiras")


@pytest.mark.parametrize(
    "words",
    [
        ["-O2", "-arch=sm_90"],
        ["--opt-level=0", "--arch", "sm_90a", "-g"],
        ["-gpu-name", "sm_120", "--lineinfo", "--host-os=linux", "--host-arch", "x86_64"],
        ["--gpu-name=sm_100", "--preview=simt", "--sanitize", "memcheck"],
    ],
    ids=" ".join,
)
def test_what_is_taken(
    words: list[str],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """A cubin, and beside it its PTX under the hash of the cubin; flags without effect say so."""
    monkeypatch.chdir(tmp_path)
    assert main([*words, str(folder / "k.tilebc"), "-o", "k.cubin"]) == 0
    assert Path("k.cubin").read_bytes()[:4] == b"\x7fELF"
    (ptx,) = Path().glob("*.ptx")
    assert ".blocksareclusters" in ptx.read_text()
    said = capsys.readouterr().err
    assert ("--sanitize has no effect" in said) == ("memcheck" in words)
    assert ("line numbers only" in said) == ("-g" in words)


@pytest.mark.parametrize(
    "words", [["-O0"], ["-lineinfo"], ["-O0", "-g"], ["-O0", "--device-debug"]]
)
def test_lines_are_kept_where_a_flag_says_so(words: list[str]):
    assert options_of(parse(words)).lineinfo == (len(words) > 1 or "-lineinfo" in words)


def test_targets_without_clusters_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["--gpu-name", "sm_80", str(folder / "k.tilebc")]) == 2
    assert "needs thread block clusters (sm_90 or later)" in capsys.readouterr().err


def test_every_flag_of_tileiras_is_known():
    listed = subprocess.run(
        [tools.tileiras_path(), "--help"], capture_output=True, text=True, check=True
    ).stdout
    words = (line.split()[0].partition("=")[0] for line in listed.splitlines() if line[2:3] == "-")
    theirs = {word.lstrip("-") for word in words}
    assert theirs <= {flag.name for flag in FLAGS} and len(theirs) > 15
    assert all(f"-{name}" in help_text() for name in theirs)


def test_versions(capsys: pytest.CaptureFixture[str]):
    assert main(["--list-versions"]) == 0
    theirs = subprocess.run(
        [tools.tileiras_path(), "--list-versions"], capture_output=True, text=True, check=True
    ).stdout
    assert capsys.readouterr().out == theirs
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("tileir-as: ")


def test_aliases_and_repetition():
    flags = parse(["-arch=sm_90", "-O1", "-l", "a", "--l=b", "-o", "x", "k"])
    assert flags.values == {
        "gpu-name": ["sm_90"],
        "opt-level": ["1"],
        "l": ["a", "b"],
        "output-file": ["x"],
    }
    assert flags.file == "k"
    assert parse(["-o", "x", "--output-file=y"]).last("output-file", "") == "y"
