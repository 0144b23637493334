"""Each listed instruction form is printed, assembled for its lowest target, and computes its value.

The kernel that is assembled is the one that runs in the emulator; its results are compared with a
numpy statement of what the instruction means.
"""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.unit.backend.ptx.instruction_list import LISTED
from tests.unit.backend.ptx.instruction_values import FAMILIES, family, values
from tests.unit.backend.ptx.instruction_values.value import NoValue, module_of
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.matrix import MatrixForm
from tileir_xdsl.dialects.nvvm.special_registers import SpecialRegisterOp
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.testing.tools import parse, ptxas_path

_AT_ONCE = 48
"""How many kernels a module has."""

Group = tuple[str, float, tuple[str, ...]]
"""A target, a PTX version, and forms that both have."""

_WGMMA = "wgmma.mma_async"
"""Instructions that have up to 32 widths for each pair of types, on two targets."""


def _groups(*, wgmma: bool) -> Iterator[Group]:
    """Groups of which each has a share of the widths of each pair of types."""
    for (gpu, version), listed in LISTED.items():
        opcodes = tuple(opcode for opcode in listed if opcode.startswith(_WGMMA) is wgmma)
        count = -(-len(opcodes) // _AT_ONCE)
        for start in range(count):
            yield gpu, version, opcodes[start::count]


_GROUPS = tuple(_groups(wgmma=False))
_WGMMA_GROUPS = tuple(_groups(wgmma=True))


def _name(group: Group) -> str:
    return f"{group[0]}-{group[1]}-{group[2][0]}"


@cache
def printed(group: Group) -> str:
    """The PTX of a kernel for each form of a group; fails where a form is not in its kernel."""
    gpu, version, opcodes = group
    text = emit(parse(module_of([values()[opcode] for opcode in opcodes])), gpu, version)
    bodies = text.split(".visible .entry ")[1:]
    assert [o for o, body in zip(opcodes, bodies, strict=True) if o not in body] == []
    return text


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


def _assemble(group: Group, folder: Path) -> None:
    """Fails where `ptxas` refuses the text."""
    gpu, _, _ = group
    source = folder / "forms.ptx"
    source.write_text(printed(group))
    command = [ptxas_path(), "-O0", f"-arch={gpu}", str(source), "-o", str(folder / "forms")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.one_in(9)
@pytest.mark.parametrize("group", _GROUPS, ids=_name)
def test_forms_are_assembled(group: Group, tmp_path: Path) -> None:
    _assemble(group, tmp_path)


@pytest.mark.parametrize(
    ("group", "index"),
    [
        pytest.param(group, index, id=opcode)
        for group in _GROUPS
        for index, opcode in enumerate(group[2])
    ],
)
def test_value(group: Group, index: int) -> None:
    values()[group[2][index]].check(loaded(group), f"k{index}")


@pytest.mark.one_in(18)
@pytest.mark.parametrize("group", _WGMMA_GROUPS, ids=_name)
def test_warpgroup_mmas(group: Group, tmp_path: Path) -> None:
    """All the same for a share of the widths of each pair of types."""
    _assemble(group, tmp_path)
    for index, opcode in enumerate(group[2]):
        print(opcode)  # shown where it fails
        values()[opcode].check(loaded(group), f"k{index}")
