"""Our PTX and LLVM's compute the same, on random functions: 50 in `make test`, 5,000 in `make soak`."""

import pytest

from tests.llvm_programs import comparison
from tests.llvm_programs.comparison import GPUS, disagreements, smallest
from tileir_xdsl.testing.llvm_programs.generator import generate

FUNCTIONS, BATCH = 5000, 25
BATCHES = [(GPUS[i % len(GPUS)], i * BATCH) for i in range(FUNCTIONS // BATCH)]


@pytest.mark.one_in(100)
@pytest.mark.parametrize(("gpu", "first"), BATCHES)
def test_both_compute_the_same(gpu: str, first: int):
    different = disagreements(range(first, first + BATCH), gpu)
    assert not different, smallest(different[0], gpu)


def test_functions_are_what_their_seeds_say():
    assert generate(3) == generate(3)
    assert generate(3).text != generate(4).text


@pytest.mark.parametrize(
    ("right", "wrong", "first"),
    [("shr.u32", "shr.s32", 82), ("min.f32", "max.f32", 4), ("fma.rn.f64", "fma.rz.f64", 14)],
)
def test_a_wrong_instruction_is_found(
    monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, first: int
):
    """By the first of all functions that shows it."""
    correct = comparison.our_ptx

    def broken(text: str, gpu: str) -> str:
        return correct(text, gpu).replace(right, wrong)

    monkeypatch.setattr(comparison, "our_ptx", broken)
    assert disagreements([first], GPUS[0]) == [first]
