"""Core operations that combine the elements of tiles along one dimension.

Source: Tile IR specification, section 8.3 (core).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, i32
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import prop_def, region_def, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect, is_side_effect_free
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp, ensure_terminator
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    BOOLEAN,
    NON_NEGATIVE_I32,
    SAME_OPERAND_SHAPE,
    TILE,
    CudaTileOperation,
    attribute_of,
    cuda_tile_operation,
    tile_type,
)
from tileir_xdsl.dialects.cuda_tile.literals import parse_number_attribute, print_number_attribute
from tileir_xdsl.dialects.cuda_tile.parsing import expect, expect_keyword
from tileir_xdsl.dialects.cuda_tile.regions import (
    parse_function_arguments,
    parse_region,
    print_function_arguments,
    print_region,
)
from tileir_xdsl.dialects.cuda_tile.reporting import fail_at
from tileir_xdsl.dialects.cuda_tile.syntax import (
    parse_operands,
    parse_types,
    print_types,
    quoted_list,
    resolve_operand,
)
from tileir_xdsl.dialects.cuda_tile.types import TileType, element_name

_IDENTITIES = attribute_of("array attribute", ArrayAttr)
TRUE = IntegerAttr.from_bool(True)
_MIXABLE = frozenset(("f16", "bf16"))
_FORM = (
    "%values, .. ({{..}})? dim=N {order}identities=[NUMBER, ..] : type(%values), .. "
    "-> type(%result), .. (%accumulator: TYPE, %element: TYPE, ..) {{ .. }}"
)


class _Aggregation(CudaTileOperation):
    """Combines `operands` along dimension `dim` with the function in `body`.

    The function takes, per operand, the accumulator and an element, and yields the new
    accumulators; the accumulators start as `identities`. The function has no side effects. The
    function's argument order follows the specification's example of `scan`, not the prose
    (docs/open_readings.md).
    """

    values = var_operand_def(TILE)
    dim = prop_def(NON_NEGATIVE_I32)
    identities = prop_def(_IDENTITIES)
    result = var_result_def(TILE)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())
    RELATIONS: ClassVar = (SAME_OPERAND_SHAPE,)
    DEFAULTS: ClassVar[dict[str, Attribute]] = {}
    """Properties absent from the form with `axis`, which examples of the lowering use."""

    @classmethod
    def parse_properties(cls, parser: Parser) -> dict[str, Attribute]:
        """Parses the properties between `dim` and `identities`."""
        return {}

    def print_properties(self, printer: Printer) -> None:
        """Prints the properties between `dim` and `identities`."""

    def verify_types(self, dim: int) -> None:
        """Checks the result types against the operand types."""

    @classmethod
    def parse(cls, parser: Parser) -> _Aggregation:
        operands: list[UnresolvedOperand] = parse_operands(parser)
        attributes = parser.parse_optional_attr_dict()
        if "axis" in attributes:
            return cls._parse_with_axis(parser, operands, attributes)
        expect_keyword(parser, "dim", cls.name)
        expect(parser, "=")
        dim = parser.parse_optional_integer(allow_boolean=False)
        if dim is None:
            parser.raise_error("expected attribute value")
        properties: dict[str, Attribute] = {"dim": IntegerAttr(dim, i32)}
        properties.update(cls.parse_properties(parser))
        expect_keyword(parser, "identities", cls.name)
        expect(parser, "=")
        properties["identities"] = ArrayAttr(
            parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parse_number_attribute(parser)
            )
        )
        values, results = cls._parse_values(parser, operands)
        arguments, _ = parse_function_arguments(parser)
        body = parse_region(parser, arguments)
        ensure_terminator(body, YieldOp)
        return cls._made(values, results, properties, attributes, body)

    @classmethod
    def _made(
        cls,
        values: Sequence[SSAValue],
        results: Sequence[Attribute],
        properties: Mapping[str, Attribute],
        attributes: Mapping[str, Attribute],
        body: Region,
    ) -> _Aggregation:
        return cls.create(
            operands=values,
            result_types=results,
            properties=dict(sorted(properties.items())),
            attributes=attributes,
            regions=[body],
        )

    @staticmethod
    def _parse_values(
        parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[list[SSAValue], list[Attribute]]:
        """Parses `T, .. -> U, ..` after a colon; returns the operands, and the types of the
        results.
        """
        expect(parser, ":")
        types = parse_types(parser)
        if len(types) != len(operands):
            parser.raise_error(
                "number of operands and types do not match: "
                f"got {len(operands)} operands and {len(types)} types"
            )
        expect(parser, "->")
        results = parse_types(parser)
        values = [resolve_operand(parser, o, t) for o, t in zip(operands, types, strict=True)]
        return values, results

    @classmethod
    def _parse_with_axis(
        cls,
        parser: Parser,
        operands: Sequence[UnresolvedOperand],
        attributes: dict[str, Attribute],
    ) -> _Aggregation:
        """Parses the form with `axis`, which examples of the lowering use.

            %y = cuda_tile.reduce %x { axis = 1 : i32 } : T -> U { ^bb0(%acc: A, %val: A): .. }

        The single op of the body implies the identity.
        """
        position = parser.pos
        properties = {**cls.DEFAULTS, "dim": attributes.pop("axis")}
        if attributes.pop("inclusive", TRUE) != TRUE:
            parser.raise_error("expected an inclusive scan", position)
        values, results = cls._parse_values(parser, operands)
        body = parser.parse_region()
        # Imported with the first such text: kernels have the form of the specification.
        from .neutral_elements import implied_identity  # noqa: PLC0415

        identity, type_ = None, values[0].type
        if len(values) == len(body.blocks) == 1 and isinstance(type_, TileType):
            identity = implied_identity(body.block, type_.element_type)
        if identity is None:
            parser.raise_error("expected a body of one operation that has an identity", position)
        properties["identities"] = ArrayAttr([identity])
        return cls._made(values, results, properties, attributes, body)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.values, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" dim={self.dim.value.data}")
        self.print_properties(printer)
        printer.print_string(" identities=[")
        printer.print_list(self.identities.data, lambda v: print_number_attribute(printer, v))
        printer.print_string("] : ")
        print_types(printer, [value.type for value in self.values])
        printer.print_string(" -> ")
        print_types(printer, [result.type for result in self.results])
        printer.print_string(" \n")
        print_function_arguments(printer, self.body.block.args)
        print_region(printer, self.body)

    def verify_operation(self) -> None:
        count = len(self.values)
        if count == 0:
            self.fail("expect at least 1 operand")
        if len(self.results) != count:
            self.fail("expect same number of operands and results")
        if len(self.identities) != count:
            self.fail(
                "expect identities to match the number of operands but got: "
                f"{count} operands and {len(self.identities)} identities"
            )
        for index, (value, identity) in enumerate(zip(self.values, self.identities, strict=True)):
            self._verify_identity(index, tile_type(value).element_type, identity)
        dim, rank = self.dim.value.data, tile_type(self.values[0]).get_num_dims()
        if dim >= rank:
            self.fail(f"dimension ({dim}) is out of bound [0, {rank})")
        self.verify_types(dim)

    def _verify_identity(self, index: int, element: Attribute, identity: Attribute) -> None:
        if not isinstance(identity, IntegerAttr | FloatAttr):
            self.fail(f"expect identity at index: {index} to be a number but got: {identity}")
        type_ = identity.get_type()
        if type_ != element and not {element_name(type_), element_name(element)} <= _MIXABLE:
            self.fail(
                f"expect same type for operand at index: {index} and identity at index: {index} "
                f"but got: '{element}' and '{type_}'"
            )

    def verify_regions(self) -> None:
        block, count = self.body.block, len(self.values)
        if len(block.args) != 2 * count:
            self.fail(f"expect {2 * count} block arguments but got: {len(block.args)}")
        for index, argument in enumerate(block.args):
            if not isinstance(argument.type, TileType) or argument.type.get_shape():
                self.fail(f"expect 0-rank tile type at index: {index} but got: '{argument.type}'")
        for index, value in enumerate(self.values):
            self._verify_arguments(index, tile_type(value).element_type)
        terminator = block.last_op
        assert terminator is not None
        if len(terminator.operands) != count:
            self.fail(
                f"expect number of terminators operands ({len(terminator.operands)}) to match "
                f"number of operands ({count})"
            )
        for index, (value, yielded) in enumerate(
            zip(self.values, terminator.operands, strict=True)
        ):
            if not isinstance(yielded.type, TileType):
                self.fail(
                    "expected TileType for operand and terminator types but got: "
                    f"'{value.type}' and '{yielded.type}'"
                )
            element = tile_type(value).element_type
            if yielded.type.element_type != element:
                self.fail(
                    f"expect same type for operand at index: {index} and terminator argument at "
                    f"index: {index} but got: '{element}' and '{yielded.type.element_type}'"
                )
        for operation in block.ops:
            if not is_side_effect_free(operation):
                fail_at(
                    operation,
                    f"'{operation.name}' op only memory-effect-free operations are allowed "
                    f"inside '{self.name}'",
                )

    def _verify_arguments(self, index: int, element: Attribute) -> None:
        first, second = self.body.block.args[2 * index : 2 * index + 2]
        types = tile_type(first).element_type, tile_type(second).element_type
        if types[0] != types[1]:
            self.fail(
                f"expect same element type for block argument at index: {2 * index} and "
                f"{2 * index + 1} but got: '{types[0]}' and '{types[1]}'"
            )
        if types[0] != element:
            self.fail(
                f"expect same type for operand at index: {index} and block argument at index: "
                f"{2 * index} but got: '{element}' and '{types[0]}'"
            )


def _reduced(type_: TileType, dim: int) -> TileType:
    shape = type_.get_shape()
    return TileType(shape[:dim] + shape[dim + 1 :], type_.element_type)


@cuda_tile_operation
class ReduceOp(_Aggregation):
    """The combination of all elements along `dim`; the result lacks that dimension.

    Section 8.3.19.
    """

    name = "cuda_tile.reduce"
    FORM: ClassVar = _FORM.format(order="")

    RESULT_NAMES: ClassVar = ("reduce",)

    def __init__(
        self, values: Sequence[SSAValue], dim: int, identities: Sequence[Attribute], body: Region
    ):
        super().__init__(
            operands=[values],
            properties={"dim": IntegerAttr(dim, i32), "identities": ArrayAttr(identities)},
            result_types=[[_reduced(tile_type(value), dim) for value in values]],
            regions=[body],
        )

    def block_argument_names(self) -> Sequence[str]:
        count = len(self.values)
        suffixes = [""] if count == 1 else [str(index) for index in range(count)]
        return [f"reduce_{side}{suffix}" for suffix in suffixes for side in ("lhs", "rhs")]

    def verify_types(self, dim: int) -> None:
        inferred = [_reduced(tile_type(value), dim) for value in self.values]
        results = [result.type for result in self.results]
        if inferred != results:
            raise VerifyException(
                f"'{self.name}' op inferred type(s) {quoted_list(inferred)} are incompatible with "
                f"return type(s) of operation {quoted_list(results)}\n"
                f"'{self.name}' op failed to infer returned types"
            )


@cuda_tile_operation
class ScanOp(_Aggregation):
    """All intermediate combinations along `dim`, each including its own element.

    Section 8.3.21. With `reverse`, the scan runs from the last element to the first.
    """

    name = "cuda_tile.scan"
    FORM: ClassVar = _FORM.format(order="reverse=true|false ")
    DEFAULTS: ClassVar = {"reverse": IntegerAttr.from_bool(False)}

    reverse = prop_def(BOOLEAN)

    def __init__(
        self,
        values: Sequence[SSAValue],
        dim: int,
        identities: Sequence[Attribute],
        body: Region,
        *,
        reverse: bool = False,
    ):
        super().__init__(
            operands=[values],
            properties={
                "dim": IntegerAttr(dim, i32),
                "identities": ArrayAttr(identities),
                "reverse": IntegerAttr.from_bool(reverse),
            },
            result_types=[[value.type for value in values]],
            regions=[body],
        )

    @classmethod
    def parse_properties(cls, parser: Parser) -> dict[str, Attribute]:
        expect_keyword(parser, "reverse", cls.name)
        expect(parser, "=")
        reverse = parser.parse_optional_boolean()
        if reverse is None:
            parser.raise_error("expected attribute value")
        return {"reverse": IntegerAttr.from_bool(reverse)}

    def print_properties(self, printer: Printer) -> None:
        printer.print_string(f" reverse={'true' if self.reverse.value.data else 'false'}")

    def verify_types(self, dim: int) -> None:
        for index, (value, result) in enumerate(zip(self.values, self.results, strict=True)):
            if value.type != result.type:
                self.fail(
                    f"expect same type for operand at index: {index} and result at index: {index}"
                )
