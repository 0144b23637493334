"""Layouts decide the code: a kernel with another one forced accesses memory by other instructions.

What it computes stays.
"""

import re
from collections import Counter

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.tileas_assign_load_store_layouts import (
    TileASAssignLoadStoreLayoutsPass,
)
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.forced import FORCE_ATTRIBUTE

ACCESS = re.compile(
    r"\b(?P<name>(?:ld|st)\.(?:global|shared))(?:\.v(?P<count>\d))?\.[a-z](?P<bits>\d+)"
)


def lower_forced(name: str, atom: str | None) -> Lowered:
    """A kernel whose first load is carried out by an atom, or by the one that is best."""

    def force(module_pass: ModulePass, module: ModuleOp) -> None:
        if atom is not None and isinstance(module_pass, TileASAssignLoadStoreLayoutsPass):
            load = next(op for op in module.walk() if isinstance(op, nv_tileas.TiledLoadOp))
            load.attributes[FORCE_ATTRIBUTE] = StringAttr(atom)

    return lower(tools.parse(KERNELS[name].text_path.read_text()), "sm_90a", force)


def accesses(kernel: Lowered) -> Counter[str]:
    """How many instructions access each memory, by their width in bits."""
    return Counter(
        f"{match['name']} {int(match['count'] or 1) * int(match['bits'])}"
        for match in ACCESS.finditer(kernel.ptx)
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "atom", "fewer", "more"),
    [
        (
            "vector_add",
            "ldg_64",
            {"ld.global 128": 4, "st.global 128": 2},
            {"ld.global 64": 8, "st.global 64": 4},
        ),
        # Where the array ends inside a vector, elements are loaded one by one in any case.
        ("vector_add", "ldg_32", {"ld.global 128": 4, "st.global 128": 2}, {}),
        ("rope", "ldg_128", {}, {"ld.global 128": 1, "ld.global 32": 3}),
        ("rope", "ldg_64", {}, {"ld.global 64": 1, "ld.global 32": 1}),
        (
            "elementwise_f32",
            "ldg_128",
            {},
            {"ld.global 128": 1, "ld.global 32": 3, "st.shared 128": 1, "ld.shared 32": 1},
        ),
        (
            "elementwise_f32",
            "ldg_64",
            {},
            {"ld.global 64": 2, "ld.global 32": 2, "st.shared 64": 2, "ld.shared 32": 2},
        ),
        (
            "elementwise_i64",
            "ldg_128",
            {},
            {"ld.global 128": 2, "ld.global 64": 2, "st.shared 128": 2, "ld.shared 64": 2},
        ),
    ],
)
def test_another_layout_makes_other_accesses(
    name: str, atom: str, fewer: dict[str, int], more: dict[str, int]
):
    case, grid = KERNELS[name], KERNELS[name].grid(KERNELS[name].typical)
    best, forced = lower_forced(name, None), lower_forced(name, atom)
    assert accesses(best) - accesses(forced) == Counter(fewer)
    assert accesses(forced) - accesses(best) == Counter(more)
    for kernel in (best, forced):
        run(case, kernel, case.typical, grid, races=True)
