"""Warp MMAs with block scales, with a dense or a sparse A, as data.

Source: PTX ISA, "mma" and "mma.sp" with `.block_scale`, and the versions that ptxas requires.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from tileir_xdsl.targets.features import Feature, PTXVersion
from tileir_xdsl.targets.mma import FLOATS_8_6_4, MMAAtom, MMAShape, scaled_warp_atom


@dataclass(frozen=True)
class ScaledVariant:
    """The key of a block-scaled mma: each row of A has `count` scales."""

    kind: str
    a: str
    b: str
    count: int
    scale: str
    sparse: bool


_FIRST: PTXVersion = (8, 7)
# Kind, extent along k of a dense dot, scales of a row, their type, the PTX version.
_FOUR_BITS = (
    ("mxf4", 2, "ue8m0", _FIRST),
    ("mxf4nvf4", 2, "ue8m0", _FIRST),
    ("mxf4nvf4", 4, "ue4m3", _FIRST),
    ("mxf4nvf4", 4, "ue8m0", (9, 1)),
)


def _atom(variant: ScaledVariant, k: int, version: PTXVersion) -> MMAAtom:
    """The atom of a variant; `k` is the extent of a dense MMA, half that of a sparse one."""
    kind, a, b, count, scale = variant.kind, variant.a, variant.b, variant.count, variant.scale
    name = f"mma{'_sp' * variant.sparse}_{kind}_{a}_{b}_f32_{scale}_{count}x"
    shape = MMAShape(16, 8, k, Feature.BLOCK_SCALED_MMA, version)
    dense = scaled_warp_atom(name, kind, (a, b), scale, count, shape)
    if not variant.sparse:
        return dense
    return replace(
        dense,
        shapes=(replace(shape, k=2 * k),),
        ptx=dense.ptx.replace("mma", "mma.sp::ordered_metadata", 1),
        scale_block=2 * dense.scale_block,
    )


def _variants() -> Iterator[tuple[ScaledVariant, MMAAtom]]:
    for sparse in (False, True):
        for a, b in product(FLOATS_8_6_4, repeat=2):
            variant = ScaledVariant("mxf8f6f4", a, b, 1, "ue8m0", sparse)
            yield variant, _atom(variant, 32, _FIRST)
        for kind, count, scale, version in _FOUR_BITS:
            variant = ScaledVariant(kind, "e2m1", "e2m1", count, scale, sparse)
            yield variant, _atom(variant, 64, version)


SCALED_MMA_ATOMS: Mapping[ScaledVariant, MMAAtom] = dict(_variants())
"""Every warp MMA with block scales."""
