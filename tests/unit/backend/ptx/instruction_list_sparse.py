"""Sparse and weight stationary products, with the lowest target and PTX version of each.

As in `instruction_list`, a form is an opcode up to its operands.
"""

from collections.abc import Iterator, Mapping
from itertools import product

_FLOATS_OF_BYTES = ("e4m3", "e5m2")
_NARROW_FLOATS = (*_FLOATS_OF_BYTES, "e3m2", "e2m3", "e2m1")
_ORDERED = "::ordered_metadata"


def _pairs(d: str, operands: tuple[str, ...]) -> Iterator[str]:
    return (f"{d}.{a}.{b}.{d}" for a, b in product(operands, repeat=2))


# Products of a warp.


def _mmas(order: str) -> Iterator[str]:
    for types, extents, overflows in (
        (("f16.f16.f16.f16", "f32.f16.f16.f32", "f32.bf16.bf16.f32"), (16, 32), ("",)),
        (("f32.tf32.tf32.f32",), (8, 16), ("",)),
        (tuple(_pairs("s32", ("s8", "u8"))), (32, 64), ("", ".satfinite")),
        (tuple(_pairs("s32", ("s4", "u4"))), (64, 128), ("", ".satfinite")),
    ):
        for one, k, overflow in product(types, extents, overflows):
            yield f"mma.sp{order}.sync.aligned.m16n8k{k}.row.col{overflow}.{one}"


def _mmas_of_bytes(order: str, d: str, operands: tuple[str, ...], kind: str = "") -> list[str]:
    opcode = f"mma.sp{order}.sync.aligned.m16n8k64.row.col{kind}"
    return [f"{opcode}.{types}" for types in _pairs(d, operands)]


_FOUR_BITS = (
    f"mma.sp{_ORDERED}.sync.aligned.m16n8k128.row.col.kind::{{}}.block_scale"
    ".scale_vec::{}X.f32.e2m1.e2m1.f32.{}"
)
_SCALED_MMAS = (
    *(
        f"{form}.ue8m0"
        for form in _mmas_of_bytes(
            _ORDERED, "f32", _NARROW_FLOATS, ".kind::mxf8f6f4.block_scale.scale_vec::1X"
        )
    ),
    *(
        _FOUR_BITS.format(kind, count, scales)
        for kind, count, scales in (
            ("mxf4", 2, "ue8m0"),
            ("mxf4nvf4", 2, "ue8m0"),
            ("mxf4nvf4", 4, "ue4m3"),
        )
    ),
)


# Products of a warpgroup.


def _wgmma(k: int, *types: str) -> Iterator[str]:
    """Every width; integers skip the odd multiples of 8 above 24."""
    for type_, n in product(types, range(8, 257, 8)):
        if not type_.startswith("s32") or n % 16 == 0 or n <= 24:
            yield f"wgmma.mma_async.sp.sync.aligned.m64n{n}k{k}.{type_}"


# Products in tensor memory.

_KINDS = ("f16", "tf32", "f8f6f4", "i8")
_USES = ("fill", "use", "lastuse", "discard")
_A_COLLECTORS = tuple(f".collector::a::{use}" for use in _USES[:-1])
_B_COLLECTORS = tuple(
    f".collector::b{buffer}::{use}"
    for buffer, use in product(range(4), _USES)
    if (buffer, use) != (0, "discard")
)
"""What a buffer is used for; leaving `a` or `b0` alone is not written."""

_TENSOR_MEMORY = (
    *(f"tcgen05.mma.cta_group::1.kind::f16{collector}" for collector in _A_COLLECTORS),
    *(f"tcgen05.mma.sp.cta_group::{blocks}.kind::{kind}" for blocks in (1, 2) for kind in _KINDS),
    *(f"tcgen05.mma.sp.cta_group::1.kind::f16{collector}" for collector in _A_COLLECTORS),
    *(
        f"tcgen05.mma.ws{suffix}.cta_group::1.kind::{kind}{collector}"
        for suffix in ("", ".sp")
        for kind in _KINDS
        for collector in ("", *(_B_COLLECTORS if kind == "f16" else ()))
    ),
)


def _scaled(*suffixes: str) -> tuple[str, ...]:
    """Where scales are in blocks of the kind's own size, or of a size that is named."""
    return tuple(f"tcgen05.mma.sp.cta_group::1.kind::{suffix}" for suffix in suffixes)


LISTED_SPARSE: Mapping[tuple[str, float], tuple[str, ...]] = {
    ("sm_80", 7.1): tuple(_mmas("")),
    ("sm_80", 8.5): tuple(_mmas(_ORDERED)),
    ("sm_89", 8.4): tuple(_mmas_of_bytes("", "f32", _FLOATS_OF_BYTES)),
    ("sm_89", 8.5): tuple(_mmas_of_bytes(_ORDERED, "f32", _FLOATS_OF_BYTES)),
    ("sm_90a", 8.2): (
        *_wgmma(32, "f16.f16.f16", "f32.f16.f16", "f32.bf16.bf16"),
        *_wgmma(16, "f32.tf32.tf32"),
        *_wgmma(
            64,
            *(
                f"{d}.{a}.{b}"
                for d in ("f16", "f32")
                for a, b in product(_FLOATS_OF_BYTES, repeat=2)
            ),
        ),
        *_wgmma(64, "s32.s8.s8", "s32.u8.u8"),
    ),
    ("sm_90a", 8.4): tuple(_wgmma(64, "s32.s8.u8", "s32.u8.s8")),
    ("sm_100a", 8.6): (
        *_TENSOR_MEMORY,
        *_scaled("mxf8f6f4.block_scale", "mxf4.block_scale"),
    ),
    ("sm_100a", 8.8): _scaled(
        "mxf8f6f4.block_scale.block32",
        "mxf4.block_scale.block32",
        "mxf4nvf4.block_scale.block16",
        "mxf4nvf4.block_scale.block32",
    ),
    ("sm_120a", 8.7): (
        *_mmas_of_bytes(_ORDERED, "f16", _FLOATS_OF_BYTES),
        *(
            form
            for d in ("f16", "f32")
            for form in _mmas_of_bytes(_ORDERED, d, _NARROW_FLOATS, ".kind::f8f6f4")
        ),
        *_SCALED_MMAS,
    ),
    ("sm_120a", 9.1): (_FOUR_BITS.format("mxf4nvf4", 4, "ue8m0"),),
}
"""By lowest target and lowest PTX version."""
