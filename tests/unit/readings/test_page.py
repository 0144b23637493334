"""The page of open readings: up to date, complete, and with a reason for each difference."""

import re

import numpy as np
import pytest

from docs import open_readings as page
from docs.cuda_tile import operations
from tests.readings.answers import asked, kept, ours, questions_of
from tests.readings.forms import by_operation, choices
from tests.readings.questions import CLOSED, QUESTIONS
from tests.readings.reasons import ON_THE_DEVICE, REASONS, reason
from tests.readings.rows import named, readings
from tests.readings.written import Written, written
from tileir_xdsl import emulator
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

NAMES = {operation.name.removeprefix("cuda_tile.") for operation in operations()}
KERNELS = {each.key: each for each in written()}


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(), "run python -m docs.open_readings"


def test_every_op_has_a_row_or_is_closed_with_a_reason() -> None:
    open_ones = {*QUESTIONS, *(each.operation for each in written())}
    assert open_ones | set(CLOSED) == NAMES
    assert not open_ones & set(CLOSED)
    assert all(CLOSED.values())


def test_every_form_of_an_open_op_is_asked_about() -> None:
    """All but integers of one bit and floats of four, whose special numbers may be none."""
    assert {form.operation for form in asked()} == set(QUESTIONS)
    assert len({form.key for form in asked()}) == len(asked())
    without = [form.key for form in asked() if not list(questions_of(form))]
    assert all("i1" in key or "f4E2M1FN" in key for key in without), without


def test_every_modifier_of_an_open_op_is_in_some_form() -> None:
    """All that its syntax has, but words that the verifier takes for no types."""
    never = {
        "itof": {f"rounding<{mode}>" for mode in ("zero", "negative_inf", "positive_inf")},
        "negi": {"overflow<no_unsigned_wrap>"},
    }
    for operation in operations():
        name = operation.name.removeprefix("cuda_tile.")
        found = {word for form in by_operation().get(name, ()) for word in form.modifiers.split()}
        places = [choices(each) for each in operation.SYNTAX] if name in QUESTIONS else []
        words = {word for place in places for choice in place for word in choice.split()}
        assert words - found == never.get(name, set()), name


def test_every_question_is_one_of_some_form() -> None:
    asked_of = {(form.operation, q.name) for form in asked() for q, _ in questions_of(form)}
    assert asked_of == {(name, q.name) for name, all_of in QUESTIONS.items() for q in all_of}


def test_answers_are_stored_of_every_form_and_kernel() -> None:
    assert set(kept()) == {form.key for form in asked()} | set(KERNELS)


def test_every_difference_has_a_reason_and_every_reason_a_difference() -> None:
    different = [each for each in readings(kept()) if each.differs]
    assert [each for each in different if reason(each) is None] == []
    assert {reason(each) for each in different} == {each.why for each in REASONS}
    undefined = {each.form.operation for each in readings(kept()) if each.is_undefined}
    assert undefined == set(ON_THE_DEVICE)


def test_truth_of_floats_is_as_tileiras_has_it_but_for_formats_tested_bit_by_bit() -> None:
    rows = [
        each
        for each in readings(kept())
        if each.form.operation == "ftoi" and each.form.result == "i1"
    ]
    assert {each.form.operands[0] for each in rows if each.differs} == {
        *("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN")
    }
    assert all(each.operands in ("-0", "least") for each in rows if each.differs)


def test_forms_are_named_by_what_they_share() -> None:
    conversions = [form for form in asked() if form.operation == "exti"]
    assert named(conversions) == (
        "`unsigned`, `signed`: i1 to i8; i1, i8 to i16; i1, i8, i16 to i32; i1, i8, i16, i32 to i64"
    )
    assert re.fullmatch("plain, `propagate_nan`: f16, bf16", named([
        form
        for form in asked()
        if form.operation == "maxf" and form.types in ("f16", "bf16")
    ]))  # fmt: skip


@pytest.mark.parametrize("key", ["maxf f32", "maxf propagate_nan f32", "ftoi signed f16 to i8"])
def test_ours_is_what_the_text_says(key: str) -> None:
    (form,) = (form for form in asked() if form.key == key)
    expected = {
        "maxf f32": {"nan, 1": "1", "0, -0": "0", "-0, 0": "0", "subnormal, 0": "least subnormal"},
        "maxf propagate_nan f32": {"nan, 1": "NaN", "1, nan": "NaN", "nan, nan": "NaN"},
        "ftoi signed f16 to i8": {"nan": "0", "300": "greatest", "-300": "least", "-0.5": "0"},
    }[key]
    assert ours(form).items() >= expected.items()


# The last ends in tensor memory, which only its own tests have arguments for.
@pytest.mark.one_in(4)
@pytest.mark.parametrize("key", [k for k in KERNELS if "mma" not in k])
def test_ptx_does_what_the_first_level_does(key: str) -> None:
    kernel: Written = KERNELS[key]
    lowered = lower(tools.context(), tools.parse(kernel.text), "ptx", gpu=kernel.gpu, file="k")
    assert lowered.ptx is not None
    program = emulator.load(lowered.ptx)
    with np.errstate(all="ignore"):
        found = kernel.result_of(lambda arrays: program.launch("k", (1, 1, 1), arrays))
    assert found == (kernel.as_ptx or kernel.ours())
