"""Identities that the only op of a reduction implies are left out, and others are kept."""

import pytest

from tileir_xdsl.testing.tools import parse, run_passes, to_text

KERNEL = """
cuda_tile.module @m {{ testing$func @f(%x: tile<8x{element}>) -> tile<{element}> {{
  %r = reduce %x dim=0 identities=[{identity} : {element}] : tile<8x{element}> -> tile<{element}>
    (%a: tile<{element}>, %b: tile<{element}>) {{
    %c = {op} : tile<{element}>
    yield %c : tile<{element}>
  }}
  return %r : tile<{element}>
}} }}
"""
IMPLIED = {
    "addi %a, %b": ("i32", 0),
    "muli %a, %b": ("i16", 1),
    "andi %a, %b": ("i8", -1),
    "ori %a, %b": ("i64", 0),
    "xori %a, %b": ("i32", 0),
    "mini %a, %b signed": ("i32", 2**31 - 1),
    "maxi %a, %b signed": ("i16", -(2**15)),
    "mini %b, %a unsigned": ("i8", 255),
    "maxi %a, %b unsigned": ("i64", 0),
}


def converted(op: str, element: str, identity: int) -> str:
    text = KERNEL.format(element=element, identity=identity, op=op)
    return to_text(run_passes(parse(text), "convert-cuda-tile-to-tileaa"))


@pytest.mark.parametrize("op", IMPLIED)
def test_what_the_op_implies(op: str):
    element, identity = IMPLIED[op]
    assert "identities" not in converted(op, element, identity)
    assert "identities" in converted(op, element, 2)
    assert "identities" in converted(op.replace("%b", "%a"), element, identity)
