"""Convolutions: views of activations as matrices, and convolutions of whole tiles.

An activation has a batch dimension, which is the first, one to three spatial dimensions, and
channels. A convolution is the product of the matrix (output positions) x (filter positions,
channels) with the filter; `conv_tile` returns the tiles of that matrix.
"""

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntAttr, IntegerAttr, TensorType, i64
from xdsl.ir import ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_attr_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import EnumAttribute
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.scratch import ScratchNeed, Staging

from .attributes import SignednessAttr
from .constraints import moved_bits
from .matrix import verify_mma_elements
from .types import MemRefType, TiledViewType, tile_shape
from .views import (
    dim_groups_attr,
    dim_groups_of,
    verify_dim_groups,
    verify_tile_sizes,
    verify_view_type,
)


class ActivationLayout(StrEnum):
    """The position of the channels among the dimensions of activations and filters."""

    CHANNELS_LAST = "channels_last"
    CHANNELS_FIRST = "channels_first"


class ActivationLayoutAttr(EnumAttribute[ActivationLayout], name="nv_tileaa.activation_layout"): ...


@irdl_attr_definition
class ConvParamsAttr(ParametrizedAttribute):
    """`#nv_tileaa.conv_params<padding = [1, 1], stride = [2, 2], dilation = [1, 1]>`.

    Each list has one number per spatial dimension; padding is the same on both sides.
    """

    name = "nv_tileaa.conv_params"

    padding: ArrayAttr[IntAttr]
    stride: ArrayAttr[IntAttr]
    dilation: ArrayAttr[IntAttr]

    def __init__(self, padding: Sequence[int], stride: Sequence[int], dilation: Sequence[int]):
        super().__init__(
            *(ArrayAttr(map(IntAttr, values)) for values in (padding, stride, dilation))
        )

    @property
    def steps(self) -> list[tuple[int, int, int]]:
        """Padding, stride and dilation of every spatial dimension."""
        parameters = (self.padding, self.stride, self.dilation)
        columns = [[number.data for number in values] for values in parameters]
        return list(zip(*columns, strict=True))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        def field(keyword: str) -> ArrayAttr[IntAttr]:
            parser.parse_keyword(keyword)
            parser.parse_punctuation("=")
            return ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, integer))

        def integer() -> IntAttr:
            return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))

        with parser.in_angle_brackets():
            padding = field("padding")
            parser.parse_punctuation(",")
            stride = field("stride")
            parser.parse_punctuation(",")
            return padding, stride, field("dilation")

    def print_parameters(self, printer: Printer) -> None:
        names = ("padding", "stride", "dilation")
        values = (self.padding, self.stride, self.dilation)
        with printer.in_angle_brackets():
            printer.print_string(
                ", ".join(
                    f"{name} = {[number.data for number in value]}"
                    for name, value in zip(names, values, strict=True)
                )
            )

    def verify(self) -> None:
        if not len(self.padding) == len(self.stride) == len(self.dilation):
            raise VerifyException("expects conv params size matched with each other")
        if any(stride < 1 or dilation < 1 for _, stride, dilation in self.steps):
            raise VerifyException("expects strides and dilations of at least 1")


def output_extents(
    extents: Sequence[int], taps: Sequence[int], params: ConvParamsAttr
) -> tuple[int, ...]:
    """Output positions along each spatial dimension of an input; `taps` is the filter's extent."""
    return tuple(
        (extent + 2 * padding - dilation * (tap - 1) - 1) // stride + 1
        for extent, tap, (padding, stride, dilation) in zip(
            extents, taps, params.steps, strict=True
        )
    )


@irdl_op_definition
class ConvTileOp(IRDLOperation, RegistersOpInterface):
    """Views an activation as the matrix that a filter is multiplied with, in tiles.

    `dimGroups` holds [channel] and the group of the other dimensions. A coordinate of that group
    counts output positions, row-major. A coordinate of the channels counts the tiles of the first
    filter position, then those of the next. Elements in the padding count as outside of the memory
    object.
    """

    name = "nv_tileaa.conv_tile"

    source = operand_def(MemRefType)
    tile_sizes = prop_def(DenseArrayBase.constr(i64), prop_name="tileSizes")
    dim_groups = prop_def(ArrayAttr[ArrayAttr[IntegerAttr]], prop_name="dimGroups")
    filter_size = prop_def(DenseArrayBase.constr(i64), prop_name="filterSize")
    conv_params = prop_def(ConvParamsAttr, prop_name="convParams")
    channel = prop_def(IntegerAttr)
    result = result_def(TiledViewType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(
        self,
        source: SSAValue,
        tile_sizes: Sequence[int],
        dim_groups: Sequence[Sequence[int]],
        filter_size: Sequence[int],
        conv_params: ConvParamsAttr,
        channel: int,
    ):
        memref = source.type
        assert isinstance(memref, MemRefType)
        super().__init__(
            operands=[source],
            properties={
                "tileSizes": DenseArrayBase.from_list(i64, tile_sizes),
                "dimGroups": dim_groups_attr(dim_groups),
                "filterSize": DenseArrayBase.from_list(i64, filter_size),
                "convParams": conv_params,
                "channel": IntegerAttr(channel, i64),
            },
            result_types=[TiledViewType(tile_sizes, memref.element_type, memref)],
        )

    def get_tile_sizes(self) -> tuple[int, ...]:
        return tuple(int(size) for size in self.tile_sizes.get_values())

    def get_dim_groups(self) -> tuple[tuple[int, ...], ...]:
        return dim_groups_of(self.dim_groups)

    def get_filter_size(self) -> tuple[int, ...]:
        return tuple(int(size) for size in self.filter_size.get_values())

    def verify_(self) -> None:
        groups, taps = self.get_dim_groups(), self.get_filter_size()
        channel = self.channel.value.data
        verify_tile_sizes(self.get_tile_sizes(), groups)
        source, result = self.source.type, self.result.type
        assert isinstance(source, MemRefType) and isinstance(result, TiledViewType)
        verify_dim_groups(groups, len(source.shape))
        if not 1 <= len(taps) <= 3:
            raise VerifyException("expects filter size must be in range 1 to 3")
        if len(self.conv_params.steps) != len(taps):
            raise VerifyException("expects conv params size matched with each other")
        channel_groups = [group for group in groups if channel in group]
        if not channel_groups:
            raise VerifyException("expects channel must be a dimGroup")
        if channel_groups[0] != (channel,):
            raise VerifyException("expects channel dimGroup should contain only channel")
        positions = tuple(dim for dim in range(len(taps) + 2) if dim != channel)
        if len(source.shape) != len(taps) + 2 or sorted(groups) != sorted([(channel,), positions]):
            raise VerifyException(
                f"expects dimGroups to be {list(positions)} and {[channel]}, "
                "together all dimensions of the memref"
            )
        verify_view_type(self.result.type, self.get_tile_sizes(), source)


@irdl_op_definition
class ConvDotOp(IRDLOperation, RegistersOpInterface):
    """`acc` plus the convolution of a tile of an activation with a filter.

    With the channels last, the activation is N x (spatial) x C, and the filter K x (taps) x C.
    `acc` is N x (output positions) x K. In the layout with channels first, the channels follow the
    first dimension of each.
    """

    name = "nv_tileaa.conv_dot"

    T: ClassVar = VarConstraint("T", base(TensorType))

    activation = operand_def(TensorType)
    filter = operand_def(TensorType)
    acc = operand_def(T)
    conv_params = prop_def(ConvParamsAttr, prop_name="convParams")
    activation_layout = prop_def(ActivationLayoutAttr, prop_name="activationLayout")
    signedness_a = opt_prop_def(SignednessAttr)
    signedness_b = opt_prop_def(SignednessAttr)
    result = result_def(T)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = (
        "$activation `,` $filter `,` $acc attr-dict "
        "`:` type($activation) `,` type($filter) `,` type($acc)"
    )

    def __init__(
        self,
        activation: SSAValue,
        filter: SSAValue,
        acc: SSAValue,
        conv_params: ConvParamsAttr,
        activation_layout: ActivationLayout = ActivationLayout.CHANNELS_LAST,
        signedness_a: SignednessAttr | None = None,
        signedness_b: SignednessAttr | None = None,
    ):
        super().__init__(
            operands=[activation, filter, acc],
            properties={
                "convParams": conv_params,
                "activationLayout": ActivationLayoutAttr(activation_layout),
                "signedness_a": signedness_a,
                "signedness_b": signedness_b,
            },
            result_types=[acc.type],
        )

    def verify_(self) -> None:
        types = (self.activation.type, self.filter.type, self.acc.type)
        verify_mma_elements(*types, self.signedness_a, self.signedness_b)
        shapes = [tile_shape(v.type).shape for v in (self.activation, self.filter, self.acc)]
        rank = len(shapes[0])
        if not 3 <= rank <= 5 or any(len(shape) != rank for shape in shapes):
            raise VerifyException(
                "expects activation, filter and accumulator of the same rank, from 3 to 5"
            )
        if len(self.conv_params.steps) != rank - 2:
            raise VerifyException("expects conv params size matched with each other")
        if self.activation_layout.data == ActivationLayout.CHANNELS_FIRST:
            shapes = [(shape[0], *shape[2:], shape[1]) for shape in shapes]
        activation, filter_, acc = shapes
        if activation[-1] != filter_[-1]:
            raise VerifyException("expects activation and filter of the same number of channels")
        outputs = output_extents(activation[1:-1], filter_[1:-1], self.conv_params)
        if acc != (activation[0], *outputs, filter_[0]):
            raise VerifyException(
                f"expects the accumulator to have a batch of {activation[0]}, output extents "
                f"{list(outputs)} and {filter_[0]} channels"
            )

    @property
    def channel_dimension(self) -> int:
        """The dimension of the channels of the activation."""
        channels_first = self.activation_layout.data is ActivationLayout.CHANNELS_FIRST
        return 1 if channels_first else len(self.conv_params.steps) + 1

    @property
    def padding(self) -> list[int]:
        """The padding on one side of each dimension of the activation."""
        steps, channel = self.conv_params.steps, self.channel_dimension
        spatial = [dim for dim in range(1, len(steps) + 2) if dim != channel]
        margins = dict(zip(spatial, (padding for padding, _, _ in steps), strict=True))
        return [margins.get(dim, 0) for dim in range(len(steps) + 2)]

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        # The padded activation, and after it the filter.
        unit = moved_bits(tile_shape(self.activation.type).element) // 8
        extents = tile_shape(self.activation.type).shape
        padded = prod(e + 2 * p for e, p in zip(extents, self.padding, strict=True))
        return (Staging(padded * unit, unit, prod(tile_shape(self.filter.type).shape) * unit),)
