"""A module that nobody has changed has the fingerprint that it had; any change gives another."""

from collections.abc import Callable

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i32

from tileir_xdsl.report.fingerprints import Fingerprint
from tileir_xdsl.testing.tools import parse
from tileir_xdsl.walking import ops_in

TEXT = """
func.func @f(%x: i32, %y: i32) -> i32 {
  %a = arith.addi %x, %y : i32
  func.return %a : i32
}
"""


def swap(module: ModuleOp) -> None:
    op = ops_in(module)[2]
    op.operands = op.operands[::-1]


def mark(module: ModuleOp) -> None:
    ops_in(module)[2].attributes["m"] = UnitAttr()


def rename(module: ModuleOp) -> None:
    ops_in(module)[2].results[0].name_hint = "b"


def insert(module: ModuleOp) -> None:
    last = ops_in(module)[-1]
    assert last.parent is not None
    last.parent.insert_op_before(arith.ConstantOp.from_int_and_width(1, i32), last)


@pytest.mark.parametrize("change", [swap, mark, rename, insert])
def test_changes_are_seen(change: Callable[[ModuleOp], None]):
    module = parse(TEXT)
    before = Fingerprint.of(module)
    assert Fingerprint.of(module).is_same(before)
    change(module)
    assert not Fingerprint.of(module).is_same(before)


def test_a_clone_is_another_module():
    module = parse(TEXT)
    assert not Fingerprint.of(module.clone()).is_same(Fingerprint.of(module))
