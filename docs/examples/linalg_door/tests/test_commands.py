"""What a user types, in processes of their own."""

import shutil
import subprocess
import sys
from pathlib import Path

from programs import SOFTMAX


def run(*command: str) -> str:
    """What a command of this environment prints."""
    program = shutil.which(command[0], path=str(Path(sys.executable).parent))
    assert program is not None
    done = subprocess.run(
        [program, *command[1:]], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_xdsl_opt(tmp_path: Path):
    """`xdsl-opt` finds the pass by its entry point, and goes on to PTX."""
    (file := tmp_path / "softmax.mlir").write_text(SOFTMAX, "utf-8")
    passes = "convert-linalg-to-cuda-tile,tileir-pipeline{gpu=sm_90a}"
    assert ".visible .entry softmax(" in run("xdsl-opt", str(file), "-p", passes, "-t", "ptx")
