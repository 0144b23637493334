"""Core operations that change the shape of tiles.

Source: Tile IR specification, section 8.3 (core).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile import interfaces, syntax
from tileir_xdsl.dialects.cuda_tile.parsing import expect, expect_keyword
from tileir_xdsl.dialects.cuda_tile.types import (
    TileType,
    comma_separated,
    dense_integers,
    element_storage_bits,
)

_SOURCE_TO_RESULT = (
    syntax.Operand("source"),
    syntax.ATTRIBUTES,
    syntax.COLON,
    syntax.Type("source"),
    syntax.ARROW,
    syntax.Type("result"),
)


@interfaces.cuda_tile_operation
class BroadcastOp(interfaces.CudaTileOperation):
    """A tile repeated along its dimensions of size 1. Section 8.3.1."""

    name = "cuda_tile.broadcast"

    source = operand_def(interfaces.TILE)
    result = result_def(interfaces.TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        interfaces.all_ranks_match("source", "result"),
        interfaces.SAME_ELEMENT_TYPE,
    )
    SYNTAX: ClassVar = _SOURCE_TO_RESULT
    RESULT_NAMES: ClassVar = ("bcast",)

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_operation(self) -> None:
        source, result = (
            interfaces.tile_type(self.source).get_shape(),
            interfaces.tile_type(self.result).get_shape(),
        )
        if any(s not in (1, r) for s, r in zip(source, result, strict=True)):
            self.fail(
                "expects the shape of source tile to be compatible with that of the result tile, "
                f"but got: {comma_separated(source)} and {comma_separated(result)}"
            )


@interfaces.cuda_tile_operation
class ReshapeOp(interfaces.CudaTileOperation):
    """The same elements, row-major, in another shape. Section 8.3.20."""

    name = "cuda_tile.reshape"

    source = operand_def(interfaces.TILE)
    result = result_def(interfaces.TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.SAME_ELEMENT_TYPE,)
    SYNTAX: ClassVar = _SOURCE_TO_RESULT
    RESULT_NAMES: ClassVar = ("reshape",)

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_operation(self) -> None:
        source, result = (
            interfaces.tile_type(self.source).get_shape(),
            interfaces.tile_type(self.result).get_shape(),
        )
        if math.prod(source) != math.prod(result):
            self.fail("expected source tile and result tile to have the same number of elements")


class _Permutation(syntax.Directive):
    """`[2, 0, 1]`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        values = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        if any(not -(1 << 31) <= value < 1 << 31 for value in values):
            parser.raise_error("integer value too large")
        state.properties["permutation"] = DenseArrayBase.from_list(i32, values)

    def print(self, printer: Printer, operation: Operation) -> None:
        permutation = operation.properties["permutation"]
        assert isinstance(permutation, DenseArrayBase)
        printer.print_string(f" [{comma_separated(dense_integers(permutation))}]")

    def describe(self) -> str:
        return "[N, ..]"


@interfaces.cuda_tile_operation
class PermuteOp(interfaces.CudaTileOperation):
    """Result dimension i is source dimension `permutation[i]`. Section 8.3.18."""

    name = "cuda_tile.permute"

    source = operand_def(interfaces.TILE)
    permutation = prop_def(interfaces.attribute_of("i32 dense array attribute", DenseArrayBase))
    result = result_def(interfaces.TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        interfaces.all_element_types_match("source", "result"),
        interfaces.all_ranks_match("source", "result"),
    )
    SYNTAX: ClassVar = (
        syntax.Operand("source"),
        _Permutation(),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("source"),
        syntax.ARROW,
        syntax.Type("result"),
    )

    def __init__(self, source: SSAValue, permutation: Sequence[int]):
        type_ = interfaces.tile_type(source)
        shape = [type_.get_shape()[dim] for dim in permutation]
        super().__init__(
            operands=[source],
            properties={"permutation": DenseArrayBase.from_list(i32, permutation)},
            result_types=[TileType(shape, type_.element_type)],
        )

    def get_permutation(self) -> tuple[int, ...]:
        """Source dimension of every result dimension."""
        return dense_integers(self.permutation)

    def verify_operation(self) -> None:
        source, result = (
            interfaces.tile_type(self.source).get_shape(),
            interfaces.tile_type(self.result).get_shape(),
        )
        permutation, rank = self.get_permutation(), len(source)
        if rank < 2:
            self.fail(f"expects at least rank 2, but got: {rank}")
        if len(permutation) != rank:
            self.fail(
                f"expect permutation size ({len(permutation)}) to equal the rank of the source "
                f"({rank})"
            )
        if len(set(permutation)) != rank:
            self.fail("expect permutation elements to be unique")
        for index, dim in enumerate(permutation):
            if not 0 <= dim < rank:
                self.fail(
                    f"permutation element at index {index} ({dim}) is out of bound [0, {rank})"
                )
        for index, dim in enumerate(permutation):
            if result[index] != source[dim]:
                self.fail(
                    f"result shape invalid at index {index}, expected: {source[dim]}, "
                    f"but got: {result[index]}"
                )


class _Dimension(syntax.Directive):
    """`dim = N`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        expect_keyword(parser, "dim", state.name)
        expect(parser, "=")
        value = parser.parse_optional_integer(allow_boolean=False)
        if value is None:
            parser.raise_error("expected attribute value")
        state.properties["dim"] = IntegerAttr(value, i64)

    def print(self, printer: Printer, operation: Operation) -> None:
        dim = operation.properties["dim"]
        assert isinstance(dim, IntegerAttr)
        printer.print_string(f" dim = {dim.value.data}")

    def describe(self) -> str:
        return "dim = N"


@interfaces.cuda_tile_operation
class CatOp(interfaces.CudaTileOperation):
    """Two tiles one after the other along dimension `dim`. Section 8.3.2."""

    name = "cuda_tile.cat"

    lhs = operand_def(interfaces.TILE)
    rhs = operand_def(interfaces.TILE)
    dim = prop_def(interfaces.I64)
    result = result_def(interfaces.TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        interfaces.all_ranks_match("lhs", "rhs", "result"),
        interfaces.all_element_types_match("lhs", "rhs", "result"),
    )
    SYNTAX: ClassVar = (
        syntax.Operand("lhs"),
        syntax.COMMA,
        syntax.Operand("rhs"),
        _Dimension(),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("lhs"),
        syntax.COMMA,
        syntax.Type("rhs"),
        syntax.ARROW,
        syntax.Type("result"),
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, dim: int, result_type: Attribute):
        super().__init__(
            operands=[lhs, rhs],
            properties={"dim": IntegerAttr(dim, i64)},
            result_types=[result_type],
        )

    def verify_operation(self) -> None:
        lhs, rhs = (
            interfaces.tile_type(self.lhs).get_shape(),
            interfaces.tile_type(self.rhs).get_shape(),
        )
        result, dim = interfaces.tile_type(self.result).get_shape(), self.dim.value.data
        if not 0 <= dim < len(lhs):
            self.fail(f"expect dim to be [0, {len(lhs)}), but got: {dim}")
        for index, (left, right, total) in enumerate(zip(lhs, rhs, result, strict=True)):
            if index == dim:
                if left + right != total:
                    self.fail(
                        f"invalid concat at position {index}, expected: {left + right} "
                        f"but got: {total}"
                    )
                continue
            for what, extent in (("rhs", right), ("result", total)):
                if left != extent:
                    self.fail(
                        f"expect lhs and {what} shapes to match at non-concat position {index}, "
                        f"expected: {left} but got: {extent}"
                    )


def _verify_slices(
    operation: interfaces.CudaTileOperation, whole: TileType, part: TileType, words: tuple[str, str]
) -> None:
    """Raises `VerifyException` unless `part` divides `whole` in every dimension."""
    for index, (size, step) in enumerate(zip(whole.get_shape(), part.get_shape(), strict=True)):
        if size % step:
            operation.fail(
                f"{words[0]} dimension {index} size ({size}) must be evenly divisible by "
                f"{words[1]} dimension {index} size ({step})"
            )


@interfaces.cuda_tile_operation
class ExtractOp(interfaces.CudaTileOperation):
    """One slice of a tile that is cut into slices of the result's shape. Section 8.3.7.

    `indices` select the slice: they count slices, one unsigned scalar per dimension.
    """

    name = "cuda_tile.extract"

    source = operand_def(interfaces.TILE)
    indices = var_operand_def(interfaces.I32_SCALAR)
    result = result_def(interfaces.TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_ranks_match("source", "result"),)
    SYNTAX: ClassVar = (
        syntax.Operand("source"),
        syntax.Indices("indices", syntax.I32_SCALAR_TYPE),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("source"),
        syntax.ARROW,
        syntax.Type("result"),
    )

    def __init__(self, source: SSAValue, indices: Sequence[SSAValue], result_type: Attribute):
        super().__init__(operands=[source, indices], result_types=[result_type])

    def verify_operation(self) -> None:
        source, result = interfaces.tile_type(self.source), interfaces.tile_type(self.result)
        if source.element_type != result.element_type:
            self.fail("source and result element type do not match")
        _verify_slices(self, source, result, ("source", "result"))
        if len(self.indices) != source.get_num_dims():
            self.fail(f"expected {source.get_num_dims()} indices, but got {len(self.indices)}")


@interfaces.cuda_tile_operation
class InsertOp(interfaces.CudaTileOperation):
    """`destination` with one slice replaced by `source`; `indices` are as in `extract`."""

    name = "cuda_tile.insert"

    source = operand_def(interfaces.TILE)
    destination = operand_def(interfaces.TILE)
    indices = var_operand_def(interfaces.I32_SCALAR)
    result = result_def(interfaces.TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("destination", "result"),)
    SYNTAX: ClassVar = (
        syntax.Operand("source"),
        syntax.COMMA,
        syntax.Operand("destination"),
        syntax.Indices("indices", syntax.I32_SCALAR_TYPE),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("source"),
        syntax.COMMA,
        syntax.Type("destination", "result"),
    )
    SINCE: ClassVar = "13.4"

    def __init__(self, source: SSAValue, destination: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[source, destination, indices], result_types=[destination.type])

    def verify_operation(self) -> None:
        source, destination = (
            interfaces.tile_type(self.source),
            interfaces.tile_type(self.destination),
        )
        if source.element_type != destination.element_type:
            self.fail("source and result element type do not match")
        _verify_slices(self, destination, source, ("destination", "source"))
        if len(self.indices) != source.get_num_dims():
            self.fail(f"expected {source.get_num_dims()} indices, but got {len(self.indices)}")


class _ByteArrayOperation(interfaces.CudaTileOperation):
    """The bits of a whole tile of rank 1 read with another element type."""

    source = operand_def(interfaces.NUMBER_TILE_WITH_I4)
    result = result_def(interfaces.NUMBER_TILE_WITH_I4)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_ranks_match("source", "result"),)
    SYNTAX: ClassVar = _SOURCE_TO_RESULT
    SINCE: ClassVar = "13.3"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_operation(self) -> None:
        source, result = interfaces.tile_type(self.source), interfaces.tile_type(self.result)
        if source.get_num_dims() != 1 or result.get_num_dims() != 1:
            self.fail("expects source and result to be rank-1 tiles")
        widths = [element_storage_bits(type_.element_type) for type_ in (source, result)]
        if widths[0] == widths[1]:
            self.fail("expects source and result to have different element type widths")
        bits = [
            width * type_.get_shape()[0]
            for width, type_ in zip(widths, (source, result), strict=True)
        ]
        for what, size in zip(("source", "result"), bits, strict=True):
            if size % 8:
                self.fail(f"expects {what} tile to be byte-aligned")
        if bits[0] != bits[1]:
            self.fail(
                "expects source and result to have the same size in bytes, but got source tile "
                f"size {bits[0] // 8} bytes and result tile size {bits[1] // 8} bytes"
            )


@interfaces.cuda_tile_operation
class PackOp(_ByteArrayOperation):
    """The bits of a tile of rank 1 as bytes. Section 8.3.17."""

    name = "cuda_tile.pack"

    result = result_def(interfaces.tile_of("i8"))


@interfaces.cuda_tile_operation
class UnpackOp(_ByteArrayOperation):
    """Bytes as the bits of a tile of rank 1. Section 8.3.23."""

    name = "cuda_tile.unpack"

    source = operand_def(interfaces.tile_of("i8"))
