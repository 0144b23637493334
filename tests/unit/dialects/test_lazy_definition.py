"""Definitions of ops that are computed on first use are those that xDSL computes at once."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import xdsl.irdl
from xdsl.dialects import test
from xdsl.dialects.builtin import IndexType, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, NoTerminator, Pure
from xdsl.utils.exceptions import PyRDLOpDefinitionError, VerifyException

from tileir_xdsl.dialects.lazy_definition import complete, irdl_op_definition, ops_of, when_defined
from tileir_xdsl.universe import UNIVERSE

Decorator = Callable[[type[Any]], type[Any]]


class Sum(IRDLOperation):
    """What both decorators are tried on: a base with fields of all kinds."""

    name = "test.sum"
    left = operand_def(i32)
    right = operand_def(i32)
    number = prop_def(IntegerAttr)
    note = attr_def(IntegerAttr)
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = (
        "$left `,` $right `+` $number attr-dict `:` type($left) `,` type($right) `->` type($result)"
    )

    def verify_(self) -> None:
        if self.number.value.data < 0:
            raise VerifyException("expects a number from 0 on")


@irdl_op_definition
class LazySum(Sum):
    name = "test.lazy_sum"


@xdsl.irdl.irdl_op_definition
class EagerSum(Sum):
    name = "test.eager_sum"


def sums(number: int = 1) -> tuple[Sum, Sum]:
    """The same op by both decorators."""
    a, b = test.TestOp(result_types=[i32, i32]).results
    lazy, eager = (
        op(
            operands=[a, b],
            properties={"number": IntegerAttr(number, 32)},
            attributes={"note": IntegerAttr(2, 32)},
            result_types=[i32],
        )
        for op in (LazySum, EagerSum)
    )
    return lazy, eager


def fields(op: Sum) -> tuple[object, ...]:
    return op.left, op.right, op.number, op.note


def test_the_same_members():
    lazy, eager = sums()
    assert fields(lazy) == fields(eager)
    assert isinstance(lazy.result, SSAValue)
    assert lazy.has_trait(Pure) and not lazy.has_trait(IsTerminator)
    assert str(lazy) == str(eager).replace("eager", "lazy")
    found, expected = LazySum.get_irdl_definition(), EagerSum.get_irdl_definition()
    assert found.operands == expected.operands and found.results == expected.results
    assert found.properties == expected.properties and found.attributes == expected.attributes


def test_fields_can_be_set_before_they_are_read():
    @irdl_op_definition
    class FreshSum(Sum):
        name = "test.fresh_sum"

    lazy, _ = sums()
    op = FreshSum.create(operands=lazy.operands, properties=lazy.properties, result_types=[i32])
    op.number = IntegerAttr(7, 32)
    assert op.properties["number"] == IntegerAttr(7, 32)
    assert op.number == IntegerAttr(7, 32)


def test_both_verifiers_run():
    lazy, eager = sums(-1)
    for op in (lazy, eager):
        with pytest.raises(VerifyException, match="expects a number from 0 on"):
            op.verify()
        del op.attributes["note"]
        with pytest.raises(VerifyException, match="attribute 'note' expected"):
            op.verify()


@pytest.mark.parametrize("decorator", [irdl_op_definition, xdsl.irdl.irdl_op_definition])
def test_what_overrides_a_field_leaves_it_a_field(decorator: Decorator):
    class Overriding(Sum):
        name = "test.overriding"
        left = operand_def(IndexType)

        @property
        def right(self) -> SSAValue:  # pyright: ignore
            return self.left

    op = decorator(Overriding)
    assert [name for name, _ in op.get_irdl_definition().operands] == ["left", "right"]
    a, b = test.TestOp(result_types=[i32, i32]).results
    assert op.create(operands=[a, b], result_types=[i32]).right is b


def test_traits_of_bases_add_up():
    @irdl_op_definition
    class Last(Sum):
        name = "test.last"
        traits = traits_def(NoTerminator())

    assert Last.has_trait(Pure) and Last.has_trait(NoTerminator)


def test_wrong_definitions_raise_on_first_use():
    @irdl_op_definition
    class TwoLists(IRDLOperation):
        name = "test.two_lists"
        some = var_operand_def(i32)
        more = opt_operand_def(i32)

    with pytest.raises(PyRDLOpDefinitionError, match="more than two variadic operands"):
        TwoLists.get_irdl_definition()


@pytest.mark.parametrize("decorator", [irdl_op_definition, xdsl.irdl.irdl_op_definition])
def test_bases_that_are_ops_themselves(decorator: Decorator):
    class Base(IRDLOperation):
        name = "test.base"
        traits = traits_def(Pure())

    class Derived(decorator(Base)):
        name = "test.derived"
        operand = operand_def(i32)

    assert decorator(Derived).has_trait(Pure)
    assert len(Derived.get_irdl_definition().operands) == 1


def test_threads_complete_an_op_once():
    for _ in range(20):

        @irdl_op_definition
        class Shared(Sum):
            name = "test.shared"

        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(Shared.get_irdl_definition) for _ in range(8)]
            definitions = [future.result() for future in asked]
        assert all(definition is definitions[0] for definition in definitions)


OURS = [
    operation
    for factory in UNIVERSE.all_dialects.values()
    for operation in factory().operations
    if operation.__module__.startswith("tileir_xdsl")
]


@pytest.mark.parametrize("operation", OURS, ids=lambda operation: operation.name)
def test_every_op_of_ours_has_a_definition(operation: type[Operation]):
    assert issubclass(operation, IRDLOperation)
    complete(operation)
    assert operation.get_irdl_definition().name == operation.name


DESCRIPTIONS = """
import contextlib, sys
from tileir_xdsl.dialects.lazy_definition import _Placeholder, defined_on_use
with defined_on_use() if sys.argv[1] == "on use" else contextlib.nullcontext():
    from xdsl.dialects import arith, cf, func, llvm, math, memref, scf, ub
dialects = arith.Arith, cf.Cf, func.Func, llvm.LLVM, math.Math, memref.MemRef, scf.Scf, ub.UB
for op in (op for dialect in dialects for op in dialect.operations):
    placed = isinstance(vars(op).get("get_irdl_definition"), _Placeholder)
    assert placed == (sys.argv[1] == "on use"), op
    definition = op.get_irdl_definition()
    fields = (definition.operands, definition.results, definition.regions)
    names = [[name for name, _ in field] for field in fields]
    traits = sorted(type(trait).__name__ for trait in op.traits)
    members = sorted(name for name in vars(op) if not name.startswith("__"))
    print(op.name, names, sorted(definition.properties), traits, *members)
"""


def test_the_dialects_of_xdsl_on_use_are_those_at_once():
    said = [
        subprocess.run(
            [sys.executable, "-c", DESCRIPTIONS, when], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for when in ("on use", "at once")
    ]
    assert len(said[0]) > 150
    assert said[0] == said[1]


def test_what_comes_after_the_definition():
    a, b = test.TestOp(result_types=[i32, i32]).results
    for decorator in (irdl_op_definition, xdsl.irdl.irdl_op_definition):
        op = decorator(type("Marked", (Sum,), {"name": "test.marked"}))
        finished: list[type[Operation]] = []
        when_defined(op, finished.append)
        assert bool(finished) == (decorator is not irdl_op_definition)
        assert op.create(operands=[a, b], result_types=[i32]).left is a
        assert finished == [op]


def test_importing_a_dialect_completes_none():
    program = """
from tileir_xdsl.dialects import lazy_definition
lazy_definition.complete = print
from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nvvm
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b""


@pytest.mark.parametrize("dialect", ["nv_tileaa", "nv_tileas"])
def test_a_dialect_lists_all_its_ops(dialect: str):
    package = importlib.import_module(f"tileir_xdsl.dialects.{dialect}")
    listed = {op for each in UNIVERSE.all_dialects.values() for op in each().operations}
    defined = [op for op in ops_of(dialect) if op.__module__.startswith(package.__name__)]
    assert len(defined) > 50
    assert [op.name for op in defined if op not in listed] == []
    assert [op.name for op in defined if getattr(package, op.__name__, op) is not op] == []
