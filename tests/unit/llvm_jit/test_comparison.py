"""Random LLVM functions on the CPU and in the emulator."""

import pytest

from tests.llvm_jit import comparison
from tests.llvm_jit.__main__ import BATCH, GPUS
from tests.llvm_jit.comparison import disagreements
from tests.llvm_jit.generator import generate
from tileir_xdsl import emulator


@pytest.mark.parametrize("gpu", GPUS)
def test_both_store_the_same(gpu: str) -> None:
    first = 1000 * GPUS.index(gpu)
    assert disagreements(range(first, first + BATCH), gpu) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cvt.rn.f32.f64", "cvt.rz.f32.f64"),
        ("popc.b32", "clz.b32"),
        ("setp.lt.s", "setp.le.s"),
    ],
)
def test_another_meaning_is_noticed(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    def load(text: str) -> emulator.Module:
        assert old in text
        return emulator.Module(text.replace(old, new))

    monkeypatch.setattr(comparison.emulator, "load", load)
    assert disagreements(range(8), GPUS[0]) != []


def test_a_seed_gives_one_function() -> None:
    assert generate(5) == generate(5)
    assert generate(5).text != generate(6).text
