"""Targets that are variants of others: found by name, and assembled as their base."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tileir_xdsl.targets import (
    ABI,
    TARGETS,
    UnknownTargetError,
    assembled_as,
    forget_variants,
    get_target,
    register_variant,
    under_abi,
    variant_origin,
)
from tileir_xdsl.targets.mma import MMAKind, mma_atoms

BASE = TARGETS["sm_90a"]
WITHHELD = frozenset({"wgmma_f16_f16_f32"})
VARIANT = replace(BASE, name="warps", variant_of="sm_90a", withheld_atoms=WITHHELD)


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    register_variant(VARIANT, "mine")
    yield
    forget_variants("mine")


def test_is_found_by_name_and_assembled_as_its_base():
    assert get_target("warps") is VARIANT
    assert (VARIANT.ptx_name, BASE.ptx_name) == ("sm_90a", "sm_90a")
    assert (assembled_as("warps"), assembled_as("sm_80")) == ("sm_90a", "sm_80")
    assert (variant_origin("warps"), variant_origin("sm_90a")) == ("mine", None)


def test_lacks_the_atoms_that_it_withholds():
    kinds = [[a.kind for a in mma_atoms(t, "f16", "f16", "f32")] for t in (BASE, VARIANT)]
    assert kinds == [[MMAKind.WARPGROUP, MMAKind.WARP], [MMAKind.WARP]]
    # Another accumulator is another atom.
    assert mma_atoms(VARIANT, "f16", "f16", "f16")[0].kind is MMAKind.WARPGROUP


def test_has_what_the_suffix_of_its_base_says():
    assert VARIANT.copies_to_clusters
    limits = under_abi(VARIANT, ABI.TILE).limits
    assert limits == under_abi(BASE, ABI.TILE).limits


def test_takes_the_place_of_one_of_the_same_extension():
    other = replace(VARIANT, withheld_atoms=frozenset())
    register_variant(other, "mine")
    assert get_target("warps") is other


@pytest.mark.parametrize(("name", "origin"), [("warps", "yours"), ("sm_80", "mine")])
def test_takes_no_name_of_another(name: str, origin: str):
    with pytest.raises(UnknownTargetError, match=f"there already is a target '{name}'"):
        register_variant(replace(VARIANT, name=name), origin)


def test_is_unknown_once_it_is_forgotten():
    forget_variants("mine")
    with pytest.raises(UnknownTargetError, match="unknown target 'warps'"):
        get_target("warps")
