"""Globals, local memory, assertions, printing, and the order of dependent grids."""

from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .patterns import ConvertOp, Replacement
from .unsigned_floats import Steps, is_unsigned_float


class ConvertGetGlobal(ConvertOp[cuda_tile.GetGlobalOp]):
    def convert(self, op: cuda_tile.GetGlobalOp) -> Operation:
        result_type = self.conversion.converter.convert(op.result.type)
        assert isinstance(result_type, nv_tileaa.PointerType)
        return nv_tileaa.GetGlobalOp(op.symbol.root_reference.data, result_type)


class ConvertAlloca(ConvertOp[cuda_tile.AllocaOp]):
    def convert(self, op: cuda_tile.AllocaOp) -> Operation:
        result_type = self.conversion.converter.convert(op.result.type)
        assert isinstance(result_type, nv_tileaa.PointerType)
        return nv_tileaa.AllocaOp(
            op.num_elem.value.data,
            op.alignment.value.data,
            result_type,
            op.is_global is not None,
        )


class ConvertAssert(ConvertOp[cuda_tile.AssertOp]):
    def convert(self, op: cuda_tile.AssertOp) -> Operation:
        return nv_tileaa.AssertOp(self.conversion.value(op.condition), op.message.data)


class ConvertPrint(ConvertOp[cuda_tile.PrintTkoOp]):
    def convert(self, op: cuda_tile.PrintTkoOp) -> Replacement:
        steps = Steps()
        values = [
            steps.numbers(value) if is_unsigned_float(arg.type) else value
            for arg, value in zip(op.args, self.conversion.values(op.args), strict=True)
        ]
        token = self.conversion.optional(op.token)
        steps.ops.append(nv_tileaa.PrintOp(op.str_.data, values, token))
        return Replacement(steps.ops)


class ConvertGdcWait(ConvertOp[cuda_tile.GdcWaitTkoOp]):
    def convert(self, op: cuda_tile.GdcWaitTkoOp) -> Operation:
        return nv_tileaa.GdcWaitOp(self.conversion.optional(op.token))


class ConvertGdcLaunchDependents(ConvertOp[cuda_tile.GdcLaunchDependentsTkoOp]):
    def convert(self, op: cuda_tile.GdcLaunchDependentsTkoOp) -> Operation:
        return nv_tileaa.GdcLaunchDependentsOp(self.conversion.optional(op.token))


class ConvertMemoryFenceAlias(ConvertOp[cuda_tile.MemoryFenceAliasTkoOp]):
    def convert(self, op: cuda_tile.MemoryFenceAliasTkoOp) -> Operation:
        return nv_tileaa.MemoryFenceAliasOp(self.conversion.value(op.token))


def miscellaneous_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of ops without a family; `global` and `assume` are singletons."""
    return {
        cuda_tile.AllocaOp: ConvertAlloca(conversion, target),
        cuda_tile.AssertOp: ConvertAssert(conversion, target),
        cuda_tile.GdcLaunchDependentsTkoOp: ConvertGdcLaunchDependents(conversion, target),
        cuda_tile.GdcWaitTkoOp: ConvertGdcWait(conversion, target),
        cuda_tile.GetGlobalOp: ConvertGetGlobal(conversion, target),
        cuda_tile.MemoryFenceAliasTkoOp: ConvertMemoryFenceAlias(conversion, target),
        cuda_tile.PrintTkoOp: ConvertPrint(conversion, target),
    }
