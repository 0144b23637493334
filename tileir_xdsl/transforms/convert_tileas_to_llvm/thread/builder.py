"""Builds llvm ops for one thread at a rewriter's insertion point.

Integers may be static: `int | SSAValue`. Arithmetic on static integers is folded while building, so
that register-dependent offsets become address immediates, not instructions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    UnknownLoc,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from tileir_xdsl.dialects.llvm.loads_and_stores import MaskedLoadOp, MaskedStoreOp
from tileir_xdsl.dialects.llvm.values import ExtractElementOp, PoisonOp
from tileir_xdsl.dialects.nvvm.special_registers import ThreadIdXOp

Index: TypeAlias = int | SSAValue

WAVEFRONTS_ATTRIBUTE = "nv_tileas.wavefronts"
"""An attribute with the expected wavefronts of a warp's shared-memory access, set on request."""

# Measured with 4 or 8: of the reference programs one changes, by one instruction.
CARRIED_STRIDES = 16
"""The longest chain of strides by which a pointer is derived before it is recomputed from its
base.
"""

CONSTANT_INDICES = range(llvm.GEP_USE_SSA_VAL + 1, 1 << 31)
"""The static indices of `llvm.getelementptr`: i32, whose minimum marks a dynamic index."""

ICMP_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""Predicates of `llvm.icmp` in the order of their encoding."""

_PREDICATES = {name: IntegerAttr(number, i64) for number, name in enumerate(ICMP_PREDICATES)}


@dataclass(frozen=True)
class _Made:
    """A prototype op, and the key from which it was built, which must stay alive."""

    arguments: tuple[object, ...]
    result_types: tuple[Attribute, ...]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]


MOST_MADE = 4096
"""The most cached prototypes: enough for all op classes and types of common kernels."""

_made: dict[tuple[object, ...], _Made] = {}


def build_op(
    op: type[Operation], *arguments: object, fast_math: Attribute | None = None
) -> Operation:
    """`op(*arguments)` for an op whose operands are the arguments that are values.

    Operand types and the other arguments determine everything else, so the op is copied from a
    prototype. Constructors of xDSL take three times as long as copying.
    """
    operands, given = list[SSAValue](), list[object]()
    for argument in arguments:
        # By class: `isinstance` with the abstract base of values takes many times as long.
        if type(argument) is OpResult or type(argument) is BlockArgument:
            operands.append(argument)
            given.append(argument.type)
        else:
            given.append(argument)
    # By identity, which is faster than comparing types; `_made` keeps the objects alive.
    key = (op, id(fast_math), *map(id, given))
    made = _made.get(key)
    if made is not None:
        return op.create(
            operands=operands,
            result_types=made.result_types,
            properties=made.properties,
            attributes=made.attributes,
        )
    named: dict[str, Any] = {} if fast_math is None else {"fast_math": fast_math}
    new = op(*arguments, **named)
    is_plain = not new.regions and not new.successors
    # A constructor that adds or reorders operands cannot be copied by its arguments.
    if is_plain and [*new.operands] == operands:
        if len(_made) >= MOST_MADE:
            _made.clear()
        _made[key] = _Made(
            (*given, fast_math), (*new.result_types,), dict(new.properties), dict(new.attributes)
        )
    return new


@cache
def vector_type(element: Attribute, count: int) -> VectorType[Attribute]:
    """A vector type of `count` elements."""
    return VectorType(element, (count,))


@lru_cache(maxsize=MOST_MADE)
def _properties_of_gep(index: int, element: Attribute) -> Mapping[str, Attribute]:
    """The properties of an `llvm.getelementptr` with one index."""
    return {
        "rawConstantIndices": DenseArrayBase.from_list(i32, [index]),
        "elem_type": element,
        "noWrapFlags": IntegerAttr(0, i32),
    }


@cache
def _position(number: int) -> DenseArrayBase:
    """The position of a field of a structure."""
    return DenseArrayBase.from_list(i64, [number])


@dataclass(frozen=True)
class Scope:
    """Values computed so far in a branch arm or a loop body; they dominate the rest of it."""

    results: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    groups: dict[int, tuple[SSAValue, ...]] = field(default_factory=dict[int, tuple[SSAValue, ...]])
    """Values by the `KnownValues.number` of their keys."""


@dataclass(frozen=True)
class KnownValues:
    """The constants and pure results of a function, which ops share."""

    entry: Block
    """The first block of the function."""
    constants: dict[tuple[Attribute, Attribute], SSAValue] = field(
        default_factory=dict[tuple[Attribute, Attribute], SSAValue]
    )
    integers: dict[tuple[int, int], SSAValue] = field(
        default_factory=dict[tuple[int, int], SSAValue]
    )
    """Integer constants, by value and width."""
    at_definition: dict[tuple[SSAValue, ...], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, ...], SSAValue]
    )
    """Computations that were emitted at the end of the block that defines their operands."""
    scopes: dict[Block, tuple[Scope, ...]] = field(default_factory=dict[Block, tuple[Scope, ...]])
    """The scopes whose results dominate the end of a block, innermost last."""
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])

    def __post_init__(self) -> None:
        self.scopes[self.entry] = (Scope(),)

    def number(self, key: tuple[object, ...]) -> int:
        """An integer that is the same for equal keys, so that scopes need not hash keys."""
        return self._numbers.setdefault(key, len(self._numbers))

    @property
    def last(self) -> Block:
        """The last block of the function, where the code of the next op begins."""
        region = self.entry.parent
        block = None if region is None else region.last_block
        return self.entry if block is None else block


class LLVMBuilder:
    """Appends ops to the last block of a function through a rewriter, and reuses constants and
    pure results where they dominate.

    `open_scope` and `close_scope` delimit a branch arm or a loop body, whose results do not
    dominate later code.
    """

    def __init__(
        self,
        rewriter: Builder,
        known: KnownValues,
        location: LocationAttr | None = None,
        *,
        notes_wavefronts: bool = False,
        first_thread: int = 0,
        threads: int | None = None,
    ):
        """Moves the insertion point of the rewriter to the end of the function.

        `notes_wavefronts` annotates shared-memory accesses with their expected wavefronts per warp.
        This many `threads` of the block, from `first_thread` on, execute the code; None stands for
        all threads of the layouts.
        """
        self.location = UnknownLoc() if location is None else location
        self.notes_wavefronts, self.first_thread = notes_wavefronts, first_thread
        self.threads = threads
        self._rewriter, self._known = rewriter, known
        self.block = block = known.last
        self._scopes = known.scopes[block]

    # Blocks.

    @property
    def block(self) -> Block:
        """The block to which ops are appended."""
        return self._rewriter.insertion_point.block

    @block.setter
    def block(self, block: Block) -> None:
        self._rewriter.insertion_point = InsertPoint.at_end(block)

    def enter(self, block: Block) -> None:
        """Appends a block to the function and continues there."""
        region = self._known.entry.parent
        assert region is not None
        region.add_block(block)
        self.block = block
        self._known.scopes[block] = self._scopes

    def open_scope(self) -> None:
        """Opens a scope, whose results `close_scope` forgets."""
        self._set_scopes((*self._scopes, Scope()))

    def close_scope(self) -> None:
        """Closes the innermost scope, and forgets the results computed in it."""
        self._set_scopes(self._scopes[:-1])

    def merge_scope(self) -> None:
        """Ends the innermost scope, but keeps its results, which dominate the following ops."""
        *_, outer, inner = self._scopes
        outer.results.update(inner.results)
        outer.groups.update(inner.groups)
        self.close_scope()

    def _set_scopes(self, scopes: tuple[Scope, ...]) -> None:
        # By block, so that the pattern of a later op continues with them.
        self._scopes = self._known.scopes[self.block] = scopes

    def insert(self, op: Operation) -> SSAValue:
        """Appends an op and returns its first result, if it has one."""
        op.location = self.location
        self._rewriter.insert(op)
        return op.results[0]

    def insert_without_result(self, op: Operation) -> None:
        op.location = self.location
        self._rewriter.insert(op)

    def compute(self, op: type[Operation], *arguments: object) -> SSAValue:
        """The result of a pure op, which is appended only on the first request."""
        number = self._known.number((op, *arguments))
        for scope in reversed(self._scopes):
            if number in scope.results:
                return scope.results[number]
        result = self.insert(build_op(op, *arguments))
        self._scopes[-1].results[number] = result
        return result

    def compute_again(self, op: type[Operation], *arguments: object) -> SSAValue:
        """Computes as `compute`, but emits a new op, whose result is used until the scope ends."""
        result = self.insert(build_op(op, *arguments))
        self._scopes[-1].results[self._known.number((op, *arguments))] = result
        return result

    def once(
        self, key: tuple[object, ...], emit: Callable[[], tuple[SSAValue, ...]]
    ) -> tuple[SSAValue, ...]:
        """Results shared by several ops, emitted at the first use of a key."""
        values = self._known_group(key)
        if values is None:
            values = self._scopes[-1].groups[self._known.number(key)] = emit()
        return values

    def at_definition(self, values: Sequence[SSAValue], emit: Callable[[], SSAValue]) -> SSAValue:
        """Emits a computation on some values at the end of the block that defines all of them.

        So several branches share the value. If several blocks define the values, or the block has
        no terminator yet, as the current block, the computation is emitted here. The computation is
        also emitted here for block arguments: at the start of a loop, hardware may still read the
        registers of the previous iteration.
        """
        owners = {value.owner for value in values}
        blocks = {owner.parent if isinstance(owner, Operation) else None for owner in owners}
        # The end of the one block dominates whatever those values dominate.
        source = blocks.pop() if len(blocks) == 1 else None
        end = None if source is None else source.last_op
        if source is None or end is None or not end.has_trait(IsTerminator):
            return emit()
        key, known = tuple(values), self._known.at_definition
        if key not in known:
            here = self.block
            end.detach()
            self.block = source
            known[key] = emit()
            source.add_op(end)
            self.block = here
        return known[key]

    def after_definitions(
        self, values: Sequence[SSAValue], emit: Callable[[], SSAValue]
    ) -> SSAValue:
        """Emits a computation after its last operand if one block defines them all; otherwise here.

        So the operands need not stay live until the result is used.
        """
        owners = {owner for value in values if isinstance(owner := value.owner, Operation)}
        blocks = {owner.parent for owner in owners}
        if len(blocks) != 1 or any(isinstance(value.owner, Block) for value in values):
            return emit()
        (block,) = blocks
        assert block is not None
        last = next(op for op in reversed(block.ops) if op in owners)
        here = self._rewriter.insertion_point
        self._rewriter.insertion_point = InsertPoint.after(last)
        result = emit()
        self._rewriter.insertion_point = (
            InsertPoint.at_end(here.block) if here.insert_before is None else here
        )
        return result

    def _known_group(self, key: tuple[object, ...]) -> tuple[SSAValue, ...] | None:
        number = self._known.number(key)
        for scope in reversed(self._scopes):
            if number in scope.groups:
                return scope.groups[number]
        return None

    # Constants.

    def constant(self, value: Attribute, type: Attribute) -> SSAValue:
        """A constant of any type, emitted before everything else in the function."""
        key, constants = (value, type), self._known.constants
        if key not in constants:
            op = llvm.ConstantOp(value, type)
            op.location = self.location
            # In the entry block, so that constants dominate all uses, whatever scope asks for them.
            self._rewriter.insert(op, InsertPoint.at_start(self._known.entry))
            constants[key] = op.result
        return constants[key]

    def integer(self, value: Index, type: IntegerType) -> SSAValue:
        """An index as a value of an integer type; an index that is a value must have this type."""
        if not isinstance(value, int):
            return value
        integers, width = self._known.integers, type.width.data
        known = integers.get((value, width))
        if known is None:
            known = self.constant(IntegerAttr(value, type, truncate_bits=True), type)
            integers[value, width] = known
        return known

    # Integer arithmetic.

    def add(self, lhs: Index, rhs: Index, type: IntegerType) -> Index:
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs + rhs
        if lhs == 0:
            return rhs
        if rhs == 0:
            return lhs
        return self.compute(llvm.AddOp, self.integer(lhs, type), self.integer(rhs, type))

    def multiply(self, lhs: Index, rhs: Index, type: IntegerType) -> Index:
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs * rhs
        if lhs == 0 or rhs == 0:
            return 0
        if lhs == 1:
            return rhs
        if rhs == 1:
            return lhs
        if isinstance(lhs, int):
            # Constant operands on the right become address scales.
            lhs, rhs = rhs, lhs
        return self.compute(llvm.MulOp, self.integer(lhs, type), self.integer(rhs, type))

    def subtract(self, lhs: Index, rhs: Index, type: IntegerType) -> Index:
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs - rhs
        if rhs == 0:
            return lhs
        return self.compute(llvm.SubOp, self.integer(lhs, type), self.integer(rhs, type))

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.compute(llvm.ICmpOp, lhs, rhs, self.predicate(predicate))

    @staticmethod
    def predicate(name: str) -> IntegerAttr[IntegerType]:
        """A predicate of `llvm.icmp` by its name."""
        return _PREDICATES[name]

    def select(self, condition: SSAValue, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.insert(llvm.SelectOp(condition, lhs, rhs))

    def conjunction(self, conditions: Sequence[SSAValue]) -> SSAValue | None:
        """The conjunction of conditions; None if there are none."""
        result = None
        for condition in conditions:
            result = condition if result is None else self.compute(llvm.AndOp, result, condition)
        return result

    def sign_extend(self, value: Index, type: IntegerType) -> Index:
        if isinstance(value, int) or value.type == type:
            return value
        return self.compute(llvm.SExtOp, value, type)

    def zero_extend(self, value: Index, type: IntegerType) -> Index:
        if isinstance(value, int) or value.type == type:
            return value
        return self.compute(llvm.ZExtOp, value, type)

    def truncate(self, value: Index, type: IntegerType) -> Index:
        if isinstance(value, int) or value.type == type:
            return value
        return self.compute(llvm.TruncOp, value, type)

    def resize(self, value: Index, type: IntegerType) -> Index:
        """Extends an unsigned number to another type, or truncates it."""
        if isinstance(value, int):
            return value
        assert isinstance(value.type, IntegerType)
        is_narrower = type.width.data < value.type.width.data
        return (self.truncate if is_narrower else self.zero_extend)(value, type)

    # The thread.

    def thread_index(self) -> SSAValue:
        """The index of this thread among those that execute the current region, as i32."""
        index = self.compute(ThreadIdXOp)
        # Layouts count threads from 0 in every agent.
        if not self.first_thread:
            return index
        return self.compute(llvm.SubOp, index, self.integer(self.first_thread, i32))

    def thread_offset(self, bases: tuple[int, ...]) -> Index:
        """The offset that the bits of the thread index contribute through disjoint bases.

        A run of bases, each twice the one before, becomes one shift and mask. Bits without a base
        contribute nothing.
        """
        further = self.threads is not None and self.threads > 1 << len(bases)
        total: Index = 0
        for first, length in _doubling_runs(bases):
            bits = self.thread_index()
            if first:
                bits = self.compute(llvm.LShrOp, bits, self.integer(first, i32))
            # Higher bits of the index are another warp's, or a thread without elements.
            if further or first + length < len(bases):
                bits = self.compute(llvm.AndOp, bits, self.integer((1 << length) - 1, i32))
            total = self.add(total, self.multiply(bits, bases[first], i32), i32)
        return total

    # Memory.

    def element_pointer(self, pointer: SSAValue, offset: Index, element: Attribute) -> SSAValue:
        """A pointer moved by `offset` elements, modulo 2**64; offsets that are values are
        signed.
        """
        if offset == 0:
            return pointer
        pointer_type = pointer.type
        assert isinstance(pointer_type, llvm.LLVMPointerType)

        # `llvm.getelementptr` stores static indices as i32.
        if isinstance(offset, int) and offset not in CONSTANT_INDICES:
            offset = self.integer(offset, i64)

        def emit() -> tuple[SSAValue, ...]:
            index, operands = (
                (offset, [pointer])
                if isinstance(offset, int)
                else (llvm.GEP_USE_SSA_VAL, [pointer, offset])
            )
            # Not by its constructor, which makes the same attributes again for each pointer.
            op = llvm.GEPOp.create(
                operands=operands,
                result_types=[pointer_type],
                properties=_properties_of_gep(index, element),
            )
            return (self.insert(op),)

        return self.once((llvm.GEPOp, pointer, offset, element), emit)[0]

    def strided_pointer(
        self, pointer: SSAValue, count: int, stride: Index, element: Attribute
    ) -> SSAValue:
        """A pointer moved by `count` strides, derived from the nearest earlier one."""
        if isinstance(stride, int) or count == 0:
            return self.element_pointer(pointer, self.multiply(stride, count, i64), element)
        key = ("strides", pointer, stride, element)

        def emit() -> tuple[SSAValue, ...]:
            start, rest = pointer, count
            # A long chain would be computed one after the other, before the first access can start.
            for known in range(max(1, count - CARRIED_STRIDES), count):
                if (values := self._known_group((*key, known))) is not None:
                    (start,), rest = values, count - known
            return (self.element_pointer(start, self.multiply(stride, rest, i64), element),)

        return self.once((*key, count), emit)[0]

    def vector(self, elements: Sequence[SSAValue]) -> SSAValue:
        """A vector of the given elements."""
        result = self.insert(build_op(PoisonOp, vector_type(elements[0].type, len(elements))))
        for number, element in enumerate(elements):
            position = self.integer(number, i32)
            result = self.insert(build_op(llvm.InsertElementOp, result, element, position))
        return result

    def elements(self, vector: SSAValue, count: int) -> list[SSAValue]:
        """The elements of a vector."""
        return [
            self.insert(build_op(ExtractElementOp, vector, self.integer(number, i32)))
            for number in range(count)
        ]

    def field(self, structure: SSAValue, number: int) -> SSAValue:
        """A field of a structure."""
        type = structure.type
        assert isinstance(type, llvm.LLVMStructType)
        extracted = type.types.data[number]
        return self.insert(build_op(llvm.ExtractValueOp, _position(number), structure, extracted))

    def load(
        self,
        pointer: SSAValue,
        element: Attribute,
        alignment: int,
        masks: Sequence[SSAValue | None],
        others: Sequence[SSAValue] | None,
        wavefronts: int | None = None,
    ) -> list[SSAValue]:
        """Loads neighbouring elements, one per mask; masked-off elements become `others`."""
        count = len(masks)
        type = vector_type(element, count)
        mask = self._mask(masks)
        if mask is not None:
            passed = None if others is None else self.vector(others)
            # `llvm.intr.masked.load` takes vectors alone, even of one element.
            load = build_op(MaskedLoadOp, pointer, mask, passed, type, alignment)
            return self.elements(self.insert(load), count)
        load = build_op(llvm.LoadOp, pointer, element if count == 1 else type, alignment)
        self.note_wavefronts(load, wavefronts)
        loaded = self.insert(load)
        return [loaded] if count == 1 else self.elements(loaded, count)

    def store(
        self,
        pointer: SSAValue,
        values: Sequence[SSAValue],
        alignment: int,
        masks: Sequence[SSAValue | None],
        wavefronts: int | None = None,
    ) -> None:
        """Stores neighbouring elements, except where a mask is off."""
        mask = self._mask(masks)
        if mask is not None:
            op = build_op(MaskedStoreOp, self.vector(values), pointer, mask, alignment)
        else:
            value = values[0] if len(values) == 1 else self.vector(values)
            op = build_op(llvm.StoreOp, value, pointer, alignment)
        self.note_wavefronts(op, wavefronts)
        self.insert_without_result(op)

    def note_wavefronts(self, op: Operation, count: int | None) -> None:
        """Annotates a shared-memory access with its expected wavefronts per warp."""
        if self.notes_wavefronts and count is not None:
            op.attributes[WAVEFRONTS_ATTRIBUTE] = IntegerAttr(count, i32)

    def _mask(self, masks: Sequence[SSAValue | None]) -> SSAValue | None:
        if all(mask is None for mask in masks):
            return None
        return self.vector([self.integer(1, i1) if mask is None else mask for mask in masks])


def _doubling_runs(bases: tuple[int, ...]) -> list[tuple[int, int]]:
    """The first bit and length of each maximal run of non-zero bases, each twice the one before."""
    runs: list[tuple[int, int]] = []
    for bit, base in enumerate(bases):
        if not base:
            continue
        if runs and runs[-1][0] + runs[-1][1] == bit and base == 2 * bases[bit - 1]:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((bit, 1))
    return runs
