"""A small dialect-conversion driver on top of `PatternRewriteWalker`.

xDSL has rewrite patterns but no conversion target, type converter or location-keeping replace;
these are the least that the conversions between stages need.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from tileir_xdsl.diagnostics import fail

TypeConversion = Callable[[Attribute], Attribute | None]
PatternTable = Mapping[type[Operation], RewritePattern]


@dataclass
class TypeConverter:
    """Converts types by the first conversion that applies; a type that none knows stays."""

    conversions: Sequence[TypeConversion]
    _converted: dict[Attribute, Attribute] = field(default_factory=dict[Attribute, Attribute])

    def convert(self, type: Attribute) -> Attribute:
        """The type in the target dialects."""
        if type not in self._converted:
            results = (conversion(type) for conversion in self.conversions)
            self._converted[type] = next((r for r in results if r is not None), type)
        return self._converted[type]

    def convert_all(self, types: Iterable[Attribute]) -> list[Attribute]:
        return [self.convert(type) for type in types]

    def convert_block_arguments(self, region: Region, rewriter: PatternRewriter) -> None:
        """Retypes the arguments of every block, in the same step as the op that owns the region."""
        for block in region.blocks:
            for argument in block.args:
                rewriter.replace_value_with_new_type(argument, self.convert(argument.type))


@dataclass
class OpDispatch(RewritePattern):
    """Applies the pattern of an op's exact class: one look-up in place of a test per pattern."""

    patterns: PatternTable

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        pattern = self.patterns.get(type(op))
        if pattern is not None:
            pattern.match_and_rewrite(op, rewriter)


def replace_op(
    rewriter: PatternRewriter,
    op: Operation,
    new_ops: Operation | Sequence[Operation],
    results: Sequence[SSAValue | None] | None = None,
) -> None:
    """Replaces an op, giving its location to the ops that stand in its place.

    Without `results`, the results of the last new op take the place of the old ones.
    """
    new_ops = (new_ops,) if isinstance(new_ops, Operation) else tuple(new_ops)
    for new_op in new_ops:
        new_op.location = op.location
    rewriter.replace(op, new_ops, results)


@dataclass(frozen=True)
class ConversionTarget:
    """What may not be left after a conversion, and the diagnostic when it is."""

    failure: str
    illegal_dialects: frozenset[str] = frozenset()
    illegal_ops: frozenset[str] = frozenset()

    def is_legal(self, op: Operation) -> bool:
        return op.name not in self.illegal_ops and dialect_name(op) not in self.illegal_dialects


def dialect_name(op: Operation) -> str:
    """The name before the first dot."""
    return op.name.partition(".")[0]


def apply_partial_conversion(
    module: ModuleOp, patterns: PatternTable, target: ConversionTarget
) -> None:
    """Rewrites every op once, parents before their regions, then rejects what is still illegal.

    Raises `PassFailedException` with the target's diagnostic, and a note that names the op.
    """
    PatternRewriteWalker(OpDispatch(patterns), apply_recursively=False).rewrite_module(module)
    for op in module.walk():
        if not target.is_legal(op):
            fail(op, target.failure)
