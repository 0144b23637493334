"""Dense random programs have one meaning, and the ops that wrong passes are found by."""

import re

import numpy as np

from tileir_xdsl.testing import tools
from tileir_xdsl.testing.pass_checks.checking import observed
from tileir_xdsl.testing.programs.dense import KERNEL, dense_program
from tileir_xdsl.testing.programs.dense_arrays import PADDING
from tileir_xdsl.testing.programs.dense_pairs import COMPARED

SEEDS = range(12)


def test_programs_have_one_meaning():
    for seed in SEEDS:
        text, launch = dense_program(seed)
        module = tools.parse(text)
        case = observed(module, KERNEL, launch)
        assert case is not None
        assert any(
            (after != before).any()
            for before, after in zip(launch.arguments, case.expected.arrays.values(), strict=False)
        )


def test_programs_have_ops_of_every_kind():
    texts = [dense_program(seed)[0] for seed in SEEDS]
    for op in ("addf", "subf", "mulf", "select", "extract", "reduce", "scan", "mmaf", "for"):
        assert any(f"= {op} " in text for text in texts)
    # Once more for each of two arrays that is overwritten, and twice where blocks send messages.
    assert {text.count("store_ptr_tko") for text in texts} == {5, 6, 7, 8, 9}
    assert all("= join_tokens " in text for text in texts)


def test_every_third_program_is_given_numbers_that_rewrites_forget():
    for seed in SEEDS:
        array = dense_program(seed)[1].arguments[0]
        assert isinstance(array, np.ndarray)
        assert np.isnan(array).any() == (seed % 3 == 1)


def test_integers_equal_the_constants_that_they_are_compared_with():
    for seed in SEEDS:
        array = dense_program(seed)[1].arguments[2]
        assert isinstance(array, np.ndarray)
        assert set(COMPARED) < set(array.tolist())


def test_an_array_is_padded_by_more_than_zeros():
    texts = [dense_program(seed)[0] for seed in range(60)]
    found = {match for text in texts for match in re.findall(r"padding_value = (\w+)", text)}
    assert found == set(PADDING)


def test_a_seed_gives_the_same_program():
    assert dense_program(3)[0] == dense_program(3)[0] != dense_program(4)[0]
