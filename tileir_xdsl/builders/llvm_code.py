"""Emits the body of one `llvm.func`: a growing list of blocks, with loops and branches.

Values may be scalars or vectors; a mask is a vector of `i1`. Offsets count bytes. A loop ends at
the first index that is not below its upper bound.
"""

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    UnknownLoc,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import ICmpPredicateFlag, LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp, StoreOp
from tileir_xdsl.dialects.llvm.values import ExtractElementOp, PoisonOp

POINTER = LLVMPointerType()


def lanes_of(value_type: Attribute) -> int | None:
    """The elements of a vector type; None for the type of a scalar."""
    return value_type.get_shape()[0] if isinstance(value_type, VectorType) else None


def element_of(value_type: Attribute) -> Attribute:
    """The type of the elements of a vector, or that of a scalar."""
    return value_type.element_type if isinstance(value_type, VectorType) else value_type


@cache
def vector_of(element: Attribute, lanes: int | None) -> Attribute:
    """The type of a vector; the element type itself if `lanes` is None."""
    return element if lanes is None else VectorType(element, (lanes,))


@cache
def like(value_type: Attribute, element: Attribute) -> Attribute:
    """The type with as many elements of another type."""
    return vector_of(element, lanes_of(value_type))


class LLVMCode:
    """The body of a function under construction; ops are appended to the current block."""

    def __init__(self, argument_types: Sequence[Attribute]):
        self.entry = self.block = Block(arg_types=argument_types)
        self.region = Region([self.entry])
        self.location: LocationAttr = UnknownLoc()
        """The location of the ops that are appended next."""
        self._constants: dict[tuple[object, Attribute], SSAValue] = {}

    @property
    def arguments(self) -> Sequence[SSAValue]:
        """The arguments of the function."""
        return self.entry.args

    def add(self, op: Operation) -> SSAValue:
        """Appends an op that has one result."""
        self.do(op)
        return op.results[0]

    def do(self, op: Operation) -> None:
        """Appends an op for its effect."""
        op.location = self.location
        self.block.add_op(op)

    def start(self, block: Block) -> None:
        """Continues in another block, which follows all others."""
        self.region.add_block(block)
        self.block = block

    # Constants.

    def constant(self, number: float, value_type: Attribute) -> SSAValue:
        """A number, or a vector with it in each lane; floats are converted by value."""
        # Minus zero equals zero, and NaN not itself: their text tells them apart.
        key = (repr(number), value_type)
        found = self._constants.get(key)
        if found is None:
            op = llvm.ConstantOp(_constant_attribute(number, value_type), value_type)
            found = self._constants[key] = self._first(op)
        return found

    def _first(self, op: llvm.ConstantOp) -> SSAValue:
        """Appends a constant to the entry block, which dominates all others."""
        first = self.entry.first_op
        if first is None:
            self.entry.add_op(op)
        else:
            self.entry.insert_op_before(op, first)
        return op.result

    def integer(self, number: int) -> SSAValue:
        """A constant of 64 bits."""
        return self.constant(number, i64)

    def lane_numbers(self, lanes: int, element: Attribute = i64) -> SSAValue:
        """The vector of the `lanes` numbers from 0 on."""
        key = (f"lanes {lanes}", element)
        found = self._constants.get(key)
        if found is None:
            assert isinstance(element, IntegerType)
            vector = VectorType(element, (lanes,))
            attribute = DenseIntOrFPElementsAttr.from_list(vector, list(range(lanes)))
            found = self._constants[key] = self._first(llvm.ConstantOp(attribute, vector))
        return found

    def poison(self, value_type: Attribute) -> SSAValue:
        return self.add(PoisonOp(value_type))

    # Vectors.

    def splat(self, value: SSAValue, lanes: int | None) -> SSAValue:
        """A vector with a scalar in each lane; the scalar itself for None."""
        if lanes is None or lanes_of(value.type) is not None:
            return value
        vector = self.poison(vector_of(value.type, lanes))
        first = self.add(llvm.InsertElementOp(vector, value, self.constant(0, i32)))
        return self.shuffle(first, vector, [0] * lanes)

    def extract(self, vector: SSAValue, lane: int) -> SSAValue:
        """One lane of a vector."""
        return self.add(ExtractElementOp(vector, self.constant(lane, i32)))

    def shuffle(self, first: SSAValue, second: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """The given lanes of two vectors, numbered through both vectors."""
        mask = DenseArrayBase.from_list(i32, list(lanes))
        result = vector_of(element_of(first.type), len(lanes))
        return self.add(llvm.ShuffleVectorOp(first, second, mask, result))

    # Integers.

    def plus(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.AddOp(a, b))

    def times(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(llvm.MulOp(a, b))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """A comparison of integers by a predicate such as `ult`."""
        code = IntegerAttr(ICmpPredicateFlag(predicate).to_int(), i64)
        return self.add(llvm.ICmpOp(a, b, code))

    def both(self, a: SSAValue | None, b: SSAValue | None) -> SSAValue | None:
        """The conjunction of two conditions; None is the true condition."""
        if a is None or b is None:
            return a or b
        return self.add(llvm.AndOp(a, b))

    # Memory.

    def offset(self, pointer: SSAValue, count: SSAValue | int, unit: Attribute = i8) -> SSAValue:
        """A pointer advanced by `count` units, by default bytes."""
        return self.add(llvm.GEPOp.from_mixed_indices(pointer, [count], unit, POINTER))

    def load(self, pointer: SSAValue, value_type: Attribute, alignment: int) -> SSAValue:
        return self.add(LoadOp(pointer, value_type, alignment))

    def store(self, value: SSAValue, pointer: SSAValue, alignment: int) -> None:
        self.do(StoreOp(value, pointer, alignment))

    def call_intrinsic(
        self, name: str, arguments: Sequence[SSAValue], result: Attribute | None
    ) -> SSAValue | None:
        """A call of an LLVM intrinsic by its whole name."""
        op = llvm.CallIntrinsicOp(name, list(arguments), [] if result is None else [result])
        self.do(op)
        return op.results[0] if op.results else None

    # Control flow.

    def branch(self, to: Block, arguments: Sequence[SSAValue] = ()) -> None:
        self.do(llvm.BrOp(to, *arguments))

    def branch_if(self, condition: SSAValue, then: Block, otherwise: Block) -> None:
        self.do(llvm.CondBrOp(condition, then, [], otherwise, []))

    def loop(
        self,
        lower: SSAValue,
        upper: SSAValue,
        step: SSAValue,
        initial: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
        *,
        runs: bool = False,
        signed: bool = True,
        wraps: bool = False,
        annotation: Attribute | None = None,
    ) -> Sequence[SSAValue]:
        """Runs `body` for each index; it maps carried values to those of the next index.

        `runs` states that the loop has an iteration, so no test precedes the first. `wraps` states
        that the index after the last may wrap around; then the loop tests the distance to the upper
        bound. The annotation is attached to the back edge.
        """
        types = [value.type for value in initial]
        below = "slt" if signed else "ult"
        inside = Block(arg_types=[lower.type, *types])
        behind = Block(arg_types=types)
        if runs:
            self.branch(inside, [lower, *initial])
        else:
            test = self.compare(below, lower, upper)
            self.do(llvm.CondBrOp(test, inside, [lower, *initial], behind, [*initial]))
        self.start(inside)
        carried = [*body(inside.args[0], inside.args[1:])]
        following = self.plus(inside.args[0], step)
        if wraps:
            distance = self.add(llvm.SubOp(upper, inside.args[0]))
            test = self.compare("ult", step, distance)
        else:
            test = self.compare(below, following, upper)
        back = llvm.CondBrOp(test, inside, [following, *carried], behind, carried)
        if annotation is not None:
            back.attributes["loop_annotation"] = annotation
        self.do(back)
        self.start(behind)
        return behind.args

    def if_(
        self,
        condition: SSAValue,
        then: Callable[[], Sequence[SSAValue]],
        otherwise: Callable[[], Sequence[SSAValue]] | None = None,
    ) -> Sequence[SSAValue]:
        """The values of one of two branches; without `otherwise` there are no values."""
        yes, behind = Block(), Block()
        no = Block() if otherwise is not None else behind
        self.branch_if(condition, yes, no)
        self.start(yes)
        values = [*then()]
        for value in values:
            behind.insert_arg(value.type, len(behind.args))
        self.branch(behind, values)
        if otherwise is not None:
            self.start(no)
            self.branch(behind, [*otherwise()])
        self.start(behind)
        return behind.args


@cache
def _scalar_attribute(text: str, element: Attribute) -> IntegerAttr | FloatAttr:
    if isinstance(element, IntegerType):
        width = element.width.data
        number = int(text) & ((1 << width) - 1)
        # The attribute takes the signed reading.
        is_negative = width > 1 and number >> (width - 1)
        return IntegerAttr(number - (1 << width) if is_negative else number, element)
    assert isinstance(element, AnyFloat)
    return FloatAttr(float(text), element)


def _constant_attribute(number: float, value_type: Attribute) -> Attribute:
    element, lanes = element_of(value_type), lanes_of(value_type)
    if isinstance(element, IntegerType):
        scalar = _scalar_attribute(repr(int(number)), element)
    else:
        scalar = _scalar_attribute(repr(float(number)), element)
    if lanes is None:
        return scalar
    assert isinstance(value_type, VectorType)
    return DenseIntOrFPElementsAttr.from_list(value_type, [scalar.value.data])


def true_of(code: LLVMCode, lanes: int | None) -> SSAValue:
    """The condition that is true in each lane."""
    return code.constant(1, vector_of(i1, lanes))
