"""Dialects of xDSL that an extension takes to Tile IR: programs in them are read and run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import Func, FuncOp
from xdsl.dialects.tensor import Tensor
from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from tileir_xdsl import Options, joining, load
from tileir_xdsl.cli.main import main
from tileir_xdsl.extensions import Extension, ExtensionDialect, PlacedPass, register
from tileir_xdsl.levels import CUDA_TILE, EXTENSION_DIALECTS
from tileir_xdsl.options import OptionError
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.testing import tools

TEXT = "func.func @f() {\n  %empty = tensor.empty() : tensor<1xf32>\n  func.return\n}\n"

KERNEL = """
cuda_tile.module @kernels {
  entry @f(%a: tile<ptr<f32>>) {
    %one = constant <f32: 1.0> : tile<f32>
    %t = store_ptr_tko weak %a, %one : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


class ConvertFunctionsPass(ModulePass):
    """Each function becomes the kernel above."""

    name = "convert-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [each for each in op.ops if isinstance(each, FuncOp)]:
            kernel = tools.parse(KERNEL).body.block.first_op
            assert kernel is not None
            kernel.detach()
            op.body.block.add_op(kernel)
            function.detach()
            function.erase()


DOOR = Extension(
    "function_door",
    passes=(
        PlacedPass(ConvertFunctionsPass, level="cuda_tile", before="convert-cuda-tile-to-tileaa"),
    ),
    dialects=tuple(ExtensionDialect(each, levels=("cuda_tile",)) for each in (Func, Tensor)),
)


@pytest.fixture(autouse=True)
def door() -> Iterator[None]:
    """The extension is known, and forgotten after the test."""
    register(DOOR)
    yield
    for name in (DOOR.name, "other_door"):
        joining.register(Extension(name))


def test_a_program_is_tile_ir_once_it_is_read():
    program = load(TEXT, "sm_90a", Options(extensions=("function_door",)))
    assert program.level == "cuda_tile" and "cuda_tile.entry @f" in str(program.module)
    assert [kernel.name for kernel in program.kernels] == ["f"]
    assert program.passes[0] == "convert-cuda-tile-to-tileaa"
    for level in ("cuda_tile", "ptx"):
        program.run((1,), array := np.zeros(1, np.float32), level=level)
        assert array[0] == 1


def test_without_the_extension_it_is_refused():
    with pytest.raises(CompileError, match=r"'func\.func' op is not legal at level llvm"):
        load(TEXT, "sm_90a")


def test_an_op_that_is_left_is_refused_on_the_road():
    """An extension that takes the dialects and converts nothing."""
    register(Extension("other_door", dialects=DOOR.dialects))
    with pytest.raises(CompileError, match=r"'tensor\.empty' op is not legal at level nv_tileaa"):
        load(TEXT, "sm_90a", Options(extensions=("other_door",))).lower("nv_tileaa")


def test_commands_run_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (file := tmp_path / "f.mlir").write_text(TEXT, "utf-8")
    named = [str(file), "--with", "function_door"]
    launch = ["--grid", "1", "--arg", "zeros:f32:1"]
    assert main(["run", *named, *launch]) == 0
    assert "float32[1] = [1]" in capsys.readouterr().out
    assert main(["check", *named, *launch]) == 0
    assert main(["compile", *named, "-o", str(tmp_path / "f.ptx")]) == 0
    assert ".entry f(" in (tmp_path / "f.ptx").read_text("utf-8")


def test_several_extensions_take_one_dialect():
    joining.register(DOOR)
    joining.register(Extension("other_door", dialects=DOOR.dialects))
    assert {"func", "tensor"} < CUDA_TILE.dialects
    joining.register(Extension("function_door"))
    assert {"func", "tensor"} < CUDA_TILE.dialects
    joining.register(Extension("other_door"))
    assert CUDA_TILE.dialects == CUDA_TILE.own
    assert not [name for name, _ in EXTENSION_DIALECTS if name.endswith("_door")]


def test_its_ops_need_no_parts():
    assert joining.missing_parts(DOOR) == ()


@pytest.mark.parametrize("name", ["func", "cuda_tile"])
def test_another_dialect_of_the_name_is_refused(name: str):
    other = Extension("other_door", dialects=(ExtensionDialect(Dialect(name, []), ("cuda_tile",)),))
    with pytest.raises(OptionError, match=f"there is a dialect '{name}' already"):
        joining.register(other)
