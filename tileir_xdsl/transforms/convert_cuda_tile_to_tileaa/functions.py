"""Modules and functions: entries of launches, with their numbers of threads."""

from collections.abc import Mapping

from xdsl.dialects.builtin import FunctionType, UnitAttr
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Operation, Region

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.functions import PlainFunctionOperation
from tileir_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileir_xdsl.dialects.resource_attributes import WARPS_ATTRIBUTE
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.worker_warps import worker_warps

from .patterns import ConvertOp

# One or two warpgroups: tileiras brings a hint outside of this range into it, too.
WORKER_WARPS = (4, 8)
"""The minimum and maximum number of warps from a `num_worker_warps_per_cta` hint."""


WARPS_HINT = "num_worker_warps_per_cta"
CTAS_HINT = "num_cta_in_cga"


def used_value(hint: str, asked: int, target: Target) -> int:
    """The supported value of a target that is nearest to a kernel's hint."""
    if hint == WARPS_HINT:
        fewest, most = WORKER_WARPS
        return min(max(asked, fewest), most)
    return min(asked, target.limits.max_blocks_per_cluster) if hint == CTAS_HINT else asked


class ConvertModule(ConvertOp[cuda_tile.ModuleOp]):
    """Converts a module of kernels to a nested builtin module of the same name."""

    def convert(self, op: cuda_tile.ModuleOp) -> Operation:
        body = Region(self.conversion.move_block(op.body.block))
        return BuiltinModuleOp(body, sym_name=op.sym_name)


class ConvertEntry(ConvertOp[cuda_tile.EntryOp]):
    """Converts a kernel to a function with a kernel_spec, from the hints for the target.

    Without a hint, the kernel's dots determine its number of warps.

    A hint for a larger cluster than the target supports is reduced to the maximum.
    """

    def convert(self, op: cuda_tile.EntryOp) -> Operation:
        spec = self._kernel_spec(op)
        block = self.conversion.move_block(op.body.block)
        function = nv_tileaa.FuncOp(
            op.sym_name.data, FunctionType.from_lists(block.arg_types, ()), Region(block), spec
        )
        # Later passes may choose fewer or more warps, unless the user chose them.
        if WARPS_HINT in self._hints(op):
            function.attributes[WARPS_ATTRIBUTE] = UnitAttr()
        return function

    def _hints(self, op: cuda_tile.EntryOp) -> Mapping[str, int]:
        hints = op.optimization_hints
        return {} if hints is None else hints.hints_for(self.architecture)

    def _kernel_spec(self, op: cuda_tile.EntryOp) -> KernelSpecAttr:
        values = self._hints(op)
        # A hint is advice: a target without clusters runs the kernel all the same.
        ctas = used_value(CTAS_HINT, int(values.get(CTAS_HINT, 1)), self.target)
        by_warps = not self.target.features & {Feature.WGMMA, Feature.TCGEN05}
        warps = int(values.get(WARPS_HINT, worker_warps(op, ctas, by_warps=by_warps)))
        return KernelSpecAttr(
            used_value(WARPS_HINT, warps, self.target), ctas, values.get("occupancy")
        )


class ConvertFunction(ConvertOp[PlainFunctionOperation]):
    """Converts a function that is not a kernel and may return values."""

    def convert(self, op: PlainFunctionOperation) -> Operation:
        block = self.conversion.move_block(op.body.block)
        results = self.conversion.converter.convert_all(op.function_type.outputs.data)
        return nv_tileaa.FuncOp(
            op.sym_name.data, FunctionType.from_lists(block.arg_types, results), Region(block)
        )


class ConvertReturn(ConvertOp[cuda_tile.ReturnOp]):
    def convert(self, op: cuda_tile.ReturnOp) -> Operation:
        return nv_tileaa.ReturnOp(self.conversion.values(op.operands))


def function_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of modules, kernels, functions and their terminators."""
    return {
        cuda_tile.EntryOp: ConvertEntry(conversion, target),
        cuda_tile.ExperimentalFuncOp: ConvertFunction(conversion, target),
        cuda_tile.ModuleOp: ConvertModule(conversion, target),
        cuda_tile.ReturnOp: ConvertReturn(conversion, target),
        cuda_tile.TestingFuncOp: ConvertFunction(conversion, target),
    }
