"""Dots of a warp with block scales, dense and with a sparse A, as data.

Source: PTX ISA, "mma" and "mma.sp" with `.block_scale`, and the versions that ptxas asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from tileir_xdsl.targets.features import Feature, PTXVersion
from tileir_xdsl.targets.mma import FLOATS_8_6_4, MMAAtom, MMAKind, MMAShape


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
    """`k` is the extent of a dense dot; a sparse one has twice as much."""
    kind, a, b, scale = variant.kind, variant.a, variant.b, variant.scale
    order = ".sp::ordered_metadata" if variant.sparse else ""
    extent = 2 * k if variant.sparse else k
    return MMAAtom(
        name=f"mma{'_sp' * variant.sparse}_{kind}_{a}_{b}_f32_{scale}_{variant.count}x",
        kind=MMAKind.WARP,
        a=a,
        b=b,
        accumulator="f32",
        shapes=(MMAShape(16, 8, extent, Feature.BLOCK_SCALED_MMA, version),),
        operand_bits=256 // k,
        ptx=f"mma{order}.sync.aligned .row.col.kind::{kind}.block_scale"
        f".scale_vec::{variant.count}X.f32.{a}.{b}.f32.{scale}",
        scale=scale,
        scale_block=extent // variant.count,
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
"""Every dot of a warp with block scales."""
