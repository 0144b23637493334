"""Dense random programs have one meaning, and the ops that wrong passes are found by."""

from tileir_xdsl.testing import tools
from tileir_xdsl.testing.pass_checks.checking import observed
from tileir_xdsl.testing.programs.dense import KERNEL, dense_program

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
    for op in ("addf", "subf", "mulf", "select", "extract", "reduce", "mmaf", "for"):
        assert any(f"= {op} " in text for text in texts)
    assert {text.count("store_ptr_tko") for text in texts} == {5, 7}
    assert all("= join_tokens " in text for text in texts)


def test_a_seed_gives_the_same_program():
    assert dense_program(3)[0] == dense_program(3)[0] != dense_program(4)[0]
