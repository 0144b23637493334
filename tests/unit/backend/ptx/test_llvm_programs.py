"""Our PTX and LLVM's compute the same, on random functions: 250 in `make test`, 5,000 in `make soak`."""

import pytest

from tests.llvm_programs import comparison
from tests.llvm_programs.comparison import GPUS, disagreements, smallest
from tests.llvm_programs.generator import generate
from tests.unit.soak import sampled

FUNCTIONS, TESTED = 5000, 250
BATCH = 50


@pytest.mark.parametrize("first", sampled(range(0, FUNCTIONS, BATCH), TESTED // BATCH))
def test_both_compute_the_same(first: int):
    gpu = GPUS[first // BATCH % len(GPUS)]
    different = disagreements(range(first, first + BATCH), gpu)
    assert not different, smallest(different[0], gpu)


def test_functions_are_what_their_seeds_say():
    assert generate(3) == generate(3)
    assert generate(3).text != generate(4).text


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("shr.u32", "shr.s32"), ("min.f32", "max.f32"), ("fma.rn.f64", "fma.rz.f64")],
)
def test_a_wrong_instruction_is_found(monkeypatch: pytest.MonkeyPatch, right: str, wrong: str):
    correct = comparison.our_ptx

    def broken(text: str, gpu: str) -> str:
        return correct(text, gpu).replace(right, wrong)

    monkeypatch.setattr(comparison, "our_ptx", broken)
    batches = (range(first, first + BATCH) for first in range(0, 150, BATCH))
    assert any(disagreements(batch, GPUS[0]) for batch in batches)
