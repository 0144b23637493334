"""Text with debug information, as NVIDIA's disassembler prints it: aliases stand behind their uses."""

import pytest
from xdsl.dialects.builtin import UnknownLoc

from tests.unit.bytecode import reference
from tileir_xdsl import bytecode
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.testing.kernels import KERNELS, generate


@pytest.mark.parametrize("name", ["vector_add", "attention", "histogram"])
def test_text_with_debug_information_is_read(name: str):
    data = generate.bytecode(KERNELS[name], "13.3")
    text = reference.disassemble(data, debug_info=True)
    assert "\n#loc = loc(" in text
    read, expected = read_text(new_context(), text, "kernel.mlir"), bytecode.read(data)
    assert print_short(read) == print_short(expected)
    pairs = [
        (op.location, other.location)
        for op, other in zip(read.walk(), expected.walk(), strict=True)
        # An op without location gets its place in the text.
        if not isinstance(other.location, UnknownLoc)
    ]
    assert len(pairs) > 10
    assert all(location == other for location, other in pairs)
    written = bytecode.read(bytecode.write(read, "13.3"))
    assert disassemble(written, debug_info=True) == text


def test_aliases_may_follow_their_uses():
    module = read_text(
        new_context(),
        "cuda_tile.module @m {\n  testing$func @f(%a: !t) { }\n}\n!t = !cuda_tile.tile<4xf32>\n",
        "kernel.mlir",
    )
    function = next(op for op in module.walk() if isinstance(op, cuda_tile.TestingFuncOp))
    assert str(function.body.block.args[0].type) == "!cuda_tile.tile<4xf32>"
    assert location_text(function.location) == "kernel.mlir:2:3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "!a = !cuda_tile.tile<3xf32>\n",
            "1:21: error: all dimensions must be powers of two, got 3; "
            "take 4, and pad or mask the elements beyond the array",
        ),
        ("#a = 1 : i32\n#a = 2 : i32\n", "2:4: error: re-declaration of alias '#a'"),
    ],
)
def test_an_alias_that_is_none(text: str, message: str):
    with pytest.raises(InputError) as error:
        read_text(new_context(), text + MODULE, "kernel.mlir")
    assert str(error.value) == f"kernel.mlir:{message}"


MODULE = "cuda_tile.module @m { }\n"
