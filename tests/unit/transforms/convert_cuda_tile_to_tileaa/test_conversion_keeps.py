"""What the first conversion carries over besides values: locations, names, modules, attributes."""

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnknownLoc

from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.testing.programs import generate
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass


def _locate(module: ModuleOp) -> None:
    """Gives every op a location of its own."""
    for number, op in enumerate(module.walk()):
        op.location = FileLineColLoc(StringAttr("kernel.py"), IntAttr(number), IntAttr(1))


def _without_location(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk() if isinstance(op.location, UnknownLoc)]


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", KERNELS)
def test_every_op_of_a_kernel_has_a_location(name: str):
    module = tools.parse(KERNELS[name].text_path.read_text())
    _locate(module)
    ConvertCudaTileToTileAAPass().apply(tools.context(), module)
    assert _without_location(module) == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_every_op_of_a_random_program_has_a_location(first: int):
    for seed in range(first, first + 20):
        module = generate(seed).module
        _locate(module)
        ConvertCudaTileToTileAAPass().apply(tools.context(), module)
        assert _without_location(module) == [], f"seed {seed}"


def test_any_number_of_modules_at_any_depth():
    kernel = "cuda_tile.module @{0} {{ entry @k{0}(%x: tile<i32>) {{ }} }}"
    inner = f"builtin.module @inner {{ {kernel.format('b')} {kernel.format('c')} }}"
    module = tools.parse(f"{kernel.format('a')} builtin.module @outer {{ {inner} }}")
    ConvertCudaTileToTileAAPass().apply(tools.context(), module)
    text = tools.to_text(module)
    assert [f"@k{name}(%x: i32)" in text for name in "abc"] == [True] * 3
    nested = [op.sym_name.data for op in module.walk() if isinstance(op, ModuleOp) and op.sym_name]
    assert nested == ["a", "outer", "inner", "b", "c"]


def test_names_and_attributes_that_belong_to_nobody():
    module = tools.parse("""
    cuda_tile.module @m {
      testing$func @f(%lhs: tile<4xf32>, %rhs: tile<4xf32>) -> tile<4xf32> {
        %total = "cuda_tile.addf"(%lhs, %rhs) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> {fastmath = #arith.fastmath<fast>} : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
        return %total : tile<4xf32>
      }
    }
    """)
    ConvertCudaTileToTileAAPass().apply(tools.context(), module)
    text = tools.to_text(module)
    assert "%total = nv_tileaa.addf %lhs, %rhs {fastmath = #arith.fastmath<fast>}" in text
