"""Layouts that a plug-in demands: each is compared with the tile that it is for."""

from collections.abc import Sequence
from itertools import product
from operator import ge

import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.testing import tools

LAYOUTS = {
    32: "#nv_tileas.layout<(1, (32), 1, 1), (0, (1), 0, 0)>",
    64: "#nv_tileas.layout<(2, (32), 1, 1), (1, (2), 0, 0)>",
}
"""A layout of so many elements, one or two in each lane of a warp."""

Layouts = tuple[int, ...] | None
"""The sizes of given layouts, one for each tile; None where none are given."""

TILES: tuple[tuple[int, ...], ...] = ((), (32,), (64,), (32, 64))


def plugin(args: Sequence[int], outputs: Sequence[int], inputs: Layouts, outs: Layouts) -> str:
    """A plug-in of tiles of some sizes, and the layouts that it demands."""
    names = ", ".join(f"%a{number}" for number in range(len(args)))
    results = ", ".join(f"%r{number}" for number in range(len(outputs)))
    given = {"input_layouts": inputs, "output_layouts": outs}
    attributes = ", ".join(
        f"{name} = [{', '.join(LAYOUTS[size] for size in sizes)}]"
        for name, sizes in given.items()
        if sizes is not None
    )
    types = [", ".join(f"tensor<{size}xf32>" for size in sizes) for sizes in (args, outputs)]
    parameters = ", ".join(f"%a{number}: tensor<{size}xf32>" for number, size in enumerate(args))
    return f"""
    nv_tileaa.func @f({parameters}) {{
      {results} {"=" if results else ""} nv_tileaa.plugin "fft"({names}) {{{attributes}}} : ({types[0]}) -> ({types[1]})
      nv_tileaa.return
    }}
    """


def choices(tiles: Sequence[int]) -> list[Layouts]:
    return [None, *product(LAYOUTS, repeat=len(tiles))]


def fits(tiles: Sequence[int], layouts: Layouts) -> bool:
    """Whether no layout has elements that its tile has not."""
    return layouts is None or all(map(ge, tiles, layouts))


def is_refused(text: str) -> bool:
    try:
        tools.run_passes(tools.parse(text), "convert-tileaa-to-tileas")
    except PassFailedException as error:
        assert str(error) == "fails to assign layout"
        return True
    return False


@pytest.mark.parametrize("args", TILES, ids=str)
def test_a_layout_is_that_of_its_own_tile(args: tuple[int, ...]):
    for outputs in TILES:
        for inputs, outs in product(choices(args), choices(outputs)):
            refused = is_refused(plugin(args, outputs, inputs, outs))
            assert refused is not (fits(args, inputs) and fits(outputs, outs))
