"""An op whose result has elements of its operand says so, and whether they keep their order."""

from collections.abc import Iterator

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.traits import Pure

from tests.unit.dialects.nv_tileaa import samples as nv_tileaa_samples
from tests.unit.dialects.nv_tileas import samples as nv_tileas_samples
from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import evaluate, tensor
from tileir_xdsl.dialects.element_interfaces import (
    OrderedElementsOpInterface,
    ReindexedOpInterface,
    RepeatedElementsOpInterface,
    SameRegistersOpInterface,
)
from tileir_xdsl.dialects.memory_effects import SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileaa.arithmetic import FloatOp
from tileir_xdsl.dialects.nv_tileaa.integer import IntegerOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.scratch import Bytes, Carried, Folded, Scanned
from tileir_xdsl.testing.tools import parse

SOURCE = np.random.default_rng(7).permutation(32).astype(np.int32).reshape(1, 4, 8)

FORMS = {
    "nv_tileaa.assume": ("#nv_tileaa.div_by<1>, %in0 : T", "1x4x8xi32"),
    "nv_tileaa.broadcast": ("%in0 : T -> R", "2x4x8xi32"),
    "nv_tileaa.expand_dims": ("%in0 {axis = 1 : i32} : T -> R", "1x1x4x8xi32"),
    "nv_tileaa.permute": ("%in0 {permutation = array<i32: 2, 0, 1>} : T -> R", "8x1x4xi32"),
    "nv_tileaa.view": ("%in0 : T -> R", "16x2xi32"),
    "nv_tileas.convert_layout": ("%in0 : T -> R", "1x4x8xi32"),
    "nv_tileas.expand_dims": ("%in0 {axis = 1 : i32} : T -> R", "1x1x4x8xi32"),
    "nv_tileas.view": ("%in0 : T to R", "16x2xi32"),
}
"""The text of an op on a tile of 1x4x8, and its result."""

OF_OTHERS = ("nv_tileaa.extract", "nv_tileaa.splat", "nv_tileas.shuffle")
"""Ops that take a scalar, give one, or need layouts."""

MAKING = (
    *("nv_tileaa.addptr", "nv_tileaa.histogram", "nv_tileaa.make_range", "nv_tileas.pad"),
    # These have elements of two tiles, or some of those of a buffer that others write.
    *("nv_tileaa.cat", "nv_tileaa.insert_slice", "nv_tileas.insert_slice"),
    *("nv_tileaa.extract_slice", "nv_tileas.extract_slice"),
)
"""Ops with results of their operand's type whose elements are not all elements of that."""


def pure_ops_of_one_element_type() -> Iterator[Operation]:
    """The ops of the samples that make a tile like their first operand, without a region."""
    for path in (*nv_tileaa_samples.VALID.values(), *nv_tileas_samples.VALID.values()):
        for op in parse(nv_tileaa_samples.text(path)).walk():
            is_ours = op.name.startswith(("nv_tileaa.", "nv_tileas."))
            if is_ours and op.has_trait(Pure) and op.operands and op.results and not op.regions:
                types = op.operands[0].type, op.results[0].type
                elements = [tile_shape(type).element for type in types]
                is_tile = any(isinstance(type, TensorType) for type in types)
                if is_tile and elements[0] == elements[1]:
                    yield op


def test_every_op_on_elements_answers():
    silent = {
        f"{op.name}: {RepeatedElementsOpInterface.__name__}"
        for op in pure_ops_of_one_element_type()
        if not isinstance(op, RepeatedElementsOpInterface)
        and op.name not in MAKING
        and not isinstance(op, FloatOp | IntegerOp)
    }
    assert silent == set()


CHANGING_THREADS = {"nv_tileaa.extract", "nv_tileas.convert_layout", "nv_tileas.shuffle"}
"""Ops that repeat elements, of which another thread may have had the registers."""


def test_every_op_that_computes_nothing_says_so():
    silent = {
        f"{op.name}: {SameRegistersOpInterface.__name__}"
        for op in pure_ops_of_one_element_type()
        if isinstance(op, RepeatedElementsOpInterface)
        and not isinstance(op, SameRegistersOpInterface)
    }
    assert silent == {f"{op}: {SameRegistersOpInterface.__name__}" for op in CHANGING_THREADS}


CARRYING = (Bytes, Carried, Folded, Scanned)
"""The needs of ops that give their results registers of an operand, or combine those."""


def test_every_op_that_carries_registers_over_says_where_elements_are():
    """`analysis.layouts.transfer` finds the layouts, which `test_transfer` compares with numpy."""
    paths = (*nv_tileaa_samples.VALID.values(), *nv_tileas_samples.VALID.values())
    silent = {
        f"{op.name}: {ReindexedOpInterface.__name__}"
        for path in paths
        for op in parse(nv_tileaa_samples.text(path)).walk()
        if isinstance(op, SharedMemoryOpInterface)
        and not isinstance(op, ReindexedOpInterface)
        and any(isinstance(need, CARRYING) for need in op.scratch)
    }
    assert silent == set()


def test_every_answer_is_tried():
    answering = {
        op.name
        for op in pure_ops_of_one_element_type()
        if isinstance(op, RepeatedElementsOpInterface)
    }
    assert answering == {*FORMS, *OF_OTHERS}


@pytest.mark.parametrize("name", FORMS)
def test_the_elements_of_the_result(name: str):
    form, result = FORMS[name]
    types = {"T": tensor(Tile("1x4x8xi32")), "R": tensor(Tile(result))}
    text = f"%out0 = {name} {form}".replace(" T", f" {types['T']}").replace(" R", f" {types['R']}")
    (found,) = evaluate(text, [("1x4x8xi32", SOURCE)], [result])
    assert set(found.flat) == set(SOURCE.flat)
    is_ordered = found.size == SOURCE.size and (found.ravel() == SOURCE.ravel()).all()
    op_type = next(type(op) for op in pure_ops_of_one_element_type() if op.name == name)
    assert issubclass(op_type, OrderedElementsOpInterface) == is_ordered
