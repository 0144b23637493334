"""Loops around dots whose operands are loaded in the loop: candidates for pipelines.

All numbers are small integers, so sums are exact in any order of summation. K is at most
`MAX_TRIPS` tiles of 64, and the absolute value of an operand is at most 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i1, i64
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.core_matrix import ACCUMULATORS
from tileir_xdsl.testing.programs.builder import Builder, LoopFrame
from tileir_xdsl.testing.programs.elements import Shape, element_of, shape_of, tile, type_of
from tileir_xdsl.testing.programs.families.control_flow import enter, leave
from tileir_xdsl.testing.programs.values import (
    SIGNEDNESSES,
    clamped,
    converted,
    small_integers,
    whole_floats,
)
from tileir_xdsl.testing.programs.whole_tensors import new_whole_tensor, output_tensor

MAX_TRIPS = 5
MAGNITUDE = 2

_ELEMENTS = {
    "f16": 6,
    "bf16": 5,
    "f8E4M3FN": 2,
    "f8E5M2": 1,
    "i8": 2,
    "tf32": 2,
    "f32": 1,
    "f64": 1,
}
"""Relative frequencies of operand types; most are supported by the matrix units of all targets.
"""

LARGEST_OF_TENSOR_CORES = 8192
LARGEST = {"f32": 1024, "f64": 2048, "tf32": 4096}
"""The most elements of accumulator and operands together, by operand type; threads hold all three.
"""

OperandAt = Callable[[Builder, SSAValue], SSAValue]
"""Makes an operand in the body of the loop, from the iteration's index."""


@dataclass(frozen=True)
class MMA:
    """The extents and element types of a dot; the batch is empty, or one extent."""

    batch: Shape
    m: int
    n: int
    k: int
    element: str
    accumulator: str

    @property
    def lhs(self) -> Shape:
        return (*self.batch, self.m, self.k)

    @property
    def rhs(self) -> Shape:
        return (*self.batch, self.k, self.n)

    @property
    def sum(self) -> Shape:
        return (*self.batch, self.m, self.n)


# Operands.


def loaded(b: Builder, element: str, shape: Shape, k_axis: int, trips: int) -> OperandAt:
    """Loads consecutive tiles of a tensor along K; some programs store the tensor transposed."""
    if b.chance(0.2):
        return _from_other_type(b, element, shape, k_axis, trips)
    transposed = len(shape) == 2 and b.chance(0.3)
    extents = shape[::-1] if transposed else shape
    axis = len(shape) - 1 - k_axis if transposed else k_axis
    lifted = len(shape) == 2 and b.chance(0.2)
    counts = [trips if dim == axis else b.integer(1, 2) for dim in range(len(shape))]
    if lifted:
        extents, counts, axis = (1, *extents), [b.integer(1, 2), *counts], axis + 1
    tensor = new_whole_tensor(b, element, extents, counts, magnitude_of(element))
    others = [b.number(b.integer(0, count - 1), "i32") for count in counts]
    hints = access_hints(b)

    def at(body: Builder, k: SSAValue) -> SSAValue:
        indices = [k if dim == axis else other for dim, other in enumerate(others)]
        value: SSAValue = body.add(cuda_tile.LoadViewTkoOp(tensor.view, indices, hints=hints)).tile
        if lifted:
            value = body.add(cuda_tile.ReshapeOp(value, tile(element, extents[1:]))).result
        return body.add(cuda_tile.PermuteOp(value, [1, 0])).result if transposed else value

    return at


def _from_other_type(b: Builder, element: str, shape: Shape, k_axis: int, trips: int) -> OperandAt:
    """A loaded tile, converted from another type or negated."""
    sources = {"f16": ("f16", "f32", "f8E5M2"), "bf16": ("bf16", "f32"), "tf32": ("f32",)}
    source = b.choose(sources.get(element, (element,)))
    counts = [trips if dim == k_axis else 1 for dim in range(len(shape))]
    tensor = new_whole_tensor(b, source, shape, counts, magnitude_of(source))
    negated = b.chance(0.5)

    def at(body: Builder, k: SSAValue) -> SSAValue:
        indices = [k if dim == k_axis else body.number(0, "i32") for dim in range(len(shape))]
        value = body.add(cuda_tile.LoadViewTkoOp(tensor.view, indices)).tile
        if source != element:
            value = converted(body, value, element)
        return _negated(body, value) if negated else value

    return at


def _negated(b: Builder, value: SSAValue) -> SSAValue:
    """Zero minus the value, if its type has subtraction, so that the result for zero is
    positive.
    """
    element, shape = element_of(value), shape_of(value)
    if element == "i8":
        return b.add(cuda_tile.SubIOp(b.number(0, element, shape), value)).result
    if element in ("f16", "bf16", "f32", "f64"):
        return b.add(cuda_tile.SubFOp(b.number(0.0, element, shape), value)).result
    return value


def _invariant(b: Builder, element: str, shape: Shape, k_axis: int, trips: int) -> OperandAt:
    """The same tile in every iteration: loaded once from a tensor, or an existing value."""
    if b.chance(0.6):
        tensor = new_whole_tensor(b, element, shape, [1] * len(shape), magnitude_of(element))
        zeros = [b.number(0, "i32")] * len(shape)
        value = b.add(cuda_tile.LoadViewTkoOp(tensor.view, zeros)).tile
    else:
        value = whole(b, element, shape)
    return lambda _body, _k: value


def _written(b: Builder, element: str, shape: Shape, k_axis: int, trips: int) -> OperandAt:
    """A tile that threads store just before the loop, so that an unfenced bulk copy would miss
    it.
    """
    if b.repeated or element == "tf32":
        return loaded(b, element, shape, k_axis, trips)
    tensor = output_tensor(b, element, shape, [1] * len(shape))
    zeros = [b.number(0, "i32")] * len(shape)
    token = b.add(
        cuda_tile.StoreViewTkoOp(whole(b, element, shape), tensor.view, zeros)
    ).result_token
    if b.chance(0.4):
        value = b.add(cuda_tile.LoadViewTkoOp(tensor.view, zeros, token)).tile
        return lambda _body, _k: value
    return lambda body, _k: body.add(cuda_tile.LoadViewTkoOp(tensor.view, zeros, token)).tile


def _through_pointers(b: Builder, element: str, shape: Shape, k_axis: int, trips: int) -> OperandAt:
    """Loads consecutive elements through tiles of pointers."""
    count = type_of(b.linear(shape)).element_count()
    base = b.draft.whole_input(element, count * trips, magnitude_of(element))
    numbers = b.linear(shape)

    def at(body: Builder, k: SSAValue) -> SSAValue:
        start = body.add(cuda_tile.MulIOp(k, body.number(count, "i32"))).result
        offsets = body.add(cuda_tile.AddIOp(body.spread(start, shape), numbers)).result
        return body.add(cuda_tile.LoadPtrTkoOp(body.offset(base, offsets))).result

    return at


_SOURCES = {loaded: 12, _invariant: 2, _written: 2, _through_pointers: 1}
"""The sources of operands, with weights."""


def magnitude_of(element: str) -> int:
    return 100 if element == "i8" else MAGNITUDE


def access_hints(b: Builder) -> cuda_tile.OptimizationHintsAttr | None:
    if b.chance(0.8):
        return None
    hint = {"latency": IntegerAttr(b.integer(1, 10), i64)}
    if b.chance(0.3):
        hint = {"allow_tma": IntegerAttr(b.integer(0, 1), i1)}
    return cuda_tile.OptimizationHintsAttr({"default": DictionaryAttr(hint)})


def whole(b: Builder, element: str, shape: Shape) -> SSAValue:
    """Small integers, computed from existing values."""
    if element in ("i8", "i32"):
        return small_integers(b, shape, element)
    return whole_floats(b, element, shape)


# Products.


def draw_mma(b: Builder, element: str, *, m: int | None = None) -> MMA:
    scale, most = b.draft.scale, LARGEST.get(element, LARGEST_OF_TENSOR_CORES)
    accumulator = "i32" if element == "i8" else b.choose(ACCUMULATORS[element])
    m = m or b.choose([m for m in scale.rows if m * min(scale.columns) <= most])
    n = b.choose([n for n in scale.columns if m * n <= most] or scale.columns[:1])
    k = b.choose([k for k in scale.depths if element not in LARGEST or k <= 32])
    batch = (b.integer(1, 2),) if m * n <= 2048 and b.chance(0.2) else ()
    return MMA(batch, m, n, k, element, accumulator)


def draw_element(b: Builder) -> str:
    names = [name for name in _ELEMENTS if name not in b.draft.missing]
    return b.draft.random.choices(names, [_ELEMENTS[name] for name in names])[0]


def add_mma(b: Builder, mma: MMA, x: SSAValue, y: SSAValue, accumulator: SSAValue) -> SSAValue:
    if mma.element == "i8":
        return b.add(
            cuda_tile.MmaIOp(x, y, accumulator, cuda_tile.Signedness.SIGNED, b.choose(SIGNEDNESSES))
        ).result
    return b.add(
        cuda_tile.MmaFOp(x, y, accumulator, mma.element.startswith("f8") and b.chance(0.3))
    ).result


def zero_sum(b: Builder, mma: MMA) -> SSAValue:
    return b.number(0, mma.accumulator, mma.sum)


def initial_sum(b: Builder, mma: MMA) -> SSAValue:
    if b.chance(0.7):
        return zero_sum(b, mma)
    return whole(b, mma.accumulator, mma.sum)


@dataclass(frozen=True)
class AccumulatorUpdate:
    """The update of one accumulator in every iteration, and its initial value."""

    initial: SSAValue
    advance: Callable[[Builder, SSAValue, SSAValue], SSAValue]
    """Computes the next value in a body from the iteration's index and the current value."""


def draw_operands(b: Builder, mma: MMA, trips: int) -> tuple[OperandAt, OperandAt]:
    def draw() -> Callable[[Builder, str, Shape, int, int], OperandAt]:
        return b.draft.random.choices(list(_SOURCES), list(_SOURCES.values()))[0]

    rank = len(mma.lhs)
    lhs = draw()(b, mma.element, mma.lhs, rank - 1, trips)
    rhs = draw()(b, mma.element, mma.rhs, rank - 2, trips)
    return lhs, rhs


def accumulating(b: Builder, mma: MMA, trips: int) -> AccumulatorUpdate:
    """Adds a dot to the accumulator."""
    lhs, rhs = draw_operands(b, mma, trips)

    def advance(body: Builder, k: SSAValue, sum: SSAValue) -> SSAValue:
        return add_mma(body, mma, lhs(body, k), rhs(body, k), sum)

    return AccumulatorUpdate(initial_sum(b, mma), advance)


def _rescaled(b: Builder, mma: MMA, trips: int) -> AccumulatorUpdate:
    """Adds a dot to an accumulator that some iterations double first."""
    if mma.accumulator not in ("f32", "f64"):
        return accumulating(b, mma, trips)
    lhs, rhs = draw_operands(b, mma, trips)
    doubled_at = b.integer(0, MAX_TRIPS)

    def advance(body: Builder, k: SSAValue, sum: SSAValue) -> SSAValue:
        predicate = cuda_tile.ComparisonPredicate.LESS_THAN
        limit = body.number(doubled_at, "i32")
        early = body.add(cuda_tile.CmpIOp(predicate, k, limit, cuda_tile.Signedness.SIGNED)).result
        one, two = (body.number(n, mma.accumulator) for n in (1.0, 2.0))
        rescale = body.add(cuda_tile.SelectOp(early, two, one)).result
        scaled = body.add(cuda_tile.MulFOp(sum, body.spread(rescale, mma.sum))).result
        return add_mma(body, mma, lhs(body, k), rhs(body, k), scaled)

    return AccumulatorUpdate(initial_sum(b, mma), advance)


def _summed(b: Builder, mma: MMA, trips: int) -> AccumulatorUpdate:
    """A sum of accumulators: each iteration computes one and adds it."""
    lhs, rhs = draw_operands(b, mma, trips)

    def advance(body: Builder, k: SSAValue, sum: SSAValue) -> SSAValue:
        fresh = add_mma(body, mma, lhs(body, k), rhs(body, k), zero_sum(body, mma))
        if mma.accumulator == "i32":
            return body.add(cuda_tile.AddIOp(sum, fresh)).result
        return body.add(cuda_tile.AddFOp(sum, fresh)).result

    return AccumulatorUpdate(initial_sum(b, mma), advance)


def _chained(b: Builder, mma: MMA, trips: int) -> AccumulatorUpdate:
    """A dot whose result is an operand of another dot in the same iteration, as in attention."""
    if mma.accumulator == "f16":
        return accumulating(b, mma, trips)
    lhs, rhs = draw_operands(b, mma, trips)
    most = LARGEST.get(mma.element, LARGEST_OF_TENSOR_CORES)
    columns = b.choose([n for n in b.draft.scale.columns if mma.m * n <= most])
    second = MMA(mma.batch, mma.m, columns, mma.n, mma.element, mma.accumulator)
    values = loaded(b, second.element, second.rhs, len(second.rhs) - 2, trips)

    def advance(body: Builder, k: SSAValue, sum: SSAValue) -> SSAValue:
        score = add_mma(body, mma, lhs(body, k), rhs(body, k), zero_sum(body, mma))
        return add_mma(body, second, narrowed(body, score, second.element), values(body, k), sum)

    return AccumulatorUpdate(initial_sum(b, second), advance)


def narrowed(b: Builder, score: SSAValue, element: str) -> SSAValue:
    """A score, clamped to small numbers, as an operand of the next dot."""
    shape = shape_of(score)
    if element == "i8":
        low, high = (b.number(n, "i32", shape) for n in (-MAGNITUDE, MAGNITUDE))
        least = b.add(cuda_tile.MaxIOp(score, low, cuda_tile.Signedness.SIGNED)).result
        limited = b.add(cuda_tile.MinIOp(least, high, cuda_tile.Signedness.SIGNED)).result
        return b.add(cuda_tile.TruncIOp(limited, tile("i8", shape))).result
    limited = clamped(b, score, (-MAGNITUDE, MAGNITUDE))
    return limited if element == element_of(score) else converted(b, limited, element)


STEPS = {accumulating: 4, _summed: 1, _rescaled: 1, _chained: 2}
"""The kinds of accumulator updates, with weights."""


# Loops.


def counted(
    b: Builder, trips: int, steps: Sequence[AccumulatorUpdate], inits: Sequence[SSAValue]
) -> list[SSAValue]:
    """A `for` loop; in some programs its trip count is a parameter."""
    upper = b.number(trips, "i32")
    if b.chance(0.5):
        upper = b.draft.scalar("i32", (trips, trips, trips - 1, 0))
    chains = b.sample(list(b.tokens), 0.3)
    carried = [*inits, *(b.tokens[chain] for chain in chains)]
    types = [type_of(value) for value in inits]
    frame = LoopFrame(None, types, None, chains)
    arguments = [tile("i32"), *(value.type for value in carried)]
    body = b.child(arguments, frame=frame, repeated=True)
    enter(b, body, chains, carried=True)
    k, *sums = body.block.args[: 1 + len(inits)]
    advanced = [step.advance(body, k, sum) for step, sum in zip(steps, sums, strict=True)]
    if b.chance(0.25):
        body.keep(k, *advanced)
        body.step()
    body.add(cuda_tile.ContinueOp([*advanced, *(body.token(chain) for chain in chains)]))
    loop = cuda_tile.ForOp(b.number(0, "i32"), upper, b.number(1, "i32"), carried, body.region())
    b.add(loop)
    leave(b, loop, chains)
    return list(loop.results[: len(inits)])


def _tested(
    b: Builder, trips: int, steps: Sequence[AccumulatorUpdate], inits: Sequence[SSAValue]
) -> list[SSAValue]:
    """A `loop` with a counter, which breaks in its middle or at its beginning."""
    zero = b.number(0, "i32")
    limit = b.number(trips, "i32")
    if b.chance(0.5):
        limit = b.draft.scalar("i32", (trips, trips - 1))
    body = b.child([zero.type, *(value.type for value in inits)], repeated=True)
    k, *sums = body.block.args
    predicate = cuda_tile.ComparisonPredicate.GREATER_THAN_OR_EQUAL
    first = b.chance(0.5)
    if first:
        done = body.add(cuda_tile.CmpIOp(predicate, k, limit, cuda_tile.Signedness.SIGNED)).result
        break_if(body, done, sums)
    sums = [step.advance(body, k, sum) for step, sum in zip(steps, sums, strict=True)]
    following = body.add(cuda_tile.AddIOp(k, body.number(1, "i32"))).result
    if not first:
        done = body.add(
            cuda_tile.CmpIOp(predicate, following, limit, cuda_tile.Signedness.SIGNED)
        ).result
        break_if(body, done, sums)
    body.add(cuda_tile.ContinueOp([following, *sums]))
    loop = b.add(cuda_tile.LoopOp([zero, *inits], [value.type for value in inits], body.region()))
    return list(loop.results)


def break_if(body: Builder, done: SSAValue, values: Sequence[SSAValue]) -> None:
    last = body.child()
    last.add(cuda_tile.BreakOp(values))
    body.add(cuda_tile.IfOp(done, [], last.region()))


def _nested(
    b: Builder, trips: int, steps: Sequence[AccumulatorUpdate], inits: Sequence[SSAValue]
) -> list[SSAValue]:
    """A loop in a loop over tiles, which keeps the accumulators of the last iteration or sums all
    of them.
    """
    outer = b.integer(1, 3) if trips <= 3 else 1
    body = b.child([tile("i32"), *(value.type for value in inits)], repeated=True)
    _, *carried = body.block.args
    starts = carried if outer * trips <= MAX_TRIPS and b.chance(0.5) else inits
    results = b.choose((counted, counted, _tested))(body, trips, steps, starts)
    body.add(cuda_tile.ContinueOp(results))
    upper = b.number(outer, "i32")
    loop = cuda_tile.ForOp(b.number(0, "i32"), upper, b.number(1, "i32"), inits, body.region())
    return list(b.add(loop).results)


def _guarded(
    b: Builder, trips: int, steps: Sequence[AccumulatorUpdate], inits: Sequence[SSAValue]
) -> list[SSAValue]:
    """A loop in an `if`."""
    branches = (b.child(), b.child())
    branches[0].add(cuda_tile.YieldOp(counted(branches[0], trips, steps, inits)))
    branches[1].add(cuda_tile.YieldOp(inits))
    condition = b.value(tile("i1"))
    regions = [branch.region() for branch in branches]
    return list(b.add(cuda_tile.IfOp(condition, [value.type for value in inits], *regions)).results)


_LOOPS = {counted: 8, _tested: 3, _nested: 3, _guarded: 1}
"""The kinds of loops, with weights."""


def emit_mma_loop(b: Builder) -> None:
    """Adds a loop with one to three dots, and uses of their accumulators."""
    if b.can_return and b.chance(0.1):
        _leave_early(b)
    trips = b.integer(1, MAX_TRIPS)
    element = draw_element(b)
    first = draw_mma(b, element)
    steps: list[AccumulatorUpdate] = []
    for _ in range(b.draft.random.choices((1, 2, 3), (6, 3, 1))[0]):
        mma = first if b.chance(0.7) else draw_mma(b, draw_element(b), m=first.m)
        kind = b.draft.random.choices(list(STEPS), list(STEPS.values()))[0]
        steps.append(kind(b, mma, trips))
    loop = b.draft.random.choices(list(_LOOPS), list(_LOOPS.values()))[0]
    for value in loop(b, trips, steps, [step.initial for step in steps]):
        if not b.repeated and b.chance(0.5):
            store_sum(b, value)
        else:
            b.keep(value)


def _leave_early(b: Builder) -> None:
    """Lets some tile blocks return before the loop's barriers."""
    branch = b.child(can_return=True)
    branch.add(cuda_tile.ReturnOp())
    b.add(cuda_tile.IfOp(b.value(tile("i1")), [], branch.region()))


def store_sum(b: Builder, value: SSAValue) -> None:
    """Stores an accumulator to a tensor; some programs round it to a narrower type."""
    element, shape = element_of(value), shape_of(value)
    if element == "f32" and b.chance(0.5):
        value, element = converted(b, value, b.choose(("f16", "bf16"))), ""
    tensor = output_tensor(b, element or element_of(value), shape, [1] * len(shape))
    b.add(cuda_tile.StoreViewTkoOp(value, tensor.view, [b.number(0, "i32")] * len(shape)))
