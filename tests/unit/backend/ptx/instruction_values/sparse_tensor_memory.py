"""Sparse and weight stationary products in tensor memory.

Thread l of a block owns lane l: columns 0 on have D, columns 256 on have A and then the metadata.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tests.unit.backend.ptx.instruction_values.tensor_memory import work
from tests.unit.backend.ptx.instruction_values.value import Loaded, Stored, Value, arrive
from tests.unit.emulator.instructions import test_sparse_tensor_product
from tests.unit.emulator.instructions.test_sparse_tensor_product import METADATA, Product

_B_START, _A_BYTES = 32768, 4096
_LANES = "{shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}"
_KINDS = ("f16", "tf32", "f8f6f4", "i8")
_TYPES = dict(zip(_KINDS, ("bf16 bf16", "tf32 tf32", "e4m3 e5m2", "s8 u8"), strict=True))
_USES = ("fill", "use", "lastuse")


def _operation(product: Product) -> str:
    """The op of a product, on `%t`, `%a` or `%left`, `%b`, `%word_`, and `%metadata`."""
    attributes = [f"kind = #nvvm.tcgen05_mma_kind<{product.kind}>"]
    if not product.stationary:
        attributes.append(f"ctaGroup = #nvvm.cta_group<cta_{product.blocks}>")
    if product.suffix:
        _, buffer, use = product.suffix.split("::")
        attributes.append(f"collectorOp = #nvvm.tcgen05_mma_collectorop<{use}>")
        if product.stationary:
            attributes.append(f"collectorBBuffer = #nvvm.tcgen05_mma_collectorb<{buffer}>")
    a, type_ = ("%left", "!llvm.ptr<6>") if product.left else ("%a", "i64")
    name = "mma" + ".ws" * product.stationary + ".sp" * product.sparse
    return (
        f"nvvm.tcgen05.{name} %t, {a}, %b, %word_, %true{', %metadata' * product.sparse} "
        f"{{{', '.join(attributes)}}} "
        f": (!llvm.ptr<6>, {type_}, i64, i32, i1{', !llvm.ptr<6>' * product.sparse})"
    )


def _kernel(product: Product, image_bytes: int) -> str:
    """The image goes to shared memory, D, A and the metadata to tensor memory; one thread issues."""
    rows, columns, n = product.m // product.blocks, product.n // product.blocks, product.n
    descriptors = (
        product.matrix_descriptor(0, rows, 0, transposed=False),
        product.matrix_descriptor(_A_BYTES, columns, 0, transposed=False),
    )
    together, group = "nvvm.barrier", ""
    issues = "%issues = llvm.and %first, %true : i1"
    commit = "nvvm.tcgen05.commit %done : !llvm.ptr<3>"
    if product.blocks == 2:
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
%word_ = llvm.mlir.constant({product.descriptor} : i32) : i32
%left_word = llvm.add %word, %c256_i32 : i32
%left = llvm.inttoptr %left_word : i32 to !llvm.ptr<6>
%metadata_word = llvm.add %word, %c264_i32 : i32
%metadata = llvm.inttoptr %metadata_word : i32 to !llvm.ptr<6>
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
{_operation(product)}
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
        f"!llvm.array<{image_bytes} x i8>\n" + work(steps, 512, product.blocks)
    )


def _value(product: Product) -> tuple[str, Value]:
    suffix = ".ws" * product.stationary + ".sp" * product.sparse
    opcode = f"tcgen05.mma{suffix}.cta_group::{product.blocks}.kind::{product.kind}{product.suffix}"
    stated = test_sparse_tensor_product.statement(product)
    b_bytes = 32 * (1 + product.sparse) * product.n // product.blocks
    image = np.concatenate(
        [stated.images[:, :_A_BYTES], stated.images[:, _B_START : _B_START + b_bytes]], axis=1
    )
    metadata = np.ascontiguousarray(stated.images[:, METADATA : METADATA + 2048])
    of_lanes = metadata.view(np.uint32).reshape(-1, 128, 4)
    words = np.concatenate([stated.left, of_lanes, np.zeros_like(of_lanes)], axis=2)
    expected = stated.expected.reshape(-1, product.n)
    vector = f"vector<{product.n}xi32>"
    value = Value(
        _kernel(product, image.shape[1]),
        lambda _: {"d": expected},
        loads={
            "sums": Loaded(vector, stated.sums.reshape(-1, product.n)),
            "words": Loaded("vector<16xi32>", words.reshape(-1, 16)),
        },
        stores={"d": Stored(vector, np.zeros_like(expected))},
        memory={"image": image},
        threads=128,
        blocks=product.blocks,
        cluster=product.blocks,
        late=True,
    )
    return opcode, value


def _products() -> Iterator[Product]:
    dense = Product("f16", 128, 16, "f32 f16 f16", sparse=False)
    for use in _USES:
        yield replace(dense, suffix=f".collector::a::{use}")
        yield replace(dense, sparse=True, suffix=f".collector::a::{use}")
    for kind, types in _TYPES.items():
        sums = "s32" if kind == "i8" else "f32"
        selector = int(kind in ("f16", "tf32"))
        # A is a matrix in shared memory, or for tf32 in tensor memory.
        one = Product(kind, 128, 16, f"{sums} {types}", left=kind == "tf32", selector=selector)
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


VALUES: Mapping[str, Value] = dict(map(_value, _products()))
