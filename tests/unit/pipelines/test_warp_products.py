"""Products of warps at full size: fragments are brought step by step, and registers suffice."""

import re

import pytest
from xdsl.dialects.builtin import ModuleOp

from bench.products import CASES
from tests.unit import tools
from tests.unit.backend.ptx.harness import assemble
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.transforms.tileir_pipeline import passes


def compiled(name: str, gpu: str, last: str | None = None) -> ModuleOp:
    """A kernel after the pass `last`, or after all of them."""
    module, context = tools.parse(CASES[name].text_path.read_text()), tools.context()
    for module_pass in passes(gpu):
        module_pass.apply(context, module)
        if module_pass.name == last:
            break
    return module


def test_both_factors_share_a_stage_until_they_are_multiplied():
    text = str(compiled("product_128x128x64", "sm_80", "tileas-materialize-async"))
    assert text.count(".create_pipeline") == 1
    order = [text.index(word) for word in ("convert_layout", "nv_tileas.dot", ".consumer_release")]
    assert order == sorted(order)


def test_fragments_are_loaded_once_in_the_order_of_their_products():
    """A warp has 32 x 64 of the sums: two fragments of A a step, eight of B for two, 16 products."""
    ptx = emit(compiled("product_128x128x64", "sm_80"), "sm_80")
    ops = re.findall(r"ldmatrix|mma\.sync", ptx)
    assert len(ops) == 2 * (2 * (2 + 16) + 8)
    for half in (ops[:44], ops[44:]):
        assert half.count("ldmatrix") == 2 * 2 + 8
        assert half[0] == "ldmatrix"
        assert half[-1] == "mma.sync"


@pytest.mark.parametrize("name", CASES)
def test_registers_suffice(name: str):
    report = assemble(emit(compiled(name, "sm_80"), "sm_80"), "sm_80")
    assert re.search(r"\b0 bytes spill stores, 0 bytes spill loads", report)
