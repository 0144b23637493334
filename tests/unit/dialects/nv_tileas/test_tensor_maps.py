"""How a launch makes tensor maps, as text and as data."""

import pytest
from xdsl.dialects.builtin import f16
from xdsl.utils.exceptions import ParseError

from tileir_xdsl.dialects.launch_attributes import TENSOR_MAPS_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileas.attributes import OutOfBoundsMode, SwizzleMode
from tileir_xdsl.dialects.nv_tileas.tensor_maps import (
    KernelArgument,
    TensorMapRecipe,
    tensor_map_recipes,
)
from tileir_xdsl.testing import tools

MAP = (
    "#nv_tileas.tensor_map<128x64xf16, arg0, sizes = [arg1, 7], strides = [arg3, 1], "
    "swizzle = 128B, oob = nan>"
)
OP = f'"test.op"() {{{TENSOR_MAPS_ATTRIBUTE} = [MAP]}} : () -> ()'


def test_text_and_data():
    text = OP.replace("MAP", f"{MAP}, {MAP.replace('128B', 'none')}")
    assert tools.roundtrip(text).count("tensor_map<") == 2
    (op,) = tools.parse(text).body.block.ops
    first, second = tensor_map_recipes(op)
    arg = KernelArgument
    assert first == TensorMapRecipe(
        (128, 64),
        f16,
        arg(0),
        (arg(1), 7),
        (arg(3), 1),
        SwizzleMode.BYTES_128,
        OutOfBoundsMode.NAN,
    )
    assert first.order == (1, 0)
    assert second.swizzle is SwizzleMode.NONE
    assert tensor_map_recipes(tools.parse('"test.op"() : () -> ()')) == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("arg0", "first", "expected an argument of the kernel, such as arg0"),
        ("[arg1, 7]", "[7]", "expected 2 sizes, got 1"),
        ("[arg3, 1]", "[arg3, 2]", "expected at least one stride of 1"),
        ("128B", "48B", "expected a swizzle of 32, 64 or 128 bytes, got 48"),
    ],
)
def test_what_is_no_map(old: str, new: str, message: str):
    with pytest.raises(ParseError, match=message):
        tools.parse(OP.replace("MAP", MAP.replace(old, new)))
