"""Loops of two MMAs: what each accumulates on, and which sums are read, carried or unused."""

import random
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from tests.unit.road.loops.test_staged_dots import M, N, check, kernel

TILE = "tile<64x64xf32>"
LOOP = kernel("f16", "f32", transposed=True).replace("f32: 0.0>", "f32: 1.0>")
BODY = LOOP[LOOP.index("%d =") : LOOP.index("continue %d")]
LOADS = LOOP[LOOP.index("%x, %t =") : LOOP.index("%d =")]
OTHERS = LOADS.replace("%x, %t", "%v, %tv").replace("%y, %u", "%w, %tw").replace("%i,", "%zero,")
FORMS = (
    "negf {0}",
    "addf {0}, {1} rounding<nearest_even>",
    "subf {0}, {1} rounding<nearest_even>",
    "maxf {0}, {1}",
    "minf {0}, {1}",
)
ITERATIONS = 4
"""So few that all sums are exact."""


def lines(draw: random.Random) -> Iterator[str]:
    """The body of the loop, and at its end the values that it carries."""
    tiles = ["%acc", "%total", "%init"]

    def elementwise() -> Iterator[str]:
        for _ in range(draw.randint(0, 2)):
            name = f"%q{len(tiles)}"
            yield f"{name} = {draw.choice(FORMS).format(*draw.choices(tiles, k=2))} : {TILE}"
            tiles.append(name)

    for name, operands, loads in (("%d", "%x, %y", ""), ("%e", "%v, %w", OTHERS)):
        yield from elementwise()
        yield loads
        yield mma(name, operands, draw.choice(tiles))
        tiles.append(name)
    yield from elementwise()
    carried = [draw.choice(["%d", "%e", draw.choice(tiles)]) for _ in range(2)]
    yield f"continue {', '.join(carried)} : {TILE}, {TILE}"


def mma(name: str, operands: str, accumulator: str) -> str:
    return f"{name} = mmaf {operands}, {accumulator} : tile<64x32xf16>, tile<32x64xf16>, {TILE}"


def loop(body: Iterable[str], stored: str) -> str:
    """A kernel that stores one of the two values that its loop carries."""
    text = LOOP.replace(f"{BODY}continue %d : {TILE}", "\n".join(body))
    text = text.replace("%sum = for", "%sum, %all = for")
    text = text.replace(f"= %init) -> ({TILE})", f"= %init, %total = %init) -> ({TILE}, {TILE})")
    return text.replace("weak %sum,", f"weak {stored},")


def check_loop(text: str, gpu: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-1, 2, (rows, 208)).astype(np.float16) for rows in (M, N))
    arguments = [a, b, np.ones((M, N), np.float32), M, N, 32 * ITERATIONS, 208, 208]
    check(text, (2, 1, 1), arguments, gpu, "")


@pytest.mark.one_in(60, "sm_90a-10", "sm_90a-52", "sm_100a-24")
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a", "sm_100a"))
def test_random_loops(gpu: str, seed: int):
    draw = random.Random(seed)
    check_loop(loop([*lines(draw)], draw.choice(["%sum", "%all"])), gpu, seed)


def test_the_last_accumulator_is_read_after_the_next_mma():
    body = (
        mma("%d", "%x, %y", "%init"),
        OTHERS,
        f"%next = addf %total, %d rounding<nearest_even> : {TILE}",
        mma("%e", "%v, %w", "%next"),
        f"%both = addf %next, %acc rounding<nearest_even> : {TILE}",
        f"continue %e, %both : {TILE}, {TILE}",
    )
    check_loop(loop(body, "%sum"), "sm_90a", 0)
