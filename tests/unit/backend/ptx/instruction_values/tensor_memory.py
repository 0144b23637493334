"""Tensor memory: allocation, loads and stores of every shape, products and copies into it.

Thread l of a block owns lane l: what is there before is stored, and what is there behind loaded,
by 32x32b, whose registers are the columns.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product as product_of

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import Loaded, Stored, Value, arrive
from tests.unit.emulator.instructions import (
    test_tcgen05_mma,
    test_tcgen05_scaled_mma,
    test_tensor_memory,
)
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_tcgen05_mma import Statement

_SHAPE = "{{shape = #nvvm.tcgen05_ldst_shape<shape_{}>}}"
_LANES = _SHAPE.format("32x32b")
_WAIT = {"load": "nvvm.tcgen05.wait <load>\n", "store": "nvvm.tcgen05.wait <store>\n"}


def _group(blocks: int) -> str:
    return f"group = #nvvm.cta_group<cta_{blocks}>"


def _together(blocks: int) -> str:
    """What all threads of all blocks come to."""
    if blocks == 1:
        return "nvvm.barrier\n"
    return "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}\n"


def _vector(count: int) -> str:
    return "i32" if count == 1 else f"vector<{count}xi32>"


def work(ops: str, columns: int, blocks: int = 1) -> str:
    """Allocates columns for `ops`; `%t` is the first lane of the block, `%mine` of the warp."""
    return f"""%leads = llvm.icmp "eq" %warp, %c0_i32 : i32
llvm.cond_br %leads, ^allocate, ^allocated
^allocate:
nvvm.tcgen05.alloc %other, %c{columns}_i32 {{{_group(blocks)}}} : !llvm.ptr<3>, i32
llvm.br ^allocated
^allocated:
{_together(blocks)}%word = llvm.load %other : !llvm.ptr<3> -> i32
%lanes = llvm.shl %warp, %c21_i32 : i32
%own = llvm.add %word, %lanes : i32
%t = llvm.inttoptr %word : i32 to !llvm.ptr<6>
%mine = llvm.inttoptr %own : i32 to !llvm.ptr<6>
{ops}{_together(blocks)}llvm.cond_br %leads, ^free, ^freed
^free:
nvvm.tcgen05.relinquish_alloc_permit {{{_group(blocks)}}}
nvvm.tcgen05.dealloc %t, %c{columns}_i32 {{{_group(blocks)}}} : !llvm.ptr<6>, i32
llvm.br ^freed
^freed:"""


def _store(name: str, count: int, to: str = "mine") -> str:
    return f"nvvm.tcgen05.st %{to}, %{name} {_LANES} : {_vector(count)}\n"


def _load(count: int) -> str:
    return f"%d = nvvm.tcgen05.ld %mine {_LANES} : {_vector(count)}\n{_WAIT['load']}"


# Loads and stores.

_REPETITIONS: Mapping[str, tuple[int, ...]] = {
    "32x32b": (1, 2, 4, 8, 16, 32, 64, 128),
    "16x64b": (1, 2, 4, 8, 16, 32, 64, 128),
    "16x128b": (1, 2, 4, 8, 16, 32, 64),
    "16x256b": (1, 2, 4, 8, 16, 32),
    "16x32bx2": (1, 2, 4, 8, 16, 32, 64, 128),
}
_AT_ONCE = 128
"""How many columns one load or store of 32x32b moves at most."""
_SPLIT = 5
"""How far the second half of a warp is from the first one with 16x32bx2, in columns."""


def _places(shape: str, count: int, *, packed: bool) -> tuple[Array, Array]:
    """The lane and the column of each register of each thread, `[128, registers]`."""
    registers = test_tensor_memory.LOCATIONS[shape][0] * count
    found = np.zeros((2, 128, registers), np.int64)
    for thread, register in np.ndindex(128, registers):
        lane, column = test_tensor_memory.place(shape, thread, register, packed)
        found[:, thread, register] = thread // 32 * 32 + lane, column
    return found[0], found[1]


def _access(shape: str, count: int, *, packed: bool, load: bool) -> Value:
    lanes, columns = _places(shape, count, packed=packed)
    registers = lanes.shape[1]
    # As many columns as are filled at once, and allocated.
    width = 1 << int(columns.max() + packed).bit_length()
    rng = np.random.default_rng(count)
    cells = rng.integers(0, 2**32, (128, width)).astype(np.uint32)
    a = rng.integers(0, 2**32, (128, registers)).astype(np.uint32)
    half = np.uint32(0xFFFF)
    if load:
        expected = cells[lanes, columns]
        if packed:
            expected = expected & half | (cells[lanes, columns + 1] & half) << np.uint32(16)
    else:
        expected = cells.copy()
        expected[lanes, columns] = a & half if packed else a
        if packed:
            expected[lanes, columns + 1] = a >> np.uint32(16)
    parts = range(0, width, _AT_ONCE)
    fill = "".join(
        f"%from{start} = llvm.add %own, %c{start}_i32 : i32\n"
        f"%at{start} = llvm.inttoptr %from{start} : i32 to !llvm.ptr<6>\n"
        + _store(f"cells{start}", min(width, _AT_ONCE), f"at{start}")
        for start in parts
    )
    fill += _WAIT["store"] + _together(1)
    loads = {f"cells{start}": _columns(cells[:, start : start + _AT_ONCE]) for start in parts}
    stores: dict[str, Stored] = {}
    found: dict[str, Array] = {}
    split = shape == "16x32bx2"
    if load:
        ops = f"{fill}{_load_shape(shape, count, registers, packed)}{_WAIT['load']}"
        type_ = "i32" if split else _vector(registers)
        stores["d"] = Stored(type_, np.zeros_like(expected), registers if split else 1)
        found["d"] = expected
    else:
        ops = f"{fill}{_store_shape(shape, count, registers, packed)}{_WAIT['store']}"
        ops += _together(1)
        loads["a"] = Loaded("i32", a, registers) if split else _columns(a)
        for start in parts:
            some = np.ascontiguousarray(expected[:, start : start + _AT_ONCE])
            type_ = _vector(some.shape[1])
            ops += f"%d{start} = nvvm.tcgen05.ld %at{start} {_LANES} : {type_}\n"
            stores[f"d{start}"] = Stored(type_, np.zeros_like(some))
            found[f"d{start}"] = some
        ops += _WAIT["load"]
    return Value(
        work(ops, max(32, width)),
        lambda _: found,
        loads=loads,
        stores=stores,
        threads=128,
        late=True,
    )


def _columns(numbers: Array) -> Loaded:
    """A vector for each thread."""
    rows = np.ascontiguousarray(numbers)
    return Loaded(_vector(rows.shape[1]), rows)


def _load_shape(shape: str, count: int, registers: int, packed: bool) -> str:
    if shape != "16x32bx2":
        pack = "pack " if packed else ""
        return f"%d = nvvm.tcgen05.ld %mine {pack}{_SHAPE.format(shape)} : {_vector(registers)}\n"
    written = ", ".join(f"{{$w{i}}}" for i in range(registers))
    opcode = f"tcgen05.ld.sync.aligned.{shape}.x{count}{'.pack::16b' * packed}.b32"
    name = "%d" if registers == 1 else f"%d:{registers}"
    types = ", ".join(["i32"] * registers)
    return (
        f'{name} = nvvm.inline_ptx "{opcode} {{{written}}}, [{{$r0}}], {_SPLIT};" '
        f"ro(%mine : !llvm.ptr<6>) -> {types}\n"
    )


def _store_shape(shape: str, count: int, registers: int, packed: bool) -> str:
    if shape != "16x32bx2":
        unpack = "unpack " if packed else ""
        shaped = _SHAPE.format(shape)
        return f"nvvm.tcgen05.st %mine, %a {unpack}{shaped} : {_vector(registers)}\n"
    read = ", ".join(f"{{$r{i + 1}}}" for i in range(registers))
    opcode = f"tcgen05.st.sync.aligned.{shape}.x{count}{'.unpack::16b' * packed}.b32"
    names = ", ".join(f"%a{i}" for i in range(registers)) if registers > 1 else "%a"
    types = ", ".join(["i32"] * registers)
    return (
        f'nvvm.inline_ptx "{opcode} [{{$r0}}], {_SPLIT}, {{{read}}};" '
        f"ro(%mine, {names} : !llvm.ptr<6>, {types})\n"
    )


def _accesses() -> Iterator[tuple[str, Value]]:
    for shape, counts in _REPETITIONS.items():
        for count in counts:
            opcode = f"sync.aligned.{shape}.x{count}"
            load, store = (_access(shape, count, packed=False, load=x) for x in (True, False))
            yield f"tcgen05.ld.{opcode}.b32", load
            yield f"tcgen05.st.{opcode}.b32", store
        opcode = f"sync.aligned.{shape}.x2"
        load, store = (_access(shape, 2, packed=True, load=x) for x in (True, False))
        yield f"tcgen05.ld.{opcode}.pack::16b.b32", load
        yield f"tcgen05.st.{opcode}.unpack::16b.b32", store


# Products and copies: one thread issues them, a barrier object says when they are done.

_A_BYTES, _B_BYTES, _N = 4096, 2048, 16
_ISSUE = """%done = llvm.getelementptr %smem[16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
llvm.cond_br %first, ^initialize, ^initialized
^initialize:
nvvm.mbarrier.init %done, %c1_i32 : !llvm.ptr<3>, i32
nvvm.fence.mbarrier.init
llvm.br ^initialized
^initialized:
nvvm.tcgen05.fence <before>
{together}{prologue}llvm.cond_br %issues, ^issue, ^issued
^issue:
nvvm.tcgen05.fence <after>
{issue}
{commit}
llvm.br ^issued
^issued:
nvvm.mbarrier.try_wait.parity %done, %c0_i32, %c1000_i32 : !llvm.ptr<3>, i32, i32
nvvm.tcgen05.fence <after>
"""


def _issued(
    issue: str, stated: Statement, *, descriptors: tuple[int, int], word: int = 0, blocks: int = 1
) -> Value:
    """`issue` uses `%t`, `%a` and `%b`, the instruction descriptor `%word`, and `%adds`."""
    image = np.concatenate(
        [stated.images[:, :_A_BYTES], stated.images[:, 32768 : 32768 + _B_BYTES]], axis=1
    )
    size, n = image.shape[1], stated.sums.shape[2]
    to_block = f"""%whole = llvm.getelementptr %image[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>,
  !llvm.array<{size} x i8>
"""
    copy = arrive(
        f"nvvm.cp.async.bulk.shared.cluster.global %smem7, %whole, %object, %c{size}_i32\n"
        "  : !llvm.ptr<7>, !llvm.ptr<1>",
        size,
    )
    leading = "%issues = llvm.and %first, %true : i1\n"
    commit = "nvvm.tcgen05.commit %done : !llvm.ptr<3>"
    if blocks == 2:
        leading = (
            '%of_first = llvm.icmp "eq" %rank, %c0_i32 : i32\n'
            "%issues = llvm.and %first, %of_first : i1\n"
        )
        commit = (
            "%both = llvm.mlir.constant(3 : i16) : i16\n"
            f"nvvm.tcgen05.commit %done, multicast_mask = %both {{{_group(2)}}} : !llvm.ptr<3>, i16"
        )
    prologue = f"""{leading}%address = llvm.ptrtoint %smem : !llvm.ptr<3> to i32
%start = llvm.lshr %address, %c4_i32 : i32
%wide = llvm.zext %start : i32 to i64
%of_a = llvm.mlir.constant({descriptors[0]} : i64) : i64
%of_b = llvm.mlir.constant({descriptors[1]} : i64) : i64
%a = llvm.add %wide, %of_a : i64
%b = llvm.add %wide, %of_b : i64
%word_ = llvm.mlir.constant({word} : i32) : i32
%left_word = llvm.add %word, %c256_i32 : i32
%right_word = llvm.add %word, %c260_i32 : i32
%left = llvm.inttoptr %left_word : i32 to !llvm.ptr<6>
%right = llvm.inttoptr %right_word : i32 to !llvm.ptr<6>
%own_left = llvm.add %own, %c256_i32 : i32
%words_at = llvm.inttoptr %own_left : i32 to !llvm.ptr<6>
"""
    fill = f"{_store('sums', n)}{_store('words', 8, 'words_at')}{_WAIT['store']}"
    issued = _ISSUE.format(together=_together(blocks), prologue="", issue=issue, commit=commit)
    ops = work(f"{copy}{prologue}{fill}{issued}{_load(n)}", 512, blocks)
    expected = stated.expected.reshape(-1, n)
    return Value(
        to_block + ops,
        lambda _: {"d": expected},
        loads={
            "sums": Loaded(_vector(n), stated.sums.reshape(-1, n).view(np.uint32)),
            "words": Loaded(_vector(8), stated.words.reshape(-1, 8)),
        },
        stores={"d": Stored(_vector(n), np.zeros_like(expected))},
        memory={"image": image},
        threads=128,
        blocks=blocks,
        cluster=blocks,
        late=True,
    )


def _dot(dot: test_tcgen05_mma.Dot) -> Value:
    rows, columns = dot.m // dot.blocks, dot.n // dot.blocks
    descriptors = (
        dot.matrix_descriptor(0, rows, 0, transposed=False),
        dot.matrix_descriptor(_A_BYTES, columns, 0, transposed=False),
    )
    a, type_ = ("%left", "!llvm.ptr<6>") if dot.left else ("%a", "i64")
    use = dot.suffix.rpartition("collector::a::")[2] if "::" in dot.suffix else "discard"
    issue = (
        f"nvvm.tcgen05.mma %t, {a}, %b, %word_, %true {{{'aShift, ' * dot.shifts_rows}kind = "
        f"#nvvm.tcgen05_mma_kind<{dot.kind}>, ctaGroup = #nvvm.cta_group<cta_{dot.blocks}>, "
        f"collectorOp = #nvvm.tcgen05_mma_collectorop<{use}>}} "
        f": (!llvm.ptr<6>, {type_}, i64, i32, i1)"
    )
    stated = test_tcgen05_mma.statement(dot)
    return _issued(issue, stated, descriptors=descriptors, word=dot.descriptor, blocks=dot.blocks)


_TYPES = {"f16": "f32 bf16 bf16", "tf32": "f32 tf32 tf32", "f8f6f4": "f32 e4m3 e5m2"}
_PLAIN = test_tcgen05_mma.Dot("f16", 128, _N, "f32 f16 f16")


def _dots() -> Iterator[tuple[str, Value]]:
    for kind, types in {**_TYPES, "i8": "s32 s8 u8"}.items():
        # A is a matrix in shared memory, or for tf32 in tensor memory.
        one = test_tcgen05_mma.Dot(kind, 128, _N, types, left=kind == "tf32")
        yield f"tcgen05.mma.cta_group::1.kind::{kind}", _dot(one)
        two = test_tcgen05_mma.Dot(kind, 256, 32, types, left=kind == "tf32", blocks=2)
        yield f"tcgen05.mma.cta_group::2.kind::{kind}", _dot(two)
        for dot, suffix in product_of((one, two), ("", ".collector::a::lastuse")):
            shifted = replace(dot, left=True, suffix=f".ashift{suffix}")
            opcode = f"tcgen05.mma.cta_group::{dot.blocks}.kind::{kind}{shifted.suffix}"
            yield opcode, _dot(shifted)


def scaled_operation(qualifiers: str, *, sparse: bool = False) -> str:
    """The op of a product with scales, which are at `%left` and `%right`."""
    kind, _, size = qualifiers.partition(".block_scale")
    attributes = [f"kind = #nvvm.block_scale_kind<{kind}>", "ctaGroup = #nvvm.cta_group<cta_1>"]
    if size:
        attributes.append(f"blockScale = #nvvm.tcgen05_mma_block_scale<{size.removeprefix('.')}>")
    return (
        f"nvvm.tcgen05.mma{'.sp' * sparse}.block_scale %t, %a, %b, %word_, %true"
        f"{', %metadata' * sparse}, %left, %right {{{', '.join(attributes)}}} "
        f": (!llvm.ptr<6>, i64, i64, i32, i1{', !llvm.ptr<6>' * (2 + sparse)})"
    )


def _scaled_dots() -> Iterator[tuple[str, Value]]:
    for qualifiers, types, count, scales in (
        ("mxf8f6f4.block_scale.scale_vec::1X", "e4m3 e2m1", 1, "ue8m0"),
        ("mxf4.block_scale.scale_vec::2X", "e2m1 e2m1", 2, "ue8m0"),
        ("mxf4nvf4.block_scale.scale_vec::2X", "e2m1 e2m1", 2, "ue8m0"),
        ("mxf4nvf4.block_scale.scale_vec::4X", "e2m1 e2m1", 4, "ue4m3"),
        ("mxf8f6f4.block_scale", "e3m2 e5m2", 1, "ue8m0"),
        ("mxf8f6f4.block_scale.block32", "e5m2 e2m3", 1, "ue8m0"),
        ("mxf4.block_scale", "e2m1 e2m1", 2, "ue8m0"),
        ("mxf4.block_scale.block32", "e2m1 e2m1", 2, "ue8m0"),
        ("mxf4nvf4.block_scale.block16", "e2m1 e2m1", 4, "ue4m3"),
    ):
        dot = test_tcgen05_scaled_mma.Dot(qualifiers, types, count, scales=scales)
        opcode = f"tcgen05.mma.cta_group::1.kind::{qualifiers}"
        issue = (
            f'nvvm.inline_ptx "{opcode} [{{$r0}}], {{$r1}}, {{$r2}}, {{$r3}}, [{{$r4}}], [{{$r5}}], '
            '{$r6};" ro(%t, %a, %b, %word_, %left, %right, %true '
            ": !llvm.ptr<6>, i64, i64, i32, !llvm.ptr<6>, !llvm.ptr<6>, i1)"
        )
        if "scale_vec" not in qualifiers:
            issue = scaled_operation(qualifiers)
        descriptors = (
            _PLAIN.matrix_descriptor(0, 128, 0, transposed=False),
            _PLAIN.matrix_descriptor(_A_BYTES, _N, 0, transposed=False),
        )
        stated = test_tcgen05_scaled_mma.statement(dot)
        yield opcode, _issued(issue, stated, descriptors=descriptors, word=dot.descriptor)


def _copies(blocks: int) -> Iterator[tuple[str, Value]]:
    """Each block of a pair copies from its own shared memory, or shifts its own rows."""
    rng = np.random.default_rng(blocks)
    images = np.zeros((blocks, 65536), np.uint8)
    images[:, :_A_BYTES] = rng.integers(0, 256, (blocks, _A_BYTES))
    old = rng.integers(0, 2**32, (blocks, 128, _N)).astype(np.uint32)
    words = np.zeros((blocks, 128, 8), np.uint32)
    descriptors = (_PLAIN.matrix_descriptor(0, 128, 0, transposed=False), 0)
    group = f"group = #nvvm.cta_group<cta_{blocks}>"
    for name in test_tcgen05_mma.COPIES:
        shape, _, multicast = name.partition(".")
        to_warps = multicast.replace("::", "_")
        option = f", multicast = #nvvm.tcgen05_cp_multicast<{to_warps}>" if to_warps else ""
        issue = f"""%third_word = llvm.add %word, %c2_i32 : i32
%third = llvm.inttoptr %third_word : i32 to !llvm.ptr<6>
nvvm.tcgen05.cp %third, %a {{shape = #nvvm.tcgen05_cp_shape<shape_{shape}>, {group}{option}}}"""
        pairs = zip(images, old, strict=True)
        after = np.stack([test_tcgen05_mma.copied(name, *each) for each in pairs])
        stated = Statement(images, words, old, after)
        yield (
            f"tcgen05.cp.cta_group::{blocks}.{name}",
            _issued(issue, stated, descriptors=descriptors, blocks=blocks),
        )
    shifted = old.copy()
    shifted[:, 65:96, 3:11] = old[:, 64:95, 3:11]
    issue = f"""%from_word = llvm.add %word, %c4194307_i32 : i32
%from = llvm.inttoptr %from_word : i32 to !llvm.ptr<6>
nvvm.tcgen05.shift %from {{{group}}} : !llvm.ptr<6>"""
    stated = Statement(images, words, old, shifted)
    yield (
        f"tcgen05.shift.cta_group::{blocks}.down",
        _issued(issue, stated, descriptors=descriptors, blocks=blocks),
    )


def _round_trip(blocks: int) -> Value:
    """What is stored in columns that have been allocated, by one block or by both of a pair."""
    numbers = np.random.default_rng(blocks).integers(0, 2**32, 128 * blocks).astype(np.uint32)
    ops = f"{_store('a', 1)}{_WAIT['store']}{_load(1)}"
    return Value(
        work(ops, 32, blocks),
        lambda before: {"d": before["a"]},
        loads={"a": Loaded("i32", numbers)},
        stores={"d": Stored("i32", np.zeros_like(numbers))},
        threads=128,
        blocks=blocks,
        cluster=blocks,
        late=True,
    )


_COMMIT = "tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster{}.b64"

VALUES: Mapping[str, Value] = {
    **dict(_accesses()),
    **dict(_dots()),
    **dict(_scaled_dots()),
    **dict(_copies(1)),
    **dict(_copies(2)),
    **{
        opcode.format(blocks): _round_trip(blocks)
        for opcode in (
            "tcgen05.alloc.cta_group::{}.sync.aligned.shared::cta.b32",
            "tcgen05.dealloc.cta_group::{}.sync.aligned.b32",
            "tcgen05.relinquish_alloc_permit.cta_group::{}.sync.aligned;",
        )
        for blocks in (1, 2)
    },
    "tcgen05.wait::ld.sync.aligned;": _round_trip(1),
    "tcgen05.wait::st.sync.aligned;": _round_trip(1),
    "tcgen05.fence::before_thread_sync;": _dot(_PLAIN),
    "tcgen05.fence::after_thread_sync;": _dot(_PLAIN),
    _COMMIT.format(1, ""): _dot(_PLAIN),
    _COMMIT.format(2, ".multicast::cluster"): _dot(
        test_tcgen05_mma.Dot("f16", 256, 32, "f32 f16 f16", blocks=2)
    ),
}
