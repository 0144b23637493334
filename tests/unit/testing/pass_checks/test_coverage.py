"""Every op of the road is in programs of the check, or has a reason why it is in none."""

import pytest

from tests.wrong_passes.coverage import ABSENT, DIALECTS, counted, rows


def test_reasons_are_of_ops():
    names = {op.name for dialect in DIALECTS.values() for op in dialect.operations}
    assert set(ABSENT) <= names
    assert len(ABSENT) < 0.12 * len(names)


@pytest.mark.soak
def test_every_op_is_in_a_program():
    without = [name for _, name, programs, reason in rows(counted(60)) if not (programs or reason)]
    assert without == []
