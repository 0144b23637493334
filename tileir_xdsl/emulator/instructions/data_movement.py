"""Moves, loads, stores, and address conversion (PTX ISA, "Data Movement and Conversion").

Qualifiers of caching, volatility and order do not change the value here: every access takes effect
when it is issued.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.clusters import rank_of
from tileir_xdsl.emulator.errors import LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.rules import check_vector
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.state_spaces import WINDOWS, InstructionAccess, Space
from tileir_xdsl.emulator.syntax import Address, Integer, Operand, Register, Symbol, Vector
from tileir_xdsl.emulator.types import (
    TYPES,
    Array,
    Mask,
    ScalarType,
    bits_type,
    packed_bits,
)

MULTICAST_REDUCTIONS = (
    "<operation:and|or|xor>.<type:b32|b64>",
    "<operation:add>.<type:u32|s32|u64|f32|f64|f16x2|bf16x2>",
    "<operation:min|max>.<type:u32|s32|u64|s64|f16x2|bf16x2>",
)
"""The reductions of `multimem` over devices, by one element or packed pair at a time."""

_MULTICAST = "b32|b64|u32|u64|s32|s64|f32|f64|f16x2|bf16x2"
_SCALARS = "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
SEMANTICS = "<semantics:relaxed|acquire|release|acq_rel>"
SCOPE = "<scope:cta|cluster|gpu|sys>"
_LOAD_SPACES = (
    "<space:global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func>"
)
_STORE_SPACES = "<space:global|shared|shared::cta|shared::cluster|local|param|param::func>"
_VOLATILE_SPACES = "<space:global|shared|shared::cta|shared::cluster|local>"
_VECTOR = "<vector:v2|v4|v8>"
_EVICTION = (
    "{.<level1:L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last"
    "|L1::no_allocate>}{.<level2:L2::evict_normal|L2::evict_first|L2::evict_last>}"
)
_HINTS = f"{_EVICTION}{{.L2::cache_hint}}{{.<prefetch:L2::64B|L2::128B|L2::256B>}}"


def memory_space(match: Match) -> Space:
    """The state space that an instruction names, generic by default."""
    if match["space"] == "shared::cluster":
        return "shared::cluster"
    match match["space"].split("::")[0]:
        case "global":
            return "global"
        case "shared":
            return "shared"
        case "local":
            return "local"
        case "const":
            return "const"
        case "param":
            return "param"
        case _:
            return "generic"


def _emit_move(builder: BlockBuilder, match: Match) -> None:
    """`mov`: a register, constant or address, or packing into and unpacking from a vector."""
    destination, source = match.operands["d"], match.operands["a"]
    type_ = match.type()
    if isinstance(source, Vector):
        _emit_pack(builder, match, destination, source)
    elif isinstance(destination, Vector):
        _emit_unpack(builder, match, destination, source)
    else:
        builder.assign(destination, type_, builder.source(source, type_))


def _part_type(match: Match, vector: Vector) -> ScalarType:
    type_ = match.type()
    count = len(vector.elements)
    if type_.kind != "bits" or count not in (2, 4) or type_.bits // count < 8:
        raise match.fail(f"a vector of {count} operands cannot be packed into .{type_.name}")
    return bits_type(type_.bits // count)


def _emit_pack(builder: BlockBuilder, match: Match, destination: Operand, vector: Vector) -> None:
    part = _part_type(match, vector)
    whole = packed_bits(len(vector.elements), match.type().bits)
    target = builder.destination(destination, match.type())
    if target is None or not isinstance(destination, Register):
        return
    view = f"v[{builder.kernel.slot(destination.name, whole)}]"
    for index, element in enumerate(vector.elements):
        value = builder.source(element, part)
        if builder.mask is None:
            builder.line(f"{view}[..., {index}] = {value}")
        else:
            builder.line(f"copyto({view}[..., {index}], {value}, 'unsafe', {builder.mask})")


def _emit_unpack(builder: BlockBuilder, match: Match, vector: Vector, source: Operand) -> None:
    part = _part_type(match, vector)
    whole = packed_bits(len(vector.elements), match.type().bits)
    packed = builder.source(source, whole)
    for index, element in enumerate(vector.elements):
        builder.assign(element, part, f"{packed}[..., {index}]")


def _emit_move_vector(builder: BlockBuilder, match: Match) -> None:
    """`mov.v2`, `mov.v4`: all elements are read before one is written."""
    type_, count = match.type(), _vector_length(match)
    check_vector(match, count, type_.bits)
    sources = builder.elements(match.operands["a"], count)
    values = [builder.source(source, type_) for source in sources]
    builder.line(f"r = ({', '.join(f'{value}.copy()' for value in values)},)")
    for index, destination in enumerate(builder.elements(match.operands["d"], count)):
        builder.assign(destination, type_, f"r[{index}]")


def _vector_length(match: Match) -> int:
    return int(match["vector"].removeprefix("v") or 1)


def _accessed_type(
    builder: BlockBuilder, match: Match, operands: tuple[Operand, ...]
) -> ScalarType:
    """The type of the moved values; a float in a wider untyped register is moved as bits."""
    type_ = match.type()
    for operand in operands:
        if isinstance(operand, Register):
            builder.check_register(operand.name, type_, relaxed=True)
            declared = builder.kernel.registers[operand.name]
            if declared.bits > type_.bits and type_.kind == "float":
                return bits_type(type_.bits)
    return type_


def _accessed_space(builder: BlockBuilder, match: Match) -> Space:
    """The state space of an access; parameters of a call are in local memory here."""
    space, operand = memory_space(match), match.operands["a"]
    if space == "param" and isinstance(operand, Address) and isinstance(operand.base, Symbol):
        return "local" if builder.kernel.symbol_space(operand.base.name) == "local" else "param"
    return space


def _order(match: Match) -> tuple[str, str]:
    """Memory semantics and scope; volatile accesses count as `.relaxed.sys`."""
    if match["semantics"]:
        return match["semantics"], match["scope"] or "sys"
    is_volatile = "volatile" in match.instruction.mnemonic.split(".")
    return ("relaxed", "sys") if is_volatile else ("", "")


def _emit_load(builder: BlockBuilder, match: Match) -> None:
    space = _accessed_space(builder, match)
    destinations = builder.elements(match.operands["d"], _vector_length(match))
    type_ = _accessed_type(builder, match, destinations)
    check_vector(match, len(destinations), type_.bits)
    elements = len(destinations) * type_.elements
    access = InstructionAccess(
        space,
        type_.dtype,
        elements,
        "read",
        *_order(match),
        can_wait=builder.can_wait and type_.elements == 1,
    )
    base, offset = builder.address(match.operands["a"], space)
    builder.line(
        f"r = group.memory.load(group, {base}, {offset}, {builder.mask}, {builder.bind(access)})"
    )
    for index, destination in enumerate(destinations):
        value = f"r[..., {index}]" if len(destinations) > 1 else "r"
        builder.assign(destination, type_, value, relaxed=match.instruction.opcode != "multimem")
    builder.deliver([(each, type_) for each in destinations], relaxed=True)


def _emit_store(builder: BlockBuilder, match: Match) -> None:
    space = _accessed_space(builder, match)
    sources = builder.elements(match.operands["b"], _vector_length(match))
    type_ = _accessed_type(builder, match, sources)
    check_vector(match, len(sources), type_.bits)
    elements = len(sources) * type_.elements
    access = InstructionAccess(space, type_.dtype, elements, "write", *_order(match))
    base, offset = builder.address(match.operands["a"], space)
    values = [builder.source(source, type_, relaxed=True) for source in sources]
    if type_.elements > 1:
        values = [f"{value}[..., {i}]" for value in values for i in range(type_.elements)]
    builder.line(
        f"group.memory.store(group, {base}, {offset}, ({', '.join(values)},), "
        f"{builder.mask}, {builder.bind(access)})"
    )


_BULK_BYTES = 8
"""The size of `st.bulk` is a multiple of this many bytes (PTX ISA, "st.bulk")."""


def _fill(
    group: ThreadGroup, address: Array, size: Array, mask: Mask | None, *, offset: int, space: Space
) -> None:
    """Writes as many zero bytes to shared memory as each thread's size."""
    active = group.active() if mask is None else np.broadcast_to(mask, group.shape)
    sizes = np.where(active, size, np.uint64(0))
    if (uneven := active & (sizes % _BULK_BYTES != 0)).any():
        raise LaneFault(f"the size is not a multiple of {_BULK_BYTES} bytes", uneven)
    access = InstructionAccess(space, np.dtype(np.uint64), 1, "write")
    zeros = (np.zeros(group.shape, np.uint64),)
    for start in range(0, int(sizes.max()), _BULK_BYTES):
        group.memory.store(group, address, offset + start, zeros, sizes > start, access)


def _emit_bulk_store(builder: BlockBuilder, match: Match) -> None:
    if match.immediate("value") != 0:
        raise match.fail("st.bulk fills memory with 0 only")
    space = memory_space(match)
    base, offset = builder.address(match.operands["a"], space)
    size = builder.source(match.operands["size"], TYPES["u64"])
    fill = builder.bind(partial(_fill, offset=offset, space=space))
    builder.line(f"{fill}(group, {base}, {size}, {builder.mask})")


def _window(match: Match) -> int:
    """The generic address at which the window of the instruction's state space begins."""
    return WINDOWS[memory_space(match).split("::")[0]]


def _emit_convert_address(builder: BlockBuilder, match: Match) -> None:
    """`cvta`: converts between addresses in a state space and generic addresses."""
    type_ = match.type()
    source = match.operands["a"]
    if isinstance(source, Symbol):
        source = Address(Symbol(source.name), source.offset)
    if isinstance(source, Address):
        base, offset = builder.address(source, memory_space(match))
        value = f"({base} + {offset}).astype({builder.bind(type_.dtype)})"
        if (
            isinstance(source.base, Symbol)
            and builder.kernel.symbol_space(source.base.name) == "shared"
        ):
            value = builder.in_own_block(value, type_)
    else:
        value = builder.source(source, type_)
    window = builder.bind(type_.dtype.type(_window(match)))
    sign = "-" if match.has("to") else "+"
    builder.assign(match.operands["d"], type_, f"{value} {sign} {window}")


def _emit_test_space(builder: BlockBuilder, match: Match) -> None:
    """`isspacep`: whether a generic address lies in the window of a space."""
    space = memory_space(match)
    low = _window(match) >> 32
    others = [WINDOWS[name] >> 32 for name in ("param", "local", "shared")]

    def inside(group: ThreadGroup, address: Array) -> Mask:
        window = address >> np.uint64(32)
        if space in ("global", "const"):
            return ~np.isin(window, others)
        if space != "shared" or group.memory.clusters is None:
            return window == low
        own = rank_of(address) == group.memory.clusters.ranks[group.b0 : group.b1]
        return (window == low) & own

    address = builder.source(match.operands["a"], TYPES["u64"])
    call = f"{builder.bind(inside)}(group, {address})"
    builder.assign(match.operands["p"], PREDICATE, call)


def _emit_policy(builder: BlockBuilder, match: Match) -> None:
    """`createpolicy`: a dummy value, as cache hints have no effect."""
    if "total_size" in match.operands:
        builder.address(match.operands["a"], memory_space(match))
        for name in ("primary_size", "total_size"):
            builder.source(match.operands[name], TYPES["u32"])
    elif "a" in match.operands:
        builder.source(match.operands["a"], TYPES["b64"])
    elif (fraction := match.operands.get("fraction")) is not None:
        if isinstance(fraction, Integer):
            raise match.fail("a fraction must be a float")
        builder.source(fraction, TYPES["f32"])
    builder.assign(
        match.operands["policy"], TYPES["b64"], builder.bind(np.zeros((1, 1), np.uint64))
    )


_LINE_BYTES = 128
"""The size that `applypriority` and `discard` accept (PTX ISA, "discard")."""


def _emit_prefetch(builder: BlockBuilder, match: Match) -> None:
    """Checks the address only: a prefetch has no effect on memory."""
    if "size" in match.operands and match.immediate("size") != _LINE_BYTES:
        raise match.fail(f"the size must be a constant of {_LINE_BYTES} bytes")
    builder.address(match.operands["a"], memory_space(match))


_PREFETCH = Compute(_emit_prefetch)

FORMS: tuple[Form, ...] = (
    Form(
        "mov.<type:pred|b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f32|f64> d, a",
        Compute(_emit_move),
    ),
    Form(f"mov.<vector:v2|v4>.<type:{_SCALARS}> d, a", Compute(_emit_move_vector)),
    Form(
        f"ld{{.weak}}{{.{_LOAD_SPACES}}}{{.<cache:ca|cg|cs|lu|cv>}}{_HINTS}{{.{_VECTOR}}}"
        f".<type:{_SCALARS}|b128> d, a{{, policy}}",
        Compute(_emit_load),
    ),
    Form(
        f"ld.volatile{{.{_VOLATILE_SPACES}}}{{.<prefetch:L2::64B|L2::128B|L2::256B>}}{{.{_VECTOR}}}"
        f".<type:{_SCALARS}|b128> d, a",
        Compute(_emit_load),
    ),
    Form(
        f"ld.<semantics:relaxed|acquire>.{SCOPE}{{.{_LOAD_SPACES}}}{_HINTS}{{.{_VECTOR}}}"
        f".<type:{_SCALARS}|b128> d, a{{, policy}}",
        Compute(_emit_load),
    ),
    Form(
        f"ld.mmio.<semantics:relaxed|acquire>.sys{{.<space:global>}}.<type:{_SCALARS}> d, a",
        Compute(_emit_load),
    ),
    Form(
        f"ld.<space:global>{{.<cache:ca|cg|cs>}}.nc{_HINTS}{{.{_VECTOR}}}"
        f".<type:{_SCALARS}|b128> d, a{{, policy}}",
        Compute(_emit_load),
    ),
    Form(f"ldu{{.<space:global>}}{{.<vector:v2|v4>}}.<type:{_SCALARS}> d, a", Compute(_emit_load)),
    Form(
        f"st{{.weak}}{{.{_STORE_SPACES}}}{{.<cache:wb|cg|cs|wt>}}{_EVICTION}{{.L2::cache_hint}}"
        f"{{.{_VECTOR}}}.<type:{_SCALARS}|b128> a, b{{, policy}}",
        Compute(_emit_store),
    ),
    Form(
        f"st.volatile{{.{_VOLATILE_SPACES}}}{{.{_VECTOR}}}.<type:{_SCALARS}|b128> a, b",
        Compute(_emit_store),
    ),
    Form(
        f"st.<semantics:relaxed|release>.{SCOPE}{{.{_STORE_SPACES}}}{_EVICTION}{{.L2::cache_hint}}"
        f"{{.{_VECTOR}}}.<type:{_SCALARS}|b128> a, b{{, policy}}",
        Compute(_emit_store),
    ),
    Form("st.bulk{.weak}{.<space:shared::cta>} a, size, value", Compute(_emit_bulk_store)),
    # A multicast object of one device is memory like any other.
    *(
        Form(f"multimem.ld_reduce{order}{{.<space:global>}}.{reduction} d, a", Compute(_emit_load))
        for order in ("{.weak}", f".<semantics:relaxed|acquire>.{SCOPE}")
        for reduction in (*MULTICAST_REDUCTIONS, "<operation:add>.acc::f32.<type:f16x2|bf16x2>")
    ),
    *(
        Form(
            f"multimem.st{order}{{.<space:global>}}.<type:{_MULTICAST}> a, b",
            Compute(_emit_store),
        )
        for order in ("{.weak}", f".<semantics:relaxed|release>.{SCOPE}")
    ),
    Form(
        f"st.mmio.<semantics:relaxed|release>.sys{{.<space:global>}}.<type:{_SCALARS}> a, b",
        Compute(_emit_store),
    ),
    Form(
        "cvta{.to}.<space:const|global|local|shared|shared::cta|shared::cluster|param"
        "|param::entry>.<type:u64> d, a",
        Compute(_emit_convert_address),
    ),
    Form(
        "isspacep.<space:const|global|local|shared|shared::cta|shared::cluster|param"
        "|param::entry> p, a",
        Compute(_emit_test_space),
    ),
    Form("prefetch{.<space:global|local>}.<level:L1|L2> a", _PREFETCH),
    Form("prefetch{.<space:global>}.<level:L2::evict_last|L2::evict_normal> a", _PREFETCH),
    Form("prefetch{.<space:param|const>}.tensormap a", _PREFETCH),
    Form("prefetchu.L1 a", _PREFETCH),
    Form("applypriority{.<space:global>}.L2::evict_normal a, size", _PREFETCH),
    Form("discard{.<space:global>}.L2 a, size", _PREFETCH),
    Form(
        "createpolicy.fractional.<primary:L2::evict_last|L2::evict_normal|L2::evict_first"
        "|L2::evict_unchanged>{.<secondary:L2::evict_first|L2::evict_unchanged>}"
        ".b64 policy{, fraction}",
        Compute(_emit_policy),
    ),
    Form(
        "createpolicy.range{.<space:global>}.<primary:L2::evict_last|L2::evict_normal"
        "|L2::evict_first|L2::evict_unchanged>{.<secondary:L2::evict_first|L2::evict_unchanged>}"
        ".b64 policy, a, primary_size, total_size",
        Compute(_emit_policy),
    ),
    Form("createpolicy.cvt.L2.b64 policy, a", Compute(_emit_policy)),
)
