"""An elementary function of an extension: its values at each level, within its bound."""

from typing import ClassVar

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import program
from tileir_xdsl import emulator, joining
from tileir_xdsl.checking.rounding import units_of
from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.dialects.nv_tileaa.constraints import FLOATS
from tileir_xdsl.extension_parts import ElementaryFunction, ExtensionDialect
from tileir_xdsl.extensions.extension import Extension
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.transforms.convert_tileas_to_llvm.math.numbers import Real


@irdl_op_definition
class CubeOp(IRDLOperation, ElementwiseOpInterface):
    """The cube of floats."""

    name = "cubes.cube"

    T: ClassVar = VarConstraint("T", FLOATS)

    x = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($result)"


def exact(x: Array) -> Array:
    return x**3


def cube(x: Real) -> Real:
    return x * x * x


BOUND = 2.0
EXTENSION = Extension(
    "cubes",
    dialects=(ExtensionDialect(Dialect("cubes", [CubeOp]), ("nv_tileaa", "nv_tileas")),),
    functions=(ElementaryFunction(CubeOp, exact, cube, BOUND),),
)


@pytest.fixture(autouse=True)
def _registered() -> None:
    joining.register(EXTENSION)


def module(element: str) -> ModuleOp:
    tile = Tile(f"256x{element}")
    text = program(f"%out0 = cubes.cube %in0 : tensor<256x{element}>", [tile], [tile])
    return read_text(new_context(), text, "k.mlir")


@pytest.mark.parametrize(
    ("element", "dtype"), [("f32", np.float32), ("f16", np.float16), ("f64", np.float64)]
)
def test_keeps_its_bound(element: str, dtype: type[np.floating]):
    x = np.linspace(-4, 4, 256).astype(dtype)
    expected, found = np.zeros_like(x), np.zeros_like(x)
    program = module(element)
    launch(program, "k", (1, 1, 1), [x, expected])
    ptx = lower(new_context(), program, "ptx", gpu="sm_90a", file="k.mlir").ptx
    assert ptx is not None
    emulator.load(ptx).launch("k", (1, 1, 1), [x, found])
    # As numpy computes it, rounded once.
    assert (expected == (x.astype(np.float64) ** 3).astype(dtype)).all()
    units = np.abs(found.astype(np.float64) - expected) / np.spacing(np.abs(expected))
    assert units.max() <= BOUND


def test_lacks_no_part():
    assert joining.missing_parts(EXTENSION) == ()


def test_its_bound_is_what_a_check_allows():
    (op,) = (op for op in module("f32").walk() if isinstance(op, CubeOp))
    assert units_of(op) == BOUND
