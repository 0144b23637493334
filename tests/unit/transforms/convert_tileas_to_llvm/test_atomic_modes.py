"""Every mode of an atomic access with every element type: a meaning everywhere or an error."""

import re

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.utils.exceptions import PassFailedException, VerifyException

from tileir_xdsl import interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileas.attributes import RMWMode
from tileir_xdsl.runtime.arrays import DTYPES
from tileir_xdsl.testing import tools

ELEMENTS = ("i32", "i64", "f16", "bf16", "f32", "f64")
LOWER = f"tileas-assign-dot-layouts,tileas-assign-load-store-layouts,{tools.TO_LLVM}"

INTEGER_MODES = {"add", "and", "max", "min", "or", "umax", "umin", "xchg", "xor"}
FLOAT_MODES = {"add", "addf", "max", "min", "xchg"}


def kernel(mode: str, element: str) -> str:
    """Modifies 128 elements of the array with those that were there."""
    memref = f"!nv_tileaa.memref<128x{element}, strides = [1]>"
    view = f"!nv_tileaa.tiled_view<128x{element}, {memref}>"
    tile = f"tensor<128x{element}>"
    return f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<{element}>)
        attributes {{nv_tileaa.compute_capability = "sm_90a",
            nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %zero = arith.constant 0 : index
      %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<{element}> -> {memref}
      %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]}}
        : {memref} -> {view}
      %x = nv_tileas.tiled_load weak %v[%zero] : {view}[index] -> {tile}
      %old = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %v[%zero]
        {{rmw_mode = #nv_tileas.rmw_mode<{mode}>}} : {tile}, {view}[index] -> {tile}
      nv_tileaa.return
    }}"""


def refusal(mode: str, element: str) -> str | None:
    """The verifier's message; a compare-and-swap is refused later, as the op has one tile only."""
    if element in ("f16", "bf16"):
        halves = "16-bit float only supports add, max, min"
        return None if mode in ("add", "max", "min") else halves
    if mode == "cmpxchg" or mode in (FLOAT_MODES if "f" in element else INTEGER_MODES):
        return None
    return f"tiled_atomic_rmw op cannot use {mode} operation on {element}"


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("mode", RMWMode)
def test_every_mode(mode: RMWMode, element: str):
    text = kernel(mode.value, element)
    if (message := refusal(mode.value, element)) is not None:
        with pytest.raises(VerifyException, match=message):
            tools.parse(text)
        return
    data = np.ones(128, DTYPES[element])
    if mode is not RMWMode.CMPXCHG:
        interpreters.launch(tools.parse(text), "k", (1, 1, 1), [data])
        tools.run_passes(tools.parse(text), LOWER)
        return
    with pytest.raises(interpreters.InterpreterError, match="compare-and-swap expects"):
        interpreters.launch(tools.parse(text), "k", (1, 1, 1), [data])
    with pytest.raises(PassFailedException, match="op does not support"):
        tools.run_passes(tools.parse(text), LOWER)


SCOPES = {"tl_blk": "cta", "cluster": "cluster", "gpu": "gpu", "sys": "sys"}
"""PTX's names of the scopes."""
# Without semantics and scope `atom` is `.relaxed.gpu` (PTX ISA, "atom").
ORDERS = {"weak": ("relaxed", "gpu")} | {
    f"{semantics} {scope}": (semantics, name)
    for semantics in ("relaxed", "acquire", "release", "acq_rel")
    for scope, name in SCOPES.items()
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("mode", "element"), [("add", "i32"), ("max", "f32")])
def test_order_and_scope(mode: str, element: str, order: str):
    """Of an instruction, and of a compare-and-swap in a loop."""
    module = tools.parse(kernel(mode, element).replace("relaxed gpu", order))
    text = emit(tools.run_passes(module, LOWER), "sm_90a")
    found = set(re.findall(r"\b(?:atom|red)\.(\w+)\.(\w+)\.", text))
    assert found == {ORDERS[order]}


@pytest.mark.parametrize("element", ["f16", "f32", "f64"])
def test_atomic_loads_are_of_aligned_elements(element: str):
    """LLVM wants the alignment of such loads stated (LLVM Language Reference, "load")."""
    module = tools.run_passes(tools.parse(kernel("max", element)), LOWER)
    loads = [op for op in module.walk() if isinstance(op, llvm.LoadOp)]
    atomic = [load for load in loads if load.ordering.value.data]
    assert atomic
    for load in atomic:
        assert load.alignment is not None
        assert load.alignment.value.data == DTYPES[element].itemsize
