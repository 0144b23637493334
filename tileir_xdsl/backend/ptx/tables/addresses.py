"""Pointers: sums split into a base register and an immediate, globals, casts, the stack.

PTX addresses are `[register+immediate]`, and ptxas does not split pointer sums. So the constant
part of a pointer sum is not in a register while only memory accesses use it.
"""

from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.backend.ptx import registers
from tileir_xdsl.backend.ptx.instructions import Address
from tileir_xdsl.backend.ptx.selection import PointerView, Rule, Selector, View
from tileir_xdsl.dialects.llvm import AddrSpaceCastOp, IntToPtrOp, PtrToIntOp
from tileir_xdsl.targets.symbols import ptx_name

_NO_SIGNED_WRAP = 1
_NO_UNSIGNED_WRAP = 2


class _Term(NamedTuple):
    """`value * scale` bytes; a narrow value is widened as signed or unsigned."""

    value: SSAValue
    scale: int
    is_signed: bool


class _Offset(NamedTuple):
    """A pointer plus a constant number of bytes plus terms."""

    pointer: SSAValue
    constant: int
    terms: tuple[_Term, ...]


def _sum(selector: Selector, op: llvm.GEPOp) -> _Offset:
    """The bytes that a `getelementptr` adds to its pointer, computed once."""
    if (found := selector.sums.get(id(op))) is None:
        found = selector.sums[id(op)] = _compute_sum(selector, op)
    return found


def _compute_sum(selector: Selector, op: llvm.GEPOp) -> _Offset:
    pointer, *indices = op.operands
    constant, terms = 0, []
    type: Attribute = op.elem_type
    known = op.rawConstantIndices.get_values()
    if known.count(llvm.GEP_USE_SSA_VAL) != len(indices):
        # The number that stands for a value is not an index; nor is it in MLIR.
        selector.unsupported(
            op, f"expected {known.count(llvm.GEP_USE_SSA_VAL)} dynamic indices, got {len(indices)}"
        )
    dynamic = iter(indices)
    for position, index in enumerate(known):
        if position > 0 and isinstance(type, llvm.LLVMStructType):
            constant += registers.field_offset(type, index)
            type = type.types.data[index]
            continue
        if position > 0:
            assert isinstance(type, llvm.LLVMArrayType)
            type = type.type
        scale = registers.size_in_bytes(type)
        if index != llvm.GEP_USE_SSA_VAL:
            constant += index * scale
            continue
        offset, term = _peel(selector, next(dynamic), scale)
        constant += offset
        if term is not None:
            terms.append(term)
    return _Offset(pointer, constant, tuple(terms))


def _peel(selector: Selector, index: SSAValue, scale: int) -> tuple[int, _Term | None]:
    """`index * scale` as a constant plus a term for the rest of the index."""
    constant, is_signed, flag = 0, True, _NO_SIGNED_WRAP
    while True:
        if (known := selector.known.constant(index)) is not None:
            width = known.register_class.bits
            value = registers.signed(known.bits, width) if is_signed else known.bits
            return constant + value * scale, None
        owner = index.owner
        match owner:
            case llvm.SExtOp() | llvm.ZExtOp() if _narrows_to_word(owner.arg) and _is_wide(index):
                is_signed = isinstance(owner, llvm.SExtOp)
                flag = _NO_SIGNED_WRAP if is_signed else _NO_UNSIGNED_WRAP
                index = owner.arg
            # A sum in 32 bits that may wrap is not the sum of the widened terms.
            case llvm.AddOp() | llvm.MulOp() | llvm.ShlOp() if _is_exact(owner, flag):
                factor = selector.known.constant(owner.rhs)
                if factor is None:
                    return constant, _Term(index, scale, is_signed)
                width = factor.register_class.bits
                value = registers.signed(factor.bits, width) if is_signed else factor.bits
                if isinstance(owner, llvm.AddOp):
                    constant += value * scale
                elif isinstance(owner, llvm.MulOp):
                    scale *= value
                else:
                    scale <<= factor.bits
                index = owner.lhs
            case _:
                return constant, _Term(index, scale, is_signed)


def _is_wide(value: SSAValue) -> bool:
    return isinstance(value.type, IntegerType) and value.type.width.data == 64


def _narrows_to_word(value: SSAValue) -> bool:
    return isinstance(value.type, IntegerType) and value.type.width.data == 32


def _is_exact(op: llvm.AddOp | llvm.MulOp | llvm.ShlOp, flag: int) -> bool:
    """Whether widening the op's result equals the sum or product of the widened operands."""
    if _is_wide(op.res):
        return True
    return op.overflowFlags is not None and bool(op.overflowFlags.value.data & flag)


_LARGEST_ACCESS = 1 << 12
"""The most bytes past a pointer that one access may add to the offset of its operand."""

_IMMEDIATES = range(-(1 << 31), (1 << 31) - _LARGEST_ACCESS)
"""Offsets that fit the signed 32-bit immediate of an address operand for a whole access."""

_OPERANDS = {True: range(-(1 << 31), 1 << 31), False: range(1 << 32)}
"""Values that fit an immediate operand of a 32-bit multiplication, signed or unsigned."""


def _wrapped(number: int, bits: int) -> int:
    """A signed number wrapped to a register of this width."""
    return registers.signed(number & (1 << bits) - 1, bits)


def _gep_pointer(selector: Selector, op: llvm.GEPOp) -> Address | None:
    address = _gep_address(selector, op)
    return address if address.offset in _IMMEDIATES else None


def _gep_address(selector: Selector, op: llvm.GEPOp) -> Address:
    total = _sum(selector, op)
    # The first of a chain first: chains may be longer than calls may be nested.
    for pointer in reversed(_unknown_pointers(selector, total.pointer)):
        selector.pointer(pointer)
    base, register_class = selector.pointer(total.pointer), _pointer_class(total.pointer)
    # Addresses wrap around: what is left modulo 2**64, or 2**32, fits the instruction.
    offset = _wrapped(base.offset + total.constant, register_class.bits)
    if total.terms:
        return Address(selector.base(op, register_class), offset)
    return Address(base.base, offset)


def _unknown_pointers(selector: Selector, pointer: SSAValue) -> list[SSAValue]:
    """A pointer and the pointers that it is computed from, up to the first with a known address."""
    found: list[SSAValue] = []
    while isinstance(pointer.owner, llvm.GEPOp) and not selector.has_address(pointer):
        found.append(pointer)
        pointer = _sum(selector, pointer.owner).pointer
    return found


def _gep_view(selector: Selector, op: llvm.GEPOp) -> tuple[registers.Component, ...] | None:
    base, offset = _gep_address(selector, op)
    return (base,) if offset == 0 and isinstance(base, int) else None


def _pointer_class(value: SSAValue) -> registers.RegisterClass:
    return registers.component_classes(value.type)[0]


def _select_gep(selector: Selector, op: llvm.GEPOp) -> None:
    address = _gep_address(selector, op)
    base = selector.requested_base(op)
    if base is not None:
        _emit_base(selector, op, base)
    if selector.has_result(op):
        _emit_sum(selector, selector.result(op), address)


def _emit_sum(selector: Selector, destination: int, address: Address) -> None:
    """`destination = base + offset`."""
    bits = selector.classes[destination].bits
    base, offset = address
    if isinstance(base, str):
        symbol = f"{base}+{offset}" if offset else base
        selector.emit(f"mov.u{bits}", (destination,), symbol)
    elif offset:
        selector.emit(f"add.s{bits}", (destination,), base, str(offset))
    else:
        selector.move(destination, base)


def _emit_base(selector: Selector, op: llvm.GEPOp, destination: int) -> None:
    """`destination` = the pointer without its constant bytes, plus all terms."""
    pointer, _, terms = _sum(selector, op)
    start = selector.pointer(pointer).base
    if isinstance(start, str):
        start = selector.symbol(start, selector.classes[destination])
    is_sum = _is_sum(pointer.owner)
    for number, term in enumerate(terms):
        last = number == len(terms) - 1
        step = destination if last else selector.fresh(selector.classes[destination])
        _emit_term(selector, step, term, start, is_sum or number > 0)
        start = step


def _is_sum(owner: Operation | Block) -> bool:
    """Whether a pointer is already a sum with an index, or is an argument of a later block."""
    if isinstance(owner, Block):
        return owner.prev_block is not None
    return isinstance(owner, llvm.GEPOp) and len(owner.operands) > 1


_INDEX_OPS: frozenset[type[Operation]] = frozenset(
    (llvm.SExtOp, llvm.ZExtOp, llvm.AddOp, llvm.MulOp, llvm.ShlOp)
)
"""The ops between an index and an address through which `_peel` looks."""


def _is_term_of_several(selector: Selector, term: _Term) -> bool:
    """Whether more than one address contains a product; computed once."""
    if (found := selector.shared_terms.get(term)) is None:
        found = selector.shared_terms[term] = _is_found_twice(selector, term)
    return found


def _is_found_twice(selector: Selector, term: _Term) -> bool:
    addresses, waiting, seen = 0, [term.value], {id(term.value)}
    while waiting and addresses < 2:
        for use in waiting.pop().uses:
            user = use.operation
            kind = type(user)
            if kind is llvm.GEPOp:
                addresses += term in _sum(selector, cast(llvm.GEPOp, user)).terms
            elif kind in _INDEX_OPS and id(result := user.results[0]) not in seen:
                seen.add(id(result))
                waiting.append(result)
    return addresses > 1


def _emit_term(selector: Selector, destination: int, term: _Term, start: int, is_sum: bool) -> None:
    """`destination = start + value * scale`; `is_sum` where the start is a sum itself."""
    value, scale, is_signed = term
    kind = "s" if is_signed else "u"
    register = selector.register(value)
    bits, value_bits = selector.classes[destination].bits, selector.classes[register].bits
    scale = _wrapped(scale, bits)
    if value_bits == 32 < bits and scale in _OPERANDS[is_signed]:
        # Apart for strides as well, ptxas would keep all addresses alive (docs/performance.md).
        if is_sum or not _is_term_of_several(selector, term):
            selector.emit(f"mad.wide.{kind}32", (destination,), register, str(scale), start)
            return
        # An index of several arrays: ptxas works the product out once.
        product = selector.fresh(registers.B64)
        selector.emit(f"mul.wide.{kind}32", (product,), register, str(scale))
        selector.emit("add.s64", (destination,), start, product)
        return
    if value_bits != bits:
        narrow, register = register, selector.fresh(selector.classes[destination])
        selector.emit(f"cvt.{kind}{bits}.{kind}{_width(value)}", (register,), narrow)
    if scale == 1:
        selector.emit(f"add.s{bits}", (destination,), start, register)
    elif bits == 32 or scale <= 0 or scale & (scale - 1):
        selector.emit(f"mad.lo.s{bits}", (destination,), register, str(scale), start)
    else:
        shifted = selector.fresh(registers.B64)
        selector.emit("shl.b64", (shifted,), register, str(scale.bit_length() - 1))
        selector.emit("add.s64", (destination,), start, shifted)


def _width(value: SSAValue) -> int:
    assert isinstance(value.type, IntegerType)
    return value.type.width.data


# Globals.


def _global_pointer(selector: Selector, op: llvm.AddressOfOp) -> Address | None:
    # A generic address is computed by `cvta`, so it is not a symbol of an operand.
    if registers.address_space(_pointer_type(op.result)) == 0:
        return None
    return Address(ptx_name(op.global_name.root_reference.data), 0)


def _pointer_type(value: SSAValue) -> llvm.LLVMPointerType:
    assert isinstance(value.type, llvm.LLVMPointerType)
    return value.type


def _select_address_of(selector: Selector, op: llvm.AddressOfOp) -> None:
    name = ptx_name(op.global_name.root_reference.data)
    destination = selector.result(op)
    if registers.address_space(_pointer_type(op.result)) != 0:
        _emit_sum(selector, destination, Address(name, 0))
        return
    # A global without an address space is in global memory; its generic address is asked for.
    register = selector.fresh(registers.B64)
    selector.emit("mov.u64", (register,), name)
    selector.emit("cvta.global.u64", (destination,), register)


# The stack.


def _stack_address(selector: Selector, op: llvm.AllocaOp) -> Address:
    count = selector.known.constant(op.size)
    if count is None:
        selector.unsupported(op, "the number of elements must be a constant")
    size = count.bits * registers.size_in_bytes(op.elem_type)
    alignment = op.alignment.value.data if op.alignment is not None else 0
    alignment = alignment or registers.alignment_in_bytes(op.elem_type)
    return Address(selector.stack.NAME, selector.stack.offset(op, size, alignment))


def _stack_pointer(selector: Selector, op: llvm.AllocaOp) -> Address | None:
    return (
        _stack_address(selector, op)
        if registers.address_space(_pointer_type(op.res)) == 5
        else None
    )


def _select_alloca(selector: Selector, op: llvm.AllocaOp) -> None:
    address, destination = _stack_address(selector, op), selector.result(op)
    if registers.address_space(_pointer_type(op.res)) == 5:
        _emit_sum(selector, destination, address)
        return
    local = selector.fresh(registers.B64)
    _emit_sum(selector, local, address)
    selector.emit("cvta.local.u64", (destination,), local)


# Casts.


def _cast_view(selector: Selector, op: Operation) -> tuple[registers.Component, ...] | None:
    """Integer to pointer and back: the same register if the widths are equal."""
    operand, result = op.operands[0], op.results[0]
    if registers.component_classes(operand.type) != registers.component_classes(result.type):
        return None
    return selector.components(operand)


def _select_integer_cast(selector: Selector, op: llvm.IntToPtrOp | llvm.PtrToIntOp) -> None:
    destination, source = selector.result(op), selector.register(op.input)
    to_bits, from_bits = selector.classes[destination].bits, selector.classes[source].bits
    selector.emit(f"cvt.u{to_bits}.u{from_bits}", (destination,), source)


def _address_space_view(
    selector: Selector, op: AddrSpaceCastOp
) -> tuple[registers.Component, ...] | None:
    return selector.components(op.arg) if _keeps_address(op) else None


def _address_space_pointer(selector: Selector, op: AddrSpaceCastOp) -> Address | None:
    return selector.pointer(op.arg) if _keeps_address(op) else None


def _keeps_address(op: AddrSpaceCastOp) -> bool:
    """Whether both spaces are equal or shared: a block's window is part of its cluster's."""
    source, target = (
        registers.address_space(_pointer_type(op.arg)),
        registers.address_space(_pointer_type(op.res)),
    )
    return source == target or {source, target} == {3, 7}


_WINDOWS = {1: "global", 3: "shared", 4: "const", 5: "local", 7: "shared::cluster", 101: "param"}
"""State spaces that have a window in the generic address space."""


def _select_address_space_cast(selector: Selector, op: AddrSpaceCastOp) -> None:
    source, target = (
        registers.address_space(_pointer_type(op.arg)),
        registers.address_space(_pointer_type(op.res)),
    )
    destination, operand = selector.result(op), selector.register(op.arg)
    if target == 0 and source in _WINDOWS:
        if registers.ADDRESS_SPACES[source].bits == 32:
            wide = selector.fresh(registers.B64)
            selector.emit("cvt.u64.u32", (wide,), operand)
            operand = wide
        selector.emit(f"cvta.{_WINDOWS[source]}.u64", (destination,), operand)
    elif source == 0 and target in _WINDOWS:
        if registers.ADDRESS_SPACES[target].bits == 32:
            wide = selector.fresh(registers.B64)
            selector.emit(f"cvta.to.{_WINDOWS[target]}.u64", (wide,), operand)
            selector.emit("cvt.u32.u64", (destination,), wide)
        else:
            selector.emit(f"cvta.to.{_WINDOWS[target]}.u64", (destination,), operand)
    else:
        selector.unsupported(op, f"no cast from address space {source} to {target}")


VIEWS: dict[type[Operation], View] = {
    llvm.GEPOp: _gep_view,
    llvm.IntToPtrOp: _cast_view,
    IntToPtrOp: _cast_view,
    llvm.PtrToIntOp: _cast_view,
    PtrToIntOp: _cast_view,
    AddrSpaceCastOp: _address_space_view,
}

POINTERS: dict[type[Operation], PointerView] = {
    llvm.GEPOp: _gep_pointer,
    llvm.AddressOfOp: _global_pointer,
    llvm.AllocaOp: _stack_pointer,
    AddrSpaceCastOp: _address_space_pointer,
}
"""Ops whose result is an address that accesses use without a register for the whole sum."""

RULES: dict[type[Operation], Rule] = {
    llvm.GEPOp: Rule(_select_gep),
    llvm.AddressOfOp: Rule(_select_address_of),
    llvm.AllocaOp: Rule(_select_alloca),
    llvm.IntToPtrOp: Rule(_select_integer_cast),
    IntToPtrOp: Rule(_select_integer_cast),
    llvm.PtrToIntOp: Rule(_select_integer_cast),
    PtrToIntOp: Rule(_select_integer_cast),
    AddrSpaceCastOp: Rule(_select_address_space_cast),
}
