"""Locations with scopes: what is printed is read back, in whatever order aliases are defined."""

import io
import random

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from tileir_xdsl.bytecode import read, write
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.testing import tools

LOCATIONS = (
    "unknown",
    '"/a/b.py":3:4',
    '"name"("/a/b.py":3:4)',
    'callsite("/a/b.py":3:4 at "/a/c.py":5:6)',
    'fused["/a/b.py":3:4, "/a/c.py":5:6]',
)


def scoped(location: str) -> ModuleOp:
    text = "cuda_tile.module @m { entry @k() { %c = constant <i32: 1> : tile<i32> return } }"
    module = read_text(new_context(), text.replace(" return", f" loc({location})\nreturn"), "x")
    return tools.run_passes(module, "synthesize-debug-info-scopes")


def with_locations(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream, print_debuginfo=True).print_op(module)
    return stream.getvalue()


@pytest.mark.parametrize("location", LOCATIONS)
def test_what_is_printed_is_read(location: str):
    module = scoped(location)
    text = with_locations(module)
    assert text.count("fused<#cuda_tile.di_subprogram") == 3
    again = read_text(new_context(), text, "x")
    # The modules have no location, and get that of their text.
    assert [op.location for op in again.walk()][2:] == [op.location for op in module.walk()][2:]


@pytest.mark.parametrize("seed", range(8))
def test_aliases_in_any_order(seed: int):
    text = disassemble(read(write(scoped(LOCATIONS[1]), "13.3")), debug_info=True)
    lines = text.splitlines()
    aliases = [line for line in lines if line.startswith("#")]
    others = [line for line in lines if not line.startswith("#")]
    random.Random(seed).shuffle(aliases)
    for order in ([*others, *aliases], [*aliases, *others]):
        module = read_text(new_context(), "\n".join(order) + "\n", "x")
        assert disassemble(read(write(module, "13.3")), debug_info=True) == text


@pytest.mark.parametrize(
    "text",
    [
        "#a = #b\n#b = #a\nmodule {} loc(#a)\n",
        "#a = #a\nmodule {} loc(#a)\n",
        "#a = #missing\nmodule {} loc(#a)\n",
    ],
)
def test_aliases_of_nothing(text: str):
    with pytest.raises(InputError, match=r"^x:\d:\d+: error: "):
        read_text(new_context(), text, "x")
