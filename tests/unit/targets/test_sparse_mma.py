"""The table of sparse products agrees with ptxas."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.targets.test_atoms import rejected, warp_line
from tileir_xdsl.targets import Feature, PTXVersion
from tileir_xdsl.targets.mma import MMAAtom, MMAShape
from tileir_xdsl.targets.sparse_mma import SPARSE_MMA_ATOMS

_TARGETS = {None: "sm_80", Feature.FP8_MMA: "sm_89", Feature.BLOCK_SCALED_MMA: "sm_120a"}
Needs = tuple[str, PTXVersion]


def line(atom: MMAAtom, shape: MMAShape) -> str:
    """One instruction; A takes half of its registers."""
    dense = warp_line(atom, shape)
    opcode, *groups = dense.removesuffix(";").split(" {")
    count = groups[1].count("%") // 2
    groups[1] = ", ".join(groups[1].split(", ")[:count]) + "},"
    return " {".join([opcode, *groups]) + ", %r0, 0;"


def lines() -> Iterator[tuple[Needs, str]]:
    for atom in SPARSE_MMA_ATOMS.values():
        for shape in atom.shapes:
            yield (_TARGETS[shape.feature], shape.ptx_version), line(atom, shape)


_GROUPS = sorted({needs for needs, _ in lines()})


@pytest.mark.parametrize("needs", _GROUPS, ids=str)
def test_ptxas_accepts_every_product_for_its_lowest_target(needs: Needs, tmp_path: Path):
    chosen = [text for of_line, text in lines() if of_line == needs]
    assert rejected(tmp_path, *needs, chosen) == []


@pytest.mark.parametrize(
    ("target", "version", "group"),
    [
        ("sm_80", (7, 0), ("sm_80", (7, 1))),
        ("sm_80", (8, 4), ("sm_80", (8, 5))),
        ("sm_86", (8, 5), ("sm_89", (8, 4))),
        ("sm_89", (8, 4), ("sm_89", (8, 5))),
        ("sm_120", (8, 7), ("sm_120a", (8, 7))),
    ],
    ids=str,
)
def test_ptxas_refuses_what_is_lower(
    target: str, version: PTXVersion, group: Needs, tmp_path: Path
):
    chosen = [text for needs, text in lines() if needs == group]
    assert chosen and rejected(tmp_path, target, version, chosen) == chosen


def test_variants_have_two_shapes_or_one():
    assert len(SPARSE_MMA_ATOMS) == 2 * (4 + 4 + 4) + 4 * 3 + 25 * 2
    for variant, atom in SPARSE_MMA_ATOMS.items():
        extents = [shape.k * atom.operand_bits for shape in atom.shapes]
        assert extents in ([256, 512], [512])
        assert variant.ordered == ("::ordered_metadata" in atom.ptx)
