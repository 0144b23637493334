"""Random loops of two products: what each is added to, and which sums are read, carried or unused."""

import random
from collections.abc import Iterator

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
ADDS = 4
"""How often a carried value may grow: all sums are exact."""


def lines(draw: random.Random) -> Iterator[str]:
    """The body of the loop, and at its end the values that it carries."""
    tiles = ["%acc", "%total", "%init"]

    def elementwise() -> Iterator[str]:
        for _ in range(draw.randint(0, 2)):
            name = f"%q{len(tiles)}"
            yield f"{name} = {draw.choice(FORMS).format(*draw.choices(tiles, k=2))} : {TILE}"
            tiles.append(name)

    for product, factors, loads in (("%d", "%x, %y", ""), ("%e", "%v, %w", OTHERS)):
        yield from elementwise()
        yield loads
        added = draw.choice(tiles)
        yield f"{product} = mmaf {factors}, {added} : tile<64x32xf16>, tile<32x64xf16>, {TILE}"
        tiles.append(product)
    yield from elementwise()
    carried = [draw.choice(["%d", "%e", draw.choice(tiles)]) for _ in range(2)]
    yield f"continue {', '.join(carried)} : {TILE}, {TILE}"


def loop(seed: int) -> str:
    """A kernel that stores one of the two values that its loop carries."""
    draw = random.Random(seed)
    body = "\n".join(lines(draw))
    text = LOOP.replace(f"{BODY}continue %d : {TILE}", body).replace(
        "%sum = for", "%sum, %all = for"
    )
    text = text.replace(f"= %init) -> ({TILE})", f"= %init, %total = %init) -> ({TILE}, {TILE})")
    return text.replace("weak %sum,", f"weak {draw.choice(['%sum', '%all'])},")


@pytest.mark.one_in(60, "sm_90a-10", "sm_90a-52", "sm_100a-24")
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a", "sm_100a"))
def test_two_products(gpu: str, seed: int):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-1, 2, (rows, 208)).astype(np.float16) for rows in (M, N))
    arguments = [a, b, np.ones((M, N), np.float32), M, N, 32 * ADDS, 208, 208]
    check(loop(seed), (2, 1, 1), arguments, gpu, "")
