"""Every form of `bench.scale` compiles, and exponents are those of powers."""

import pytest

from bench import scale
from bench.compile_time import GPU
from bench.growing_modules import GROWTHS
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_bytecode


@pytest.mark.parametrize("name", GROWTHS)
def test_small_sizes(name: str):
    growth = GROWTHS[name]
    for size in growth.sizes[:2]:
        module = read_bytecode(growth.bytecode(size), name)
        ptx = lower(new_context(), module, "ptx", gpu=GPU, file=name).ptx
        assert ptx is not None and ptx.count(".entry") == (size if name == "kernels" else 1)


def test_exponents():
    sizes = (1, 10, 1_000)
    cubes = [size**3 for size in sizes]
    first, *others = scale.exponents(sizes, cubes)
    assert first is None
    assert all(number is not None and abs(number - 3) < 1e-9 for number in others)
    assert scale.exponents(sizes, [0, 0, 1]) == [None, None, None]
