"""Upstream's `mlir-opt` refuses the like of our debug info attributes with the same words."""

import re
import subprocess

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tileir_xdsl.testing.tools import context, mlir_tool_path

STRUCTS = [
    "line = 3",
    "line = 3, line = 4",
    "row = 3",
    "",
    "line = x",
    "line = 99999999999",
    "line 3",
    "line = 3,",
    "scope = 3",
    "scope = ",
    'scope = #D.di_file<"a" in 3>',
    'scope = #D.di_file<"a" on "b">',
    "file = 4",
    'file = <"a" on "b">',
    'file = <3 in "b">',
]
"""Parameters of a lexical block, which both dialects have; the scope is never a right one."""


def ours(text: str) -> str:
    """What reading the attribute reports."""
    with pytest.raises(ParseError) as error:
        Parser(context(), text.replace("#D.", "#cuda_tile.")).parse_attribute()
    return error.value.msg


def upstream(text: str) -> str:
    """What `mlir-opt` reports of an attribute of `llvm`, in the names of `cuda_tile`."""
    source = f"#a = {text.replace('#D.', '#llvm.')}\n"
    command = [mlir_tool_path("mlir-opt"), "-"]
    result = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    report = "\n".join(re.findall(r"^<stdin>:\d+:\d+: error: (.*)$", result.stderr, re.M))
    return report.replace("LLVM_", "CudaTile_").replace("DIScopeAttr", "DILocalScopeAttr")


@pytest.mark.parametrize("parameters", STRUCTS)
def test_struct(parameters: str):
    text = f"#D.di_lexical_block<{parameters}>"
    assert ours(text) == upstream(text)
