"""Each listed instruction form is printed, assembled for its lowest target, and computes its value.

The kernel that is assembled is the one that runs in the emulator; its results are compared with a
numpy statement of what the instruction means.
"""

import re
import subprocess
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.unit.backend.ptx.instruction_list import LISTED
from tests.unit.backend.ptx.instruction_values import FAMILIES, family, values
from tests.unit.backend.ptx.instruction_values.value import NoValue, module_of
from tests.unit.tools import parse, ptxas_path
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.matrix import MatrixForm
from tileir_xdsl.dialects.nvvm.special_registers import SpecialRegisterOp
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

_AT_ONCE = 48
"""How many kernels a module has."""

Group = tuple[str, float, tuple[str, ...]]
"""A target, a PTX version, and forms that both have."""

_GROUPS: tuple[Group, ...] = tuple(
    (gpu, version, opcodes[start : start + _AT_ONCE])
    for (gpu, version), opcodes in LISTED.items()
    for start in range(0, len(opcodes), _AT_ONCE)
)


@cache
def printed(group: Group) -> str:
    """The PTX of a kernel for each form of a group."""
    gpu, version, opcodes = group
    return emit(parse(module_of([values()[opcode] for opcode in opcodes])), gpu, version)


@cache
def loaded(group: Group) -> emulator.Module:
    return emulator.load(printed(group))


def test_every_form_has_a_value() -> None:
    listed = [opcode for opcodes in LISTED.values() for opcode in opcodes]
    assert sorted(listed) == sorted(set(listed))
    assert sum(len(family(name)) for name in FAMILIES) == len(values())
    assert sorted(values()) == sorted(listed)


def test_only_orders_and_hints_have_no_value() -> None:
    without = [opcode for opcode, value in values().items() if isinstance(value, NoValue)]
    expected = r"fence\.|wgmma\.fence|griddepcontrol|nanosleep|setmaxnreg|.*prefetch"
    assert [opcode for opcode in without if not re.match(expected, opcode)] == []


def test_products_of_the_targets_are_listed() -> None:
    """What the compiler may choose is a subset of what is tested."""
    listed = {opcode for opcodes in LISTED.values() for opcode in opcodes}
    forms = {
        MatrixForm(atom, shape).opcode
        for atom in MMA_ATOMS.values()
        if atom.kind is not MMAKind.TENSOR_MEMORY
        for shape in atom.shapes
    }
    forms |= {atom.ptx for atom in MMA_ATOMS.values() if atom.kind is MMAKind.TENSOR_MEMORY}
    assert sorted(forms - listed) == []


def test_every_op_is_at_work() -> None:
    """Only the ops that read special registers are tested elsewhere, all of them alike."""
    used = {name for value in values().values() for name in re.findall(r"nvvm\.[\w.]+", value.ops)}
    ops = {op.name for op in NVVM.operations if not issubclass(op, SpecialRegisterOp)}
    assert sorted(ops - used) == []


@pytest.mark.parametrize("group", _GROUPS, ids=lambda group: f"{group[0]}-{group[1]}-{group[2][0]}")
def test_forms_are_printed_and_assembled(group: Group, tmp_path: Path) -> None:
    gpu, _, opcodes = group
    text = printed(group)
    bodies = text.split(".visible .entry ")[1:]
    assert [o for o, body in zip(opcodes, bodies, strict=True) if o not in body] == []
    source = tmp_path / "forms.ptx"
    source.write_text(text)
    command = [ptxas_path(), "-O0", f"-arch={gpu}", str(source), "-o", str(tmp_path / "forms")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def _marks(opcode: str) -> Sequence[pytest.MarkDecorator]:
    """`wgmma` has 32 extents for each pair of types: one in four is for `make test`."""
    is_one_of_many = opcode.startswith("wgmma.mma_async") and zlib.crc32(opcode.encode()) % 4
    return [pytest.mark.soak] if is_one_of_many else []


@pytest.mark.parametrize(
    ("group", "index"),
    [
        pytest.param(group, index, id=opcode, marks=_marks(opcode))
        for group in _GROUPS
        for index, opcode in enumerate(group[2])
    ],
)
def test_value(group: Group, index: int) -> None:
    values()[group[2][index]].check(loaded(group), f"k{index}")
