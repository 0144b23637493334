"""`xdsl-opt` on files without our dialects, and `tileir --help`, import next to nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

SCRIPT = """
import contextlib, importlib, io, json, sys
module, arguments = sys.argv[1], sys.argv[2:]
sys.argv = ["command", *arguments]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    importlib.import_module(module).main()
print(json.dumps(sorted(sys.modules)))
"""

FOREIGN = """
func.func @f(%x: i32) -> i32 {
  %c = arith.constant 0 : i32
  %y = arith.addi %x, %c : i32
  func.return %y : i32
}
"""


def imported_modules(module: str, *arguments: str) -> set[str]:
    """The modules that a fresh process holds after `main` of `module` has run."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, module, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    return set(json.loads(done.stdout))


def ours(modules: set[str]) -> set[str]:
    """Those of this package."""
    return {name for name in modules if name.partition(".")[0] == "tileir_xdsl"}


@pytest.mark.parametrize("options", [["--help"], [], ["-p", "canonicalize,cse"]], ids=" ".join)
def test_xdsl_opt_without_our_dialects(options: list[str], tmp_path: Path):
    file = tmp_path / "foreign.mlir"
    file.write_text(FOREIGN)
    modules = imported_modules("xdsl.tools.xdsl_opt", str(file), *options)
    # A file with arith also gets the ops that stand in for xDSL's: one small module.
    arith = {"tileir_xdsl.dialects", "tileir_xdsl.dialects.arith"}
    assert ours(modules) - arith == {"tileir_xdsl", "tileir_xdsl.universe"}
    assert "numpy" not in modules


def test_tileir_help():
    modules = imported_modules("tileir_xdsl.cli.main", "--help")
    assert ours(modules) == {
        "tileir_xdsl",
        "tileir_xdsl.cli",
        "tileir_xdsl.cli.main",
        "tileir_xdsl.cli.streams",
    }
    assert not {"numpy", "xdsl"} & modules


def test_compiling_loads_nothing_that_runs_kernels():
    file = str(REPOSITORY / "tests" / "kernels" / "vector_add.mlir")
    options = ["-p", "tileir-pipeline", "-t", "ptx"]
    modules = imported_modules("xdsl.tools.xdsl_opt", file, *options)
    runs = ("tileir_xdsl.interpreters", "tileir_xdsl.emulator", "xdsl.interpreters")
    assert not [name for name in modules if name.startswith(runs)]


def test_the_command_line_compiles_without_numpy():
    file = str(REPOSITORY / "tests" / "kernels" / "vector_add.mlir")
    modules = imported_modules("tileir_xdsl.cli.main", "compile", file)
    runs = ("tileir_xdsl.interpreters", "tileir_xdsl.emulator", "numpy", "ml_dtypes")
    assert not [name for name in modules if name.startswith(runs)]
