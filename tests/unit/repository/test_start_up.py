"""`xdsl-opt` on files without our dialects, and `tileir --help`, import next to nothing.

What `tileir compile` of a vector addition may import is listed in `vector_add_imports.txt`;
`python -m tests.unit.repository.test_start_up` writes that list anew.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.backend.ptx.tables import TABLES
from tileir_xdsl.backend.ptx.tables import load as load_table
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation
from tileir_xdsl.passes import PASSES
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm.families import FAMILIES, load
from tileir_xdsl.transforms.function_pass import FunctionPass

SCRIPT = """
import contextlib, importlib, io, json, sys
module, arguments = sys.argv[1], sys.argv[2:]
sys.argv = ["command", *arguments]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    importlib.import_module(module).main()
print(json.dumps(sorted(sys.modules)))
"""

VECTOR_ADD = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")

LIST = Path(__file__).with_name("vector_add_imports.txt")

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
    listed = ("", ".on_use", ".passes", ".universe", ".xdsl_versions")
    assert ours(modules) - arith == {f"tileir_xdsl{name}" for name in listed}
    assert "numpy" not in modules


@pytest.mark.parametrize("name", PASSES)
def test_the_table_names_passes_and_ops(name: str):
    entry, context = PASSES[name], tools.context()
    loaded = entry.load()
    assert loaded.name == name
    assert issubclass(loaded, FunctionPass) == (entry.op_names is not None)
    assert all(context.get_optional_op(op) for op in entry.op_names or ())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_says_what_families_convert(family: str):
    assert {op.name for op in load(family)} == set(FAMILIES[family])


@pytest.mark.parametrize("module, table", TABLES.items())
def test_the_tables_have_the_rules_of_modules(module: str, table: str):
    operations = {op for op in NVVM.operations if op.__module__.endswith(f".{module}")}
    several = {op for op in operations if issubclass(op, NVVMOperation) and not op.PTX}
    assert several and several <= load_table(table).keys()


def test_tileir_help():
    modules = imported_modules("tileir_xdsl.cli.main", "--help")
    assert ours(modules) == {
        "tileir_xdsl",
        "tileir_xdsl.blas_threads",
        "tileir_xdsl.cli",
        "tileir_xdsl.cli.main",
        "tileir_xdsl.cli.streams",
        "tileir_xdsl.nesting",
        "tileir_xdsl.on_use",
        "tileir_xdsl.runtime",
        "tileir_xdsl.runtime.collecting",
        "tileir_xdsl.shared_numbers",
    }
    assert not {"numpy", "xdsl"} & modules


def test_compiling_loads_nothing_that_runs_kernels():
    file = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
    options = ["-p", "tileir-pipeline", "-t", "ptx"]
    modules = imported_modules("xdsl.tools.xdsl_opt", file, *options)
    runs = ("tileir_xdsl.interpreters", "tileir_xdsl.emulator", "xdsl.interpreters")
    assert not [name for name in modules if name.startswith(runs)]


LONGEST_COLLECTION = 50_000
"""Objects, a small part of what a compile makes."""

COLLECTING = f"""
import gc, sys
from tileir_xdsl.cli.compile_server.client import tileir
def collecting(phase, info):
    if phase == "start":
        count = len(gc.get_objects(generation=info["generation"]))
        if count > {LONGEST_COLLECTION}:
            print(f"collects {{count}} objects")
gc.callbacks.append(collecting)
status = tileir()
print(f"keeps {{gc.get_freeze_count()}} objects")
sys.exit(status)
"""


def test_a_command_does_not_look_for_garbage_when_it_has_ended():
    done = subprocess.run(
        [sys.executable, "-c", COLLECTING, "compile", VECTOR_ADD, "-o", os.devnull],
        env=os.environ | {"TILEIR_SERVER": "0", "TILEIR_CACHE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = done.stdout.splitlines()
    # Were it fewer, no collection would be long.
    assert int(line.split()[1]) > 2 * LONGEST_COLLECTION


def imported_by_a_compile() -> set[str]:
    """Our modules, and the packages of others, that `tileir compile` of a vector addition has."""
    modules = imported_modules("tileir_xdsl.cli.main", "compile", VECTOR_ADD)
    packages = {name.partition(".")[0] for name in modules - ours(modules)}
    others = packages - sys.stdlib_module_names
    return ours(modules) | {name for name in others if not name.startswith("_")}


def test_compiling_a_vector_addition_imports_no_more_than_is_listed():
    added = imported_by_a_compile() - set(LIST.read_text().split())
    assert not added, (
        "import these where they are needed, or, if every kernel needs them, "
        "run python -m tests.unit.repository.test_start_up"
    )


def test_the_command_line_compiles_without_numpy_and_reports():
    runs = ("tileir_xdsl.interpreters", "tileir_xdsl.emulator", "numpy", "ml_dtypes")
    apart = (*runs, "tileir_xdsl.report")
    assert not [name for name in LIST.read_text().split() if name.startswith(apart)]


if __name__ == "__main__":
    LIST.write_text("".join(f"{name}\n" for name in sorted(imported_by_a_compile())))
