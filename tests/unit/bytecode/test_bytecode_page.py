"""docs/bytecode.md says what the tables say."""

from docs import bytecode
from tileir_xdsl.bytecode.operations import OPERATIONS


def test_the_page_is_up_to_date():
    assert bytecode.PAGE.read_text() == bytecode.page(), "run python -m docs.bytecode"


def test_the_page_has_a_row_for_every_operation():
    lines = bytecode.PAGE.read_text().splitlines()
    for row in OPERATIONS:
        name = row.operation.name.removeprefix("cuda_tile.")
        assert sum(line.startswith(f"| {row.opcode:02X} | `{name}` |") for line in lines) == 1
