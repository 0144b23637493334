"""The table of forms: each one is exercised by a test, and accepted by ptxas as the tests use it."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.unit.emulator import kernels
from tests.unit.emulator.instructions import (
    cases,
    test_asynchronous,
    test_atomics,
    test_comparison,
    test_conversion,
    test_data_movement,
    test_floating_point,
    test_integer,
    test_logic,
    test_matrix,
    test_warp,
)
from tests.unit.tools import ptxas_path
from tileir_xdsl.emulator.instructions.form import Form
from tileir_xdsl.emulator.instructions.table import FORM_TABLE

_MODULES = (
    test_integer,
    test_floating_point,
    test_comparison,
    test_logic,
    test_conversion,
    test_data_movement,
    test_matrix,
    test_warp,
)
_CASES = tuple(case for module in _MODULES for case in module.CASES)
_TARGETS = sorted({case.target for case in _CASES})


def assemble(text: str, target: str, folder: Path) -> str:
    """What ptxas says against a module; empty when it accepts it."""
    source = folder / "module.ptx"
    source.write_text(text)
    command = [ptxas_path(), "-O0", f"-arch={target}", str(source), "-o", str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("target", _TARGETS)
def test_ptxas_accepts_every_case(target: str, tmp_path: Path):
    chosen = [case for case in _CASES if case.target == target]
    assert assemble(cases.module(chosen), target, tmp_path) == ""


_KERNELS = {
    name: text for name, text in vars(kernels).items() if isinstance(text, str) and ".entry" in text
}


@pytest.mark.parametrize("name", _KERNELS)
def test_ptxas_accepts_every_kernel(name: str, tmp_path: Path):
    target = "sm_90a" if ".target sm_90a" in _KERNELS[name] else "sm_90"
    assert assemble(_KERNELS[name], target, tmp_path) == ""


def other_texts() -> list[str]:
    """The PTX of tests that are not a single instruction."""
    texts = [value for value in vars(kernels).values() if isinstance(value, str)]
    for module in (test_warp, test_data_movement, test_matrix):
        texts += re.findall(r'f"""(.*?)"""', Path(str(module.__file__)).read_text(), re.DOTALL)
    for mnemonic in (*test_data_movement.LOADS, *test_data_movement.WIDE_LOADS):
        texts.append(test_data_movement.access_kernel(mnemonic, load=True))
    for mnemonic in (*test_data_movement.STORES, *test_data_movement.WIDE_STORES):
        texts.append(test_data_movement.access_kernel(mnemonic, load=False))
    texts += [test_matrix.kernel_of(mnemonic) for mnemonic in test_matrix.MULTIPLICATIONS]
    texts += [
        test_matrix.smem_kernel(f"{opcode}.sync.aligned.m8n8.x1.shared.b16 %x, %x;", 1)
        for opcode in ("ldmatrix", "stmatrix")
    ]
    texts += [test_asynchronous.copy_kernel(*copy) for copy in test_asynchronous.COPIES]
    for op, suffix, type_ in test_atomics.FORMS:
        for space in ("global", "shared"):
            instruction = test_atomics.spelled(op, suffix, type_, space, returns=True)
            texts.append(f"{instruction} %d, [%a], %b" + (", %c" if op == "cas" else ""))
            instruction = test_atomics.spelled(op, suffix, type_, space, returns=False)
            texts.append(f"{instruction} [%a], %b")
    texts += re.findall(r'"((?:red|atom)\..*?)"', Path(str(test_atomics.__file__)).read_text())
    texts += [case.text for case in _CASES]
    return texts


def used_instructions() -> set[tuple[str, int]]:
    used: set[tuple[str, int]] = set()
    for text in other_texts():
        for line in re.split(r"[;\n{}]\s*(?=[@a-z])", text):
            used.add(cases.opcode_and_operands(line.split(";")[0].strip()))
    return used


_USED = used_instructions()


@pytest.mark.parametrize("form", FORM_TABLE.forms, ids=lambda form: form.syntax)
def test_every_form_is_exercised(form: Form):
    names, required = form.operand_names
    assert any(
        required <= count <= len(names) and form.qualifiers(mnemonic) is not None
        for mnemonic, count in _USED
    )
