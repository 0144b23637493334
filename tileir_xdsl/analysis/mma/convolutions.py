"""How the activation of a convolution is laid out and padded."""

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.convolution import ActivationLayout
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape


def channel_dimension(op: nv_tileaa.ConvDotOp) -> int:
    """The dimension of the channels of the activation."""
    channels_first = op.activation_layout.data is ActivationLayout.CHANNELS_FIRST
    return 1 if channels_first else len(op.conv_params.steps) + 1


def padded_activation(op: nv_tileaa.ConvDotOp) -> tuple[list[int], list[int]]:
    """The extents of the activation with its padding, and the padding on one side of each."""
    steps = op.conv_params.steps
    rank = len(steps) + 2
    channel = channel_dimension(op)
    extents = tile_shape(op.activation.type).shape
    spatial = [dim for dim in range(1, rank) if dim != channel]
    margins = dict(zip(spatial, (padding for padding, _, _ in steps), strict=True))
    padding = [margins.get(dim, 0) for dim in range(rank)]
    return [e + 2 * p for e, p in zip(extents, padding, strict=True)], padding
