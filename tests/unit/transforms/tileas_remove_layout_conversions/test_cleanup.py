"""The greedy cleanup alone, without the steps of the pass that make up for what it leaves."""

import pytest

from tests.unit.transforms.tileas_remove_layout_conversions.test_tileas_remove_layout_conversions import (
    ALIASES,
    X,
    convert,
    use,
)
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.explain import OperationLabels
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_remove_layout_conversions.cleanup import clean_up
from tileir_xdsl.transforms.tileas_remove_layout_conversions.log import ConversionLog

FENCE = "nv_tileas.fence acq_rel gpu"
CHAINS = {
    "#a #a": "#a",
    "#a #b": "#a #b",
    "#a #b #c": "#a #c",
    "#a #b #c #b": "#a #b",
    "#a #b #c #a": "#a",
    "#a #b fence #c": "#a #b fence #c",
    "#a #b #c fence #b": "#a #c fence #b",
    "#a #b fence #a": "#a fence",
    "#a #smem #b": "#a #smem #b",
    "#a #smem #a": "#a",
    "#plain #swizzled #plain": "#plain",
}
"""Layouts from one conversion to the next, with fences, and those that are left."""


def chained(words: str) -> str:
    """A tile in the first layout, conversions from one to the next, and a use of the last."""
    layout, *others = words.split()
    shape = "128x64xf16" if layout == "#plain" else "256xf32"
    value = "%x"
    lines = [X.replace("256xf32", shape).replace("#a", layout)]
    for number, word in enumerate(others):
        if word == "fence":
            lines.append(FENCE)
            continue
        lines.append(convert(f"%c{number}", value, f"{layout} {word}", shape))
        value, layout = f"%c{number}", word
    return "\n".join([ALIASES, *lines, use(value, layout).replace("256xf32", shape)])


@pytest.mark.parametrize("before", CHAINS)
def test_chains(before: str):
    module = tools.parse(chained(before))
    conversions = tuple(op for op in module.walk() if isinstance(op, nv_tileas.ConvertLayoutOp))
    log = ConversionLog(OperationLabels(module), conversions)
    assert clean_up(module, log) == (before != CHAINS[before])
    module.verify()
    assert module.is_structurally_equivalent(tools.parse(chained(CHAINS[before])))
    left = set(module.walk())
    assert set(log.reasons) == set(conversions) - left
