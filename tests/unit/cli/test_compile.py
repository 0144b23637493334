"""`tileir compile`: what it writes, the options of the command line and of files, `--version`."""

import json
import os
from pathlib import Path

import pytest

import tileir_xdsl as tileir
from tests.unit.cli.test_bad_input import error_line
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime import ptxas
from tileir_xdsl.testing.kernels import KERNELS

ADD = str(KERNELS["vector_add"].text_path)


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["compile", ADD, *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa", "nv_tileas", "llvm", "ptx"])
def test_emit(level: str, capsys: pytest.CaptureFixture[str]):
    expected = tileir.compile(Path(ADD), "sm_80", emit=level).text
    assert output(capsys, "--gpu", "sm_80", "--emit", level) == expected


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.ptx", b"\n.version"),
        ("a.cubin", b"\x7fELF"),
        ("a.mlir", b"builtin.module"),
        ("a", b"\n.v"),
    ],
)
def test_the_suffix_of_the_output(name: str, start: bytes, tmp_path: Path):
    file = tmp_path / name
    assert main(["compile", ADD, "-o", str(file)]) == 0
    assert file.read_bytes().lstrip(b"\n").startswith(start.lstrip(b"\n"))
    assert main(["compile", ADD, "-o", str(file), "--emit", "cuda_tile"]) == 0
    assert b"load_view_tko" in file.read_bytes()


def test_options(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert ".reqntid 256, 1, 1" in output(capsys, "--warps", "8")
    file = tmp_path / "options.json"
    file.write_text(json.dumps({"warps": 8, "lineinfo": True}))
    text = output(capsys, "--options", str(file))
    assert ".reqntid 256, 1, 1" in text and ".loc" in text
    # The command line comes on top.
    assert ".reqntid 64, 1, 1" in output(capsys, "--options", str(file), "--warps", "2")
    aa = output(capsys, "--occupancy=2", "--ctas=1", "--emit=nv_tileaa", "-O1")
    assert "occupancy = 2" in aa
    assert ".blocksareclusters" in output(capsys, "--abi", "tile")


@pytest.mark.usefixtures("one_process")
def test_what_tuning_finds_is_applied(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    best = tmp_path / "best.json"
    arguments = ["--arg", "random:f32:1000", "--arg", "random:f32:1000", "--arg", "zeros:f32:1000"]
    tried = ["--warps", "2", "--stages", "2", "--ctas", "1", "--jobs", "1", "--device", "emulator"]
    tuned = ["tune", ADD, "--gpu", "sm_80", *arguments, *tried, "-o", str(best)]
    assert main(tuned) == 0
    options = json.loads(best.read_text())
    assert options == {"warps": 2, "stages": 2, "ctas": 1, "strategy": "unspecialize"}
    assert ".reqntid 64, 1, 1" in output(capsys, "--gpu", "sm_80", "--options", str(best))
    assert main(["run", ADD, "--options", str(best), "--gpu", "sm_80", *arguments]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--warps", "3"], "warps=3: error: expected a power of two"),
        (["--warps", "64"], "warps=64: error: a thread block has at most 32 warps"),
        (["-O4"], "opt_level=4: error: expected a number from 0 to 3"),
        (["-O0", "--stages=3"], "stages=3: error: there are no pipelines at opt_level=0"),
        (["--strategy=none"], "strategy=none: error: expected unspecialize or warp-specialize"),
        (["--ctas=2"], "ctas=2: error: kernel 'vector_add' cannot be divided among CTAs"),
        (["--gpu=sm_80", "--ctas=2"], "ctas=2: error: a cluster of sm_80 has at most 1 thread"),
        (["--abi=tiles"], "abi=tiles: error: unknown ABI 'tiles', expected 'native' or 'tile'"),
        (
            ["--emit=sass"],
            "--emit sass: error: expected cuda_tile, nv_tileaa, nv_tileas, llvm, ptx, cubin or a pass",
        ),
        (["--options=nowhere.json"], "nowhere.json: error: No such file or directory"),
        (["--wraps=4"], "error: unrecognized arguments: --wraps=4"),
    ],
)
def test_wrong_options(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert message in error_line(capsys, "compile", ADD, *arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"wraps": 4}', "options.json:1:11: error: wraps=4: unknown option, expected opt_level, "),
        ('{"warps": "8"}', "options.json:1:11: error: warps=8: expected a power of two"),
        (
            '{\n  "stages": 2,\n  "warps" : 64\n}',
            "options.json:3:13: error: warps=64: a thread block has at most 32 warps",
        ),
        (
            '{"opt_level": 0, "stages": [3]}',
            "options.json:1:28: error: stages=[3]: expected a number from 1 on",
        ),
        ("[8]", "options.json:1:1: error: expected a JSON object of options"),
        ("{", "options.json:1:2: error: Expecting property name"),
        ("\udcff", "options.json: error: the file is not UTF-8 text"),
    ],
)
def test_wrong_files_of_options(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "options.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    assert message in error_line(capsys, "compile", ADD, "--options", str(file))


def test_the_command_line_is_not_blamed_on_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "options.json"
    file.write_text('{"warps": 3}')
    line = error_line(capsys, "compile", ADD, "--options", str(file), "--warps", "64")
    assert line == "warps=64: error: a thread block has at most 32 warps"


def test_a_strategy_that_cannot_be_had(capsys: pytest.CaptureFixture[str]):
    """A kernel without pipelines has no loads for a warp of their own."""
    capsys.readouterr()
    words = ["compile", ADD, "--strategy", "warp-specialize", "-o", os.devnull]
    assert main(words) == 0
    assert capsys.readouterr().err == (
        f"{ADD}:2:3: remark: kernel 'vector_add' is not warp-specialized: no load goes through a "
        "pipeline\n"
    )
    assert main(["compile", ADD, "--strategy", "unspecialize", "-o", os.devnull]) == 0
    assert capsys.readouterr().err == ""


def test_ptxas_that_is_missing_or_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    out = tmp_path / "a.cubin"
    out.write_text("before")
    broken = tmp_path / "ptxas"
    broken.write_text("#!/bin/sh\necho 'ptxas fatal: no way' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(ptxas, "ptxas_path", lambda: broken)
    line = error_line(capsys, "compile", ADD, "-o", str(out))
    assert line == f"{ADD}: error: ptxas fatal: no way"
    monkeypatch.undo()
    monkeypatch.setattr(ptxas.importlib.util, "find_spec", dict[str, None]().get)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    assert ": error: ptxas not found: install " in error_line(
        capsys, "compile", ADD, "-o", str(out)
    )
    # What was there before is not half overwritten.
    assert out.read_text() == "before"


def test_version(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code in (0, None)
    assert capsys.readouterr().out.startswith("tileir 0.")


def test_remarks_and_the_log(capsys: pytest.CaptureFixture[str]):
    capsys.readouterr()
    assert main(["compile", ADD, "-v", "--emit", "cubin", "-o", "/dev/null", "--warps", "8"]) == 0
    log = capsys.readouterr().err
    assert "convert-cuda-tile-to-tileaa{" in log and "num-warps=8" in log
    assert f"xdsl-opt {ADD} -p '" in log and "cubin" in log
    assert main(["compile", ADD, "-v", "--emit", "nv_tileaa"]) == 0
    assert " -t " not in capsys.readouterr().err.splitlines()[-1]
