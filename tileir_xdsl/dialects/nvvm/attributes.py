"""Enumerations of the `nvvm` ops, with the spelling of upstream MLIR."""

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import EnumAttribute, SpacedEnumAttribute
from tileir_xdsl.dialects.enumerations import CacheModifier


class ShuffleKind(StrEnum):
    """How `shfl.sync` picks the source lane."""

    BUTTERFLY = "bfly"
    UP = "up"
    DOWN = "down"
    INDEX = "idx"


class ShuffleKindAttr(SpacedEnumAttribute[ShuffleKind], name="nvvm.shfl_kind"): ...


class VoteKind(StrEnum):
    """The function of `vote.sync`."""

    ANY = "any"
    ALL = "all"
    BALLOT = "ballot"
    UNIFORM = "uni"

    @property
    def ptx(self) -> str:
        """The qualifiers of PTX: a ballot returns a bit for each lane."""
        return f"{self.value}.{'b32' if self is VoteKind.BALLOT else 'pred'}"


class VoteKindAttr(SpacedEnumAttribute[VoteKind], name="nvvm.vote_sync_kind"): ...


class MatchKind(StrEnum):
    """The function of `match.sync`."""

    ANY = "any"
    ALL = "all"


class MatchKindAttr(SpacedEnumAttribute[MatchKind], name="nvvm.match_sync_kind"): ...


class ReduxKind(StrEnum):
    """The reduction of `redux.sync`; `max` and `min` are signed."""

    ADD = "add"
    AND = "and"
    MAX = "max"
    MIN = "min"
    OR = "or"
    UMAX = "umax"
    UMIN = "umin"
    XOR = "xor"
    FMIN = "fmin"
    FMAX = "fmax"

    @property
    def ptx(self) -> str:
        """The qualifiers of PTX; for floats, they precede the type."""
        return _REDUCTIONS[self]


_REDUCTIONS = {
    ReduxKind.ADD: "add.s32",
    ReduxKind.AND: "and.b32",
    ReduxKind.MAX: "max.s32",
    ReduxKind.MIN: "min.s32",
    ReduxKind.OR: "or.b32",
    ReduxKind.UMAX: "max.u32",
    ReduxKind.UMIN: "min.u32",
    ReduxKind.XOR: "xor.b32",
    ReduxKind.FMAX: "max",
    ReduxKind.FMIN: "min",
}


class ReduxKindAttr(SpacedEnumAttribute[ReduxKind], name="nvvm.redux_kind"): ...


class CacheModifierAttr(SpacedEnumAttribute[CacheModifier], name="nvvm.load_cache_modifier"): ...


class RegisterAction(StrEnum):
    """Whether a warp increases or decreases its number of registers."""

    INCREASE = "increase"
    DECREASE = "decrease"

    @property
    def ptx(self) -> str:
        """The PTX qualifier, `inc` or `dec`."""
        return self.value[:3]


class RegisterActionAttr(SpacedEnumAttribute[RegisterAction], name="nvvm.action"): ...


class GridDependency(StrEnum):
    """The actions of dependent grids: wait for the previous grid, or let the next grid start."""

    WAIT = "wait"
    LAUNCH_DEPENDENTS = "launch_dependents"


class GridDependencyAttr(SpacedEnumAttribute[GridDependency], name="nvvm.grid_dep_action"): ...


class PrefetchLevel(StrEnum):
    """The cache that a prefetch fills."""

    L1 = "L1"
    L2 = "L2"


class PrefetchLevelAttr(SpacedEnumAttribute[PrefetchLevel], name="nvvm.prefetch_cache_level"): ...


class BarrierReduction(StrEnum):
    """The reduction that a barrier computes."""

    AND = "and"
    OR = "or"
    POPC = "popc"


class BarrierReductionAttr(EnumAttribute[BarrierReduction], name="nvvm.reduction"): ...


class MemoryScope(StrEnum):
    """The threads among which memory is ordered."""

    CTA = "cta"
    CLUSTER = "cluster"
    GPU = "gpu"
    SYS = "sys"


class MemoryScopeAttr(EnumAttribute[MemoryScope], name="nvvm.mem_scope"): ...


class MemoryOrder(StrEnum):
    """The memory ordering of a fence."""

    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SC = "sc"
    MMIO = "mmio"
    VOLATILE = "volatile"


class MemoryOrderAttr(EnumAttribute[MemoryOrder], name="nvvm.mem_order"): ...


class ProxyKind(StrEnum):
    """A path to memory: the generic proxy, or the proxy of asynchronous copies or tensor maps."""

    ALIAS = "alias"
    ASYNC = "async"
    ASYNC_GLOBAL = "async.global"
    ASYNC_SHARED = "async.shared"
    TENSORMAP = "tensormap"
    GENERIC = "generic"


class ProxyKindAttr(EnumAttribute[ProxyKind], name="nvvm.proxy_kind"): ...


class SharedSpace(StrEnum):
    """Shared memory of the block, or of the cluster."""

    CTA = "cta"
    CLUSTER = "cluster"


class SharedSpaceAttr(EnumAttribute[SharedSpace], name="nvvm.shared_space"): ...


class MMALayout(StrEnum):
    """Row-major or column-major order of a matrix in memory."""

    ROW = "row"
    COLUMN = "col"


class MMALayoutAttr(EnumAttribute[MMALayout], name="nvvm.mma_layout"): ...


class MMAType(StrEnum):
    """Element type of a matrix operand; upstream has no floats of 8 bits or less."""

    F16 = "f16"
    F32 = "f32"
    TF32 = "tf32"
    U8 = "u8"
    S8 = "s8"
    S32 = "s32"
    B1 = "b1"
    U4 = "u4"
    S4 = "s4"
    BF16 = "bf16"
    F64 = "f64"
    E4M3 = "e4m3"
    E5M2 = "e5m2"
    E3M2 = "e3m2"
    E2M3 = "e2m3"
    E2M1 = "e2m1"


class MMATypeAttr(EnumAttribute[MMAType], name="nvvm.mma_type"): ...


class MMAB1Op(StrEnum):
    """The operation on pairs of bits in a 1-bit dot, which then counts the ones."""

    NONE = "none"
    XOR = "xor_popc"
    AND = "and_popc"


class MMAB1OpAttr(EnumAttribute[MMAB1Op], name="nvvm.mma_b1op"): ...


class MMAOverflow(StrEnum):
    """Overflow behaviour of an integer accumulator."""

    WRAPPED = "wrapped"
    SATFINITE = "satfinite"


class MMAOverflowAttr(EnumAttribute[MMAOverflow], name="nvvm.mma_int_overflow"): ...


class MatrixElementType(StrEnum):
    """Elements that `ldmatrix` and `stmatrix` move."""

    B16 = "b16"
    B8 = "b8"
    B6 = "b8x16.b6x16_p32"
    B4 = "b8x16.b4x16_p64"


class MatrixElementTypeAttr(
    EnumAttribute[MatrixElementType], name="nvvm.ld_st_matrix_elt_type"
): ...


class TMALoadMode(StrEnum):
    """How a tensor copy reads global memory."""

    TILE = "tile"
    IM2COL = "im2col"
    IM2COL_W = "im2col_w"
    IM2COL_W_128 = "im2col_w_128"
    TILE_GATHER4 = "tile_gather4"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX, such as `.im2col::w`; the default has none."""
        return "" if self is TMALoadMode.TILE else f".{self.value.replace('_', '::')}"


class TMALoadModeAttr(EnumAttribute[TMALoadMode], name="nvvm.tma_load_mode"): ...


class TMAStoreMode(StrEnum):
    """How a tensor copy writes global memory."""

    TILE = "tile"
    IM2COL = "im2col"
    TILE_SCATTER4 = "tile_scatter4"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX; the default has none."""
        return _STORE_MODES[self]


_STORE_MODES = {
    TMAStoreMode.TILE: "",
    TMAStoreMode.IM2COL: ".im2col_no_offs",
    TMAStoreMode.TILE_SCATTER4: ".tile::scatter4",
}


class TMAStoreModeAttr(EnumAttribute[TMAStoreMode], name="nvvm.tma_store_mode"): ...


class TMAReduction(StrEnum):
    """The operation of a tensor reduction on the values in global memory."""

    ADD = "add"
    MAX = "max"
    MIN = "min"
    INC = "inc"
    DEC = "dec"
    AND = "and"
    OR = "or"
    XOR = "xor"


class TMAReductionAttr(EnumAttribute[TMAReduction], name="nvvm.tma_redux_kind"): ...


class CTAGroup(StrEnum):
    """One block, or a pair of blocks."""

    ONE = "cta_1"
    TWO = "cta_2"

    @property
    def ptx(self) -> str:
        """The PTX qualifier, `cta_group::1` or `cta_group::2`."""
        return self.value.replace("_", "_group::")


class CTAGroupAttr(EnumAttribute[CTAGroup], name="nvvm.cta_group"): ...


class FPRoundingMode(StrEnum):
    """Rounding of a conversion."""

    NONE = "none"
    RN = "rn"
    RM = "rm"
    RP = "rp"
    RZ = "rz"
    RNA = "rna"
    RS = "rs"


class FPRoundingModeAttr(EnumAttribute[FPRoundingMode], name="nvvm.fp_rnd_mode"): ...


class SaturationMode(StrEnum):
    """Whether a conversion clamps to the largest finite value."""

    NONE = "none"
    SATFINITE = "satfinite"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX, if there is one."""
        return "" if self is SaturationMode.NONE else ".satfinite"


class SaturationModeAttr(EnumAttribute[SaturationMode], name="nvvm.sat_mode"): ...


class WGMMAType(StrEnum):
    """Element type of a wgmma operand."""

    F16 = "f16"
    TF32 = "tf32"
    U8 = "u8"
    S8 = "s8"
    B1 = "b1"
    BF16 = "bf16"
    E4M3 = "e4m3"
    E5M2 = "e5m2"
    F32 = "f32"
    S32 = "s32"


class WGMMATypeAttr(EnumAttribute[WGMMAType], name="nvvm.wgmma_type"): ...


class WGMMAScaleIn(StrEnum):
    """Whether a wgmma operand is negated."""

    ONE = "one"
    NEGATIVE = "neg"


class WGMMAScaleInAttr(EnumAttribute[WGMMAScaleIn], name="nvvm.wgmma_scale_in"): ...


class WGMMAScaleOut(StrEnum):
    """Whether wgmma adds to the accumulator."""

    ZERO = "zero"
    ONE = "one"


class WGMMAScaleOutAttr(EnumAttribute[WGMMAScaleOut], name="nvvm.wgmma_scale_out"): ...


class Tcgen05Kind(StrEnum):
    """The operand types of `tcgen05.mma`."""

    F16 = "f16"
    TF32 = "tf32"
    F8F6F4 = "f8f6f4"
    I8 = "i8"


class Tcgen05KindAttr(EnumAttribute[Tcgen05Kind], name="nvvm.tcgen05_mma_kind"): ...


class Tcgen05Fence(StrEnum):
    """Whether a fence comes before or after a synchronisation."""

    BEFORE = "before"
    AFTER = "after"


class Tcgen05FenceAttr(EnumAttribute[Tcgen05Fence], name="nvvm.tcgen05_fence"): ...


class Tcgen05Wait(StrEnum):
    """The tensor-memory accesses for which a thread waits."""

    LOAD = "load"
    STORE = "store"

    @property
    def ptx(self) -> str:
        """The PTX qualifier, `ld` or `st`."""
        return "ld" if self is Tcgen05Wait.LOAD else "st"


class Tcgen05WaitAttr(EnumAttribute[Tcgen05Wait], name="nvvm.tcgen05_wait"): ...


class Tcgen05CopyShape(StrEnum):
    """The shape, lanes by bits, that `tcgen05.cp` moves."""

    S128X256B = "shape_128x256b"
    S4X256B = "shape_4x256b"
    S128X128B = "shape_128x128b"
    S64X128B = "shape_64x128b"
    S32X128B = "shape_32x128b"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX, such as `32x128b`."""
        return self.value.removeprefix("shape_")


class Tcgen05CopyShapeAttr(EnumAttribute[Tcgen05CopyShape], name="nvvm.tcgen05_cp_shape"): ...


class Tcgen05CopyMulticast(StrEnum):
    """The warps whose lanes get the same data from `tcgen05.cp`."""

    NONE = "none"
    WARPX2_02_13 = "warpx2_02_13"
    WARPX2_01_23 = "warpx2_01_23"
    WARPX4 = "warpx4"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX, such as `.warpx2::02_13`; None if there is none."""
        none = self is Tcgen05CopyMulticast.NONE
        return "" if none else f".{self.value.replace('_', '::', 1)}"


class Tcgen05CopyMulticastAttr(
    EnumAttribute[Tcgen05CopyMulticast], name="nvvm.tcgen05_cp_multicast"
): ...


class Tcgen05Shape(StrEnum):
    """The shape, lanes by bits, of one unit of a tensor-memory load or store."""

    S16X64B = "shape_16x64b"
    S16X128B = "shape_16x128b"
    S16X256B = "shape_16x256b"
    S32X32B = "shape_32x32b"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX, such as `32x32b`."""
        return self.value.removeprefix("shape_")


class Tcgen05ShapeAttr(EnumAttribute[Tcgen05Shape], name="nvvm.tcgen05_ldst_shape"): ...


@irdl_attr_definition
class MMAShapeAttr(ParametrizedAttribute):
    """`#nvvm.shape<m = 16, n = 8, k = 16>`."""

    name = "nvvm.shape"

    m: IntAttr
    n: IntAttr
    k: IntAttr

    @staticmethod
    def of(m: int, n: int, k: int) -> "MMAShapeAttr":
        return MMAShapeAttr(IntAttr(m), IntAttr(n), IntAttr(k))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[IntAttr, ...]:
        return _parse_extents(parser, ("m", "n", "k"))

    def print_parameters(self, printer: Printer) -> None:
        _print_extents(printer, {"m": self.m, "n": self.n, "k": self.k})

    def __str__(self) -> str:
        return f"m{self.m.data}n{self.n.data}k{self.k.data}"


@irdl_attr_definition
class MatrixShapeAttr(ParametrizedAttribute):
    """`#nvvm.ld_st_matrix_shape<m = 8, n = 8>`."""

    name = "nvvm.ld_st_matrix_shape"

    m: IntAttr
    n: IntAttr

    @staticmethod
    def of(m: int, n: int) -> "MatrixShapeAttr":
        return MatrixShapeAttr(IntAttr(m), IntAttr(n))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[IntAttr, ...]:
        return _parse_extents(parser, ("m", "n"))

    def print_parameters(self, printer: Printer) -> None:
        _print_extents(printer, {"m": self.m, "n": self.n})

    def __str__(self) -> str:
        return f"m{self.m.data}n{self.n.data}"


def _parse_extents(parser: AttrParser, names: tuple[str, ...]) -> tuple[IntAttr, ...]:
    extents: list[IntAttr] = []
    with parser.in_angle_brackets():
        for position, name in enumerate(names):
            if position:
                parser.parse_punctuation(",")
            parser.parse_keyword(name)
            parser.parse_punctuation("=")
            extents.append(IntAttr(parser.parse_integer()))
    return tuple(extents)


def _print_extents(printer: Printer, extents: dict[str, IntAttr]) -> None:
    with printer.in_angle_brackets():
        printer.print_string(", ".join(f"{name} = {e.data}" for name, e in extents.items()))
