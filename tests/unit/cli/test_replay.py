"""The command line that `tileir compile -v` shows prints the same text again, for every input."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.xdsl_opt_main import xDSLOptMain

from tests.unit.road.ladder_kernels import matmul
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.testing.kernels import KERNELS, generate
from tileir_xdsl.transforms.pipeline_progress import PROGRESS_ATTRIBUTE

TEXT = (REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir").read_bytes()
ENTRY = (REPOSITORY / "tests" / "filecheck" / "cli" / "kernel.mlir").read_bytes()


@dataclass(frozen=True)
class Case:
    """What is compiled, how, and which command replays it."""

    contents: bytes
    options: tuple[str, ...]
    command: str


def cases() -> dict[str, Case]:
    wide = matmul(256, 256, 32, "f16", "f16").text.encode()
    binary = generate.bytecode(KERNELS["vector_add"], "13.3")
    return {
        "text": Case(TEXT, (), "xdsl-opt"),
        "a level": Case(TEXT, ("--emit", "nv_tileas"), "xdsl-opt"),
        "options": Case(TEXT, ("--warps", "8", "--strategy", "unspecialize"), "xdsl-opt"),
        "an ABI": Case(TEXT, ("--abi", "tile", "--gpu", "sm_100a"), "xdsl-opt"),
        "lines": Case(TEXT, ("--lineinfo",), "tileir"),
        "bare entry": Case(ENTRY, (), "tileir"),
        "bare entry with lines": Case(ENTRY, ("--lineinfo", "--gpu", "sm_80"), "tileir"),
        "bytecode": Case(binary, ("--gpu", "sm_80"), "tileir"),
        "bytecode with lines": Case(binary, ("--lineinfo",), "tileir"),
        # Compiled again with fewer stages, as it exceeds shared memory.
        "other choices": Case(wide, ("--gpu", "sm_120a"), "xdsl-opt"),
    }


@pytest.mark.parametrize("name", cases())
def test_the_replay_prints_the_same(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    case = cases()[name]
    file = tmp_path / "it's a kernel.mlir"
    file.write_bytes(case.contents)
    assert main(["compile", str(file), *case.options, "-v"]) == 0
    printed, log = capsys.readouterr()
    (line,) = (line for line in log.splitlines() if line.startswith(("xdsl-opt ", "tileir opt ")))
    command, *words = shlex.split(line)
    assert command == case.command
    if command == "tileir":
        assert main(words) == 0
    else:
        xDSLOptMain(args=words).run()
    # Passes by themselves do not write how far they have come; xdsl-opt ends IR with an empty line.
    printed = re.sub(rf', {PROGRESS_ATTRIBUTE} = "[^"]*"', "", printed)
    assert capsys.readouterr().out.rstrip("\n") == printed.rstrip("\n")
