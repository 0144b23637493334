"""Part B: modules, kernels, memory, pointers, tokens and views."""

from xdsl.dialects.builtin import DenseArrayBase, FunctionType
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Attribute, Operation, Region

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.memory import MemoryOperation
from tileir_xdsl.dialects.nv_tileaa.attributes import (
    DEFAULT_WARPS,
    KernelSpecAttr,
    PaddingValue,
    PaddingValueAttr,
)
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import hint_properties, memory_order
from .patterns import ConvertOp, Replacement
from .types import convert_tensor_view

WORKER_WARPS = (4, 8)
"""The fewest and the most warps that a `num_worker_warps_per_cta` hint gives a tile block."""


class ConvertModule(ConvertOp[cuda_tile.ModuleOp]):
    """A module of kernels is a nested builtin module of the same name."""

    def convert(self, op: cuda_tile.ModuleOp) -> Operation:
        body = Region(self.conversion.move_block(op.body.block))
        return BuiltinModuleOp(body, sym_name=op.sym_name)


class ConvertEntry(ConvertOp[cuda_tile.EntryOp]):
    """A kernel is a function with a kernel_spec, made of the hints for the target."""

    def convert(self, op: cuda_tile.EntryOp) -> Operation:
        block = self.conversion.move_block(op.body.block)
        return nv_tileaa.FuncOp(
            op.sym_name.data,
            FunctionType.from_lists(block.arg_types, ()),
            Region(block),
            self._kernel_spec(op),
        )

    def _kernel_spec(self, op: cuda_tile.EntryOp) -> KernelSpecAttr:
        hints = op.optimization_hints
        values = {} if hints is None else hints.hints_for(self.architecture)
        fewest, most = WORKER_WARPS
        warps = int(values.get("num_worker_warps_per_cta", DEFAULT_WARPS))
        return KernelSpecAttr(
            min(max(warps, fewest), most),
            int(values.get("num_cta_in_cga", 1)),
            values.get("occupancy"),
        )


class ConvertReturn(ConvertOp[cuda_tile.ReturnOp]):
    def convert(self, op: cuda_tile.ReturnOp) -> Operation:
        return nv_tileaa.ReturnOp()


class ConvertMakeToken(ConvertOp[cuda_tile.MakeTokenOp]):
    def convert(self, op: cuda_tile.MakeTokenOp) -> Operation:
        return nv_tileaa.CreateMemTokenOp()


class ConvertJoinTokens(ConvertOp[cuda_tile.JoinTokensOp]):
    """A join of one token is that token, of none a new one."""

    def convert(self, op: cuda_tile.JoinTokensOp) -> Replacement | Operation:
        tokens = self.conversion.values(op.operands)
        match tokens:
            case []:
                return nv_tileaa.CreateMemTokenOp()
            case [token]:
                return Replacement([], [token])
            case _:
                return nv_tileaa.JoinMemTokenOp(tokens)


class ConvertOffset(ConvertOp[cuda_tile.OffsetOp]):
    def convert(self, op: cuda_tile.OffsetOp) -> Operation:
        return nv_tileaa.AddPtrOp(self.conversion.value(op.ptr), self.conversion.value(op.offset))


class ConvertLoadPtr(ConvertOp[cuda_tile.LoadPtrTkoOp]):
    def convert(self, op: cuda_tile.LoadPtrTkoOp) -> Operation:
        return nv_tileaa.LoadOp(
            operands=[
                self.conversion.value(op.source),
                self.conversion.optional(op.mask),
                self.conversion.optional(op.padding_value),
                self.conversion.optional(op.token),
            ],
            properties=memory_order(op) | hint_properties(op, self.architecture),
            result_types=self.conversion.converter.convert_all(op.result_types),
        )


class ConvertStorePtr(ConvertOp[cuda_tile.StorePtrTkoOp]):
    def convert(self, op: cuda_tile.StorePtrTkoOp) -> Operation:
        return nv_tileaa.StoreOp(
            operands=[
                self.conversion.value(op.destination),
                self.conversion.value(op.value),
                self.conversion.optional(op.mask),
                self.conversion.optional(op.token),
            ],
            properties=memory_order(op) | hint_properties(op, self.architecture),
            result_types=self.conversion.converter.convert_all(op.result_types),
        )


class ConvertMakeTensorView(ConvertOp[cuda_tile.MakeTensorViewOp]):
    """A tensor view is a memory object: pointer, sizes and strides."""

    def convert(self, op: cuda_tile.MakeTensorViewOp) -> Operation:
        result_type = convert_tensor_view(op.result.type)
        assert result_type is not None
        return nv_tileaa.MakeMemRefOp(
            self.conversion.value(op.base),
            self.conversion.values(op.dynamic_shape),
            self.conversion.values(op.dynamic_strides),
            result_type,
        )


class ConvertMakePartitionView(ConvertOp[cuda_tile.MakePartitionViewOp]):
    """Tile dimension i walks dimension `dim_map[i]` of the memory object."""

    def convert(self, op: cuda_tile.MakePartitionViewOp) -> Operation:
        view = op.result.type
        assert isinstance(view, cuda_tile.PartitionViewType)
        return nv_tileaa.BlockTileOp(
            self.conversion.value(op.tensor_view),
            view.get_tile_shape(),
            [(dim,) for dim in view.get_dim_map()],
        )


def view_properties(op: MemoryOperation, architecture: str) -> dict[str, Attribute | None]:
    """Memory order, hints and known bounds of an access of a view."""
    properties = memory_order(op) | hint_properties(op, architecture)
    inbounds = op.properties.get("inbounds")
    if isinstance(inbounds, DenseArrayBase):
        properties["in_bounds"] = inbounds
    return properties


class ConvertLoadView(ConvertOp[cuda_tile.LoadViewTkoOp]):
    """The padding of the view moves to the load."""

    def convert(self, op: cuda_tile.LoadViewTkoOp) -> Operation:
        properties = view_properties(op, self.architecture)
        assert isinstance(op.view.type, cuda_tile.PartitionViewType)
        padding = op.view.type.get_padding_value()
        if padding is not None:
            properties["padding_value"] = PaddingValueAttr(PaddingValue(padding.value))
        return nv_tileaa.TiledLoadOp(
            operands=[
                self.conversion.value(op.view),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            properties=properties,
            result_types=self.conversion.converter.convert_all(op.result_types),
        )


class ConvertStoreView(ConvertOp[cuda_tile.StoreViewTkoOp]):
    def convert(self, op: cuda_tile.StoreViewTkoOp) -> Operation:
        return nv_tileaa.TiledStoreOp(
            operands=[
                self.conversion.value(op.view),
                self.conversion.value(op.tile),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            properties=view_properties(op, self.architecture),
            result_types=self.conversion.converter.convert_all(op.result_types),
        )


def populate_part_b(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of part B."""
    return {
        cuda_tile.EntryOp: ConvertEntry(conversion, target),
        cuda_tile.JoinTokensOp: ConvertJoinTokens(conversion, target),
        cuda_tile.LoadPtrTkoOp: ConvertLoadPtr(conversion, target),
        cuda_tile.LoadViewTkoOp: ConvertLoadView(conversion, target),
        cuda_tile.MakePartitionViewOp: ConvertMakePartitionView(conversion, target),
        cuda_tile.MakeTensorViewOp: ConvertMakeTensorView(conversion, target),
        cuda_tile.MakeTokenOp: ConvertMakeToken(conversion, target),
        cuda_tile.ModuleOp: ConvertModule(conversion, target),
        cuda_tile.OffsetOp: ConvertOffset(conversion, target),
        cuda_tile.ReturnOp: ConvertReturn(conversion, target),
        cuda_tile.StorePtrTkoOp: ConvertStorePtr(conversion, target),
        cuda_tile.StoreViewTkoOp: ConvertStoreView(conversion, target),
    }
