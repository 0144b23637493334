"""Digests of IR and of data: the same for the same, others for anything else."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr, ModuleOp

from tests.forms.digests import UnkeyedError, array_outcome, data_digest, digest, ir_digest
from tileir_xdsl.testing.tools import parse, to_text

TEXT = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %c = arith.cmpi slt, %a, %b : i32
  cf.cond_br %c, ^one(%a : i32), ^two(%b : i32)
^one(%x: i32):
  %y = arith.addi %x, %b : i32
  func.return %y : i32
^two(%z: i32):
  func.return %z : i32
}
"""


def test_the_same_text_has_the_same_digest():
    module = parse(TEXT)
    assert ir_digest(module) == ir_digest(parse(TEXT)) == ir_digest(parse(to_text(module)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("addi %x, %b", "addi %b, %x"),
        ("addi %x, %b", "subi %x, %b"),
        ("slt", "sgt"),
        ("^one(%a : i32), ^two(%b : i32)", "^two(%a : i32), ^one(%b : i32)"),
        ("^one(%a : i32)", "^one(%b : i32)"),
        ("@f", "@g"),
        ("%y", "%sum"),
        ("%z", "%last"),
        ("%a: i32, %b: i32", "%b: i32, %a: i32"),
    ],
)
def test_another_text_has_another_digest(old: str, new: str):
    assert ir_digest(parse(TEXT.replace(old, new))) != ir_digest(parse(TEXT))


def _rename(module: ModuleOp) -> None:
    module.attributes["x"] = IntAttr(1)


def _nest(module: ModuleOp) -> None:
    function = module.body.block.first_op
    assert function is not None
    function.detach()
    module.body.block.add_op(ModuleOp([function]))


@pytest.mark.parametrize("change", [_rename, _nest])
def test_a_changed_module_has_another_digest(change: Callable[[ModuleOp], None]):
    module = parse(TEXT)
    before = ir_digest(module)
    change(module)
    assert ir_digest(module) != before


def test_parts_of_a_digest_are_told_apart():
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", "")}) == 4


@dataclass(frozen=True)
class Point:
    x: int
    y: object = None


def test_data_is_told_apart():
    array = np.arange(6, dtype=np.int32)
    data: list[object] = [
        *(None, True, 1, 1.0, "1", b"1", [1], [[1]], [1, 1], {1: 1}, {1}),
        *(Point(1), Point(2), Point(1, "y"), array, array[::-1], array.reshape(2, 3)),
        *(array.astype(np.float32), np.float32(1), np.float64(1)),
    ]
    assert len(set(map(data_digest, data))) == len(data)
    assert data_digest(array) == data_digest(array.copy())


@pytest.mark.parametrize("data", [object(), [object()], Point(1, object()), np.zeros(1 << 23)])
def test_other_data_has_no_digest(data: object):
    with pytest.raises(UnkeyedError):
        data_digest(data)


def floats(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def test_last_bits_of_floats_count_where_they_are_exact():
    one, near = floats(1, 0, np.nan), floats(1 + 2**-20, 0, np.nan)
    assert array_outcome(one, exactly=False) == array_outcome(near, exactly=False)
    assert array_outcome(one, exactly=True) != array_outcome(near, exactly=True)
    for other in ((0, 0, np.nan), (1, 1, np.nan), (1, 0, 1), (np.inf, 0, np.nan)):
        assert array_outcome(floats(*other), exactly=False) != array_outcome(one, exactly=False)
    assert array_outcome(np.arange(3), exactly=False) != array_outcome(
        np.ones(3, int), exactly=False
    )
