"""Copy atoms: the instructions that move a tile between two memories, as data.

The name of an atom is its key in ``COPY_ATOMS``; no code parses a name. Source: PTX ISA, "Data
Movement and Conversion Instructions", "Warp-level matrix load and store instructions" and
"Tensorcore 5th Generation".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tileir_xdsl.targets.features import Feature
from tileir_xdsl.targets.target import Target


class Memory(Enum):
    """The memories of tiles; the values are the names of memory spaces in the IR."""

    REGISTER = 0
    SHARED = 2
    GLOBAL = 3
    TENSOR = 4


class CopyKind(Enum):
    """Families of copy atoms; the values are their names in diagnostics."""

    LOAD_GLOBAL = "ldg"
    STORE_GLOBAL = "stg"
    LOAD_SHARED = "lds"
    STORE_SHARED = "sts"
    ASYNC_COPY = "ldgsts"
    LOAD_MATRIX = "ldsm"
    STORE_MATRIX = "stsm"
    TMA_LOAD = "tma_load"
    TMA_STORE = "tma_store"
    TMA_REDUCE = "tma_redg"
    LOAD_TENSOR_MEMORY = "tmem_load"
    STORE_TENSOR_MEMORY = "tmem_store"
    COPY_TO_TENSOR_MEMORY = "s2t_copy"

    @property
    def is_by_each_thread(self) -> bool:
        """Whether each thread copies its own elements; fewer elements need fewer instructions."""
        return self in (
            CopyKind.LOAD_GLOBAL,
            CopyKind.LOAD_SHARED,
            CopyKind.STORE_GLOBAL,
            CopyKind.STORE_SHARED,
        )


@dataclass(frozen=True)
class CopyAtom:
    """One kind of copy instruction."""

    name: str
    kind: CopyKind
    source: Memory
    destination: Memory
    ptx: str
    """The instruction without operands."""
    feature: Feature | None = None
    """The feature that the target needs; None if every target has the instruction."""
    vector_bytes: int = 0
    """Bytes per thread and instruction; 0 if threads copy collectively."""
    alignment: int = 16
    """Bytes to which the addresses in memory are aligned."""
    shape: tuple[int, ...] = ()
    """The extents that one instruction fixes: rows and 16-byte columns of matrices, lanes and bits
    of tensor memory. Empty if an instruction fixes none."""
    box_rank: int = 0
    """Dimensions of the box; 0 for atoms other than TMA."""
    transposed: bool = False
    """Whether the instruction transposes the matrix."""
    reduction: str = ""
    """The PTX name of the reduction with elements in memory; empty without a reduction."""
    is_async: bool = False
    """Whether the copy is asynchronous, so that completion is awaited separately."""
    expansion: int = 1
    """The ratio of an element's width in registers to its width in memory."""

    def is_available(self, target: Target) -> bool:
        """Whether the target has the instruction."""
        is_had = self.feature is None or self.feature in target.features
        return is_had and self.name not in target.withheld_atoms


_VECTOR_TYPES: dict[int, str] = {
    1: "b8",
    2: "b16",
    4: "b32",
    8: "v2.b32",
    16: "v4.b32",
    32: "v8.b32",
}
"""The PTX type of an access, by its bytes."""


def _plain_accesses() -> Iterator[CopyAtom]:
    directions = (
        (CopyKind.LOAD_GLOBAL, Memory.GLOBAL, Memory.REGISTER, "ld.global", 32),
        (CopyKind.STORE_GLOBAL, Memory.REGISTER, Memory.GLOBAL, "st.global", 32),
        (CopyKind.LOAD_SHARED, Memory.SHARED, Memory.REGISTER, "ld.shared", 16),
        (CopyKind.STORE_SHARED, Memory.REGISTER, Memory.SHARED, "st.shared", 16),
    )
    for kind, source, destination, ptx, widest in directions:
        for size, suffix in _VECTOR_TYPES.items():
            if size <= widest:
                yield CopyAtom(
                    name=f"{kind.value}_{8 * size}",
                    kind=kind,
                    source=source,
                    destination=destination,
                    ptx=f"{ptx}.{suffix}",
                    feature=Feature.ACCESS_256_BIT if size == 32 else None,
                    vector_bytes=size,
                    alignment=size,
                )


def _async_copies() -> Iterator[CopyAtom]:
    # Only copies of 16 bytes may bypass the first-level cache.
    for size, cache in ((4, "ca"), (8, "ca"), (16, "cg")):
        yield CopyAtom(
            name=f"ldgsts_{8 * size}",
            kind=CopyKind.ASYNC_COPY,
            source=Memory.GLOBAL,
            destination=Memory.SHARED,
            ptx=f"cp.async.{cache}.shared.global",
            feature=Feature.CP_ASYNC,
            vector_bytes=size,
            alignment=size,
            is_async=True,
        )


@dataclass(frozen=True)
class _MatrixMode:
    """The common parts of the x1, x2 and x4 forms of ldmatrix or stmatrix."""

    name: str
    shape: tuple[int, int]
    shape_ptx: str
    type_ptx: str
    counts: tuple[int, ...]
    transposed: bool
    words_per_matrix: int = 1
    expansion: int = 1


_LOAD_MODES: dict[_MatrixMode, Feature] = {
    _MatrixMode("m88", (8, 8), "m8n8", "b16", (1, 2, 4), False): Feature.LDMATRIX,
    _MatrixMode("mt88", (8, 8), "m8n8", "b16", (1, 2, 4), True): Feature.LDMATRIX,
    _MatrixMode(
        "m816", (8, 16), "m8n16", "b8x16.b4x16_p64", (1, 2, 4), False, expansion=2
    ): Feature.BYTE_MATRIX_COPY,
    _MatrixMode("mt1616", (16, 16), "m16n16", "b8", (1, 2), True, 2): Feature.BYTE_MATRIX_COPY,
}
_STORE_MODES: dict[_MatrixMode, Feature] = {
    _MatrixMode("m88", (8, 8), "m8n8", "b16", (1, 2, 4), False): Feature.STMATRIX,
    _MatrixMode("mt88", (8, 8), "m8n8", "b16", (1, 2, 4), True): Feature.STMATRIX,
    _MatrixMode("mt168", (16, 8), "m16n8", "b8", (1, 2, 4), True): Feature.BYTE_MATRIX_COPY,
}


def _matrix_copies() -> Iterator[CopyAtom]:
    directions = (
        (CopyKind.LOAD_MATRIX, Memory.SHARED, Memory.REGISTER, "ldmatrix", _LOAD_MODES),
        (CopyKind.STORE_MATRIX, Memory.REGISTER, Memory.SHARED, "stmatrix", _STORE_MODES),
    )
    for kind, source, destination, ptx, modes in directions:
        for mode, feature in modes.items():
            for count in mode.counts:
                trans = ".trans" if mode.transposed else ""
                yield CopyAtom(
                    name=f"{kind.value}_{mode.name}_x{count}",
                    kind=kind,
                    source=source,
                    destination=destination,
                    ptx=f"{ptx}.sync.aligned.{mode.shape_ptx}.x{count}{trans}"
                    f".shared.{mode.type_ptx}",
                    feature=feature,
                    vector_bytes=4 * count * mode.words_per_matrix,
                    alignment=16,
                    shape=(count * mode.shape[0], mode.shape[1]),
                    transposed=mode.transposed,
                    expansion=mode.expansion,
                )


def _tma_copies() -> Iterator[CopyAtom]:
    for rank in range(1, 6):
        yield CopyAtom(
            name=f"tma_load_{rank}d",
            kind=CopyKind.TMA_LOAD,
            source=Memory.GLOBAL,
            destination=Memory.SHARED,
            ptx=f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes",
            feature=Feature.TMA,
            alignment=128,
            box_rank=rank,
            is_async=True,
        )
        yield CopyAtom(
            name=f"tma_store_{rank}d",
            kind=CopyKind.TMA_STORE,
            source=Memory.SHARED,
            destination=Memory.GLOBAL,
            ptx=f"cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group",
            feature=Feature.TMA,
            alignment=128,
            box_rank=rank,
            is_async=True,
        )
        for operation in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
            yield CopyAtom(
                name=f"tma_redg_{operation}_{rank}d",
                kind=CopyKind.TMA_REDUCE,
                source=Memory.SHARED,
                destination=Memory.GLOBAL,
                ptx=f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta"
                f".{operation}.bulk_group",
                feature=Feature.TMA,
                alignment=128,
                box_rank=rank,
                reduction=operation,
                is_async=True,
            )
    yield CopyAtom(
        name="tma_gather4_2d",
        kind=CopyKind.TMA_LOAD,
        source=Memory.GLOBAL,
        destination=Memory.SHARED,
        ptx="cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes",
        feature=Feature.TMA_GATHER,
        alignment=128,
        box_rank=2,
        is_async=True,
    )
    yield CopyAtom(
        name="tma_scatter4_2d",
        kind=CopyKind.TMA_STORE,
        source=Memory.SHARED,
        destination=Memory.GLOBAL,
        ptx="cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group",
        feature=Feature.TMA_SCATTER,
        alignment=128,
        box_rank=2,
        is_async=True,
    )


_TENSOR_MEMORY_SHAPES: dict[str, tuple[tuple[int, int], int]] = {
    "32x32b": ((32, 32), 128),
    "16x64b": ((16, 64), 128),
    "16x128b": ((16, 128), 64),
    "16x256b": ((16, 256), 32),
}
"""Lanes and bits of one access, and the most repetitions of it in one instruction."""


def _tensor_memory_copies() -> Iterator[CopyAtom]:
    directions = (
        (CopyKind.LOAD_TENSOR_MEMORY, Memory.TENSOR, Memory.REGISTER, "ld"),
        (CopyKind.STORE_TENSOR_MEMORY, Memory.REGISTER, Memory.TENSOR, "st"),
    )
    for kind, source, destination, ptx in directions:
        for name, ((lanes, bits), most) in _TENSOR_MEMORY_SHAPES.items():
            repeat = 1
            while repeat <= most:
                yield CopyAtom(
                    name=f"{kind.value}_{name}_x{repeat}",
                    kind=kind,
                    source=source,
                    destination=destination,
                    ptx=f"tcgen05.{ptx}.sync.aligned.{name}.x{repeat}.b32",
                    feature=Feature.TCGEN05,
                    vector_bytes=repeat * lanes * bits // 8 // 32,
                    alignment=0,
                    shape=(lanes, bits * repeat),
                    is_async=True,
                )
                repeat *= 2
    for name, (shape, multicast) in {
        "128x256b": ((128, 256), ""),
        "128x128b": ((128, 128), ""),
        "4x256b": ((4, 256), ""),
        "64x128b": ((64, 128), ".warpx2::02_13"),
        "32x128b": ((32, 128), ".warpx4"),
    }.items():
        yield CopyAtom(
            name=f"s2t_copy_{name}",
            kind=CopyKind.COPY_TO_TENSOR_MEMORY,
            source=Memory.SHARED,
            destination=Memory.TENSOR,
            ptx=f"tcgen05.cp.cta_group::1.{name}{multicast}",
            feature=Feature.TCGEN05,
            alignment=16,
            shape=shape,
            is_async=True,
        )


COPY_ATOMS: dict[str, CopyAtom] = {
    atom.name: atom
    for family in (
        _plain_accesses,
        _async_copies,
        _matrix_copies,
        _tma_copies,
        _tensor_memory_copies,
    )
    for atom in family()
}
"""Every copy atom by its name."""


def copy_atoms(target: Target, source: Memory, destination: Memory) -> tuple[CopyAtom, ...]:
    """The atoms of a target that copy from one memory to another, in the order of the table."""
    return tuple(
        atom
        for atom in COPY_ATOMS.values()
        if (atom.source, atom.destination) == (source, destination) and atom.is_available(target)
    )
