"""The tools of the tests themselves: each must be able to fail."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, i32, i64
from xdsl.rewriter import Rewriter
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
    verify_changed,
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


SUM = """
func.func @f(%x: i32, %y: i64) -> i32 {
  %z = arith.addi %x, %x : i32
  func.return %z : i32
}
"""


def erase_return(function: func.FuncOp) -> None:
    last = function.body.block.last_op
    assert last is not None
    last.detach()
    last.erase()


def change_operand(function: func.FuncOp) -> None:
    list(function.walk())[1].operands[1] = function.args[1]


def change_result(function: func.FuncOp) -> None:
    Rewriter.replace_value_with_new_type(list(function.walk())[1].results[0], i64)


def change_argument(function: func.FuncOp) -> None:
    Rewriter.replace_value_with_new_type(function.args[1], i32)


def change_property(function: func.FuncOp) -> None:
    function.properties["sym_name"] = i32


@pytest.mark.parametrize(
    "change", [erase_return, change_operand, change_result, change_argument, change_property]
)
def test_what_has_changed_is_verified_again(change: Callable[[func.FuncOp], None]):
    module = parse(SUM)
    verify_changed(module)
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    change(function)
    with pytest.raises(VerifyException):
        verify_changed(module)


def test_what_no_pass_changes_is_verified_once(monkeypatch: pytest.MonkeyPatch):
    module, verify, calls = parse(SUM), ModuleOp.verify, list[ModuleOp]()

    def note(module: ModuleOp) -> None:
        calls.append(module)
        verify(module)

    monkeypatch.setattr(ModuleOp, "verify", note)
    run_passes(module, "canonicalize,cse,dce")
    assert calls == [module]


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
