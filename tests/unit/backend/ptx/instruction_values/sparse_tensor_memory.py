"""Sparse and weight stationary products in tensor memory.

Thread l of a block owns lane l: columns 0 on have D, columns 256 on have A or the scales, and
then the metadata.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tests.unit.backend.ptx.instruction_values.tensor_memory import scaled_operation, work
from tests.unit.backend.ptx.instruction_values.value import Loaded, Stored, Value, arrive
from tests.unit.emulator.instructions import (
    test_sparse_scaled_tcgen05_mma,
    test_sparse_tcgen05_mma,
    test_tcgen05_scaled_mma,
)
from tests.unit.emulator.instructions.test_sparse_tcgen05_mma import METADATA, Dot
from tests.unit.emulator.instructions.test_tcgen05_mma import Statement

_B_START, _A_BYTES = 32768, 4096
_PLAIN = test_sparse_tcgen05_mma.SPARSE[0]
_LANES = "{shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}"
_KINDS = ("f16", "tf32", "f8f6f4", "i8")
_TYPES = dict(zip(_KINDS, ("bf16 bf16", "tf32 tf32", "e4m3 e5m2", "s8 u8"), strict=True))
_USES = ("fill", "use", "lastuse")


def _operation(dot: Dot) -> str:
    """The op of a product, on `%t`, `%a` or `%left`, `%b`, `%word_`, and `%metadata`."""
    attributes = [f"kind = #nvvm.tcgen05_mma_kind<{dot.kind}>"]
    if not dot.stationary:
        attributes.append(f"ctaGroup = #nvvm.cta_group<cta_{dot.blocks}>")
    if dot.suffix:
        _, buffer, use = dot.suffix.split("::")
        attributes.append(f"collectorOp = #nvvm.tcgen05_mma_collectorop<{use}>")
        if dot.stationary:
            attributes.append(f"collectorBBuffer = #nvvm.tcgen05_mma_collectorb<{buffer}>")
    a, type_ = ("%left", "!llvm.ptr<6>") if dot.left else ("%a", "i64")
    name = "mma" + ".ws" * dot.stationary + ".sp" * dot.sparse
    return (
        f"nvvm.tcgen05.{name} %t, {a}, %b, %word_, %true{', %metadata' * dot.sparse} "
        f"{{{', '.join(attributes)}}} "
        f": (!llvm.ptr<6>, {type_}, i64, i32, i1{', !llvm.ptr<6>' * dot.sparse})"
    )


@dataclass(frozen=True)
class _Issue:
    """One product: its op, its descriptors, and where A, B and the metadata are in the image."""

    operation: str
    word: int
    descriptors: tuple[int, int]
    b_bytes: int
    blocks: int = 1


def _kernel(issue: _Issue, n: int) -> str:
    """The image goes to shared memory, D, A and the metadata to tensor memory; one thread issues."""
    image_bytes, descriptors = _A_BYTES + issue.b_bytes, issue.descriptors
    together, group = "nvvm.barrier", ""
    issues = "%issues = llvm.and %first, %true : i1"
    commit = "nvvm.tcgen05.commit %done : !llvm.ptr<3>"
    if issue.blocks == 2:
        together = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}"
        group = " {group = #nvvm.cta_group<cta_2>}"
        issues = (
            '%of_first = llvm.icmp "eq" %rank, %c0_i32 : i32\n'
            "%issues = llvm.and %first, %of_first : i1"
        )
        commit = (
            "%both = llvm.mlir.constant(3 : i16) : i16\n"
            f"nvvm.tcgen05.commit %done, multicast_mask = %both{group} : !llvm.ptr<3>, i16"
        )
    copy = arrive(
        "nvvm.cp.async.bulk.shared.cluster.global %smem7, %whole, %object, "
        f"%c{image_bytes}_i32\n  : !llvm.ptr<7>, !llvm.ptr<1>",
        image_bytes,
    )
    steps = f"""{copy}{issues}
%address = llvm.ptrtoint %smem : !llvm.ptr<3> to i32
%start = llvm.lshr %address, %c4_i32 : i32
%wide = llvm.zext %start : i32 to i64
%of_a = llvm.mlir.constant({descriptors[0]} : i64) : i64
%of_b = llvm.mlir.constant({descriptors[1]} : i64) : i64
%a = llvm.add %wide, %of_a : i64
%b = llvm.add %wide, %of_b : i64
%word_ = llvm.mlir.constant({issue.word} : i32) : i32
%left_word = llvm.add %word, %c256_i32 : i32
%left = llvm.inttoptr %left_word : i32 to !llvm.ptr<6>
%metadata_word = llvm.add %word, %c264_i32 : i32
%metadata = llvm.inttoptr %metadata_word : i32 to !llvm.ptr<6>
%right_word = llvm.add %word, %c260_i32 : i32
%right = llvm.inttoptr %right_word : i32 to !llvm.ptr<6>
%own_word = llvm.add %own, %c256_i32 : i32
%own_words = llvm.inttoptr %own_word : i32 to !llvm.ptr<6>
nvvm.tcgen05.st %mine, %sums {_LANES} : vector<{n}xi32>
nvvm.tcgen05.st %own_words, %words {_LANES} : vector<16xi32>
nvvm.tcgen05.wait <store>
%done = llvm.getelementptr %smem[30720] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
llvm.cond_br %first, ^initialize, ^initialized
^initialize:
nvvm.mbarrier.init %done, %c1_i32 : !llvm.ptr<3>, i32
nvvm.fence.mbarrier.init
llvm.br ^initialized
^initialized:
nvvm.tcgen05.fence <before>
{together}
llvm.cond_br %issues, ^issue, ^issued
^issue:
nvvm.tcgen05.fence <after>
{issue.operation}
{commit}
llvm.br ^issued
^issued:
nvvm.mbarrier.try_wait.parity %done, %c0_i32, %c1000_i32 : !llvm.ptr<3>, i32, i32
nvvm.tcgen05.fence <after>
%d = nvvm.tcgen05.ld %mine {_LANES} : vector<{n}xi32>
nvvm.tcgen05.wait <load>
"""
    return (
        "%whole = llvm.getelementptr %image[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, "
        f"!llvm.array<{image_bytes} x i8>\n" + work(steps, 512, issue.blocks)
    )


def _value(issue: _Issue, stated: Statement) -> Value:
    n = stated.sums.shape[2]
    parts = (stated.images[:, :_A_BYTES], stated.images[:, _B_START : _B_START + issue.b_bytes])
    image = np.concatenate(parts, axis=1)
    metadata = np.ascontiguousarray(stated.images[:, METADATA : METADATA + 2048])
    of_lanes = metadata.view(np.uint32).reshape(-1, 128, 4)
    words = np.concatenate([stated.words, of_lanes, np.zeros_like(of_lanes)], axis=2)
    expected = stated.expected.reshape(-1, n).view(np.uint32)
    return Value(
        _kernel(issue, n),
        lambda _: {"d": expected},
        loads={
            "sums": Loaded(f"vector<{n}xi32>", stated.sums.reshape(-1, n).view(np.uint32)),
            "words": Loaded("vector<16xi32>", words.reshape(-1, 16)),
        },
        stores={"d": Stored(f"vector<{n}xi32>", np.zeros_like(expected))},
        memory={"image": image},
        threads=128,
        blocks=issue.blocks,
        cluster=issue.blocks,
        late=True,
    )


def _of_dot(dot: Dot) -> tuple[str, Value]:
    suffix = ".ws" * dot.stationary + ".sp" * dot.sparse
    opcode = f"tcgen05.mma{suffix}.cta_group::{dot.blocks}.kind::{dot.kind}{dot.suffix}"
    rows, columns = dot.m // dot.blocks, dot.n // dot.blocks
    issue = _Issue(
        _operation(dot),
        dot.descriptor,
        (
            dot.matrix_descriptor(0, rows, 0, transposed=False),
            dot.matrix_descriptor(_A_BYTES, columns, 0, transposed=False),
        ),
        32 * (1 + dot.sparse) * columns,
        dot.blocks,
    )
    return opcode, _value(issue, test_sparse_tcgen05_mma.statement(dot))


def _with_scales(dot: test_tcgen05_scaled_mma.Dot) -> tuple[str, Value]:
    """The scales are where A would be."""
    issue = _Issue(
        scaled_operation(dot.qualifiers, sparse=True),
        dot.descriptor | 4,
        (
            _PLAIN.matrix_descriptor(0, 128, 0, transposed=False),
            _PLAIN.matrix_descriptor(_A_BYTES, 16, 0, transposed=False),
        ),
        64 * 16,
    )
    opcode = f"tcgen05.mma.sp.cta_group::1.kind::{dot.qualifiers}"
    return opcode, _value(issue, test_sparse_scaled_tcgen05_mma.statement(dot))


def _dots() -> Iterator[Dot]:
    dense = Dot("f16", 128, 16, "f32 f16 f16", sparse=False)
    for use in _USES:
        yield replace(dense, suffix=f".collector::a::{use}")
        yield replace(dense, sparse=True, suffix=f".collector::a::{use}")
    for kind, types in _TYPES.items():
        sums = "s32" if kind == "i8" else "f32"
        selector = int(kind in ("f16", "tf32"))
        # A is a matrix in shared memory, or for tf32 in tensor memory.
        one = Dot(kind, 128, 16, f"{sums} {types}", left=kind == "tf32", selector=selector)
        yield one
        yield replace(one, m=256, n=32, blocks=2)
        for m, sparse in ((64, False), (32, True)):
            yield replace(
                one, m=m, n=64, stationary=True, sparse=sparse, selector=selector * sparse
            )
    for sparse in (False, True):
        stationary = replace(dense, m=64, n=64, stationary=True, sparse=sparse)
        for buffer in range(4):
            for use in (*_USES, "discard"):
                if (buffer, use) != (0, "discard"):
                    yield replace(stationary, suffix=f".collector::b{buffer}::{use}")


def _scaled_dots() -> Iterator[tuple[str, Value]]:
    for qualifiers, types, count, scales in (
        ("mxf8f6f4.block_scale", "e4m3 e2m1", 1, "ue8m0"),
        ("mxf8f6f4.block_scale.block32", "e3m2 e5m2", 1, "ue8m0"),
        ("mxf4.block_scale", "e2m1 e2m1", 2, "ue8m0"),
        ("mxf4.block_scale.block32", "e2m1 e2m1", 2, "ue8m0"),
        ("mxf4nvf4.block_scale.block16", "e2m1 e2m1", 4, "ue4m3"),
        ("mxf4nvf4.block_scale.block32", "e2m1 e2m1", 2, "ue8m0"),
    ):
        yield _with_scales(test_tcgen05_scaled_mma.Dot(qualifiers, types, count, scales=scales))


VALUES: Mapping[str, Value] = dict([*map(_of_dot, _dots()), *_scaled_dots()])
