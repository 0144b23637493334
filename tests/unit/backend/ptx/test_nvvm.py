"""Every `nvvm` op: its text, acceptance by ptxas and the emulator, refusal below its target."""

from functools import cache

import pytest
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.backend.ptx.harness import assemble, ptx, together
from tests.unit.backend.ptx.nvvm_forms import FORMS, Form, mma, module, name, operation, sparse_mma
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.backend.ptx.tables import all_rules
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.special_registers import (
    SPECIAL_REGISTERS,
    Clock64Op,
    GlobalTimerOp,
    SpecialRegisterOp,
)
from tileir_xdsl.testing.tools import parse

WIDE = (Clock64Op, GlobalTimerOp)
"""The special registers of 64 bits."""


@cache
def printed(form: Form) -> str:
    return ptx(module(form.op), form.gpu)


@pytest.mark.parametrize("form", FORMS, ids=name)
def test_form(form: Form) -> None:
    text = printed(form)
    assert form.opcode in text
    emulator.load(text)


@pytest.mark.parametrize("gpu", sorted({form.gpu for form in FORMS}))
def test_forms_are_assembled(gpu: str) -> None:
    for text in together(printed(form) for form in FORMS if form.gpu == gpu):
        assemble(text, gpu)


@pytest.mark.parametrize("form", [form for form in FORMS if form.lower is not None], ids=name)
def test_lower_targets_are_refused(form: Form) -> None:
    assert form.lower is not None
    operation = form.op.rpartition("\n")[2].removeprefix("%0 = ").split()[0].partition("[")[0]
    with pytest.raises(
        DiagnosticException, match=f"'{operation}' is not available on {form.lower}"
    ):
        ptx(module(form.op), form.lower)


@pytest.mark.parametrize("selector", ["%i", "%c31"])
def test_sparsity_selectors_are_constants(selector: str) -> None:
    op = sparse_mma("f16", 16, (2, 2, 4), ("v", "v", "f")).replace("%i0", selector)
    with pytest.raises(DiagnosticException, match="selector must be a constant below 4"):
        ptx(module(op), "sm_80")


def test_lower_versions_are_refused() -> None:
    text = module("%0 = nvvm.elect.sync -> i1")
    with pytest.raises(DiagnosticException, match=r"needs PTX 8\.0 or later, not 7\.8"):
        emit(parse(text), "sm_90", 7.8)
    assert ".version 8.0\n" in emit(parse(text), "sm_90", 8.0)


def test_version_rises_with_the_instructions() -> None:
    assert ptx(module("nvvm.barrier"), "sm_89").startswith(".version 7.8\n")
    text = mma("e4m3", "m = 16, n = 8, k = 32", (4, 2, 4), ("i", "i", "f"))
    assert ptx(module(text), "sm_89").startswith(".version 8.4\n")


@cache
def reading(op: type[SpecialRegisterOp]) -> str:
    """The PTX of a kernel that reads a special register."""
    return ptx(module(f"%0 = {op.name} : {'i64' if op in WIDE else 'i32'}"), "sm_90")


@pytest.mark.parametrize("op", SPECIAL_REGISTERS.values(), ids=lambda op: str(op.name))
def test_special_register(op: type[SpecialRegisterOp]) -> None:
    move = "mov.u64 %rd" if op in WIDE else "mov.u32 %r"
    assert move in reading(op) and f", {op.register()};" in reading(op)


def test_special_registers_are_assembled() -> None:
    for text in together(map(reading, SPECIAL_REGISTERS.values())):
        assemble(text, "sm_90")


def test_every_op_has_a_rule() -> None:
    assert [op.name for op in NVVM.operations if op not in all_rules()] == []


def test_every_op_is_in_a_form() -> None:
    covered = {operation(form) for form in FORMS}
    covered |= {op.name for op in SPECIAL_REGISTERS.values()}
    missing = {op.name for op in NVVM.operations} - covered
    # Tested with their accumulators, and with their operands, in files of their own.
    assert missing == {
        "nvvm.convert.float.to.tf32",
        "nvvm.mapa",
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.fence.aligned",
        "nvvm.wgmma.mma_async",
        "nvvm.wgmma.mma_async.register",
        "nvvm.wgmma.wait.group.sync.aligned",
    }
