"""Forms of the printer: each part of the notation, and that straight-line ops are rows."""

from typing import Any, cast

import pytest
from xdsl.dialects import llvm, test
from xdsl.dialects.builtin import IntAttr, IntegerAttr, i1, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.forms import Form, is_present
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.attributes import CTAGroup, CTAGroupAttr
from tileir_xdsl.dialects.nvvm.pointers import SHARED
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation


class Recorder:
    """A selector that writes down what it is asked for."""

    def __init__(self) -> None:
        self.emitted: list[tuple[object, ...]] = []

    def __getattr__(self, name: str) -> object:
        def asked(value: SSAValue) -> str:
            return f"{name}({value.name_hint})"

        return asked

    def results(self, op: Operation) -> tuple[int, ...]:
        return tuple(range(len(op.results)))

    def result(self, op: Operation) -> int:
        return 0

    def components(self, value: Any) -> tuple[Any, ...]:
        return (value, value)

    def emit(self, opcode: str, definitions: object, *operands: object, guard: object) -> None:
        self.emitted.append((opcode, definitions, operands, guard))


def emitted(syntax: str, results: int = 1, **attributes: Any) -> tuple[Any, ...]:
    """What a form emits for an op with some attributes and operands."""
    op = test.TestOp(result_types=[i32] * results)
    for name, value in attributes.items():
        setattr(op, name, value)
    recorder = Recorder()
    Form(syntax).select(cast(Any, recorder), op)
    (instruction,) = recorder.emitted
    return instruction


def value(name: str, type: Any = i32) -> Any:
    made = test.TestOp(result_types=[type]).results[0]
    made.name_hint = name
    return made


NUMBER = IntegerAttr(7, i32)


@pytest.mark.parametrize(
    ("syntax", "attributes", "expected"),
    [
        ("exit", {}, ("exit", (), (), None)),
        ("op<[a]>.b64", {"a": value("x", SHARED)}, ("op.shared::cta.b64", (), (), None)),
        ("op.<kind>", {"kind": CTAGroupAttr(CTAGroup.TWO)}, ("op.cta_group::2", (), (), None)),
        ("op.x<n>.<word>", {"n": NUMBER, "word": "b"}, ("op.x7.b", (), (), None)),
        ("op{::<kind>}{.<other>}", {"kind": "b", "other": None}, ("op::b", (), (), None)),
        ("op{.c?b}", {"b": False}, ("op", (), (), None)),
        ("op.<kind>.x", {"kind": IntAttr(4)}, ("op.4.x", (), (), None)),
        ("op{.read}", {"read": None}, ("op", (), (), None)),
        ("op{.read}", {"read": NUMBER}, ("op.read", (), (), None)),
        ("op{.a::b?c}.d", {"c": NUMBER}, ("op.a::b.d", (), (), None)),
        ("op{.a::b?c}.d", {"c": IntegerAttr(0, i1)}, ("op.d", (), (), None)),
        ("op  d, 3, n", {"n": NUMBER}, ("op", (0,), ("3", "7"), None)),
        ("op  a{, b}", {"a": value("x"), "b": None}, ("op", (), ("operand(x)",), None)),
        (
            "op  [a], %b",
            {"a": value("x"), "b": value("y")},
            ("op", (), ("address(x)", "register(y)"), None),
        ),
        ("op  %[a]", {"a": value("x")}, ("op", (), ("register(x)",), None)),
        ("op  %[a]", {"a": value("x", llvm.LLVMPointerType())}, ("op", (), ("address(x)",), None)),
        ("@p op", {"p": None}, ("op", (), (), None)),
        ("@p op", {"p": value("x")}, ("op", (), (), ("register(x)", False))),
        ("op  {a}", {"a": [value("x")]}, ("op", (), ((("operand(x)",),),), None)),
        ("op  {, {a}}", {"a": []}, ("op", (), (), None)),
        (
            "op  [m, {c}]{, {o}}{, h}",
            {"m": value("m"), "c": [value("x"), value("y")], "o": [value("o")], "h": value("h")},
            (
                "op",
                (),
                (("address(m)", ("operand(x)", "operand(y)")), (("operand(o)",),), "operand(h)"),
                None,
            ),
        ),
        (
            "op  {%v}",
            {"v": value("v")},
            ("op", (), ((("in_register(v)", "in_register(v)"),),), None),
        ),
    ],
)
def test_notation(syntax: str, attributes: dict[str, Any], expected: tuple[Any, ...]):
    assert emitted(syntax, **attributes) == expected


@pytest.mark.parametrize(
    ("results", "syntax", "expected"),
    [(1, "op  d|p", (0,)), (2, "op  d|p", ((0, 1),)), (2, "op  {d}", (((0, 1),),))],
)
def test_results(results: int, syntax: str, expected: tuple[Any, ...]):
    assert emitted(syntax, results)[1] == expected


def test_numbers_are_present_unless_they_are_zero():
    op, name = test.TestOp(), "given"
    for given, expected in (
        (NUMBER, True),
        (IntegerAttr(0, i32), False),
        (None, False),
        ((), False),
    ):
        setattr(op, name, given)
        assert is_present(op, name) == expected


def test_ops_of_one_instruction_have_forms():
    forms = [op.PTX for op in NVVM.operations if issubclass(op, NVVMOperation) and op.PTX]
    assert len(forms) >= 75
    for form in forms:
        assert form[0] in "@abcdefghijklmnopqrstuvwxyz"
