"""What the tests of builders share: a function to build in, and its text."""

from collections.abc import Callable, Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Region
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing.tools import parse, to_text


def build(
    types: Sequence[Attribute], body: Callable[[Builder, Sequence[BlockArgument]], object]
) -> str:
    """The text of what `body` builds in a function with arguments of these types; it verifies."""
    block = Block(arg_types=types)
    for argument, name in zip(block.args, "abcdefgh", strict=False):
        argument.name_hint = name
    body(Builder(InsertPoint.at_end(block)), block.args)
    block.add_op(nv_tileaa.ReturnOp())
    function = nv_tileaa.FuncOp("f", FunctionType.from_lists(types, []), Region(block))
    text = to_text(ModuleOp([function]))
    parse(text)
    return text
