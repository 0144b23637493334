"""Several ops of a group are forced at once."""

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.tileas_assign_load_store_layouts import (
    TileASAssignLoadStoreLayoutsPass,
)
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.forced import FORCE_ATTRIBUTE

BEFORE = "convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas"


def forced(name: str, **candidates: str) -> ModuleOp:
    """A kernel after the pass, the first op of each name forced to a candidate."""
    module = tools.run_passes(tools.parse(KERNELS[name].text_path.read_text()), BEFORE)
    kinds: dict[str, type[Operation]] = {
        "load": nv_tileas.TiledLoadOp,
        "store": nv_tileas.TiledStoreOp,
        "reduce": nv_tileas.ReduceOp,
    }
    for kind, candidate in candidates.items():
        op = next(op for op in module.walk() if isinstance(op, kinds[kind]))
        op.attributes[FORCE_ATTRIBUTE] = StringAttr(candidate)
    TileASAssignLoadStoreLayoutsPass().apply(tools.context(), module)
    return module


def test_both_have_what_is_forced():
    text = tools.to_text(forced("vector_add", load="ldg_64", store="stg_64"))
    assert text.count("#nv_tileas<atom ldg_64>") == 2
    assert text.count("#nv_tileas<atom stg_64>") == 1


def test_a_candidate_that_a_further_op_lacks_is_refused():
    with pytest.raises(PassFailedException, match=r"'nv_tileas.tiled_store' op has no candidate"):
        forced("vector_add", load="ldg_64", store="stg_3")


def test_an_op_with_tiles_in_two_groups():
    """A name that it has in one of them says nothing of the other one."""
    with pytest.raises(PassFailedException, match=r"op cannot have candidate|has no candidate"):
        forced("argmax_rows", load="ldg_32", reduce="nv_tileas.reduce")
