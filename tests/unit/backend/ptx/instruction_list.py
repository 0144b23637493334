"""The instruction forms that the compiler builds on, with the lowest target and PTX version of each.

A form is an opcode up to its operands. `LISTED` says which there are, `FORMS` of `test_nvvm` and
`FURTHER` here by which ops they are printed. Where upstream's `nvvm` has no op it is `inline_ptx`.
"""

from collections.abc import Mapping

from tests.unit.backend.ptx.test_nvvm import REDUCE, TENSOR, USES, Form, mma

_PACKED = {"f16": 2, "bf16": 2, "tf32": 1, "f64": 1, "s8": 4, "u8": 4, "e4m3": 4, "e5m2": 4}
_NAMES = {"f16": "v", "f32": "f", "f64": "d", "s32": "i"}
_FLOATS_OF_BYTES = ("e4m3", "e5m2")


def product(type_: str, result: str, m: int, n: int, k: int) -> Form:
    """An mma.sync; 32 lanes share the elements of its matrices."""
    packed = _PACKED[type_]
    counts = (m * k // 32 // packed, n * k // 32 // packed, m * n // 32 // (1 + (result == "f16")))
    factor = _NAMES[type_] if type_ in ("f16", "f64") else "i"
    op = mma(type_, f"m = {m}, n = {n}, k = {k}", counts, (factor, factor, _NAMES[result]))
    return Form(op, product_opcode(type_, result, m, n, k))


def product_opcode(type_: str, result: str, m: int, n: int, k: int) -> str:
    return f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{result}.{type_}.{type_}.{result}"


def wgmma(type_: str, result: str, k: int, n: int = 64, other: str | None = None) -> Form:
    """A wgmma.mma_async with both factors in shared memory, and its accumulator undefined."""
    count = 64 * n // 128 // (1 + (result == "f16"))
    element = "f32" if result == "f32" else "i32"
    struct = f"!llvm.struct<({', '.join([element] * count)})>"
    op = (
        f"%init = llvm.mlir.undef : {struct}\n"
        f"%w = nvvm.wgmma.mma_async %l, %l, %init, <m = 64, n = {n}, k = {k}>, "
        f"D[<{result}>, <zero>], A[<{type_}>, <one>, <row>], "
        f"B[<{other or type_}>, <one>, <col>] : {struct} -> {struct}"
    )
    return Form(op, wgmma_opcode(type_, result, k, n, other))


def wgmma_opcode(type_: str, result: str, k: int, n: int = 64, other: str | None = None) -> str:
    return f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{result}.{type_}.{other or type_}"


def inline(text: str, operands: str = "", results: str = "", opcode: str = "") -> Form:
    """What only `nvvm.inline_ptx` prints; `operands` and `results` as in its syntax."""
    read = f" ro({operands})" if operands else ""
    written = f" -> {results}" if results else ""
    count = results.count(",") + 1
    name = "" if not results else "%0 = " if count == 1 else f"%x:{count} = "
    return Form(f'{name}nvvm.inline_ptx "{text}"{read}{written}', opcode or text.split()[0])


def binary(op: str, opcode: str, operand: str = "i", types: str = "i32") -> Form:
    return Form(f"%0 = llvm.{op} %{operand}, %{operand} : {types}", opcode)


def call(intrinsic: str, opcode: str) -> Form:
    return Form(f'%0 = llvm.call_intrinsic "llvm.nvvm.{intrinsic}"(%f) : (f32) -> f32', opcode)


_SM_80_PRODUCTS = (
    *(("f16", result, 16, 8, k) for result in ("f16", "f32") for k in (8, 16)),
    *(("bf16", "f32", 16, 8, k) for k in (8, 16)),
    *(("tf32", "f32", 16, 8, k) for k in (4, 8)),
    *((type_, "s32", 16, 8, k) for type_ in ("s8", "u8") for k in (16, 32)),
    ("f64", "f64", 8, 8, 4),
)
_SM_89_PRODUCTS = tuple((type_, "f32", 16, 8, 32) for type_ in _FLOATS_OF_BYTES)
_PTX_87_PRODUCTS = (
    *((type_, "f16", 16, 8, 32) for type_ in _FLOATS_OF_BYTES),
    *((type_, result, 16, 8, 16) for type_ in _FLOATS_OF_BYTES for result in ("f16", "f32")),
)
_SM_90_PRODUCTS = tuple(("f64", "f64", 16, 8, k) for k in (4, 8, 16))
_WGMMA = (
    *((type_, "f32", 16) for type_ in ("f16", "bf16")),
    ("f16", "f16", 16),
    ("tf32", "f32", 8),
    *((type_, result, 32) for type_ in _FLOATS_OF_BYTES for result in ("f16", "f32")),
    *((type_, "s32", 32) for type_ in ("s8", "u8")),
)
_TMA_LOAD = "cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes"
_TMA_STORE = "cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group"
_TMA_REDUCE = "cp.reduce.async.bulk.tensor.{}d.global.shared::cta.{}.bulk_group"
_TMA_PREFETCH = "cp.async.bulk.prefetch.tensor.{}d.L2.global"
_RANKS = range(1, 6)
_REDUCTIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
_REPLACE = "tensormap.replace.tile.{}.shared::cta.b1024.{}"
_FIELDS = {
    **dict.fromkeys(("rank", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"), "b32"),
    **dict.fromkeys(("box_dim", "global_dim", "element_stride"), "b32"),
    **dict.fromkeys(("global_address", "global_stride"), "b64"),
}
_SETTINGS = ("elemtype", "interleave_layout", "swizzle_mode", "fill_mode")
_DIMENSIONS = ("box_dim", "global_dim", "element_stride", "global_stride")
_PUBLISH = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"


def _replace(field: str, type_: str) -> Form:
    """The new value of a field; settings of the tensor map are immediates."""
    ordinal = "1, " if field in _DIMENSIONS else ""
    name, kind = ("%l", "i64") if type_ == "b64" else ("%i", "i32")
    value = "0" if field in _SETTINGS else "{$r1}"
    operands = f"%s, {name} : !llvm.ptr<3>, {kind}"
    return inline(f"{_REPLACE.format(field, type_)} [{{$r0}}], {ordinal}{value};", operands)


def _box(rank: int) -> str:
    return ", ".join(["%i"] * rank)


_INTEGER_OPS = {
    "add": "add.s",
    "sub": "sub.s",
    "mul": "mul.lo.s",
    "and": "and.b",
    "or": "or.b",
    "xor": "xor.b",
    "sdiv": "div.s",
    "udiv": "div.u",
    "srem": "rem.s",
    "urem": "rem.u",
}
_ELEMENTARY = (
    *(binary(op, f"{opcode}32") for op, opcode in _INTEGER_OPS.items()),
    *(binary(op, f"{opcode}64", "l", "i64") for op, opcode in _INTEGER_OPS.items()),
    binary("shl", "shl.b32"),
    binary("lshr", "shr.u32"),
    binary("ashr", "shr.s32"),
    *(
        binary(f"f{op}", f"{op}.rn.f{size}", name, f"f{size}")
        for op in ("add", "sub", "mul", "div")
        for size, name in ((32, "f"), (64, "d"))
    ),
    Form("%0 = llvm.intr.fma(%f, %f, %f) : (f32, f32, f32) -> f32", "fma.rn.f32"),
    Form("%0 = llvm.intr.sqrt(%f) : (f32) -> f32", "sqrt.rn.f32"),
    Form("%0 = llvm.intr.maxnum(%f, %f) : (f32, f32) -> f32", "max.f32"),
    Form("%0 = llvm.intr.minnum(%f, %f) : (f32, f32) -> f32", "min.f32"),
    Form("%0 = llvm.intr.maximum(%f, %f) : (f32, f32) -> f32", "max.NaN.f32"),
    Form("%0 = llvm.intr.minimum(%f, %f) : (f32, f32) -> f32", "min.NaN.f32"),
    Form(
        f"%0 = llvm.select %q, %i, %j : i1, i32\n{USES['i32']}",
        "selp.b32",
    ),
    Form("%0 = llvm.sext %i : i32 to i64", "cvt.s64.s32"),
    Form("%0 = llvm.zext %i : i32 to i64", "cvt.u64.u32"),
    Form("%0 = llvm.sitofp %i : i32 to f32", "cvt.rn.f32.s32"),
    Form("%0 = llvm.fptosi %f : f32 to i32", "cvt.rzi.s32.f32"),
    *(
        call(f"{name}.approx.f", f"{name}.approx.f32")
        for name in ("sqrt", "rsqrt", "sin", "cos", "lg2")
    ),
    call("ex2.approx.f32", "ex2.approx.f32"),
    inline("div.full.f32 {$w0}, {$r0}, {$r0};", "%f : f32", "f32"),
    inline("div.approx.f32 {$w0}, {$r0}, {$r0};", "%f : f32", "f32"),
    inline("tanh.approx.f32 {$w0}, {$r0};", "%f : f32", "f32"),
)
_FOUR = "{{$r1}, {$r1}, {$r1}, {$r1}}"
_EIGHT = ", ".join(f"{{$w{n}}}" for n in range(8))
_B128 = ".reg .b128 %b; mov.b128 %b, {{$r1}, {$r1}};"
_FACTORS = "{{$w0}, {$w1}, {$w2}, {$w3}}, {{$r0}, {$r0}, {$r0}, {$r0}}, {{$r0}, {$r0}}, "
_SUMS = "{{$r1}, {$r1}, {$r1}, {$r1}}"
_SCALED = _FACTORS + _SUMS + ", {$r0}, {0, 0}, {$r0}, {0, 0};"
_BLOCK_SCALE = (
    "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
    ".f32.e4m3.e4m3.f32.ue8m0",
    "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X"
    ".f32.e2m1.e2m1.f32.ue8m0",
    "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
    ".f32.e2m1.e2m1.f32.ue4m3",
)

FURTHER: tuple[Form, ...] = (
    *_ELEMENTARY,
    *(
        product(*shape)
        for shapes in (_SM_80_PRODUCTS, _SM_89_PRODUCTS, _PTX_87_PRODUCTS, _SM_90_PRODUCTS)
        for shape in shapes
    ),
    *(wgmma(*form) for form in _WGMMA),
    wgmma("s8", "s32", 32, other="u8"),
    wgmma("u8", "s32", 32, other="s8"),
    Form("nvvm.wgmma.fence.aligned", "wgmma.fence.sync.aligned;"),
    Form("nvvm.wgmma.commit.group.sync.aligned", "wgmma.commit_group.sync.aligned;"),
    Form("nvvm.wgmma.wait.group.sync.aligned 1", "wgmma.wait_group.sync.aligned 1;"),
    *(
        Form(
            f"{TENSOR}global.shared.cta %p, %s, box[{_box(rank)}] : !llvm.ptr, !llvm.ptr<3>",
            _TMA_STORE.format(rank),
        )
        for rank in _RANKS
    ),
    *(
        Form(
            f"{TENSOR}reduce %p, %s, box[{_box(rank)}] {REDUCE}{kind}>}} : !llvm.ptr, !llvm.ptr<3>",
            _TMA_REDUCE.format(rank, kind),
        )
        for rank in _RANKS
        for kind in _REDUCTIONS
    ),
    *(
        Form(f"{TENSOR}prefetch %p, box[{_box(rank)}] : !llvm.ptr", _TMA_PREFETCH.format(rank))
        for rank in _RANKS
    ),
    *(_replace(field, type_) for field, type_ in _FIELDS.items()),
    inline(f"{_PUBLISH} [{{$r0}}], [{{$r1}}], 128;", "%g, %s : !llvm.ptr<1>, !llvm.ptr<3>"),
    inline("movmatrix.sync.aligned.m8n8.trans.b16 {$w0}, {$r0};", "%i : i32", "i32"),
    Form(
        "%m = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<7>\n"
        "llvm.store %i, %m : i32, !llvm.ptr<7>",
        "mapa.shared::cluster.u32",
    ),
    inline("add.rn.bf16x2 {$w0}, {$r0}, {$r0};", "%i : i32", "i32"),
    inline("mul.rn.bf16x2 {$w0}, {$r0}, {$r0};", "%i : i32", "i32"),
    inline("ex2.approx.ftz.bf16x2 {$w0}, {$r0};", "%i : i32", "i32"),
    inline("red.global.add.noftz.bf16x2 [{$r0}], {$r1};", "%g, %i : !llvm.ptr<1>, i32"),
    inline(f"red.global.add.v4.f32 [{{$r0}}], {_FOUR};", "%g, %f : !llvm.ptr<1>, f32"),
    inline(
        f"{{ {_B128} atom.global.cas.b128 %b, [{{$r0}}], %b, %b; }}",
        "%g, %l : !llvm.ptr<1>, i64",
        opcode="atom.global.cas.b128",
    ),
    inline("fma.rn.f32x2 {$w0}, {$r0}, {$r0}, {$r0};", "%l : i64", "i64"),
    inline("max.f32 {$w0}, {$r0}, {$r0}, {$r0};", "%f : f32", "f32", "max.f32 %f1, %f0, %f0, %f0"),
    inline(
        f"ld.global.v8.f32 {{{_EIGHT}}}, [{{$r0}}];",
        "%g : !llvm.ptr<1>",
        ", ".join(["f32"] * 8),
    ),
    *(
        inline(f"{opcode} {_SCALED}", "%i, %f : i32, f32", "f32, f32, f32, f32")
        for opcode in _BLOCK_SCALE
    ),
)

LISTED: Mapping[tuple[str, float], tuple[str, ...]] = {
    ("sm_80", 7.0): (
        *(form.opcode for form in _ELEMENTARY),
        *(product_opcode(*shape) for shape in _SM_80_PRODUCTS),
        *(f"ldmatrix.sync.aligned.m8n8.x{n}.shared.b16" for n in (1, 2, 4)),
        *(f"ldmatrix.sync.aligned.m8n8.x{n}.trans.shared.b16" for n in (1, 2, 4)),
        *("cp.async.cg.shared.global", "cp.async.ca.shared.global"),
        *("cp.async.commit_group;", "cp.async.wait_group 2;"),
        *(f"redux.sync.{op}.{sign}32" for op in ("add", "min", "max") for sign in "s"),
        *(f"redux.sync.{op}.u32" for op in ("min", "max")),
        *(f"redux.sync.{op}.b32" for op in ("and", "or", "xor")),
        *(f"shfl.sync.{mode}.b32" for mode in ("bfly", "idx", "up", "down")),
        *("vote.sync.ballot.b32", "vote.sync.any.pred", "vote.sync.all.pred", "vote.sync.uni.pred"),
        *("match.any.sync.b32", "match.any.sync.b64", "match.all.sync.b32"),
        *("bar.sync 0;", "bar.sync 1, 128;", "bar.arrive 1, 128;", "bar.warp.sync -1;"),
        *("fence.acq_rel.gpu;", "nanosleep.u32", "exit;"),
    ),
    ("sm_80", 7.8): (
        "movmatrix.sync.aligned.m8n8.trans.b16",
        "mbarrier.init.shared::cta.b64",
        "mbarrier.inval.shared::cta.b64",
        "mbarrier.arrive.shared::cta.b64",
        "mbarrier.arrive.noComplete.shared::cta.b64",
        "mbarrier.test_wait.shared::cta.b64",
        "mbarrier.test_wait.parity.shared::cta.b64",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64",
    ),
    ("sm_89", 8.1): (
        "cvt.rn.satfinite.e4m3x2.f32",
        "cvt.rn.satfinite.relu.e5m2x2.f16x2",
        "cvt.rn.f16x2.e5m2x2",
    ),
    ("sm_89", 8.4): tuple(product_opcode(*shape) for shape in _SM_89_PRODUCTS),
    ("sm_89", 8.7): tuple(product_opcode(*shape) for shape in _PTX_87_PRODUCTS),
    ("sm_90", 7.8): (
        *(product_opcode(*shape) for shape in _SM_90_PRODUCTS),
        *(f"stmatrix.sync.aligned.m8n8.x{n}.shared.b16" for n in (1, 2, 4)),
        *(f"stmatrix.sync.aligned.m8n8.x{n}.trans.shared.b16" for n in (1, 2, 4)),
        "mbarrier.try_wait.parity.shared::cta.b64",
        "mapa.shared::cluster.u32",
        "griddepcontrol.wait;",
        "griddepcontrol.launch_dependents;",
        "add.rn.bf16x2",
        "mul.rn.bf16x2",
        "ex2.approx.ftz.bf16x2",
        "red.global.add.noftz.bf16x2",
    ),
    ("sm_90", 8.0): (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "cp.async.bulk.global.shared::cta.bulk_group",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group 1;",
        "cp.async.bulk.wait_group.read 0;",
        *(_TMA_LOAD.format(rank) for rank in _RANKS),
        *(_TMA_STORE.format(rank) for rank in _RANKS),
        *(_TMA_REDUCE.format(rank, kind) for rank in _RANKS for kind in _REDUCTIONS),
        *(_TMA_PREFETCH.format(rank) for rank in _RANKS),
        f"{_TMA_LOAD.format(2)}.multicast::cluster.L2::cache_hint",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
        f"{_TMA_STORE.format(2)}.L2::cache_hint",
        "prefetch.tensormap",
        "mbarrier.arrive.shared::cluster.b64 _",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
        "fence.proxy.async;",
        "fence.proxy.async.shared::cta;",
        "fence.mbarrier_init.release.cluster;",
        "elect.sync",
        "barrier.cluster.arrive.aligned;",
        "barrier.cluster.arrive.relaxed;",
        "barrier.cluster.wait;",
    ),
    ("sm_90", 8.1): ("red.global.add.v4.f32",),
    ("sm_90", 8.3): (
        _PUBLISH,
        "fence.proxy.tensormap::generic.acquire.gpu",
        "fence.proxy.tensormap::generic.release.gpu;",
        "atom.global.cas.b128",
    ),
    ("sm_90", 8.6): ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes",),
    ("sm_90a", 8.0): (
        *("wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;"),
        "wgmma.wait_group.sync.aligned 1;",
        *(wgmma_opcode(*form) for form in _WGMMA),
        *("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.dec.sync.aligned.u32 40;"),
    ),
    ("sm_90a", 8.3): tuple(_REPLACE.format(*field) for field in _FIELDS.items()),
    ("sm_90a", 8.4): (
        wgmma_opcode("s8", "s32", 32, other="u8"),
        wgmma_opcode("u8", "s32", 32, other="s8"),
    ),
    ("sm_100a", 8.6): (
        "fma.rn.f32x2",
        "redux.sync.max.abs.NaN.f32",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
        "tcgen05.fence::before_thread_sync;",
        "tcgen05.wait::ld.sync.aligned;",
        "tcgen05.shift.cta_group::1.down",
        "tcgen05.cp.cta_group::1.128x256b",
        "tcgen05.cp.cta_group::1.32x128b.warpx4",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32",
        "tcgen05.ld.sync.aligned.16x256b.x2.pack::16b.b32",
        "tcgen05.st.sync.aligned.16x64b.x1.b32",
        "tcgen05.mma.cta_group::1.kind::f16",
    ),
    ("sm_100a", 8.8): ("max.f32 %f1, %f0, %f0, %f0", "ld.global.v8.f32"),
    ("sm_120a", 8.7): (
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32",
        *_BLOCK_SCALE,
    ),
}
"""By lowest target and lowest PTX version.

Left out: sparse products and products of 4-bit and 1-bit integers, which no stage makes.
"""
