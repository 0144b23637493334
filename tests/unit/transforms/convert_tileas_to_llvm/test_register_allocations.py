"""`alloc_tensor` in registers: a tile without values, which slices are inserted into, down to PTX."""

import numpy as np
import pytest
from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.rewriter import InsertPoint

from tileir_xdsl import emulator
from tileir_xdsl.builders.dots import DotAttributes, DotInputs, build_zero_accumulator_dot
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters import launch
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

A, B, C = "64x32xf16", "32x64xf16", "64x64xf32"


def view(shape: str) -> str:
    rows, columns, element = shape.split("x")
    memref = f"!nv_tileaa.memref<{rows}x{columns}x{element}, strides = [{columns}, 1]>"
    return f"!nv_tileaa.tiled_view<{shape}, {memref}>"


def view_of(name: str, shape: str) -> str:
    """A view of the whole object behind a pointer."""
    rows, columns, element = shape.split("x")
    memref = view(shape).split(", ", 1)[1][:-1]
    return f"""
    %{name}_object = nv_tileaa.make_memref %{name} : !nv_tileaa.ptr<{element}> -> {memref}
    %{name}_view = nv_tileaa.block_tile %{name}_object {{tileSizes = array<i64: {rows}, {columns}>, dimGroups = [[0], [1]]}} : {memref} -> {view(shape)}
    """


def kernel(body: str, stored: str) -> str:
    return f"""
    nv_tileaa.func @k(%a: !nv_tileaa.ptr<f16>, %b: !nv_tileaa.ptr<f16>, %c: !nv_tileaa.ptr<f32>) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %zero = arith.constant 0 : i32
      {view_of("a", A)}{view_of("b", B)}{view_of("c", C)}
      %x = nv_tileas.tiled_load weak %a_view[%zero, %zero] : {view(A)}[i32, i32] -> tensor<{A}>
      %y = nv_tileas.tiled_load weak %b_view[%zero, %zero] : {view(B)}[i32, i32] -> tensor<{B}>
      {body}
      nv_tileas.tiled_store weak {stored}, %c_view[%zero, %zero] : tensor<{C}>, {view(C)}[i32, i32]
      nv_tileaa.return
    }}
    """


def zero_accumulator() -> ModuleOp:
    """A product by the builder, whose accumulator is allocated and filled with zeros."""
    module = tools.parse(kernel(f"%d = arith.constant dense<1.0> : tensor<{C}>", "%d"))
    x, y = (op for op in module.walk() if isinstance(op, nv_tileas.TiledLoadOp))
    (store,) = (op for op in module.walk() if isinstance(op, nv_tileas.TiledStoreOp))
    attributes = DotAttributes(nv_tileas.AtomAttr("mma_f16_f16_f32"))
    product = build_zero_accumulator_dot(
        Builder(InsertPoint.before(store)),
        DotInputs(x.tile, y.tile),
        TensorType(f32, [64, 64]),
        attributes,
    )
    store.operands[1] = product
    return module


def halves() -> ModuleOp:
    """Two tiles side by side in a third: the sums of A and of B with themselves."""
    return tools.parse(
        kernel(
            """
      %s = nv_tileas.alloc_tensor : tensor<64x64xf32>
      %f = nv_tileaa.fp_to_fp %x : tensor<64x32xf16> to tensor<64x32xf32>
      %left = nv_tileas.insert_slice %f into %s[0, 0][64, 32][1, 1] : tensor<64x32xf32> into tensor<64x64xf32>
      %twice = nv_tileaa.addf %f, %f : tensor<64x32xf32>
      %both = nv_tileas.insert_slice %twice into %left[0, 32][64, 32][1, 1] : tensor<64x32xf32> into tensor<64x64xf32>
            """,
            "%both",
        )
    )


def expected(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    wide = a.astype(np.float32)
    return wide @ b.astype(np.float32) if name == "product" else np.hstack([wide, 2 * wide])


PROGRAMS = {"product": zero_accumulator, "halves": halves}


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a", "interpreter"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_computed(name: str, gpu: str):
    rng = np.random.default_rng(7)
    a = rng.integers(-4, 5, (64, 32)).astype(np.float16)
    b = rng.integers(-4, 5, (32, 64)).astype(np.float16)
    found, module = np.zeros((64, 64), np.float32), PROGRAMS[name]()
    if gpu == "interpreter":
        launch(module, "k", (1, 1, 1), [a, b, found])
    else:
        ptx = lower(tools.context(), module, "ptx", gpu=gpu, file="k.mlir").ptx
        assert ptx is not None
        emulator.load(ptx).launch("k", (1, 1, 1), [a, b, found], late=True, races=True)
    np.testing.assert_array_equal(found, expected(name, a, b))
