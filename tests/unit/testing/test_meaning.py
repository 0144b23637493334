"""Two modules that mean the same, and some that do not."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from tileir_xdsl import testing
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing import assert_same_meaning, parse
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass

KERNEL = """
cuda_tile.module @kernels {
  entry @k(%x: tile<ptr<f32>>) {
    %a, %read = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
    %three = constant <f32: 3.0> : tile<f32>
    %b = mulf %a, %three : tile<f32>
    %t = store_ptr_tko weak %x, %b token = %read : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


@pytest.mark.parametrize(("old", "new"), [("%a, %three", "%three, %a"), ("%b", "%other"), ("", "")])
def test_the_same_meaning(old: str, new: str):
    before, after = parse(KERNEL), parse(KERNEL.replace(old, new))
    texts = str(before), str(after)
    assert_same_meaning(before, after)
    assert (str(before), str(after)) == texts


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "mulf",
            "addf",
            "changes what kernel 'k' computes: argument 0: 1 of 16384 elements differ",
        ),
        ("%x, %b", "%x, %a", "changes what kernel 'k' computes"),
        ("3.0", "3.0000002", "changes what kernel 'k' computes"),
        ("token = %read", "", "race"),
    ],
)
def test_another_meaning(old: str, new: str, expected: str):
    with pytest.raises(AssertionError, match=expected):
        assert_same_meaning(parse(KERNEL), parse(KERNEL.replace(old, new)))


def test_roundings_may_be_allowed():
    assert_same_meaning(parse(KERNEL), parse(KERNEL.replace("3.0", "3.0000002")), rounding=2)


def test_a_pass_is_compared_with_what_it_was_given():
    def subtract(module: ModuleOp) -> None:
        op = next(op for op in module.walk() if isinstance(op, cuda_tile.MulFOp))
        Rewriter.replace_op(op, cuda_tile.SubFOp(op.operands[0], op.operands[1]))

    assert_same_meaning(KERNEL, ConvertCudaTileToTileAAPass())
    expected = "the first op with another value is 'cuda_tile.mulf' op"
    with pytest.raises(AssertionError, match=expected):
        assert_same_meaning(KERNEL, subtract)


def test_a_launch_may_be_given():
    other = KERNEL.replace("mulf", "addf")
    assert_same_meaning(KERNEL, other, arguments=[np.full(1, 1.5, np.float32)])
    with pytest.raises(AssertionError, match="the second program changes what kernel 'k'"):
        assert_same_meaning(KERNEL, other, arguments=[np.full(1, 2.5, np.float32)])


def test_a_module_without_kernels():
    with pytest.raises(AssertionError, match="there is no kernel to compare"):
        assert_same_meaning(parse("builtin.module {}"), parse("builtin.module {}"))


def test_every_public_name_is_there():
    assert set(testing.__all__) <= set(dir(testing))
    assert all(callable(getattr(testing, name)) for name in testing.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        _ = getattr(testing, "other")  # noqa: B009
