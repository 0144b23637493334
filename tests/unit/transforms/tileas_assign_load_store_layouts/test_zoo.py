"""Layout assignment keeps what the kernels of the zoo compute, bit for bit, and loses no layout."""

import numpy as np
import pytest

from tileir_xdsl import interpreters
from tileir_xdsl.analysis.layouts.groups import is_tile, tile_arguments
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments
from tileir_xdsl.testing.programs.comparison import compare
from tileir_xdsl.testing.programs.generator import generate

NARROW_TYPES = ("f4E2M1FN", "f8E8M0FNU")
"""Element types that the default target lacks."""


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", KERNELS)
def test_the_same_bits(name: str):
    case = KERNELS[name]
    text = case.text_path.read_text()
    target = "sm_100a" if any(type in text for type in NARROW_TYPES) else "sm_90a"
    convert = f'convert-cuda-tile-to-tileaa{{compute-capability="{target}"}}'
    module = tools.run_passes(tools.parse(text), f"{convert},convert-tileaa-to-tileas")
    expected = case.make_arguments(case.typical)
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(expected))
    tools.run_passes(module, "tileas-assign-load-store-layouts")
    for op in module.walk():
        for tile in (*op.results, *tile_arguments(op)):
            if is_tile(tile):
                assert "nv_tileas.layout" in str(tile.type), op
        if isinstance(op, nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp):
            assert op.atom is not None
    actual = case.make_arguments(case.typical)
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(actual))
    for before, after in zip(expected, actual, strict=True):
        if isinstance(before, np.ndarray):
            assert isinstance(after, np.ndarray)
            assert after.tobytes() == before.tobytes()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("batch", range(4))
def test_random_programs_compute_the_same(batch: int):
    for seed in range(12 * batch, 12 * batch + 12):
        passes = (
            'convert-cuda-tile-to-tileaa{compute-capability="sm_107a"},convert-tileaa-to-tileas,'
            "tileas-assign-load-store-layouts"
        )
        compare(generate(seed, 8), passes)
