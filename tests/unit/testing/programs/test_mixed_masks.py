"""Some programs have vectors whose elements have different masks on the road of a GPU."""

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects.llvm.loads_and_stores import MaskedLoadOp, MaskedStoreOp
from tileir_xdsl.testing import random_program
from tileir_xdsl.testing.pass_checks.subjects import run_road
from tileir_xdsl.transforms.pipeline_road import steps


def _has_mixed_masks(module: ModuleOp, access: type[MaskedLoadOp] | type[MaskedStoreOp]) -> bool:
    """Whether an access of several elements has a mask of several values."""
    for op in module.walk():
        if not isinstance(op, access):
            continue
        mask, values = op.mask.owner, set[object]()
        while isinstance(mask, llvm.InsertElementOp):
            values.add(mask.value)
            mask = mask.vector.owner
        if len(values) > 1:
            return True
    return False


@pytest.mark.parametrize(
    ("kind", "seeds"), [("dense", range(0, 14, 2)), ("cuda_tile", range(23, 27))]
)
def test_masks_differ_within_loaded_and_stored_vectors(kind: str, seeds: range):
    missing = {MaskedLoadOp, MaskedStoreOp}
    for seed in seeds:
        program = random_program(kind, seed, size=1)
        run_road(program.module, steps(program.target))
        missing -= {access for access in missing if _has_mixed_masks(program.module, access)}
        if not missing:
            break
    assert not missing
