"""Types of `cute_nvgpu`."""

from xdsl.ir import ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition


@irdl_attr_definition
class TmaDescriptorTiledType(ParametrizedAttribute, TypeAttribute):
    """`!cute_nvgpu.tma_descriptor_tiled`: a tensor map whose boxes are tiles."""

    name = "cute_nvgpu.tma_descriptor_tiled"
