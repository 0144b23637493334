"""Every operation of cuda_tile has modules, the first of which is valid, and reasons are in use."""

import itertools

import pytest

from docs import tileiras_agreement as page
from tests.tileiras_agreement import cases as drawn
from tests.tileiras_agreement.cases import (
    DRAFTS,
    EXTREMES,
    GPUS,
    NO_CASES,
    PROGRAMS,
    VERSION,
    Case,
    cases,
    operations,
    short_name,
)
from tests.tileiras_agreement.control import MODULES
from tests.tileiras_agreement.derived import is_elementwise
from tests.tileiras_agreement.reasons import REASONS, reason
from tests.tileiras_agreement.results import CLASSES, NEITHER, OUR_FAULT, kept
from tileir_xdsl.bytecode import BytecodeError, read, write
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.verification import verify_module


def test_every_operation_has_drafts() -> None:
    without = [op.name for op in operations() if not cases(op)]
    assert without == []
    assert set(NO_CASES) <= set(ct.CudaTile.operations)
    assert not set(NO_CASES) & {*DRAFTS, *MODULES}


def test_an_operation_without_drafts_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {operation: rows for operation, rows in DRAFTS.items() if operation is not ct.CatOp}
    monkeypatch.setattr(drawn, "DRAFTS", others)
    with pytest.raises(KeyError, match=r"cuda_tile\.cat has no drafts"):
        cases(ct.CatOp)


def test_elementwise_operations_are_derived_from_the_dialect() -> None:
    derived = [short_name(op) for op in operations() if op not in DRAFTS and is_elementwise(op)]
    assert {"addf", "cmpi", "fma", "fpowi", "xori"} <= set(derived)


def test_the_first_module_of_an_operation_is_valid() -> None:
    for operation in operations():
        case = cases(operation)[0]
        data = case.data()
        assert data is not None, operation.name
        verify_module(read(data))
        assert operation.name in str(case.build()), case


def test_what_is_drawn_has_valid_and_invalid_modules() -> None:
    found = [_is_valid(case) for case in cases(ct.AddFOp)]
    assert 8 < sum(found) < len(found) - 8


def _is_valid(case: Case) -> bool:
    data = case.data()
    try:
        assert data is not None
        verify_module(read(data))
    except Exception:
        return False
    return True


def test_a_seed_draws_the_same() -> None:
    names = [(case.name, case.gpus) for case in cases(ct.MulFOp, 3)]
    assert names == [(case.name, case.gpus) for case in cases(ct.MulFOp, 3)]
    assert names != [(case.name, case.gpus) for case in cases(ct.MulFOp, 4)]


def test_names_of_modules_are_unique() -> None:
    names = sorted((case.operation, case.name) for case in drawn.drawn())
    assert [one for one, other in itertools.pairwise(names) if one == other] == []


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(), "run python -m docs.tileiras_agreement"


def test_all_operations_and_targets_are_in_the_results() -> None:
    counted = {(operation, gpu) for operation, gpu, _ in kept().counts}
    names = {*map(short_name, operations()), EXTREMES, PROGRAMS}
    assert {operation for operation, _ in counted} == names
    assert {gpu for _, gpu in counted} == set(GPUS)
    assert {outcome for _, _, outcome in kept().counts} <= set(CLASSES) - {OUR_FAULT}


def test_every_difference_has_a_reason_and_every_reason_a_difference() -> None:
    rows = kept().rows
    assert [row.key for row in rows if reason(row) is None] == []
    used = {id(found) for row in rows if (found := reason(row)) is not None}
    assert [each.reason for each in REASONS if id(each) not in used] == []
    assert all(each.outcome != NEITHER for each in REASONS)


def test_what_the_writer_has_no_words_for_is_left_out() -> None:
    def build():
        raise BytecodeError("no")

    assert Case("addf", "no words", build, GPUS).data() is None
    assert write(cases(ct.AddFOp)[0].build(), VERSION) == cases(ct.AddFOp)[0].data()
