"""A small dialect-conversion driver on top of `PatternRewriteWalker`.

xDSL has rewrite patterns, but no conversion target, type converter or replacement that keeps
locations. This module adds the minimum that the conversions between levels need.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.walking import ops_in

TypeConversion = Callable[[Attribute], Attribute | None]
PatternTable = Mapping[type[Operation], RewritePattern]


@dataclass
class TypeConverter:
    """Converts types by the first conversion that applies; other types stay unchanged."""

    conversions: Sequence[TypeConversion]
    _converted: dict[Attribute, Attribute] = field(default_factory=dict[Attribute, Attribute])

    def convert(self, type: Attribute) -> Attribute:
        """The converted type."""
        if type not in self._converted:
            results = (conversion(type) for conversion in self.conversions)
            self._converted[type] = next((r for r in results if r is not None), type)
        return self._converted[type]

    def convert_all(self, types: Iterable[Attribute]) -> list[Attribute]:
        return [self.convert(type) for type in types]


@dataclass
class Conversion:
    """The state of one conversion, with the new values of converted ops.

    A `PatternRewriter` replaces an op at once, and its users then read values of new types. The
    patterns of an op's users, however, need facts of its old types, such as the padding of a view.
    So converted ops stay in place, with their operands and types, until all ops have been visited;
    then `finish` erases them.
    """

    converter: TypeConverter
    _values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    _target_casts: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    _converted_ops: list[Operation] = field(default_factory=list[Operation])

    def value(self, value: SSAValue) -> SSAValue:
        """The converted value; a value without one is cast to its new type.

        Definitions are visited before uses, so only values of unconverted ops are cast.
        """
        stand_in = self._values.get(value)
        if stand_in is not None:
            return stand_in
        new_type = self.converter.convert(value.type)
        if new_type == value.type:
            return value
        if value not in self._target_casts:
            self._target_casts[value] = _cast_at_definition(value, new_type)
        return self._target_casts[value]

    def optional(self, value: SSAValue | None) -> SSAValue | None:
        return None if value is None else self.value(value)

    def values(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        return [self.value(value) for value in values]

    def replace(
        self,
        rewriter: PatternRewriter,
        op: Operation,
        new_ops: Operation | Sequence[Operation],
        results: Sequence[SSAValue | None] | None = None,
    ) -> None:
        """Inserts new ops for an op, with its location; None in `results` is an unused result.

        Without `results`, the results of the last new op replace the old ones.
        """
        new_ops = (new_ops,) if isinstance(new_ops, Operation) else tuple(new_ops)
        for new_op in new_ops:
            new_op.location = op.location
        rewriter.insert(new_ops, InsertPoint.before(op))
        # It goes at the end, also where nothing new takes its place.
        rewriter.notify_op_modified(op)
        if results is None:
            results = new_ops[-1].results
        for old, new in zip(op.results, results, strict=True):
            if new is not None:
                self._map(old, new)
        self._converted_ops.append(op)

    def move_block(self, block: Block) -> Block:
        """A block with converted arguments, into which all ops of another block are moved."""
        new_block = Block(arg_types=self.converter.convert_all(block.arg_types))
        for old, new in zip(block.args, new_block.args, strict=True):
            new.location = old.location
            self._map(old, new)
        for op in tuple(block.ops):
            op.detach()
            new_block.add_op(op)
        return new_block

    def reconcile(self, cast: UnrealizedConversionCastOp) -> None:
        """Removes a cast whose input has been converted to the converted type of its result."""
        if len(cast.inputs) != 1 or len(cast.outputs) != 1:
            return
        source = self._values.get(cast.inputs[0], cast.inputs[0])
        if source.type == self.converter.convert(cast.outputs[0].type):
            self._map(cast.outputs[0], source)
            self._converted_ops.append(cast)

    def _map(self, old: SSAValue, new: SSAValue) -> None:
        self._values[old] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def finish(self) -> None:
        """Erases the converted ops; uses that were not converted get the old types by casts."""
        converted = set(self._converted_ops)
        for old, new in self._values.items():
            uses = [use for use in old.uses if use.operation not in converted]
            for use in uses:
                if new.type == old.type:
                    use.operation.operands[use.index] = new
                    continue
                cast, result = UnrealizedConversionCastOp.cast_one(new, old.type)
                block = use.operation.parent
                assert block is not None
                block.insert_op_before(cast, use.operation)
                use.operation.operands[use.index] = result
        for op in reversed(self._converted_ops):
            op.detach()
            op.erase()


def _cast_at_definition(value: SSAValue, type: Attribute) -> SSAValue:
    """A cast of a value to another type, directly after its definition."""
    cast, result = UnrealizedConversionCastOp.cast_one(value, type)
    if isinstance(value.owner, Block):
        Rewriter.insert_op(cast, InsertPoint.at_start(value.owner))
    else:
        Rewriter.insert_op(cast, InsertPoint.after(value.owner))
    return result


@dataclass
class ReconcileCast(RewritePattern):
    """Removes casts that an earlier, partial conversion left."""

    conversion: Conversion

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, UnrealizedConversionCastOp)
        self.conversion.reconcile(op)


@dataclass
class OpDispatch(RewritePattern):
    """Applies the pattern of an op's class, found by one look-up."""

    patterns: PatternTable
    _found: dict[type[Operation], RewritePattern | None] = field(
        default_factory=dict[type[Operation], RewritePattern | None], init=False
    )
    """The pattern of each class of ops seen so far."""

    def pattern_of(self, op: Operation) -> RewritePattern | None:
        """The pattern of an op's class, if there is one."""
        cls = type(op)
        try:
            return self._found[cls]
        except KeyError:
            return self._found.setdefault(cls, look_up(self.patterns, op))

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        pattern = self.pattern_of(op)
        if pattern is not None:
            pattern.match_and_rewrite(op, rewriter)


def _every(_op: Operation) -> bool:
    return True


class VisitedOps(Region):
    """A region that makes xDSL's walker visit only chosen ops of a scope.

    The walker visits all ops that `walk` of its region yields, and sets up a rewriter for each op.
    """

    def __init__(self, scope: Operation | Region, wants: Callable[[Operation], bool] = _every):
        super().__init__()
        self.scope, self.wants = scope, wants

    def walk(self, *, reverse: bool = False, region_first: bool = False) -> Iterator[Operation]:
        """The chosen ops, in the order of `walk` of the scope."""
        ops = ops_in(self.scope, inside_first=reverse != region_first)
        return filter(self.wants, reversed(ops) if reverse else ops)


class Walker(PatternRewriteWalker):
    """Visits the same ops as its base class, without a generator for each level of nesting."""

    def rewrite_region(self, region: Region) -> bool:
        return super().rewrite_region(VisitedOps(region))


class DispatchWalker(PatternRewriteWalker):
    """Visits once each op for which a table has a pattern.

    A walk over all ops would set up rewriters for ops without a pattern, too.
    """

    def __init__(
        self,
        patterns: PatternTable,
        *,
        walk_regions_first: bool = False,
        walk_reverse: bool = False,
    ):
        self._dispatch = OpDispatch(patterns)
        super().__init__(
            self._dispatch,
            walk_regions_first=walk_regions_first,
            walk_reverse=walk_reverse,
            apply_recursively=False,
        )

    def rewrite(self, scope: Operation) -> bool:
        """Visits an op and the ops nested in it; returns whether a pattern changed the IR."""
        return self.rewrite_region(VisitedOps(scope, self._wants))

    def _wants(self, op: Operation) -> bool:
        return self._dispatch.pattern_of(op) is not None


@dataclass(frozen=True)
class WriteAttributes(RewritePattern):
    """Sets the attributes of ops to those of a plan."""

    plan: Mapping[Operation, Mapping[str, Attribute]]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if (planned := self.plan.get(op)) is not None:
            op.attributes.update(planned)
            rewriter.notify_op_modified(op)

    def execute(self, scope: Operation) -> None:
        """Sets the planned attributes of ops of a scope."""
        DispatchWalker(dict.fromkeys(map(type, self.plan), self)).rewrite(scope)


EntryT = TypeVar("EntryT")


def look_up(table: Mapping[type[Operation], EntryT], op: Operation) -> EntryT | None:
    """The entry of an op's class, or of the closest base class of an op definition."""
    for cls in type(op).__mro__:
        if cls in table:
            return table[cls]
        if cls is IRDLOperation:
            return None
    return None


def replace_op(
    rewriter: PatternRewriter,
    op: Operation,
    new_ops: Operation | Sequence[Operation],
    results: Sequence[SSAValue | None] | None = None,
) -> None:
    """Replaces an op by new ops, which get its location.

    Without `results`, the results of the last new op replace the old ones.
    """
    new_ops = (new_ops,) if isinstance(new_ops, Operation) else tuple(new_ops)
    for new_op in new_ops:
        new_op.location = op.location
    rewriter.replace(op, new_ops, results)


@dataclass(frozen=True)
class ConversionTarget:
    """Ops and types that are illegal after a conversion, and the diagnostic for them.

    Of an illegal dialect, neither ops nor types may remain.
    """

    failure: str
    illegal_dialects: frozenset[str] = frozenset()
    illegal_ops: frozenset[str] = frozenset()

    def is_legal(self, op: Operation) -> bool:
        """Whether an op and the types of its operands, results and block arguments are legal.

        A cast is legal, since the op that needs the cast is checked.
        """
        if isinstance(op, UnrealizedConversionCastOp):
            return True
        if op.name in self.illegal_ops or dialect_name(op) in self.illegal_dialects:
            return False
        arguments = (a for region in op.regions for block in region.blocks for a in block.args)
        values = chain(op.operands, op.results, arguments)
        return all(self.is_legal_type(value.type) for value in values)

    def is_legal_type(self, type: Attribute) -> bool:
        """Whether a type is legal."""
        return type.name.partition(".")[0] not in self.illegal_dialects


def dialect_name(op: Operation) -> str:
    """The dialect of an op's name: the part before the first dot."""
    return op.name.partition(".")[0]


def apply_partial_conversion(
    module: ModuleOp,
    patterns: PatternTable,
    target: ConversionTarget,
    conversion: Conversion | None = None,
) -> None:
    """Applies patterns to every op once, parents before their regions, then rejects illegal ops.

    Raises `PassFailedException` with the target's diagnostic, and a note that names the op.
    """
    convert_ops(module, patterns, conversion)
    reject_illegal_ops(module, target)


def convert_ops(
    module: ModuleOp, patterns: PatternTable, conversion: Conversion | None = None
) -> None:
    """Applies patterns to every op once, parents before their regions."""
    if conversion is not None:
        patterns = {UnrealizedConversionCastOp: ReconcileCast(conversion), **patterns}
    DispatchWalker(patterns).rewrite(module)
    if conversion is not None:
        conversion.finish()


def reject_illegal_ops(module: ModuleOp, target: ConversionTarget) -> None:
    """Raises `PassFailedException` with the target's diagnostic, and a note that names the op."""
    for op in ops_in(module):
        if not target.is_legal(op):
            fail(op, target.failure)
