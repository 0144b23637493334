"""Matrix atoms: the instructions that compute D = A x B + C, as data.

The name of an atom is its key in ``MMA_ATOMS``; no code parses a name. Element types are spelled as
in PTX. Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", "Asynchronous
Warpgroup Level Matrix Multiply-Accumulate Instructions" and "Tensorcore 5th Generation".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from tileir_xdsl.targets.features import Feature, PTXVersion
from tileir_xdsl.targets.target import Target


class MMAKind(Enum):
    """Generations of matrix instructions."""

    WARP = "mma"
    """mma.sync: executed by a warp, with all operands in registers."""
    WARPGROUP = "wgmma"
    """wgmma: executed by four warps asynchronously, with B and optionally A in shared memory."""
    TENSOR_MEMORY = "umma"
    """tcgen05.mma: issued by one thread, asynchronous, with D in tensor memory."""


PAIR, PAIR_ELEMENT = "e2m1x2", "e2m1"
"""The names of a tile element that is a pair of 4-bit numbers in a byte, the first in the low half.
"""


@dataclass(frozen=True)
class MMAShape:
    """One shape M x N x K of an MMA instruction."""

    m: int
    n: int
    k: int
    feature: Feature | None = None
    """The feature that the target needs; None if every target has the shape."""
    ptx_version: PTXVersion = (7, 0)
    """The first PTX ISA version with this shape and these types."""

    def is_available(self, target: Target) -> bool:
        """Whether the target has the shape."""
        return self.feature is None or self.feature in target.features


@dataclass(frozen=True)
class MMAAtom:
    """One combination of element types on one kind of tensor core."""

    name: str
    kind: MMAKind
    a: str
    b: str
    accumulator: str
    shapes: tuple[MMAShape, ...]
    """The shapes of the instruction, preferred first.

    K counts elements of a tile."""
    operand_bits: int
    """The bits of each element of A and B, including padding."""
    ptx: str
    """The instruction without shape and operands: what precedes and what follows the shape,
    separated by a blank. tcgen05.mma carries its shape in a descriptor instead."""
    scale: str = ""
    """The element type of the block scales; empty for unscaled atoms."""
    scale_block: int = 0
    """Elements along K that share a scale."""
    bit_operation: str = ""
    """For 1-bit types, the operation on pairs of bits before the ones are counted."""
    pair_shapes: tuple[MMAShape, ...] = ()
    """The shapes of MMAs by a pair of CTAs, `.cta_group::2`; M is the rows of both."""
    padded_on: frozenset[int] = frozenset()
    """The compute capabilities on which ptxas inserts many no-ops between two such instructions."""

    @property
    def packing(self) -> int:
        """The numbers along K that one tile element of A or B holds."""
        return 2 if self.a == PAIR else 1

    @property
    def numbers(self) -> tuple[str, str]:
        """The types of the numbers in A and B."""
        return (PAIR_ELEMENT, PAIR_ELEMENT) if self.a == PAIR else (self.a, self.b)

    @property
    def transposes_bytes(self) -> bool:
        """Whether operands of 8 bits may be contiguous along M or N in shared memory.

        Source: CUTLASS, "Blackwell SM100 GEMMs": kinds `i8` and `f8f6f4` take all four layouts.
        """
        types = {self.a, self.b}
        is_tensor_memory = self.kind is MMAKind.TENSOR_MEMORY
        return is_tensor_memory and not self.scale and types <= {*INTEGERS, *FLOATS_8}

    def is_padded(self, target: Target) -> bool:
        """Whether scalar multiply-adds need fewer machine instructions than the MMA."""
        return target.compute_capability in self.padded_on

    def available_shapes(self, target: Target) -> tuple[MMAShape, ...]:
        """The shapes that a target has, the preferred one first."""
        if self.name in target.withheld_atoms:
            return ()
        return tuple(shape for shape in self.shapes if shape.is_available(target))

    def dividing_shapes(self, target: Target, m: int, n: int, k: int) -> tuple[MMAShape, ...]:
        """The shapes of a target that divide a tile, preferred first.

        If none divides the tile, a shape of one warp may have more rows and columns than the tile.
        Threads beyond the tile compute copies of elements, from copies of A or B.
        """
        available = [shape for shape in self.available_shapes(target) if k % shape.k == 0]
        dividing = tuple(shape for shape in available if m % shape.m == n % shape.n == 0)
        if dividing or self.kind is not MMAKind.WARP:
            return dividing
        return tuple(
            shape for shape in available if m % min(m, shape.m) == n % min(n, shape.n) == 0
        )


OPERAND_BITS: dict[str, int] = {
    "f64": 64,
    "tf32": 32,
    "f16": 16,
    "bf16": 16,
    "s8": 8,
    "u8": 8,
    "e4m3": 8,
    "e5m2": 8,
    "e3m2": 8,
    "e2m3": 8,
    "e2m1": 8,
    "s4": 4,
    "u4": 4,
    "b1": 1,
}
"""Bits per operand element, in registers or shared memory, unless two e2m1 share a byte."""

INTEGERS = ("s8", "u8")
INTEGERS_4 = ("s4", "u4")
FLOATS_8 = ("e4m3", "e5m2")
FLOATS_8_6_4 = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")


# Measured with ptxas 13.5: about 52 empty instructions follow each 8x8x4 mma but the last, on
# independent accumulators too. None do on sm_80 to sm_100, nor on sm_107.
PADDED_F64_MMA = frozenset({103, 110, 120, 121})
"""Compute capabilities on which ptxas pads `mma.sync` on f64, as does `tileiras`."""


COLUMNS = tuple(range(256, 0, -8))
"""The N of wgmma, and of tcgen05.mma with 64 rows; with 128 rows only multiples of 16."""

INTEGER_COLUMNS = tuple(n for n in COLUMNS if n % 16 == 0 or n <= 24)
"""The N of integer MMAs, without the odd multiples of 8 above 24."""


def _pairs(types: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return ((a, b) for a in types for b in types)


def _warp_atom(
    a: str, b: str, accumulator: str, shapes: tuple[MMAShape, ...], kind: str = ""
) -> MMAAtom:
    return MMAAtom(
        name=f"mma_{a}_{b}_{accumulator}",
        kind=MMAKind.WARP,
        a=a,
        b=b,
        accumulator=accumulator,
        shapes=shapes,
        operand_bits=OPERAND_BITS[a],
        ptx=f"mma.sync.aligned .row.col{kind}.{accumulator}.{a}.{b}.{accumulator}",
    )


def _bit_atom(operation: str, version: PTXVersion) -> MMAAtom:
    """The MMA that counts the ones of `a xor b` or `a and b`."""
    extents = ((16, 8, 256), (16, 8, 128), (8, 8, 128))
    return MMAAtom(
        name=f"mma_b1_b1_s32_{operation}",
        kind=MMAKind.WARP,
        a="b1",
        b="b1",
        accumulator="s32",
        shapes=tuple(MMAShape(*extent, ptx_version=version) for extent in extents),
        operand_bits=OPERAND_BITS["b1"],
        ptx=f"mma.sync.aligned .row.col.s32.b1.b1.s32.{operation}.popc",
        bit_operation=operation,
    )


def _warp_atoms() -> Iterator[MMAAtom]:
    halves = (MMAShape(16, 8, 16), MMAShape(16, 8, 8))
    yield _warp_atom("f16", "f16", "f32", halves)
    yield _warp_atom("f16", "f16", "f16", halves)
    yield _warp_atom("bf16", "bf16", "f32", halves)
    yield _warp_atom("tf32", "tf32", "f32", (MMAShape(16, 8, 8), MMAShape(16, 8, 4)))
    for a, b in _pairs(INTEGERS):
        bytes_ = (MMAShape(16, 8, 32), MMAShape(16, 8, 16), MMAShape(8, 8, 16))
        yield _warp_atom(a, b, "s32", bytes_)
    for a, b in _pairs(INTEGERS_4):
        nibbles = (MMAShape(16, 8, 64), MMAShape(16, 8, 32), MMAShape(8, 8, 32))
        yield _warp_atom(a, b, "s32", nibbles)
    for operation, version in (("xor", (7, 0)), ("and", (7, 1))):
        yield _bit_atom(operation, version)
    for a, b in _pairs(FLOATS_8):
        for accumulator, version in (("f32", (8, 4)), ("f16", (8, 7))):
            shapes = (
                MMAShape(16, 8, 32, Feature.FP8_MMA, version),
                MMAShape(16, 8, 16, Feature.FP8_MMA, (8, 7)),
            )
            yield _warp_atom(a, b, accumulator, shapes)
    doubles = (
        *(MMAShape(16, 8, k, Feature.F64_MMA_LARGE, (7, 8)) for k in (16, 8, 4)),
        MMAShape(8, 8, 4),
    )
    yield replace(_warp_atom("f64", "f64", "f64", doubles), padded_on=PADDED_F64_MMA)
    narrow = (MMAShape(16, 8, 32, Feature.BLOCK_SCALED_MMA, (8, 7)),)
    for a, b in _pairs(FLOATS_8_6_4):
        if not {a, b} <= set(FLOATS_8):
            yield _warp_atom(a, b, "f32", narrow, ".kind::f8f6f4")


def _packed_or_not(atom: MMAAtom) -> Iterator[MMAAtom]:
    """An atom, and if its operands have four bits, the atom for tiles of bytes."""
    yield atom
    if atom.operand_bits == 4:
        yield replace(
            atom,
            name=atom.name.replace(PAIR_ELEMENT, PAIR),
            a=PAIR,
            b=PAIR,
            shapes=tuple(replace(shape, k=shape.k // 2) for shape in atom.shapes),
            operand_bits=8,
            scale_block=atom.scale_block // 2,
        )


def scaled_warp_atom(
    name: str, kind: str, types: tuple[str, str], scale: str, count: int, shape: MMAShape
) -> MMAAtom:
    """A dense warp MMA with block scales; each row of A has `count` scales."""
    a, b = types
    return MMAAtom(
        name=name,
        kind=MMAKind.WARP,
        a=a,
        b=b,
        accumulator="f32",
        shapes=(shape,),
        operand_bits=256 // shape.k,
        ptx=f"mma.sync.aligned .row.col.kind::{kind}.block_scale.scale_vec::{count}X"
        f".f32.{a}.{b}.f32.{scale}",
        scale=scale,
        scale_block=shape.k // count,
    )


def _scaled_warp_atoms() -> Iterator[MMAAtom]:
    four_bits = ((PAIR_ELEMENT, PAIR_ELEMENT),)
    modes = (
        ("mxf8f6f4", "", 32, tuple(_pairs(FLOATS_8_6_4)), 1, "ue8m0", (8, 7)),
        ("mxf4", "", 64, four_bits, 2, "ue8m0", (8, 7)),
        ("mxf4nvf4", "", 64, four_bits, 4, "ue4m3", (8, 7)),
        ("mxf4nvf4", "_ue8m0", 64, four_bits, 4, "ue8m0", (9, 1)),
    )
    for kind, suffix, k, pairs, count, scale, version in modes:
        shape = MMAShape(16, 8, k, Feature.BLOCK_SCALED_MMA, version)
        for a, b in pairs:
            name = f"mma_{kind}_{a}_{b}_f32{suffix}"
            yield from _packed_or_not(scaled_warp_atom(name, kind, (a, b), scale, count, shape))


def _warpgroup_atom(
    a: str, b: str, accumulator: str, version: PTXVersion = (8, 0), bit_operation: str = ""
) -> MMAAtom:
    columns = INTEGER_COLUMNS if accumulator == "s32" else COLUMNS
    counted = f".{bit_operation}.popc" if bit_operation else ""
    k = 256 // OPERAND_BITS[a]
    return MMAAtom(
        name=f"wgmma_{a}_{b}_{accumulator}",
        kind=MMAKind.WARPGROUP,
        a=a,
        b=b,
        accumulator=accumulator,
        shapes=tuple(MMAShape(64, n, k, Feature.WGMMA, version) for n in columns),
        operand_bits=OPERAND_BITS[a],
        ptx=f"wgmma.mma_async.sync.aligned .{accumulator}.{a}.{b}{counted}",
        bit_operation=bit_operation,
    )


def _warpgroup_atoms() -> Iterator[MMAAtom]:
    yield _warpgroup_atom("f16", "f16", "f32")
    yield _warpgroup_atom("f16", "f16", "f16")
    yield _warpgroup_atom("bf16", "bf16", "f32")
    yield _warpgroup_atom("tf32", "tf32", "f32")
    for a, b in _pairs(FLOATS_8):
        for accumulator in ("f32", "f16"):
            yield _warpgroup_atom(a, b, accumulator)
    for a, b in _pairs(INTEGERS):
        yield _warpgroup_atom(a, b, "s32", (8, 0) if a == b else (8, 4))
    yield _warpgroup_atom("b1", "b1", "s32", bit_operation="and")


def _tensor_memory_shapes(k: int, feature: Feature) -> tuple[MMAShape, ...]:
    columns = INTEGER_COLUMNS if feature is Feature.TCGEN05_INT8 else COLUMNS
    wide = (MMAShape(128, n, k, feature, (8, 6)) for n in columns if n % 16 == 0)
    narrow = (MMAShape(64, n, k, feature, (8, 6)) for n in columns)
    return (*wide, *narrow)


PAIR_ROWS = 256
"""The M of a pair of CTAs: 128 rows in each. MMAs of 64 rows per CTA are not used."""


def _pair_shapes(k: int, feature: Feature) -> tuple[MMAShape, ...]:
    """The shapes of a pair of CTAs, each with half of the columns, in multiples of 16."""
    return tuple(MMAShape(PAIR_ROWS, n, k, feature, (8, 6)) for n in COLUMNS if n % 32 == 0)


def _tensor_memory_atoms() -> Iterator[MMAAtom]:
    kinds = (
        ("f16", (("f16", "f16"), ("bf16", "bf16")), ("f32",), 16, Feature.TCGEN05),
        ("f16", (("f16", "f16"),), ("f16",), 16, Feature.TCGEN05),
        ("tf32", (("tf32", "tf32"),), ("f32",), 8, Feature.TCGEN05),
        ("f8f6f4", tuple(_pairs(FLOATS_8_6_4)), ("f32", "f16"), 32, Feature.TCGEN05),
        ("i8", tuple(_pairs(INTEGERS)), ("s32",), 32, Feature.TCGEN05_INT8),
    )
    for kind, pairs, accumulators, k, feature in kinds:
        for a, b in pairs:
            for accumulator in accumulators:
                yield MMAAtom(
                    name=f"umma_{a}_{b}_{accumulator}",
                    kind=MMAKind.TENSOR_MEMORY,
                    a=a,
                    b=b,
                    accumulator=accumulator,
                    shapes=_tensor_memory_shapes(k, feature),
                    pair_shapes=_pair_shapes(k, feature),
                    operand_bits=OPERAND_BITS[a],
                    ptx=f"tcgen05.mma.cta_group::1.kind::{kind}",
                )
    scaled = (
        ("mxf8f6f4", "", "", tuple(_pairs(FLOATS_8_6_4)), 32, "ue8m0", 32, (8, 6)),
        ("mxf4", "", "", (("e2m1", "e2m1"),), 64, "ue8m0", 32, (8, 6)),
        # The size of the block has no default here, and is spelled like this on families too. The
        # type of the scales is in the instruction descriptor.
        ("mxf4nvf4", ".block16", "", (("e2m1", "e2m1"),), 64, "ue4m3", 16, (8, 8)),
        ("mxf4nvf4", ".block16", "_ue8m0", (("e2m1", "e2m1"),), 64, "ue8m0", 16, (8, 8)),
    )
    for kind, block_size, suffix, pairs, k, scale, block, version in scaled:
        for a, b in pairs:
            yield from _packed_or_not(
                MMAAtom(
                    name=f"umma_{kind}_{a}_{b}_f32{suffix}",
                    kind=MMAKind.TENSOR_MEMORY,
                    a=a,
                    b=b,
                    accumulator="f32",
                    shapes=tuple(
                        MMAShape(128, n, k, Feature.TCGEN05, version)
                        for n in COLUMNS
                        if n % 16 == 0
                    ),
                    operand_bits=256 // k,
                    ptx=f"tcgen05.mma.cta_group::1.kind::{kind}.block_scale{block_size}",
                    scale=scale,
                    scale_block=block,
                )
            )


MMA_ATOMS: dict[str, MMAAtom] = {
    atom.name: atom
    for family in (_warp_atoms, _scaled_warp_atoms, _warpgroup_atoms, _tensor_memory_atoms)
    for atom in family()
}
"""Every matrix atom by its name."""


NEWEST_FIRST = (MMAKind.TENSOR_MEMORY, MMAKind.WARPGROUP, MMAKind.WARP)


def mma_atoms(
    target: Target, a: str, b: str, accumulator: str, scale: str = "", scale_block: int = 0
) -> tuple[MMAAtom, ...]:
    """The atoms of a target for given element types, the newest kind first, densest inputs first.

    The atoms are unscaled, unless `scale` is the element type of scales. Each scale belongs to
    `scale_block` elements along K.
    """
    wanted = (a, b, accumulator, scale, scale_block)
    found = [
        atom
        for atom in MMA_ATOMS.values()
        if (atom.a, atom.b, atom.accumulator, atom.scale, atom.scale_block) == wanted
        and atom.available_shapes(target)
    ]
    return tuple(sorted(found, key=lambda atom: (NEWEST_FIRST.index(atom.kind), atom.operand_bits)))
