"""Enumerations of the mma ops of `nvvm`, with the spelling of upstream MLIR."""

from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import EnumAttribute


class MMAVariant(StrEnum):
    """The `.kind` of an mma of a warp."""

    F8F6F4 = "f8f6f4"


class MMAVariantAttr(EnumAttribute[MMAVariant], name="nvvm.mma_kind"): ...


class Tcgen05Collector(StrEnum):
    """The use by an mma of the collector buffer, which may hold one operand."""

    DISCARD = "discard"
    LASTUSE = "lastuse"
    FILL = "fill"
    USE = "use"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX for the buffer of A; the default has none."""
        return "" if self is Tcgen05Collector.DISCARD else f".collector::a::{self.value}"


class Tcgen05CollectorAttr(
    EnumAttribute[Tcgen05Collector], name="nvvm.tcgen05_mma_collectorop"
): ...


class Tcgen05CollectorBuffer(StrEnum):
    """One of the four collector buffers for B in a weight stationary mma."""

    B0 = "b0"
    B1 = "b1"
    B2 = "b2"
    B3 = "b3"


class Tcgen05CollectorBufferAttr(
    EnumAttribute[Tcgen05CollectorBuffer], name="nvvm.tcgen05_mma_collectorb"
): ...


class BlockScaleKind(StrEnum):
    """The `.kind` of a block-scaled mma."""

    MXF8F6F4 = "mxf8f6f4"
    MXF4 = "mxf4"
    MXF4NVF4 = "mxf4nvf4"


class BlockScaleKindAttr(EnumAttribute[BlockScaleKind], name="nvvm.block_scale_kind"): ...


class BlockScaleFormat(StrEnum):
    """The type of block scales."""

    UE8M0 = "ue8m0"
    UE4M3 = "ue4m3"


class BlockScaleFormatAttr(EnumAttribute[BlockScaleFormat], name="nvvm.block_scale_format"): ...


class ScaleVectorSize(StrEnum):
    """How many scales a row of A or a column of B has in a warp-level mma."""

    X1 = "x1"
    X2 = "x2"
    X4 = "x4"


class ScaleVectorSizeAttr(EnumAttribute[ScaleVectorSize], name="nvvm.scale_vec_size"): ...


class Tcgen05BlockScale(StrEnum):
    """How many stored elements along k share a scale in a `tcgen05.mma`."""

    DEFAULT = "default"
    BLOCK16 = "block16"
    BLOCK32 = "block32"

    @property
    def ptx(self) -> str:
        """The qualifier of PTX; the default has none."""
        return "" if self is Tcgen05BlockScale.DEFAULT else f".{self.value}"


class Tcgen05BlockScaleAttr(
    EnumAttribute[Tcgen05BlockScale], name="nvvm.tcgen05_mma_block_scale"
): ...
