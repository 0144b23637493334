"""Buffers of `tilecpu`: their memory, their elements, and the ops on whole buffers."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    SameVariadicOperandSize,
    operand_def,
    opt_attr_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nv_tileaa.yields import verify_yields

from .nests import verify_map
from .types import ALIGNMENT, BufferType


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A buffer; `tilecpu-assign-buffers` assigns its byte offset in the arena."""

    name = "tilecpu.alloc"

    offset = opt_attr_def(IntegerAttr[I64])
    buffer = result_def(BufferType)

    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($buffer)"

    def __init__(self, buffer: BufferType, offset: int | None = None):
        super().__init__(
            attributes={"offset": None if offset is None else IntegerAttr(offset, i64)},
            result_types=[buffer],
        )

    def verify_(self) -> None:
        if self.offset is not None:
            offset = self.offset.value.data
            if offset < 0 or offset % ALIGNMENT:
                raise VerifyException(
                    f"expects an offset of at least 0 that is a multiple of {ALIGNMENT}, "
                    f"but got {offset}"
                )


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A buffer of constants in the program, which nothing writes."""

    name = "tilecpu.constant"

    value = prop_def(DenseIntOrFPElementsAttr)
    buffer = result_def(BufferType)

    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($buffer)"

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(properties={"value": value}, result_types=[BufferType.of_tile(value.type)])

    def verify_(self) -> None:
        if BufferType.of_tile(self.value.type) != self.buffer.type:
            raise VerifyException(
                f"expects a result buffer with the shape and elements of {self.value.type}"
            )


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints the tiles in buffers by a C format string, as `nv_tileaa.print` does."""

    name = "tilecpu.print"

    format = prop_def(StringAttr)
    buffers = var_operand_def(BufferType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$format (`,` $buffers^ `:` type($buffers))? attr-dict"

    def __init__(self, format: StringAttr, buffers: Sequence[SSAValue]):
        super().__init__(operands=[buffers], properties={"format": format})


@irdl_op_definition
class ReadOp(IRDLOperation):
    """Reads one element of a buffer; a map of the nest's indices gives its position."""

    name = "tilecpu.read"

    buffer = operand_def(BufferType)
    index = prop_def(AffineMapAttr)
    element = result_def(AnyAttr())

    traits = traits_def(MemoryReadEffect())
    assembly_format = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($element)"

    def __init__(self, buffer: SSAValue, index: AffineMap):
        assert isinstance(buffer.type, BufferType)
        super().__init__(
            operands=[buffer],
            properties={"index": AffineMapAttr(index)},
            result_types=[buffer.type.element_type],
        )

    def verify_(self) -> None:
        buffer = self.buffer.type
        assert isinstance(buffer, BufferType)
        if self.element.type != buffer.element_type:
            raise VerifyException(f"expects a result of type {buffer.element_type}")
        verify_map(self, self.index, len(buffer.get_shape()))


@irdl_op_definition
class WriteOp(IRDLOperation):
    """Writes one element of a buffer; a map of the nest's indices gives its position."""

    name = "tilecpu.write"

    element = operand_def(AnyAttr())
    buffer = operand_def(BufferType)
    index = prop_def(AffineMapAttr)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$element `,` $buffer `[` $index `]` attr-dict `:` type($element) `,` type($buffer)"
    )

    def __init__(self, element: SSAValue, buffer: SSAValue, index: AffineMap):
        super().__init__(operands=[element, buffer], properties={"index": AffineMapAttr(index)})

    def verify_(self) -> None:
        buffer = self.buffer.type
        assert isinstance(buffer, BufferType)
        if self.element.type != buffer.element_type:
            raise VerifyException(f"expects an element of type {buffer.element_type}")
        verify_map(self, self.index, len(buffer.get_shape()))


@irdl_op_definition
class CopyOp(IRDLOperation):
    """Copies one buffer into another."""

    name = "tilecpu.copy"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$source `,` $destination attr-dict `:` type($source) `,` type($destination)"

    def __init__(self, source: SSAValue, destination: SSAValue):
        super().__init__(operands=[source, destination])

    def verify_(self) -> None:
        source, destination = self.source.type, self.destination.type
        assert isinstance(source, BufferType) and isinstance(destination, BufferType)
        if (source.byte_size, source.element_type) != (
            destination.byte_size,
            destination.element_type,
        ):
            raise VerifyException(
                f"expects buffers of equal byte size and element type, but got {source} and "
                f"{destination}"
            )


@irdl_op_definition
class CopySliceOp(IRDLOperation):
    """Copies a slice of a buffer to a smaller buffer, or a smaller buffer to a slice.

    `indices` are the position of the slice in the grid of slices of the larger buffer.
    """

    name = "tilecpu.copy_slice"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    indices = var_operand_def(IntegerType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$source `,` $destination `[` $indices `]` attr-dict "
        "`:` type($source) `,` type($destination) `[` type($indices) `]`"
    )

    def __init__(self, source: SSAValue, destination: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[source, destination, indices])

    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape of the larger buffer, and the shape of a slice."""
        source, destination = self.source.type, self.destination.type
        assert isinstance(source, BufferType) and isinstance(destination, BufferType)
        by_size = sorted((source, destination), key=lambda each: each.byte_size)
        return by_size[1].get_shape(), by_size[0].get_shape()

    def verify_(self) -> None:
        whole, part = self.shapes()
        ranks = {len(whole), len(part), len(self.indices)}
        if len(ranks) > 1 or any(extent % step for extent, step in zip(whole, part, strict=True)):
            raise VerifyException(
                f"expects {len(whole)} indices and slice extents that divide {list(whole)}, "
                f"but got {len(self.indices)} and {list(part)}"
            )


@irdl_op_definition
class DotOp(IRDLOperation):
    """`accumulator += a @ b`, in place; rank 3 has a leading batch dimension.

    A transposed operand has its last two dimensions exchanged. `register_block` is the number of
    rows and of columns of the accumulator that are computed at once, and the vector width.
    `scratch` receives widened copies of narrow operands, and a packed copy of a transposed `b`;
    with `panels`, of any `b`. Integers are signed unless `unsigned_a` or `unsigned_b` is set.
    """

    name = "tilecpu.dot"

    a = operand_def(BufferType)
    b = operand_def(BufferType)
    accumulator = operand_def(BufferType)
    scratch = opt_operand_def(BufferType)
    register_block = prop_def(DenseArrayBase.constr(i64))
    transposed_a = opt_prop_def(UnitAttr)
    transposed_b = opt_prop_def(UnitAttr)
    unsigned_a = opt_prop_def(UnitAttr)
    unsigned_b = opt_prop_def(UnitAttr)
    panels = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$a `,` $b `,` $accumulator (`scratch` $scratch^ `:` type($scratch))? attr-dict "
        "`:` type($a) `,` type($b) `,` type($accumulator)"
    )

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        accumulator: SSAValue,
        register_block: Sequence[int],
        scratch: SSAValue | None = None,
        *,
        transposed: tuple[bool, bool] = (False, False),
        unsigned: tuple[bool, bool] = (False, False),
        panels: bool = False,
    ):
        flags = zip(
            ("transposed_a", "transposed_b", "unsigned_a", "unsigned_b", "panels"),
            (*transposed, *unsigned, panels),
            strict=True,
        )
        super().__init__(
            operands=[a, b, accumulator, scratch],
            properties={
                "register_block": DenseArrayBase.from_list(i64, register_block),
                **{name: UnitAttr() for name, is_set in flags if is_set},
            },
        )

    def get_register_block(self) -> tuple[int, ...]:
        return tuple(int(number) for number in self.register_block.get_values())

    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of `a`, `b` and the accumulator, after transposition."""
        shapes: list[tuple[int, ...]] = []
        flags = (self.transposed_a, self.transposed_b, None)
        for operand, is_transposed in zip(self.operands[:3], flags, strict=True):
            assert isinstance(operand.type, BufferType)
            shape = operand.type.get_shape()
            if is_transposed is not None:
                shape = (*shape[:-2], shape[-1], shape[-2])
            shapes.append(shape)
        return shapes

    def verify_(self) -> None:
        a, b, accumulator = self.shapes()
        if len(a) not in (2, 3) or not len(a) == len(b) == len(accumulator):
            raise VerifyException("expects three buffers of the same rank, 2 or 3")
        expected = (*a[:-1], b[-1])
        if a[-1] != b[-2] or a[:-2] != b[:-2] or accumulator != expected:
            raise VerifyException(
                f"expects shapes [.., M, K], [.., K, N] and [.., M, N], but got {a}, {b} and "
                f"{accumulator}"
            )
        block = self.get_register_block()
        if len(block) != 3 or any(number < 1 for number in block):
            raise VerifyException(
                "expects register_block to be three positive numbers: rows, columns and lanes"
            )
        rows, columns, lanes = block
        if accumulator[-2] % rows or accumulator[-1] % columns or columns % lanes:
            raise VerifyException(
                f"expects a register block that divides {accumulator[-2]} x "
                f"{accumulator[-1]} and consists of whole vectors, but got {rows} x "
                f"{columns} with vectors of {lanes}"
            )


@irdl_op_definition
class ScanOp(IRDLOperation):
    """All intermediate combinations along a dimension, from the first element to the last.

    With `reverse`, the scan runs from the last element to the first. Source and result may be the
    same buffer.
    """

    name = "tilecpu.scan"

    inputs = var_operand_def(BufferType)
    outputs = var_operand_def(BufferType)
    dimension = prop_def(IntegerAttr[I64])
    reverse = opt_prop_def(UnitAttr)
    body = region_def("single_block")

    irdl_options = (SameVariadicOperandSize(), ParsePropInAttrDict())
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$inputs `into` $outputs `along` $dimension attr-dict "
        "`:` type($inputs) `into` type($outputs) $body"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        dimension: int,
        body: Region,
        reverse: bool = False,
    ):
        super().__init__(
            operands=[inputs, outputs],
            properties={
                "dimension": IntegerAttr(dimension, i64),
                "reverse": UnitAttr() if reverse else None,
            },
            regions=[body],
        )

    def verify_(self) -> None:
        elements: list[Attribute] = []
        for source, result in zip(self.inputs, self.outputs, strict=True):
            buffer = source.type
            assert isinstance(buffer, BufferType)
            if result.type != buffer:
                raise VerifyException(f"expects a result of type {buffer}, but got {result.type}")
            if not 0 <= self.dimension.value.data < len(buffer.get_shape()):
                raise VerifyException(
                    f"expects a dimension of at least 0 and below the rank of {buffer}"
                )
            elements.append(buffer.element_type)
        if list(self.body.block.arg_types) != [each for each in elements for _ in range(2)]:
            raise VerifyException(
                f"expects two successive block arguments for each type of {ArrayAttr(elements)}"
            )
        verify_yields(self.body, elements)
