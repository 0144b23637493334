"""The rounds of a conversion move every wanted element once, in tiles of their own."""

import itertools
import random

import pytest

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.conversion_steps import conversion_steps
from tileir_xdsl.layout.linear import LinearLayout


def layout(rng: random.Random, bits: int, registers: int, lanes: int, warps: int) -> LinearLayout:
    """A random layout that holds every element, some in several places."""
    bases = [0] * (registers + lanes + warps)
    vectors = [1 << bit for bit in range(bits)]
    for _ in range(4):
        a, b = rng.sample(range(bits), 2)
        vectors[a] ^= vectors[b]
    for place, vector in zip(rng.sample(range(len(bases)), bits), vectors, strict=True):
        bases[place] = vector
    ends = list(itertools.accumulate((registers, lanes, warps)))
    return LinearLayout(
        tuple(bases[: ends[0]]),
        tuple(bases[ends[0] : ends[1]]),
        tuple(bases[ends[1] :]),
        (),
        (1 << bits,),
    )


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("halvings", [1, 3])
def test_every_element_is_moved(seed: int, halvings: int):
    rng = random.Random(seed)
    bits = rng.randint(4, 9)
    lanes, warps = 2, rng.randint(0, 1)
    source, target = (layout(rng, bits, bits, lanes, warps) for _ in range(2))
    rounds = conversion_steps(source, target, halvings)
    assert len(rounds) <= 1 << halvings
    moved: list[int] = []
    for part in rounds:
        assert part.source.size >= source.size >> halvings
        places = {"source": {}, "target": {}}
        for side, whole, own, registers in (
            ("source", source, part.source, part.source_registers),
            ("target", target, part.target, part.target_registers),
        ):
            for lane, warp in itertools.product(range(whole.lanes), range(whole.warps)):
                for number, register in enumerate(registers):
                    element = whole.element(register, lane, warp)
                    index = own.element(number, lane, warp)
                    # Equal indices stand for equal elements, on both sides.
                    assert places[side].setdefault(index, element) == element
        assert len(places["source"]) == part.source.size
        assert places["target"].items() <= places["source"].items()
        moved += part.target_registers
    assert sorted(moved) == list(range(target.registers))


def test_threads_that_tell_all_elements_apart_leave_one_round():
    bases = f2.unit_vectors(4)
    one = LinearLayout(bases[2:], bases[:2], (), (), (16,))
    other = LinearLayout(bases[:2], bases[2:], (), (), (16,))
    (whole,) = conversion_steps(one, other, 3)
    assert (whole.source, whole.target) == (one, other)
    assert whole.source_registers == whole.target_registers == (0, 1, 2, 3)


def test_neighbours_stay_in_one_round():
    bases = f2.unit_vectors(6)
    one = LinearLayout((bases[0], *bases[3:]), bases[1:3], (), (), (64,))
    other = LinearLayout((*bases[:2], *bases[4:]), bases[2:4], (), (), (64,))
    rounds = conversion_steps(one, other, 2)
    assert [part.source.register[0] for part in rounds] == [1] * 4
    assert [part.source_registers[:2] for part in rounds] == [(0, 1), (8, 9), (4, 5), (12, 13)]
