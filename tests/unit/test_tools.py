"""The tools of the tests themselves: each must be able to fail."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing.tools import (
    parse,
    ptxas_path,
    roundtrip,
    run_passes,
    tileiras_path,
    tileirdisasm_path,
    to_text,
)

FUNCTION = "func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}"

# xDSL prints an infinity as a hexadecimal integer, and reads that as the integer's value.
LOST_IN_PRINTING = '"test.op"() {a = dense<"0x0000807F"> : tensor<2xf32>} : () -> ()'


def test_filecheck(filecheck: Callable[[str, str], None]):
    filecheck(FUNCTION, "// CHECK: func.func @f\n// CHECK-NEXT: return")
    with pytest.raises(AssertionError, match=r"func\.func @g"):
        filecheck(FUNCTION, "// CHECK: func.func @g")
    with pytest.raises(AssertionError, match="excluded"):
        filecheck(FUNCTION, "// CHECK-NOT: func.return")
    with pytest.raises(AssertionError, match="No check strings"):
        filecheck(FUNCTION, "func.func @f")


def test_parse_verifies():
    unterminated = '"scf.execute_region"() ({ "test.op"() : () -> () }) : () -> ()'
    with pytest.raises(VerifyException):
        parse(unterminated)
    assert to_text(parse(unterminated, verify=False))
    with pytest.raises(ParseError):
        parse("func.func @")
    with pytest.raises(ParseError):
        parse('"nothing.op"() : () -> ()')
    parse('"nothing.op"() : () -> ()', allow_unregistered=True)


def test_roundtrip():
    assert "func.func @f(%x: i32)" in roundtrip(FUNCTION)
    with pytest.raises(AssertionError):
        roundtrip(LOST_IN_PRINTING)


def test_run_passes():
    unused = '%a = arith.constant 1 : i32\n"test.op"() : () -> ()'
    module = parse(unused)
    assert run_passes(module, "canonicalize,cse") is module
    assert "arith.constant" not in to_text(module)


@pytest.mark.parametrize("options", [[], ["--generic"]], ids=["custom", "generic"])
@pytest.mark.parametrize(("text", "status"), [(FUNCTION, 0), (LOST_IN_PRINTING, 1)])
def test_roundtrip_substitution(text: str, status: int, options: list[str], tmp_path: Path):
    file = tmp_path / "test.mlir"
    file.write_text(f'"test.op"() : () -> ()\n// -----\n{text}')
    script = REPOSITORY / "tests" / "filecheck" / "roundtrip.py"
    command = [sys.executable, str(script), *options, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    if status == 0:
        assert ('"func.func"' if options else "func.func @f") in done.stdout
    else:
        assert "+  " in done.stderr


@pytest.mark.parametrize("path", [ptxas_path, tileiras_path, tileirdisasm_path])
def test_tools_of_nvidia(path: Callable[[], str]):
    done = subprocess.run([path(), "--version"], capture_output=True, text=True, check=True)
    assert "NVIDIA" in done.stdout
