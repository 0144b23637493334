"""Remarks on hints that are ignored, and on programs that the specification forbids.

Hints never change the result of a program. An invalid hint is dropped, with a remark that gives the
reason. A program that breaks a rule of the specification, but that `tileiras` accepts, is accepted
with a remark that names the rule.

Source: Tile IR specification, section 8 (operations); `tileiras` determines what is accepted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import HINT_NOT_HAD, OUTSIDE_SPECIFICATION, remark
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.float_formats import FORMATS, holds_all
from tileir_xdsl.dialects.cuda_tile.hints import hint_problems
from tileir_xdsl.dialects.cuda_tile.neutral_elements import implied_identity, is_wrong
from tileir_xdsl.dialects.cuda_tile.types import TileType, element_name, is_power_of_two
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ancestors, ops_in

from .functions import used_value

HINTS = "optimization_hints"
LOOPS = ("cuda_tile.for", "cuda_tile.loop")


def remark_input(module: ModuleOp, target: Target) -> None:
    """Emits remarks on all ops of a module, and removes their invalid hints."""
    for op in ops_in(module):
        _check_hints(op)
        if isinstance(op, cuda_tile.EntryOp):
            _check_launch(op, target)
        if (rule := RULES.get(op.name)) is not None:
            for message in rule(op):
                remark(op, OUTSIDE_SPECIFICATION, message)


# Hints


def _check_hints(op: Operation) -> None:
    hints = op.properties.get(HINTS)
    if not isinstance(hints, OptimizationHintsAttr):
        return
    problems = dict(hint_problems(op))
    for message in problems.values():
        remark(op, HINT_NOT_HAD, f"{message}: the hint is ignored")
    if problems:
        kept: dict[str, Attribute] = {}
        for architecture, entry in hints.value.data.items():
            if (architecture, None) not in problems and isinstance(entry, DictionaryAttr):
                valid = {k: v for k, v in entry.data.items() if (architecture, k) not in problems}
                kept[architecture] = DictionaryAttr(valid)
        op.properties[HINTS] = OptimizationHintsAttr(kept)


def _check_launch(op: cuda_tile.EntryOp, target: Target) -> None:
    """Emits remarks on valid hints of a kernel whose values the target does not support."""
    hints = op.optimization_hints
    if hints is None:
        return
    for key, asked in hints.hints_for(f"sm_{target.compute_capability}").items():
        used = used_value(key, asked, target)
        if used != asked:
            remark(
                op,
                HINT_NOT_HAD,
                f"{key} of {asked} is not possible on {target.name}: {used} is used",
            )


# Rules of the specification, each with what is done instead


def _assume(op: Operation) -> Iterator[str]:
    """Section 8.12.1: the groups of assume predicates are not empty."""
    assert isinstance(op, cuda_tile.AssumeOp)
    match op.predicate:
        case cuda_tile.DivByAttr() as predicate if predicate.every_value == 0:
            yield "'every' of 'div_by' must be positive, got 0: the assumption is ignored"
        case cuda_tile.SameElementsAttr() as predicate:
            if not predicate.get_values():
                yield "'same_elements' without a value states nothing: the assumption is ignored"
            elif 0 in predicate.get_values():
                yield "a value of 'same_elements' must be positive, got 0: it is taken as 1"
        case _:
            pass


def _global(op: Operation) -> Iterator[str]:
    """Section 8.3.11: alignments; in PTX, they are powers of two (PTX ISA, `.align`)."""
    assert isinstance(op, cuda_tile.GlobalOp)
    alignment = op.alignment.value.data
    if alignment and not is_power_of_two(alignment):
        used = 1 << alignment.bit_length()
        yield f"'alignment' must be a power of two, got {alignment}: {used} is used"


def _return(op: Operation) -> Iterator[str]:
    """Sections 8.5.4, 8.5.6 and 8.5.7: a loop contains no return."""
    if (around := next((loop for loop in ancestors(op) if loop.name in LOOPS), None)) is not None:
        yield f"'{op.name}' must not leave a '{around.name}': it ends the kernel all the same"


def _for(op: Operation) -> Iterator[str]:
    """Section 8.5.4: the step is positive."""
    assert isinstance(op, cuda_tile.ForOp)
    step = _known_integer(op.step)
    if step is not None and step <= 0 and not (op.unsigned_cmp is not None and step):
        yield f"'step' of '{op.name}' must be positive, got {step}"


def _ftof(op: Operation) -> Iterator[str]:
    """Section 8.4.3: an exact conversion has no rounding mode."""
    assert isinstance(op, cuda_tile.FToFOp)
    source, result = (FORMATS.get(_element(value)) for value in (op.source, op.result))
    mode = op.rounding_mode.data
    if source is None or result is None or mode is RoundingMode.NEAREST_EVEN:
        return
    if holds_all(result, source):
        yield f"'rounding_mode' must be nearest_even, got {mode}: the conversion is exact"


def _extract(op: Operation) -> Iterator[str]:
    """Section 8.3.7: slices are in bounds; messages are the reference implementation's."""
    assert isinstance(op, cuda_tile.ExtractOp | cuda_tile.InsertOp)
    whole, part = (op.source, op.result)
    if isinstance(op, cuda_tile.InsertOp):
        whole, part = op.destination, op.source
    name = op.name.removeprefix("cuda_tile.")
    sizes = zip(_shape(whole), _shape(part), op.indices, strict=True)
    for number, (extent, length, index) in enumerate(sizes):
        value, last = _known_integer(index), extent // length - 1
        if value is None:
            continue
        if value < 0:
            yield (
                f"{name} index {number} has negative value {value}, which may cause undefined "
                "behavior"
            )
        elif value > last:
            yield (
                f"{name} index {number} value {value} may be out of bounds (max valid index: "
                f"{last})"
            )


def _combination(op: Operation) -> Iterator[str]:
    """Sections 8.3.19 and 8.3.21: bodies compute on scalars, and a scan has one operand."""
    assert isinstance(op, cuda_tile.ReduceOp | cuda_tile.ScanOp)
    if len(op.values) > 1:
        if isinstance(op, cuda_tile.ScanOp):
            count = len(op.values)
            yield f"'{op.name}' must have one operand, got {count}: all are scanned together"
    elif isinstance(given := op.identities.data[0], IntegerAttr | FloatAttr):
        neutral = implied_identity(op.body.block, given.type)
        if neutral is not None and is_wrong(neutral, given):
            yield f"'identities' of '{op.name}' must be {neutral}, got {given}"
    for inner in ops_in(op.body):
        for result in inner.results:
            if isinstance(result.type, TileType) and result.type.get_shape():
                yield (
                    f"the body of '{op.name}' must have tiles of rank 0 only, but '{inner.name}' "
                    f"gives '{result.type}'"
                )
                return


def _arguments(op: Operation) -> Iterator[str]:
    """Section 8.3.6: attributes of arguments and results are not supported."""
    for name in ("arg_attrs", "res_attrs"):
        given = op.properties.get(name)
        for each in given.data if isinstance(given, ArrayAttr) else ():
            for key in each.data if isinstance(each, DictionaryAttr) else ():
                yield f"'{name}' is not supported: '{key}' is ignored"


def _known_integer(value: SSAValue) -> int | None:
    """The signed value of an integer constant splat; None for other values."""
    owner = value.owner
    if not isinstance(owner, cuda_tile.ConstantOp) or not owner.value.is_splat:
        return None
    known = owner.value.splat_value
    return int(known) if isinstance(owner.value.type.element_type, IntegerType) else None


def _shape(value: SSAValue) -> Sequence[int]:
    assert isinstance(value.type, TileType)
    return value.type.get_shape()


def _element(value: SSAValue) -> str:
    assert isinstance(value.type, TileType)
    return element_name(value.type.element_type) or ""


RULES: Mapping[str, Callable[[Operation], Iterator[str]]] = {
    "cuda_tile.assume": _assume,
    "cuda_tile.entry": _arguments,
    "cuda_tile.extract": _extract,
    "cuda_tile.for": _for,
    "cuda_tile.ftof": _ftof,
    "cuda_tile.global": _global,
    "cuda_tile.insert": _extract,
    "cuda_tile.reduce": _combination,
    "cuda_tile.return": _return,
    "cuda_tile.scan": _combination,
}
"""The rule of an op, by the op's name, so that unused op classes are not imported."""
