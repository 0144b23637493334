"""Every operation: its row in the table, and a file with it at every version.

A file in `operations` holds a module; its first line says since which version it can be written.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.str_enum import StrEnum

from tests.unit.bytecode import reference
from tests.unit.bytecode.building import error_of
from tileir_xdsl.bytecode import VERSIONS, Version, read, write
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.bytecode.operation_encoding import encodings, flag_bits
from tileir_xdsl.bytecode.operations import OPERATIONS, OperationRow
from tileir_xdsl.bytecode.slots import EnumKind
from tileir_xdsl.bytecode.version import V13_1, V13_2, V13_3, V13_4, V13_5
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.definition import SEGMENT_SIZES, Arity
from tileir_xdsl.testing import tools

FOLDER = Path(__file__).with_name("operations")
FILES = sorted(path.stem for path in FOLDER.glob("*.mlir"))

NO_ROW = {
    ct.ModuleOp,
    ct.EntryOp,
    ct.GlobalOp,
    ct.ExperimentalFuncOp,
    ct.TestingFuncOp,
    ct.FPowFOp,
    ct.TokenJoinOp,
}
"""What stands in other sections, or in no bytecode at all."""


def load(name: str) -> tuple[ModuleOp, Version]:
    text = (FOLDER / f"{name}.mlir").read_text()
    return tools.parse(text), Version.parse(text.splitlines()[0].removeprefix("// since "))


def test_every_operation_has_a_row():
    rows = [row.operation for row in OPERATIONS]
    assert len(set(rows)) == len(rows)
    assert set(ct.CudaTile.operations) - set(rows) == NO_ROW


def test_opcodes_are_in_order():
    opcodes = [row.opcode for row in OPERATIONS]
    assert opcodes == sorted(set(opcodes))


@pytest.mark.parametrize(
    ("version", "last"),
    [(V13_1, 0x6D), (V13_2, 0x6E), (V13_3, 0x75), (V13_4, 0x7A), (V13_5, 0x7D)],
    ids=str,
)
def test_the_opcodes_of_a_version_are_the_first_ones(version: Version, last: int):
    assert list(encodings(version)) == [r.opcode for r in OPERATIONS if r.opcode <= last]


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.operation.name)
def test_rows_fit_the_dialect(row: object):
    found = next(r for r in OPERATIONS if r is row)
    definition = found.operation.DEFINITION
    properties = {prop.name: prop for prop in definition.properties}
    assert {slot.name for slot in found.slots} == set(properties)
    for slot in found.slots:
        # What the dialect may leave out is optional in bytecode, or has a default, or is what the
        # verifier asks for; what came later than the operation can be left out.
        assert not (properties[slot.name].required and slot.optional)
        assert slot.since <= found.since or slot.optional or slot.default is not None
    members = {value.name for value in (*definition.operands, *definition.results)}
    assert set(found.younger) <= members
    for name in found.younger:
        assert found.younger[name] > found.since
    younger_results = [result.name for result in definition.results if result.name in found.younger]
    assert (
        younger_results
        == [result.name for result in definition.results][
            len(definition.results) - len(younger_results) :
        ]
    )
    optional = {value.name for value in definition.operands if value.arity is Arity.OPTIONAL}
    assert {name for name in found.younger if name not in younger_results} <= optional
    if definition.segmented:
        assert optional <= set(flag_bits(found))
    assert SEGMENT_SIZES not in flag_bits(found)


@pytest.mark.parametrize(
    ("operation", "bits"),
    [
        (ct.AddFOp, {"flush_to_zero": 1}),
        (ct.MaxFOp, {"propagate_nan": 1, "flush_to_zero": 2}),
        (
            ct.LoadPtrTkoOp,
            {
                "memory_scope": 1,
                "optimization_hints": 2,
                "mask": 4,
                "padding_value": 8,
                "token": 16,
            },
        ),
        (ct.PrintTkoOp, {"token": 1}),
        (ct.GdcWaitTkoOp, {}),
        (ct.IfOp, {}),
    ],
)
def test_flag_bits(operation: type[object], bits: dict[str, int]):
    (row,) = (row for row in OPERATIONS if row.operation is operation)
    assert flag_bits(row) == bits


def test_every_operation_has_a_file():
    for operation in (ct.GlobalOp, *(row.operation for row in OPERATIONS)):
        module, _ = load(operation.name.partition(".")[2])
        assert any(isinstance(op, operation) for op in module.walk())


def test_every_attribute_is_written_and_left_out_and_every_value_of_an_enumeration():
    rows: dict[type[Operation], OperationRow] = {row.operation: row for row in OPERATIONS}
    present: defaultdict[tuple[str, str], set[bool]] = defaultdict(set)
    values: defaultdict[type[StrEnum], set[StrEnum]] = defaultdict(set)
    for op in (op for name in FILES for op in load(name)[0].walk() if type(op) in rows):
        for slot in rows[type(op)].slots:
            attribute = op.properties.get(slot.name)
            present[op.name, slot.name].add(attribute is not None)
            if isinstance(slot.kind, EnumKind) and attribute is not None:
                values[slot.kind.enum].add(slot.kind.value(attribute))
    for row in OPERATIONS:
        for slot in row.slots:
            expected = {True, False} if slot.optional else {True}
            assert expected <= present[row.operation.name, slot.name], (row.opcode, slot.name)
    assert {enum: set(enum) for enum in values} == values


@pytest.mark.parametrize("name", FILES)
def test_files_are_written_and_read(name: str):
    module, since = load(name)
    text = disassemble(module)
    for version in VERSIONS:
        if version < since:
            error = error_of(lambda version=version: write(module, str(version)))
            required = re.search(r"requires bytecode (?:version )?(13\.\d)", str(error))
            assert required is not None
            assert version < Version.parse(required[1]) <= since
            assert error.operation is not None
            continue
        data = write(module, str(version))
        assert reference.disassemble(data) == text
        again = read(data)
        again.verify()
        assert disassemble(again) == text
        assert write(again, str(version)) == data
