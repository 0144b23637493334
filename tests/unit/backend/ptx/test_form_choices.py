"""The forms of the `nvvm` ops: ptxas takes each word and each operand that our verifiers take.

An op's class says which attributes, operands and results it may have. Ops are drawn from these, and
kept where they verify and have a choice that none before has. Each is printed for the first target
that has it.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    VectorType,
    bf16,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import AttrConstraint, OptPropertyDef, VerificationContext
from xdsl.irdl.operations import OptOperandDef, OptResultDef, VarOperandDef, VarResultDef
from xdsl.utils.exceptions import VerifyException

from tests.unit.backend.ptx.harness import assemble, together
from tests.unit.backend.ptx.nvvm_forms import module
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.enum_attribute import EnumAttribute
from tileir_xdsl.dialects.llvm import LoadOp
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.attributes import MatrixShapeAttr
from tileir_xdsl.dialects.nvvm.mbarriers import MBarrierArriveOp
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation
from tileir_xdsl.testing.tools import parse

DRAWS = 400
"""How many ops are drawn of each class."""

OPS = {op.name: op for op in NVVM.operations if issubclass(op, NVVMOperation) and op.PTX}
ATTRIBUTES: Sequence[Attribute] = (
    *(
        attribute(member)
        for attribute in NVVM.attributes
        if issubclass(attribute, EnumAttribute)
        for member in attribute.enum_type
    ),
    *(IntegerAttr(n, type) for type in (i32, i64) for n in (0, 1, 2, 4, 16, 40, 232)),
    *(IntegerAttr.from_bool(flag) for flag in (False, True)),
    *(MatrixShapeAttr.of(m, n) for m, n in ((8, 8), (16, 16), (8, 16), (16, 8))),
    UnitAttr(),
    Float8E4M3FNType(),
    Float8E5M2Type(),
    Float8E8M0FNUType(),
    Float4E2M1FNType(),
)
TYPES: Sequence[Attribute] = (
    *(i1, i8, i16, i32, i64, IntegerType(128), f32),
    *(VectorType(type, [2]) for type in (i8, f16, bf16)),
    *(VectorType(i32, [count]) for count in (2, 4, 8, 16, 128)),
    *(
        llvm.LLVMPointerType(IntAttr(space)) if space else llvm.LLVMPointerType()
        for space in (0, 1, 3, 4, 5, 6, 7)
    ),
    *(llvm.LLVMStructType.from_type_list([i32] * count) for count in (2, 4, 8)),
    *(llvm.LLVMStructType.from_type_list([type, i1]) for type in (i32, f32)),
)


class Kernel:
    """A kernel with a value of each type, to which an op is added."""

    def __init__(self) -> None:
        self.module = parse(module(""))
        (function,) = (op for op in self.module.walk() if isinstance(op, llvm.FuncOp))
        self.block: Block = function.body.block
        self.end = self.block.last_op
        assert self.end is not None
        known = [*self.block.args, *(op.results[0] for op in self.block.ops if op.results)]
        self.values: dict[Attribute, SSAValue] = {}
        for value in known:
            # Arguments first: numbers in registers fit everywhere.
            self.values.setdefault(value.type, value)
        for type in TYPES:
            if type not in self.values:
                made = LoadOp(self.values[llvm.LLVMPointerType()], type)
                self.block.insert_op_before(made, self.end)
                self.values[type] = made.results[0]

        shared = self.values[llvm.LLVMPointerType(IntAttr(3))]
        # Release 13.5 of ptxas crashes at the state of a barrier that is from no arrival.
        arrival = MBarrierArriveOp(shared, has_state=True)
        self.block.insert_op_before(arrival, self.end)
        self.state: SSAValue = arrival.results[0]

    def operand(self, form: str, field: str, type: Attribute) -> SSAValue:
        """A value that PTX takes for an operand."""
        if field == "stateOrPhase" and type == i64:
            return self.state
        if f"#{field}" not in form:
            return self.values[type]
        assert self.end is not None and isinstance(type, IntegerType)
        made = llvm.ConstantOp(IntegerAttr(128 if field == "size" else 3, type), type)
        self.block.insert_op_before(made, self.end)
        return made.result

    def add(self, op: Operation) -> None:
        """Adds an op, whose results are stored."""
        assert self.end is not None
        self.block.insert_op_before(op, self.end)
        to = self.values[llvm.LLVMPointerType(IntAttr(1))]
        for result in op.results:
            value = result
            if isinstance(result.type, llvm.LLVMStructType):
                continue
            if result.type == VectorType(i8, [2]):
                self.block.insert_op_before(cast := llvm.BitcastOp(result, i16), self.end)
                value = cast.result
            self.block.insert_op_before(llvm.StoreOp(value, to), self.end)


def accepts(constraint: Any, attribute: Attribute) -> bool:
    """Whether a constraint, or one of several, takes an attribute."""
    try:
        context = VerificationContext()
        constraint.verify(
            attribute if isinstance(constraint, AttrConstraint) else [attribute], context
        )
    except VerifyException:
        return False
    return True


@cache
def choices(name: str) -> dict[str, tuple[list[Any], range]]:
    """By operand, result and property what each may be, and how many there may be."""
    definition = OPS[name].get_irdl_definition()
    found: dict[str, tuple[list[Any], range]] = {}
    for field, value in (*definition.operands, *definition.results):
        counts = range(1, 2)
        if isinstance(value, OptOperandDef | OptResultDef):
            counts = range(2)
        elif isinstance(value, VarOperandDef | VarResultDef):
            counts = range(6)
        found[field] = [type for type in TYPES if accepts(value.constr, type)], counts
    for field, value in definition.properties.items():
        if field != "operandSegmentSizes":
            optional = isinstance(value, OptPropertyDef)
            allowed = [each for each in ATTRIBUTES if accepts(value.constr, each)]
            found[field] = allowed, range(0 if optional else 1, 2)
    return found


def draw(name: str, rng: random.Random) -> dict[str, tuple[Any, ...]]:
    """One choice of everything."""
    return {
        field: (rng.choice(allowed),) * rng.choice(counts)
        for field, (allowed, counts) in choices(name).items()
    }


def build(name: str, chosen: dict[str, tuple[Any, ...]], kernel: Kernel) -> NVVMOperation:
    """The op of a choice, which may not verify."""
    definition = OPS[name].get_irdl_definition()
    return OPS[name].build(
        operands=[
            [kernel.operand(OPS[name].PTX, field, type) for type in chosen[field]]
            for field, _ in definition.operands
        ],
        result_types=[list(chosen[field]) for field, _ in definition.results],
        properties={
            field: chosen[field][0] if chosen[field] else None
            for field in definition.properties
            if field in chosen
        },
    )


def drawn(name: str) -> Iterator[tuple[NVVMOperation, Kernel]]:
    """Ops that verify in their kernels, each with a choice that those before it lack."""
    rng, kernel, seen = random.Random(name), Kernel(), set[object]()
    for _ in range(DRAWS):
        chosen = draw(name, rng)
        op = build(name, chosen, kernel)
        try:
            # Not `verify`, which prints the kernel of each op that it refuses.
            op.verify_()
        except VerifyException:
            continue
        if not seen or not seen.issuperset(chosen.items()):
            seen |= {name, *chosen.items()}
            kernel.add(op)
            yield op, kernel
            kernel = Kernel()


@cache
def printed(name: str) -> list[tuple[str, str]]:
    """Targets and the PTX of ops for them."""
    found: list[tuple[str, str]] = []
    for op, kernel in drawn(name):
        gpu, *_ = op.requirement.targets()
        found.append((gpu, emit(kernel.module, gpu)))
    return found


def test_every_form_has_a_choice() -> None:
    assert [name for name in OPS if not printed(name)] == []


def test_ptxas_takes_each_choice() -> None:
    texts = [each for name in OPS for each in printed(name)]
    for gpu in sorted({gpu for gpu, _ in texts}):
        for text in together(text for target, text in texts if target == gpu):
            assemble(text, gpu)
