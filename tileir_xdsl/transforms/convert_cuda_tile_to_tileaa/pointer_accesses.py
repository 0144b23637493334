"""Pointers, accesses through tiles of pointers, and tokens."""

from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import hint_properties, memory_order
from .patterns import ConvertOp, Replacement, build


class ConvertMakeToken(ConvertOp[cuda_tile.MakeTokenOp]):
    def convert(self, op: cuda_tile.MakeTokenOp) -> Operation:
        return nv_tileaa.CreateMemTokenOp()


class ConvertJoinTokens(ConvertOp[cuda_tile.JoinTokensOp]):
    """Replaces a join of one token by the token, and a join without tokens by a new token."""

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
        return build(
            nv_tileaa.LoadOp,
            [
                self.conversion.value(op.source),
                self.conversion.optional(op.mask),
                self.conversion.optional(op.padding_value),
                self.conversion.optional(op.token),
            ],
            memory_order(op) | hint_properties(op, self.architecture),
            self.conversion.converter.convert_all(op.result_types),
        )


class ConvertStorePtr(ConvertOp[cuda_tile.StorePtrTkoOp]):
    def convert(self, op: cuda_tile.StorePtrTkoOp) -> Operation:
        return build(
            nv_tileaa.StoreOp,
            [
                self.conversion.value(op.destination),
                self.conversion.value(op.value),
                self.conversion.optional(op.mask),
                self.conversion.optional(op.token),
            ],
            memory_order(op) | hint_properties(op, self.architecture),
            self.conversion.converter.convert_all(op.result_types),
        )


def memory_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of pointers, tokens, loads and stores through pointers."""
    return {
        cuda_tile.JoinTokensOp: ConvertJoinTokens(conversion, target),
        cuda_tile.LoadPtrTkoOp: ConvertLoadPtr(conversion, target),
        cuda_tile.MakeTokenOp: ConvertMakeToken(conversion, target),
        cuda_tile.OffsetOp: ConvertOffset(conversion, target),
        cuda_tile.StorePtrTkoOp: ConvertStorePtr(conversion, target),
    }
