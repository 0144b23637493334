"""Warp MMAs whose operand A is sparse, as data: half of A's elements are stored.

Source: PTX ISA, "mma.sp", and the versions that ptxas requires.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from tileir_xdsl.targets.features import Feature, PTXVersion
from tileir_xdsl.targets.mma import (
    FLOATS_8,
    FLOATS_8_6_4,
    INTEGERS,
    INTEGERS_4,
    OPERAND_BITS,
    MMAAtom,
    MMAKind,
    MMAShape,
)


@dataclass(frozen=True)
class SparseVariant:
    """The key of a sparse MMA; `ordered` is `.sp::ordered_metadata`, `kind` a `.kind`."""

    a: str
    b: str
    accumulator: str
    ordered: bool
    kind: str = ""


_FIRST: PTXVersion = (7, 1)
_ORDERED: PTXVersion = (8, 5)


def _atom(variant: SparseVariant, extents: tuple[int, ...], shape: MMAShape) -> MMAAtom:
    """The atom of a variant: `extents` along K, and M, N and the requirements of `shape`."""
    order = "::ordered_metadata" if variant.ordered else ""
    kind = f".kind::{variant.kind}" if variant.kind else ""
    d, a, b = variant.accumulator, variant.a, variant.b
    return MMAAtom(
        name=f"mma_sp_{'ordered_' * variant.ordered}{a}_{b}_{d}",
        kind=MMAKind.WARP,
        a=a,
        b=b,
        accumulator=d,
        shapes=tuple(replace(shape, k=k) for k in extents),
        operand_bits=OPERAND_BITS[a],
        ptx=f"mma.sp{order}.sync.aligned .row.col{kind}.{d}.{a}.{b}.{d}",
    )


def _variants() -> Iterator[tuple[SparseVariant, MMAAtom]]:
    plain = (
        *(((16, 32), *types) for types in (("f16", "f16", "f16"), ("f16", "f16", "f32"))),
        ((16, 32), "bf16", "bf16", "f32"),
        ((8, 16), "tf32", "tf32", "f32"),
        *(((32, 64), a, b, "s32") for a, b in product(INTEGERS, INTEGERS)),
        *(((64, 128), a, b, "s32") for a, b in product(INTEGERS_4, INTEGERS_4)),
    )
    for ordered, version in ((False, _FIRST), (True, _ORDERED)):
        for extents, a, b, accumulator in plain:
            variant = SparseVariant(a, b, accumulator, ordered)
            yield variant, _atom(variant, extents, MMAShape(16, 8, 0, None, version))
    for a, b in product(FLOATS_8, FLOATS_8):
        for accumulator, ordered, feature, version in (
            ("f32", False, Feature.FP8_MMA, (8, 4)),
            ("f32", True, Feature.FP8_MMA, _ORDERED),
            ("f16", True, Feature.BLOCK_SCALED_MMA, (8, 7)),
        ):
            variant = SparseVariant(a, b, accumulator, ordered)
            yield variant, _atom(variant, (64,), MMAShape(16, 8, 0, feature, version))
    for a, b, accumulator in product(FLOATS_8_6_4, FLOATS_8_6_4, ("f16", "f32")):
        variant = SparseVariant(a, b, accumulator, True, "f8f6f4")
        shape = MMAShape(16, 8, 0, Feature.BLOCK_SCALED_MMA, (8, 7))
        yield variant, _atom(variant, (64,), shape)


SPARSE_MMA_ATOMS: Mapping[SparseVariant, MMAAtom] = dict(_variants())
"""Every sparse warp MMA; `k` includes the elements that are not stored."""
