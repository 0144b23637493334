"""The instruction forms that the compiler builds on, with the lowest target and PTX version of each.

A form is an opcode up to its operands. What each computes is in `instruction_values`.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from tests.unit.backend.ptx.instruction_list_sparse import LISTED_SPARSE

Forms = Mapping[tuple[str, float], tuple[str, ...]]
"""By lowest target and lowest PTX version."""


# Arithmetic, conversions, memory.

_SIZES = (32, 64)
_ELEMENTARY = (
    *(f"{op}.s{size}" for op in ("add", "sub", "mul.lo", "div", "rem") for size in _SIZES),
    *(f"{op}.u{size}" for op in ("div", "rem") for size in _SIZES),
    *(f"{op}.b{size}" for op in ("and", "or", "xor") for size in _SIZES),
    *("shl.b32", "shr.u32", "shr.s32"),
    *(f"{op}.rn.f{size}" for op in ("add", "sub", "mul", "div") for size in _SIZES),
    *("fma.rn.f32", "sqrt.rn.f32", "max.f32", "min.f32", "max.NaN.f32", "min.NaN.f32"),
    *("selp.b32", "cvt.s64.s32", "cvt.u64.u32", "cvt.rn.f32.s32", "cvt.rzi.s32.f32"),
    *(f"{name}.approx.f32" for name in ("sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh")),
    *("div.full.f32", "div.approx.f32", "ex2.approx.ftz.f32", "rcp.approx.ftz.f32"),
    *("cvt.rna.tf32.f32", "cvt.rn.bf16x2.f32", "cvt.rn.f16x2.f32"),
)
_TYPES_OF_ACCESSES = (
    *("u8", "b16", "b32", "b64", "f32", "f64"),
    *("v2.b32", "v4.b32", "v2.b64", "v2.f32", "v4.f32"),
)
_ACCESSES = tuple(
    f"{kind}.{space}.{type_}"
    for kind in ("ld", "st")
    for space in ("global", "shared")
    for type_ in _TYPES_OF_ACCESSES
)
_UPDATES = (
    *(f"{op}.{sign}{size}" for op in ("min", "max") for sign in "su" for size in _SIZES),
    *(f"{op}.b{size}" for op in ("and", "or", "xor") for size in _SIZES),
    *("add.u32", "add.u64", "add.f32", "add.f64", "add.noftz.f16", "add.noftz.f16x2"),
    *("inc.u32", "dec.u32"),
)
_ATOMICS = (
    *(f"{kind}.relaxed.gpu.global.{op}" for kind in ("atom", "red") for op in _UPDATES),
    *(f"atom.relaxed.gpu.global.{op}.b{size}" for op in ("exch", "cas") for size in _SIZES),
)
_FLOATS_OF_BYTES = ("e4m3", "e5m2")
_CONVERSIONS_OF_BYTES = tuple(
    form
    for type_ in _FLOATS_OF_BYTES
    for relu in ("", ".relu")
    for form in (
        f"cvt.rn.satfinite{relu}.{type_}x2.f32",
        f"cvt.rn.satfinite{relu}.{type_}x2.f16x2",
        f"cvt.rn{relu}.f16x2.{type_}x2",
    )
)


# Products and copies of matrices.


def _mmas(d: str, operands: str, shapes: str, qualifiers: str = "") -> Iterator[str]:
    """mma.sync for each pair of types of the factors and each of some shapes."""
    for (a, b), shape in product(product(operands.split(), repeat=2), shapes.split()):
        yield f"mma.sync.aligned.{shape}.row.col{qualifiers}.{d}.{a}.{b}.{d}"


_SM_80_MMAS = (
    *_mmas("f16", "f16", "m16n8k16 m16n8k8"),
    *_mmas("f32", "f16", "m16n8k16 m16n8k8"),
    *_mmas("f32", "bf16", "m16n8k16 m16n8k8"),
    *_mmas("f32", "tf32", "m16n8k8 m16n8k4"),
    *(
        form
        for overflow in ("", ".satfinite")
        for form in (
            *_mmas("s32", "s8 u8", "m16n8k32 m16n8k16 m8n8k16", overflow),
            *_mmas("s32", "s4 u4", "m16n8k64 m16n8k32 m8n8k32", overflow),
        )
    ),
    *_mmas("f64", "f64", "m8n8k4"),
)
_BIT_SHAPES = "m16n8k256 m16n8k128 m8n8k128"
_SM_120A_MMAS = (
    *(
        form
        for form in _mmas("f32", "e4m3 e5m2 e3m2 e2m3 e2m1", "m16n8k32", ".kind::f8f6f4")
        # Two factors of 8 bits have a plain product.
        if not any(f".{a}.{b}." in form for a, b in product(_FLOATS_OF_BYTES, repeat=2))
    ),
    *(
        f"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X"
        f".f32.{a}.{b}.f32.ue8m0"
        for a, b in product(("e4m3", "e5m2", "e3m2", "e2m3", "e2m1"), repeat=2)
    ),
    *(
        f"mma.sync.aligned.m16n8k64.row.col.kind::{kind}.block_scale.scale_vec::{count}X"
        f".f32.e2m1.e2m1.f32.{scales}"
        for kind, count, scales in (
            ("mxf4", 2, "ue8m0"),
            ("mxf4nvf4", 2, "ue8m0"),
            ("mxf4nvf4", 4, "ue4m3"),
        )
    ),
)


def _wgmma(k: int, *types: str) -> Iterator[str]:
    """Every width; integers skip the odd multiples of 8 above 24."""
    for type_, n in product(types, range(8, 257, 8)):
        if not type_.startswith("s32") or n % 16 == 0 or n <= 24:
            yield f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{type_}"


_WGMMA = (
    *_wgmma(16, "f32.f16.f16", "f32.bf16.bf16", "f16.f16.f16"),
    *_wgmma(8, "f32.tf32.tf32"),
    *_wgmma(
        32,
        *(f"{d}.{a}.{b}" for d in ("f16", "f32") for a, b in product(_FLOATS_OF_BYTES, repeat=2)),
    ),
    *_wgmma(32, "s32.s8.s8", "s32.u8.u8"),
    *_wgmma(256, "s32.b1.b1.and.popc"),
)
_MATRICES = tuple(
    f"sync.aligned.m8n8.x{count}{trans}.shared.b16"
    for count in (1, 2, 4)
    for trans in ("", ".trans")
)
_PACKED = ("b8x16.b6x16_p32", "b8x16.b4x16_p64")
_BYTE_MATRICES = (
    *(f"ldmatrix.sync.aligned.m8n16.x{n}.shared.{kind}" for n in (1, 2, 4) for kind in _PACKED),
    *(
        f"ldmatrix.sync.aligned.m16n16.x{n}.trans.shared.{kind}"
        for n in (1, 2)
        for kind in ("b8", *_PACKED)
    ),
    *(f"stmatrix.sync.aligned.m16n8.x{n}.trans.shared.b8" for n in (1, 2, 4)),
)


# Tensor copies and tensor maps.

_RANKS = range(1, 6)
_PIXEL_RANKS = range(3, 6)
_LOAD = "cp.async.bulk.tensor.{}d.{}.global{}.mbarrier::complete_tx::bytes{}"
_STORE = "cp.async.bulk.tensor.{}d.global.shared::cta{}.bulk_group{}"
_PREFETCH = "cp.async.bulk.prefetch.tensor.{}d.L2.global{}"
_HINT = ".L2::cache_hint"
_TENSOR_COPIES = (
    *(
        _LOAD.format(rank, "shared::cluster", "", rest)
        for rank in _RANKS
        for rest in ("", _HINT, ".multicast::cluster", f".multicast::cluster{_HINT}")
    ),
    *(_LOAD.format(rank, "shared::cluster", ".im2col", "") for rank in _PIXEL_RANKS),
    *(_STORE.format(rank, "", rest) for rank in _RANKS for rest in ("", _HINT)),
    *(_STORE.format(rank, ".im2col_no_offs", "") for rank in _PIXEL_RANKS),
    *(
        f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{kind}.bulk_group{rest}"
        for rank in _RANKS
        for kind in ("add", "min", "max", "inc", "dec", "and", "or", "xor")
        for rest in ("", _HINT)
    ),
    *(_PREFETCH.format(rank, rest) for rank in _RANKS for rest in ("", _HINT)),
    *(_PREFETCH.format(rank, ".im2col") for rank in _PIXEL_RANKS),
    "prefetch.tensormap",
    "cvta.param.u64",
)
_FIELDS = {
    **dict.fromkeys(("rank", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"), "b32"),
    **dict.fromkeys(("box_dim", "global_dim", "element_stride"), "b32"),
    **dict.fromkeys(("global_address", "global_stride"), "b64"),
}


# Tensor memory.

_REPETITIONS = {"32x32b": 128, "16x64b": 128, "16x128b": 64, "16x256b": 32, "16x32bx2": 128}
"""The most repetitions of each shape of a load or store."""
_TENSOR_ACCESSES = (
    *(
        f"tcgen05.{kind}.sync.aligned.{shape}.x{1 << exponent}.b32"
        for kind in ("ld", "st")
        for shape, most in _REPETITIONS.items()
        for exponent in range(most.bit_length())
    ),
    *(f"tcgen05.ld.sync.aligned.{shape}.x2.pack::16b.b32" for shape in _REPETITIONS),
    *(f"tcgen05.st.sync.aligned.{shape}.x2.unpack::16b.b32" for shape in _REPETITIONS),
)
_TENSOR_MEMORY = (
    *_TENSOR_ACCESSES,
    *(
        form.format(blocks)
        for blocks in (1, 2)
        for form in (
            "tcgen05.alloc.cta_group::{}.sync.aligned.shared::cta.b32",
            "tcgen05.dealloc.cta_group::{}.sync.aligned.b32",
            "tcgen05.relinquish_alloc_permit.cta_group::{}.sync.aligned;",
            *(f"tcgen05.mma.cta_group::{{}}.kind::{kind}" for kind in ("f16", "tf32")),
            *(f"tcgen05.mma.cta_group::{{}}.kind::{kind}" for kind in ("f8f6f4", "i8")),
            *(
                f"tcgen05.mma.cta_group::{{}}.kind::{kind}.ashift{use}"
                for kind in ("f16", "tf32", "f8f6f4", "i8")
                for use in ("", ".collector::a::lastuse")
            ),
        )
    ),
    *(
        f"tcgen05.mma.cta_group::1.kind::{kind}.block_scale.scale_vec::{count}X"
        for kind, count in (("mxf8f6f4", 1), ("mxf4", 2))
    ),
    *(f"tcgen05.mma.cta_group::1.kind::{kind}.block_scale" for kind in ("mxf8f6f4", "mxf4")),
    *(
        f"tcgen05.{form}"
        for blocks in (1, 2)
        for form in (
            *(f"cp.cta_group::{blocks}.{shape}" for shape in ("128x256b", "128x128b", "4x256b")),
            *(f"cp.cta_group::{blocks}.64x128b.warpx2::{warps}" for warps in ("02_13", "01_23")),
            f"cp.cta_group::{blocks}.32x128b.warpx4",
            f"shift.cta_group::{blocks}.down",
        )
    ),
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64",
    "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64",
    *("tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;"),
    *("tcgen05.wait::ld.sync.aligned;", "tcgen05.wait::st.sync.aligned;"),
)


_TRY_CANCEL = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"

_DENSE: Forms = {
    ("sm_80", 7.0): (
        *_ELEMENTARY,
        *_ACCESSES,
        *_ATOMICS,
        *_SM_80_MMAS,
        *(f"{form}.xor.popc" for form in _mmas("s32", "b1", _BIT_SHAPES)),
        *(f"ld{form}" for form in (f"matrix.{form}" for form in _MATRICES)),
        *("cp.async.cg.shared.global", "cp.async.ca.shared.global"),
        *("cp.async.commit_group;", "cp.async.wait_group 2;"),
        *(f"redux.sync.{op}.s32" for op in ("add", "min", "max")),
        *(f"redux.sync.{op}.u32" for op in ("min", "max")),
        *(f"redux.sync.{op}.b32" for op in ("and", "or", "xor")),
        *(f"shfl.sync.{mode}.b32" for mode in ("bfly", "idx", "up", "down")),
        *("vote.sync.ballot.b32", "vote.sync.any.pred", "vote.sync.all.pred", "vote.sync.uni.pred"),
        *(f"match.{kind}.sync.b{size}" for kind in ("any", "all") for size in _SIZES),
        *("bar.sync 0;", "bar.sync 1, 128;", "bar.arrive 1, 128;", "bar.warp.sync -1;"),
        *("bar.red.popc.u32", "bar.red.and.pred", "bar.red.or.pred"),
        *("prefetch.global.L1", "prefetch.global.L2"),
        *("fence.acq_rel.gpu;", "nanosleep.u32", "exit;"),
    ),
    ("sm_80", 7.1): tuple(f"{form}.and.popc" for form in _mmas("s32", "b1", _BIT_SHAPES)),
    ("sm_80", 7.5): ("fence.proxy.alias;",),
    ("sm_80", 7.8): (
        "movmatrix.sync.aligned.m8n8.trans.b16",
        "barrier.cta.sync 1, 64;",
        "mbarrier.init.shared::cta.b64",
        "mbarrier.init.b64",
        "mbarrier.inval.shared::cta.b64",
        "mbarrier.arrive.shared::cta.b64",
        "mbarrier.arrive.noComplete.shared::cta.b64",
        "mbarrier.arrive_drop.shared::cta.b64",
        "mbarrier.test_wait.shared::cta.b64",
        "mbarrier.test_wait.parity.shared::cta.b64",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64",
    ),
    ("sm_89", 8.1): _CONVERSIONS_OF_BYTES,
    ("sm_89", 8.4): tuple(_mmas("f32", "e4m3 e5m2", "m16n8k32")),
    ("sm_89", 8.7): (
        *_mmas("f16", "e4m3 e5m2", "m16n8k32 m16n8k16"),
        *_mmas("f32", "e4m3 e5m2", "m16n8k16"),
    ),
    ("sm_90", 7.8): (
        *_mmas("f64", "f64", "m16n8k16 m16n8k8 m16n8k4"),
        *(f"stmatrix.{form}" for form in _MATRICES),
        "mbarrier.try_wait.shared::cta.b64",
        "mbarrier.try_wait.parity.shared::cta.b64",
        "mapa.shared::cluster.u32",
        *("barrier.cluster.arrive;", "barrier.cluster.arrive.aligned;"),
        *("barrier.cluster.wait;", "barrier.cluster.wait.aligned;"),
        *("griddepcontrol.wait;", "griddepcontrol.launch_dependents;"),
        *("add.rn.bf16x2", "mul.rn.bf16x2", "ex2.approx.ftz.bf16x2"),
        *("cvt.rn.tf32.f32", "cvt.rz.tf32.f32"),
        "red.global.add.noftz.bf16x2",
        *(
            f"{kind}.relaxed.gpu.global.add.noftz.{type_}"
            for kind in ("atom", "red")
            for type_ in ("bf16", "bf16x2")
        ),
        *("fence.acq_rel.cluster;", "fence.sc.cluster;"),
    ),
    ("sm_90", 8.0): (
        *(
            f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{rest}"
            for rest in ("", _HINT, ".multicast::cluster", f".multicast::cluster{_HINT}")
        ),
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        *(f"cp.async.bulk.global.shared::cta.bulk_group{rest}" for rest in ("", _HINT)),
        *(
            f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{update}"
            for update in (
                *("add.u32", "add.f32", "add.f64", "add.noftz.f16", "add.noftz.bf16"),
                *("min.s32", "max.u64", "max.f16", "min.bf16", "and.b32", "or.b64", "xor.b32"),
                "inc.u32",
            )
        ),
        "cp.async.bulk.prefetch.L2.global",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group 1;",
        "cp.async.bulk.wait_group.read 0;",
        *_TENSOR_COPIES,
        "mbarrier.arrive.shared::cluster.b64 _",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _",
        "mbarrier.arrive.release.cluster.shared::cta.b64",
        "mbarrier.arrive.expect_tx.shared::cluster.b64 _",
        "mbarrier.try_wait.acquire.cluster.shared::cta.b64",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64",
        *("fence.proxy.async;", "fence.proxy.async.global;", "fence.proxy.async.shared::cta;"),
        "fence.mbarrier_init.release.cluster;",
        "elect.sync",
        *("barrier.cluster.arrive.relaxed;", "barrier.cluster.arrive.release;"),
        "barrier.cluster.wait.acquire;",
    ),
    ("sm_90", 8.1): ("red.global.add.v4.f32",),
    ("sm_90", 8.3): (
        "fence.proxy.tensormap::generic.release.gpu;",
        "atom.global.cas.b128",
    ),
    ("sm_90", 8.6): (
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes",
        *(_LOAD.format(rank, "shared::cta", "", "") for rank in _RANKS),
        *("fence.acquire.cluster;", "fence.release.cluster;"),
        *(
            f"{fence}.{direction}.cluster;"
            for fence in ("fence", "fence.proxy.async::generic")
            for direction in (
                "acquire.sync_restrict::shared::cluster",
                "release.sync_restrict::shared::cta",
            )
        ),
    ),
    ("sm_80", 8.3): tuple(
        f"{kind}.{space}.b128" for kind in ("ld", "st") for space in ("global", "shared")
    ),
    ("sm_100", 8.6): (
        f"{_TRY_CANCEL}.b128",
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128",
        *(f"clusterlaunchcontrol.query_cancel.get_first_ctaid::{a}.b32.b128" for a in "xyz"),
    ),
    ("sm_90a", 8.0): (
        *("wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;"),
        "wgmma.wait_group.sync.aligned 1;",
        *_WGMMA,
        *("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.dec.sync.aligned.u32 40;"),
    ),
    ("sm_90a", 8.3): (
        *(f"tensormap.replace.tile.{f}.shared::cta.b1024.{t}" for f, t in _FIELDS.items()),
        # On sm_90 too, where no map can be changed.
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned",
        "fence.proxy.tensormap::generic.acquire.gpu",
    ),
    ("sm_90a", 8.4): tuple(_wgmma(32, "s32.s8.u8", "s32.u8.s8")),
    ("sm_100a", 8.6): (
        "fma.rn.f32x2",
        "cvt.rn.bf16x2.ue8m0x2",
        *(f"cvt.rn.satfinite{relu}.e2m1x2.f32" for relu in ("", ".relu")),
        *(f"cvt.rn{relu}.f16x2.e2m1x2" for relu in ("", ".relu")),
        *(
            f"redux.sync.{op}{suffix}.f32"
            for op in ("min", "max")
            for suffix in ("", ".abs", ".NaN", ".abs.NaN")
        ),
        f"{_TRY_CANCEL}.multicast::cluster::all.b128",
        *_BYTE_MATRICES,
        _LOAD.format(2, "shared::cluster", ".tile::gather4", ""),
        _LOAD.format(2, "shared::cta", ".tile::gather4", ""),
        *(
            _LOAD.format(rank, "shared::cluster", "", f".cta_group::{blocks}")
            for rank in _RANKS
            for blocks in (1, 2)
        ),
        *(
            form
            for rank in _PIXEL_RANKS
            for mode in (".im2col::w", ".im2col::w::128")
            for form in (
                _LOAD.format(rank, "shared::cluster", mode, ""),
                _PREFETCH.format(rank, mode),
            )
        ),
        _PREFETCH.format(2, ".tile::gather4"),
        _STORE.format(2, ".tile::scatter4", ""),
        *_TENSOR_MEMORY,
    ),
    ("sm_100a", 8.7): tuple(
        f"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::{count}X"
        for count in (2, 4)
    ),
    ("sm_100a", 8.8): (
        "max.f32 %f3, %f0, %f1, %f2",
        *(f"{kind}.global.v8.{type_}" for kind in ("ld", "st") for type_ in ("b32", "f32")),
        *(
            f"tcgen05.mma.cta_group::1.kind::{kind}.block_scale.{size}"
            for kind, size in (
                ("mxf8f6f4", "block32"),
                ("mxf4", "block32"),
                ("mxf4nvf4", "block16"),
            )
        ),
    ),
    ("sm_107f", 9.4): ("cvt.rn.satfinite.ue5m3x2.f32", "cvt.rn.bf16x2.ue5m3x2"),
    ("sm_120a", 8.7): _SM_120A_MMAS,
    ("sm_120a", 9.1): (
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
        ".f32.e2m1.e2m1.f32.ue8m0",
    ),
}

LISTED: Forms = {
    needs: (*_DENSE.get(needs, ()), *LISTED_SPARSE.get(needs, ()))
    for needs in (*_DENSE, *(needs for needs in LISTED_SPARSE if needs not in _DENSE))
}
"""Left out, as the emulator does not have it: tcgen05.cp that unpacks 6 or 4 bits."""
