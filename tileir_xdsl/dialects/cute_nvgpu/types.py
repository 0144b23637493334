"""Types of `cute_nvgpu`."""

from xdsl.irdl import irdl_attr_definition

from tileir_xdsl.dialects.plain_type import PlainType


@irdl_attr_definition
class TmaDescriptorTiledType(PlainType):
    """`!cute_nvgpu.tma_descriptor_tiled`: a tensor map whose boxes are tiles."""

    name = "cute_nvgpu.tma_descriptor_tiled"
