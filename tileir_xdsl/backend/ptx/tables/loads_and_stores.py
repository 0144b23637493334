"""Loads, stores and their masked forms.

A value in memory is a list of fields, each as wide as one register. Adjacent fields of one class
share a `.v2` or `.v4` access as the alignment allows, 16 bytes at most.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.backend.ptx import registers as ptx_registers
from tileir_xdsl.backend.ptx.instructions import Address, Guard, Operand, VectorOperand
from tileir_xdsl.backend.ptx.lanes import pack, unpack
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.backend.ptx.tables.atomics import SEMANTICS, scope_of
from tileir_xdsl.dialects.llvm import (
    AtomicOrdering,
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    StoreOp,
)

LARGEST_ACCESS = 16
"""Bytes."""


class _Field(NamedTuple):
    """One register of a value in memory. An i1 or i8 takes a byte."""

    offset: int
    register_class: ptx_registers.RegisterClass
    size: int

    @property
    def text(self) -> str:
        """The type suffix of an access."""
        return "u8" if self.size == 1 else self.register_class.declaration


def _fields(type: Attribute, offset: int = 0) -> Iterator[_Field]:
    match type:
        case llvm.LLVMStructType():
            for index, part in enumerate(type.types):
                yield from _fields(part, offset + ptx_registers.field_offset(type, index))
        case llvm.LLVMArrayType():
            for index in range(type.size.data):
                yield from _fields(
                    type.type, offset + index * ptx_registers.size_in_bytes(type.type)
                )
        case VectorType():
            packed = ptx_registers.elements_per_component(type.get_shape()[0], type.element_type)
            size = packed * max(1, ptx_registers.bit_width(type.element_type) // 8)
            for index, register_class in enumerate(ptx_registers.component_classes(type)):
                yield _Field(offset + index * size, register_class, size)
        case _:
            (register_class,) = ptx_registers.component_classes(type)
            yield _Field(offset, register_class, max(1, ptx_registers.bit_width(type) // 8))


class _Chunk(NamedTuple):
    """The fields of one access: `fields[first : first + length]`."""

    first: int
    length: int


def _chunks(fields: Sequence[_Field], alignment: int) -> list[_Chunk]:
    """Splits fields into accesses, each aligned to its size; the base is aligned to `alignment`."""
    chunks: list[_Chunk] = []
    start = 0
    while start < len(fields):
        # `.v8` needs sm_100, for global memory alone (PTX ISA, "ld").
        count = 4
        while not _fits(fields, start, count, alignment):
            count //= 2
        chunks.append(_Chunk(start, count))
        start += count
    return chunks


def _fits(fields: Sequence[_Field], start: int, count: int, alignment: int) -> bool:
    first = fields[start]
    if count == 1:
        return True
    size = count * first.size
    if size > min(LARGEST_ACCESS, alignment) or first.offset % size:
        return False
    return len(fields) >= start + count and all(
        field.offset == first.offset + place * first.size
        and (field.register_class, field.size) == (first.register_class, first.size)
        for place, field in enumerate(fields[start : start + count])
    )


def _alignment(op: Operation, type: Attribute) -> int:
    given = op.properties.get("alignment")
    return (
        given.value.data
        if isinstance(given, IntegerAttr)
        else ptx_registers.alignment_in_bytes(type)
    )


def _space(selector: Selector, op: Operation, pointer: SSAValue) -> str:
    assert isinstance(pointer.type, llvm.LLVMPointerType)
    number = ptx_registers.address_space(pointer.type)
    if (space := ptx_registers.ADDRESS_SPACES.get(number)) is None or number == 6:
        selector.unsupported(op, f"no loads and stores in address space {number}")
    return space.suffix


def _opcode(prefix: str, fields: Sequence[_Field], chunk: _Chunk) -> str:
    vector = f".v{chunk.length}" if chunk.length > 1 else ""
    return f"{prefix}{vector}.{fields[chunk.first].text}"


def _group(registers: Sequence[int | str]) -> Operand:
    return registers[0] if len(registers) == 1 else VectorOperand(tuple(registers))


class _Layout(NamedTuple):
    """A value in memory, and how it is accessed at an alignment."""

    fields: tuple[_Field, ...]
    chunks: tuple[_Chunk, ...]


def _layout(selector: Selector, op: Operation, type: Attribute, alignment: int) -> _Layout:
    """The fields of a value, each aligned well enough to be accessed."""
    key = (id(type), alignment)
    if (found := selector.layouts.get(key)) is not None:
        return found
    element = type.element_type if isinstance(type, VectorType) else type
    if isinstance(type, VectorType) and ptx_registers.bit_width(element) < 8:
        selector.unsupported(op, f"no loads and stores of {type}")
    fields = tuple(_fields(type))
    for field in fields:
        element_size = (
            max(1, ptx_registers.bit_width(element) // 8) if isinstance(type, VectorType) else 0
        )
        if alignment < min(field.size, element_size or field.size):
            selector.unsupported(op, f"alignment {alignment} is too small for {type}")
    layout = selector.layouts[key] = _Layout(fields, tuple(_chunks(fields, alignment)))
    return layout


class _OpAccess(NamedTuple):
    """The common parts of the accesses of one op."""

    selector: Selector
    op: Operation
    opcode: str
    address: Address
    fields: tuple[_Field, ...]
    chunks: tuple[_Chunk, ...]
    alignment: int

    def at(self, offset: int) -> Address:
        return Address(self.address.base, self.address.offset + offset)

    def load(self, chunk: _Chunk, destinations: Sequence[int], guard: Guard | None = None) -> None:
        """Loads the fields of a chunk into their registers."""
        offset = self.fields[chunk.first].offset
        opcode = _opcode(self.opcode, self.fields, chunk)
        if self.fields[chunk.first].register_class is ptx_registers.PREDICATE:
            # Predicates have no form in memory, and 8 bits no register.
            byte = self.selector.fresh(ptx_registers.B16)
            self.selector.emit(opcode, (byte,), self.at(offset), guard=guard)
            self.selector.emit("setp.ne.b16", tuple(destinations), byte, "0", guard=guard)
            return
        self.selector.emit(opcode, (_group(destinations),), self.at(offset), guard=guard)

    def store(
        self, chunk: _Chunk, values: Sequence[ptx_registers.Component], guard: Guard | None = None
    ) -> None:
        """Stores the registers of a chunk."""
        offset = self.fields[chunk.first].offset
        opcode = _opcode(self.opcode, self.fields, chunk)
        sources = [self.selector.as_operand(value) for value in values]
        if self.fields[chunk.first].register_class is ptx_registers.PREDICATE:
            byte = self.selector.fresh(ptx_registers.B16)
            self.selector.emit("selp.b16", (byte,), "1", "0", self.selector.in_register(values[0]))
            sources = [byte]
        self.selector.emit(opcode, (), self.at(offset), _group(sources), guard=guard)


def _access(
    selector: Selector, op: Operation, prefix: str, pointer: SSAValue, type: Attribute
) -> _OpAccess:
    alignment = _alignment(op, type)
    if alignment.bit_count() != 1:
        selector.unsupported(op, f"alignment {alignment} is not a power of two")
    fields, chunks = _layout(selector, op, type, alignment)
    space = _space(selector, op, pointer)
    # The non-coherent cache is for memory that no thread writes (PTX ISA, "ld.global.nc").
    cached = ".nc" if "invariant" in op.properties and space == ".global" else ""
    opcode = f"{prefix}{_ordering(selector, op)}{space}{cached}"
    return _OpAccess(selector, op, opcode, selector.address(pointer), fields, chunks, alignment)


def _ordering(selector: Selector, op: Operation) -> str:
    """The qualifier `.volatile`, `.relaxed.gpu` or similar; empty for a plain access."""
    if "volatile_" in op.properties:
        return ".volatile"
    attribute = op.properties.get("ordering")
    code = attribute.value.data if isinstance(attribute, IntegerAttr) else 0
    ordering = AtomicOrdering.from_code(code)
    if ordering is AtomicOrdering.NOT_ATOMIC:
        return ""
    scope = scope_of(selector, op)
    if ordering is AtomicOrdering.SEQ_CST:
        # `ld` and `st` have no `.sc`: a fence before an acquire or a release orders as much.
        selector.emit(f"fence.sc.{scope}", ())
        ordering = _STRONGEST[isinstance(op, llvm.StoreOp)]
    return f".{SEMANTICS[ordering]}.{scope}"


_STRONGEST = (AtomicOrdering.ACQUIRE, AtomicOrdering.RELEASE)
"""The orderings that a sequentially consistent load and store have after their fence."""


def _select_load(selector: Selector, op: llvm.LoadOp) -> None:
    type = op.dereferenced_value.type
    access = _access(selector, op, "ld", op.ptr, type)
    destinations = selector.results(op)
    alignment = access.alignment
    for chunk in access.chunks:
        span = slice(chunk.first, chunk.first + chunk.length)
        if alignment < access.fields[chunk.first].size:
            masks = (ptx_registers.Constant(1, ptx_registers.PREDICATE),) * (
                access.fields[chunk.first].size // alignment
            )
            _load_elements(access, chunk.first, destinations[chunk.first], masks, None)
        else:
            access.load(chunk, destinations[span])


def _select_store(selector: Selector, op: llvm.StoreOp) -> None:
    type = op.value.type
    access = _access(selector, op, "st", op.ptr, type)
    values = selector.components(op.value)
    alignment = access.alignment
    for chunk in access.chunks:
        span = slice(chunk.first, chunk.first + chunk.length)
        if alignment < access.fields[chunk.first].size:
            masks = (ptx_registers.Constant(1, ptx_registers.PREDICATE),) * (
                access.fields[chunk.first].size // alignment
            )
            _store_elements(access, chunk.first, values[chunk.first], masks)
        else:
            access.store(chunk, values[span])


# Masked accesses. The common case, a chunk with all its elements, costs one predicated access.


class _Mask(NamedTuple):
    """The mask bits of the elements of a chunk."""

    bits: tuple[ptx_registers.Component, ...]

    def uniform(self) -> ptx_registers.Component | None:
        """The only mask bit, if all elements have the same mask bit."""
        return self.bits[0] if all(bit == self.bits[0] for bit in self.bits) else None

    def is_never_full(self) -> bool:
        return any(isinstance(bit, ptx_registers.Constant) and not bit.bits for bit in self.bits)

    def registers(self) -> list[int]:
        """The distinct mask bits that are not constants."""
        return list(dict.fromkeys(bit for bit in self.bits if isinstance(bit, int)))


def _all_of(selector: Selector, predicates: Sequence[int]) -> int:
    """The conjunction of predicates, as a tree."""
    # As a tree it is as deep as the logarithm of their number.
    level = list(predicates)
    while len(level) > 1:
        pairs = [level[n : n + 2] for n in range(0, len(level), 2)]
        level = []
        for pair in pairs:
            if len(pair) == 1:
                level.append(pair[0])
                continue
            both = selector.fresh(ptx_registers.PREDICATE)
            selector.emit("and.pred", (both,), *pair)
            level.append(both)
    return level[0]


def _masks_of(selector: Selector, op: Operation, mask: SSAValue, chunk: _Chunk, packed: int):
    bits = selector.components(mask)
    return _Mask(bits[chunk.first * packed : (chunk.first + chunk.length) * packed])


def _guard(bit: ptx_registers.Component) -> Guard | None:
    return None if isinstance(bit, ptx_registers.Constant) else Guard(bit)


def _select_masked_load(selector: Selector, op: MaskedLoadOp) -> None:
    type = _vector(op.res.type)
    access = _access(selector, op, "ld", op.data, type)
    destinations = selector.results(op)
    if op.pass_thru:
        others = selector.components(op.pass_thru[0])
    else:
        others = tuple(ptx_registers.Constant(0, c) for c in ptx_registers.component_classes(type))
    alignment = access.alignment
    packed = ptx_registers.elements_per_component(type.get_shape()[0], type.element_type)
    for chunk in access.chunks:
        mask = _masks_of(selector, op, op.mask, chunk, packed)
        span = slice(chunk.first, chunk.first + chunk.length)
        if alignment < access.fields[chunk.first].size:
            _load_elements(
                access, chunk.first, destinations[chunk.first], mask.bits, others[chunk.first]
            )
            continue
        _load_masked_chunk(access, chunk, mask, destinations[span], others[span])


def _load_masked_chunk(
    access: _OpAccess,
    chunk: _Chunk,
    mask: _Mask,
    destinations: Sequence[int],
    others: Sequence[ptx_registers.Component],
) -> None:
    selector = access.selector
    bit = mask.uniform()
    if isinstance(bit, ptx_registers.Constant) and bit.bits:
        access.load(chunk, destinations)
        return
    if bit is not None:
        # A load under a false guard leaves its destination as it is.
        for destination, other in zip(destinations, others, strict=True):
            selector.move(destination, other)
        if not isinstance(bit, ptx_registers.Constant):
            access.load(chunk, destinations, Guard(bit))
        return
    done = _take_whole_chunk(
        access, chunk, mask, lambda guard: access.load(chunk, destinations, guard)
    )
    per_field = len(mask.bits) // chunk.length
    for place, (destination, other) in enumerate(zip(destinations, others, strict=True)):
        bits = mask.bits[place * per_field : (place + 1) * per_field]
        single = _Chunk(chunk.first + place, 1)
        if _Mask(bits).uniform() is not None:
            _load_masked_chunk(access, single, _Mask(bits), (destination,), (other,))
        else:
            _load_elements(access, single.first, destination, bits, other)
    if done is not None:
        selector.place(done)


def _take_whole_chunk(
    access: _OpAccess, chunk: _Chunk, mask: _Mask, emit: Callable[[Guard], None]
) -> str | None:
    """Emits one access for a full mask and a jump past single accesses; returns its label."""
    if mask.is_never_full():
        return None
    selector = access.selector
    # Whole vectors are the rule: one access, and a jump past those of single elements.
    full = Guard(_all_of(selector, mask.registers()))
    done = selector.new_label()
    emit(full)
    selector.emit("bra", (), done, guard=full)
    return done


def _load_elements(
    access: _OpAccess,
    index: int,
    destination: int,
    bits: Sequence[ptx_registers.Component],
    other: ptx_registers.Component | None,
) -> None:
    """Loads the elements of a packed field one by one; masked-off elements are of `other`."""
    selector, field = access.selector, access.fields[index]
    size = field.size // len(bits)
    elements: list[ptx_registers.Component] = []
    for place, bit in enumerate(bits):
        element = selector.fresh(ptx_registers.B16)
        if other is not None:
            _emit_element(selector, other, place, 8 * size, element)
        if not (isinstance(bit, ptx_registers.Constant) and not bit.bits):
            opcode = f"{access.opcode}.{_ELEMENT_TEXT[size]}"
            selector.emit(
                opcode, (element,), access.at(field.offset + place * size), guard=_guard(bit)
            )
        elements.append(element)
    pack(selector, destination, elements)


_ELEMENT_TEXT = {1: "u8", 2: "b16"}


def _emit_element(
    selector: Selector, packed: ptx_registers.Component, place: int, width: int, into: int
) -> None:
    """Puts an element of a packed component into a register."""
    if isinstance(packed, ptx_registers.Constant):
        bits = packed.bits >> place * width & (1 << width) - 1
        selector.move(into, ptx_registers.Constant(bits, ptx_registers.B16))
    else:
        unpack(selector, packed, place, width, into)


def _select_masked_store(selector: Selector, op: llvm.MaskedStoreOp) -> None:
    type = _vector(op.value.type)
    access = _access(selector, op, "st", op.data, type)
    values = selector.components(op.value)
    alignment = access.alignment
    packed = ptx_registers.elements_per_component(type.get_shape()[0], type.element_type)
    for chunk in access.chunks:
        mask = _masks_of(selector, op, op.mask, chunk, packed)
        if alignment < access.fields[chunk.first].size:
            _store_elements(access, chunk.first, values[chunk.first], mask.bits)
            continue
        _store_masked_chunk(access, chunk, mask, values[chunk.first : chunk.first + chunk.length])


def _store_masked_chunk(
    access: _OpAccess, chunk: _Chunk, mask: _Mask, values: Sequence[ptx_registers.Component]
) -> None:
    bit = mask.uniform()
    if bit is not None:
        if not isinstance(bit, ptx_registers.Constant) or bit.bits:
            access.store(chunk, values, _guard(bit))
        return
    done = _take_whole_chunk(access, chunk, mask, lambda guard: access.store(chunk, values, guard))
    per_field = len(mask.bits) // chunk.length
    for place, value in enumerate(values):
        bits = mask.bits[place * per_field : (place + 1) * per_field]
        single = _Chunk(chunk.first + place, 1)
        if _Mask(bits).uniform() is not None:
            _store_masked_chunk(access, single, _Mask(bits), (value,))
        else:
            _store_elements(access, single.first, value, bits)
    if done is not None:
        access.selector.place(done)


def _store_elements(
    access: _OpAccess,
    index: int,
    value: ptx_registers.Component,
    bits: Sequence[ptx_registers.Component],
) -> None:
    """Stores the elements of one packed field one by one."""
    selector, field = access.selector, access.fields[index]
    size = field.size // len(bits)
    for place, bit in enumerate(bits):
        if isinstance(bit, ptx_registers.Constant) and not bit.bits:
            continue
        element = selector.fresh(ptx_registers.B16)
        _emit_element(selector, value, place, 8 * size, element)
        opcode = f"{access.opcode}.{_ELEMENT_TEXT[size]}"
        selector.emit(
            opcode, (), access.at(field.offset + place * size), element, guard=_guard(bit)
        )


def _vector(type: Attribute) -> VectorType[Any]:
    assert isinstance(type, VectorType)
    return type


RULES: dict[type[Operation], Rule] = {
    llvm.LoadOp: Rule(_select_load),
    LoadOp: Rule(_select_load),
    llvm.StoreOp: Rule(_select_store, has_effects=True),
    StoreOp: Rule(_select_store, has_effects=True),
    MaskedLoadOp: Rule(_select_masked_load),
    llvm.MaskedStoreOp: Rule(_select_masked_store, has_effects=True),
    MaskedStoreOp: Rule(_select_masked_store, has_effects=True),
}
