"""An extension with one op, and programs of it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    eq,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import program
from tileir_xdsl import joining
from tileir_xdsl.dialects.arith import scalar_or_tensor
from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.extension_parts import EmulatedInstruction, ExtensionDialect, OpParts
from tileir_xdsl.extensions.extension import Extension
from tileir_xdsl.runtime.reader import new_context, read_text

GPU = "sm_120a"
LEVELS = ("nv_tileaa", "nv_tileas", "llvm")


@irdl_op_definition
class AddOp(IRDLOperation, ElementwiseOpInterface):
    """Unsigned addition that saturates."""

    name = "mine.add"

    T: ClassVar = VarConstraint("T", scalar_or_tensor(eq(i32)))

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


def saturated(_op: object, lhs: Any, rhs: Any) -> Any:
    wide = lhs.view(np.uint32).astype(np.uint64) + rhs.view(np.uint32)
    return np.minimum(wide, 2**32 - 1).astype(np.uint32).view(np.int32)


def emulated(lhs: Any, rhs: Any) -> Any:
    total = lhs + rhs
    return np.where(total < lhs, np.uint32(2**32 - 1), total)


PARTS = OpParts(
    AddOp,
    meaning=saturated,
    ptx="add.sat.u32  d, lhs, rhs",
    requirement=Requirement(lowest_version=(9, 2)),
    emulator=(EmulatedInstruction("add.sat.u32 d, a, b", "u32 <- u32, u32", emulated),),
)
DIALECT = ExtensionDialect(Dialect("mine", [AddOp]), LEVELS)


def extension(*parts: OpParts, name: str = "mine", levels: tuple[str, ...] = LEVELS) -> Extension:
    """An extension that offers the op with some parts at some levels."""
    return Extension(name, dialects=(replace(DIALECT, levels=levels),), ops=parts)


@contextmanager
def known(given: Extension) -> Generator[Extension]:
    """The extension as the process knows it within."""
    joining.register(given)
    yield given
    joining.register(Extension(given.name))


LHS, RHS = np.random.default_rng(5).integers(-(2**31), 2**31, (2, 256)).astype(np.int32)
EXPECTED = saturated(None, LHS, RHS)


def module() -> ModuleOp:
    """A kernel `k` of `nv_tileaa` with the op."""
    tile = Tile("256xi32")
    text = program("%out0 = mine.add %in0, %in1 : tensor<256xi32>", [tile, tile], [tile])
    return read_text(new_context(), text, "k.mlir")
