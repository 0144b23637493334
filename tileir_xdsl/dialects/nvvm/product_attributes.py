"""Enumerations of the products in `nvvm`, spelled as upstream MLIR spells them."""

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.nvvm.attributes import InAngleBrackets


class MMAVariant(StrEnum):
    """The `.kind` of a product of a warp."""

    F8F6F4 = "f8f6f4"


@irdl_attr_definition
class MMAVariantAttr(InAngleBrackets, EnumAttribute[MMAVariant]):
    name = "nvvm.mma_kind"


class Tcgen05Collector(StrEnum):
    """What a product does with the buffer that may hold one of its factors."""

    DISCARD = "discard"
    LASTUSE = "lastuse"
    FILL = "fill"
    USE = "use"


@irdl_attr_definition
class Tcgen05CollectorAttr(InAngleBrackets, EnumAttribute[Tcgen05Collector]):
    name = "nvvm.tcgen05_mma_collectorop"


class Tcgen05CollectorBuffer(StrEnum):
    """A buffer for B, of which weight stationary products have four."""

    B0 = "b0"
    B1 = "b1"
    B2 = "b2"
    B3 = "b3"


@irdl_attr_definition
class Tcgen05CollectorBufferAttr(InAngleBrackets, EnumAttribute[Tcgen05CollectorBuffer]):
    name = "nvvm.tcgen05_mma_collectorb"


PRODUCT_ATTRIBUTES = (MMAVariantAttr, Tcgen05CollectorAttr, Tcgen05CollectorBufferAttr)
