"""Loop nests of `tilecpu`, and the reductions along one of their dimensions."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    SameVariadicOperandSize,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nv_tileaa.yields import verify_yields
from tileir_xdsl.walking import ancestors

from .types import BufferType

PARTIAL_RESULTS = 32
"""The most partial results of a reduction, independent of the vector width."""


@irdl_op_definition
class NestOp(IRDLOperation):
    """Computes every element of an index space, `vector` at a time; the last dimension varies
    fastest.

        tilecpu.nest (%i, %j) in [16, 256] vector 16 { .. }

    The body computes one element; its block arguments are the element's indices, as `i64`. A vector
    covers adjacent elements along the last dimension, whose extent the vector width divides.
    """

    name = "tilecpu.nest"

    extents = prop_def(DenseArrayBase.constr(i64))
    vector = prop_def(IntegerAttr[I64])
    body = region_def("single_block")

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), NoTerminator())

    def __init__(self, extents: Sequence[int], vector: int = 1, body: Region | None = None):
        super().__init__(
            properties={
                "extents": DenseArrayBase.from_list(i64, extents),
                "vector": IntegerAttr(vector, i64),
            },
            regions=[body or Region(Block(arg_types=[i64] * len(extents)))],
        )

    def get_extents(self) -> tuple[int, ...]:
        return tuple(int(extent) for extent in self.extents.get_values())

    @property
    def lanes(self) -> int:
        """The vector width."""
        return self.vector.value.data

    def verify_(self) -> None:
        extents = self.get_extents()
        if any(extent <= 0 for extent in extents):
            raise VerifyException(f"expects positive extents, but got {list(extents)}")
        if list(self.body.block.arg_types) != [i64] * len(extents):
            raise VerifyException(f"expects {len(extents)} block arguments of type i64")
        innermost = extents[-1] if extents else 1
        if self.lanes < 1 or innermost % self.lanes:
            raise VerifyException(
                f"expects a vector width that divides {innermost}, the innermost extent, "
                f"but got {self.lanes}"
            )
        if enclosing_nest(self) is not None:
            raise VerifyException("expects a nest that is not inside another nest")

    @classmethod
    def parse(cls, parser: Parser) -> "NestOp":
        arguments = [
            argument.resolve(i64)
            for argument in parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
        ]
        parser.parse_keyword("in")
        extents = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        parser.parse_keyword("vector")
        vector = parser.parse_integer(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(extents, vector, parser.parse_region(arguments))
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(self.body.block.args, printer.print_ssa_value)
        extents = ", ".join(map(str, self.get_extents()))
        printer.print_string(f") in [{extents}] vector {self.lanes}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def enclosing_nest(op: Operation) -> NestOp | None:
    """The nest around an op, if any."""
    return next((around for around in ancestors(op) if isinstance(around, NestOp)), None)


def verify_map(op: Operation, index: AffineMapAttr, rank: int) -> None:
    """Raises `VerifyException` unless a map is from the nest's indices to `rank` indices."""
    nest = enclosing_nest(op)
    # The arguments of the nest stand for its extents, which it verifies after what is in it.
    dims = 0 if nest is None else len(nest.body.block.args)
    found = index.data
    if (found.num_dims, len(found.results), found.num_symbols) != (dims, rank, 0):
        raise VerifyException(
            f"expects a map from {dims} indices of the nest to {rank} indices, but got {index.data}"
        )


@irdl_op_definition
class IndexOp(IRDLOperation):
    """The value of an affine map of the nest's indices, as an integer that may wrap around."""

    name = "tilecpu.index"

    index = prop_def(AffineMapAttr)
    result = result_def(IntegerType)

    traits = traits_def(Pure())
    assembly_format = "$index attr-dict `:` type($result)"

    def __init__(self, index: AffineMap, result_type: Attribute):
        super().__init__(properties={"index": AffineMapAttr(index)}, result_types=[result_type])

    def verify_(self) -> None:
        verify_map(self, self.index, 1)


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Combines elements along one dimension of the enclosing nest, into buffers of the other
    dimensions.

    The body combines earlier elements with a later element, as in `nv_tileaa.reduce`. If the body
    is one commutative op, partial result `l` of `L = min(32, extent)` combines elements `l`, `l +
    L`, and so on in order. Then partial result `l` is combined with `l + h`, for `h` = L/2, L/4 ..
    1. Otherwise elements are combined from first to last.
    """

    name = "tilecpu.reduce"

    inputs = var_operand_def(AnyAttr())
    outputs = var_operand_def(BufferType)
    dimension = prop_def(IntegerAttr[I64])
    body = region_def("single_block")

    irdl_options = (SameVariadicOperandSize(),)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$inputs `into` $outputs `along` $dimension attr-dict "
        "`:` type($inputs) `into` type($outputs) $body"
    )

    def __init__(
        self, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue], dimension: int, body: Region
    ):
        super().__init__(
            operands=[inputs, outputs],
            properties={"dimension": IntegerAttr(dimension, i64)},
            regions=[body],
        )

    @property
    def axis(self) -> int:
        """The reduced dimension of the nest."""
        return self.dimension.value.data

    def verify_(self) -> None:
        nest = self.parent_op()
        if not isinstance(nest, NestOp):
            raise VerifyException("expects parent op 'tilecpu.nest'")
        if not isinstance(nest.properties.get("extents"), DenseArrayBase):
            return  # The nest is verified after what is in it.
        extents = nest.get_extents()
        if not 0 <= self.axis < len(extents):
            raise VerifyException(
                f"expects a dimension of at least 0 and below {len(extents)}, but got {self.axis}"
            )
        kept = extents[: self.axis] + extents[self.axis + 1 :]
        elements = [value.type for value in self.inputs]
        for element, output in zip(elements, self.outputs, strict=True):
            buffer = output.type
            assert isinstance(buffer, BufferType)
            if buffer.element_type != element or prod(buffer.get_shape()) != prod(kept):
                expected = BufferType(kept, element)
                raise VerifyException(
                    "expects an output buffer with the element type and number of "
                    f"elements of {expected}, but got {buffer}"
                )
        pairs = [element for element in elements for _ in range(2)]
        if list(self.body.block.arg_types) != pairs:
            raise VerifyException(
                f"expects block arguments of types {ArrayAttr(pairs)}, "
                f"but got {ArrayAttr(self.body.block.arg_types)}"
            )
        verify_yields(self.body, elements)
