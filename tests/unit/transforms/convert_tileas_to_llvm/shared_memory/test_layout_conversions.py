"""Conversions between layouts in PTX: every element arrives, whatever its type."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from tests.unit.layout.enumeration import elements_of, random_layout
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.layout.constructors import blocked, mma_accumulator, mma_operand_a, mma_operand_b
from tileir_xdsl.layout.conversion import plan_conversion
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing.tools import TO_LLVM, parse, run_passes, to_text

TYPES: dict[str, Any] = {
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}


def kernel(source: LinearLayout, target: LinearLayout, element: str) -> str:
    """Loads a tile in one layout, converts it, and stores it in the other."""
    shape = "x".join(map(str, source.shape))
    strides = [int(np.prod(source.shape[d + 1 :])) for d in range(len(source.shape))]
    memref = f"!nv_tileaa.memref<{shape}x{element}, strides = [{', '.join(map(str, strides))}]>"
    view = f"!nv_tileaa.tiled_view<{shape}x{element}, {memref}>"
    zeros = ", ".join(["%c"] * len(source.shape))
    types = ", ".join(["i32"] * len(source.shape))
    sizes = ", ".join(map(str, source.shape))
    groups = ", ".join(f"[{d} : i64]" for d in range(len(source.shape)))
    held, wanted = (f"tensor<{shape}x{element}, {register_layout(x)}>" for x in (source, target))
    width = {"i8": 8, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}[element]
    semantic = "mem_semantic = #nv_tileaa.mem_semantic<weak>"
    return f"""
    "builtin.module"() ({{
    "nv_tileaa.func"() <{{sym_name = "k", function_type = (!nv_tileaa.ptr<{element}>, !nv_tileaa.ptr<{element}>) -> ()}}> ({{
    ^bb0(%p: !nv_tileaa.ptr<{element}>, %q: !nv_tileaa.ptr<{element}>):
      %c = "arith.constant"() <{{value = 0 : i32}}> : () -> i32
      %mp = "nv_tileaa.make_memref"(%p) <{{operandSegmentSizes = array<i32: 1, 0, 0, 0>}}> : (!nv_tileaa.ptr<{element}>) -> {memref}
      %mq = "nv_tileaa.make_memref"(%q) <{{operandSegmentSizes = array<i32: 1, 0, 0, 0>}}> : (!nv_tileaa.ptr<{element}>) -> {memref}
      %vp = "nv_tileaa.block_tile"(%mp) <{{tileSizes = array<i64: {sizes}>, dimGroups = [{groups}]}}> : ({memref}) -> {view}
      %vq = "nv_tileaa.block_tile"(%mq) <{{tileSizes = array<i64: {sizes}>, dimGroups = [{groups}]}}> : ({memref}) -> {view}
      %x = "nv_tileas.tiled_load"(%vp, {zeros}) <{{{semantic}, atom = #nv_tileas<atom ldg_{width}>, operandSegmentSizes = array<i32: 1, {len(source.shape)}, 0, 0>}}> : ({view}, {types}) -> {held}
      %y = "nv_tileas.convert_layout"(%x) : ({held}) -> {wanted}
      "nv_tileas.tiled_store"(%vq, %y, {zeros}) <{{{semantic}, atom = #nv_tileas<atom stg_{width}>, operandSegmentSizes = array<i32: 1, 1, {len(source.shape)}, 0, 0>}}> : ({view}, {wanted}, {types}) -> ()
      "nv_tileaa.return"() : () -> ()
    }}) {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = {source.warps}, num_ctas = 1>}} : () -> ()
    }}) : () -> ()
    """


def converted(source: LinearLayout, target: LinearLayout, element: str) -> None:
    """Checks a conversion in PTX, in the fast and in the race mode."""
    module = run_passes(parse(kernel(source, target, element)), TO_LLVM)
    loaded = emulator.load(emit(module))
    data = np.arange(source.size).astype(TYPES[element])
    result = np.zeros_like(data)
    loaded.launch("k", (1, 1, 1), [data, result], dynamic_shared=100_000, races=True)
    np.testing.assert_array_equal(result, data)


NAMED = {
    "blocked": blocked((64, 64), 4, 4),
    "columns": blocked((64, 64), 8, 4, order=(0, 1)),
    "accumulator": mma_accumulator((64, 64), (2, 2)),
    "operand a": mma_operand_a((64, 64), (2, 2), 16),
    "operand b": mma_operand_b((64, 64), (2, 2), 16),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("source", NAMED)
@pytest.mark.parametrize("target", NAMED)
def test_named_layouts(source: str, target: str):
    converted(NAMED[source], NAMED[target], "f16")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("element", TYPES)
def test_element_types(element: str):
    converted(NAMED["blocked"], NAMED["accumulator"], element)
    converted(NAMED["blocked"], NAMED["columns"], element)
    converted(blocked((256,), 2, 1), blocked((256,), 4, 1), element)
    converted(blocked((64,), 1, 4), blocked((64,), 2, 4), element)


def test_random_layouts():
    rng = random.Random(11)
    kinds: Counter[str] = Counter()
    while sum(kinds.values()) < 60:
        bits, warp = rng.randrange(5, 10), rng.randrange(3)
        counts = [rng.randrange(max(0, bits - 5 - warp), 5) for _ in range(2)]
        source, target = (random_layout(rng, bits, n, warp, unit=True) for n in counts)
        if not target.is_surjective or not source.is_surjective:
            continue
        element = rng.choice(list(TYPES))
        try:
            plan = plan_conversion(source, target, 8 * np.dtype(TYPES[element]).itemsize)
        except LayoutError:
            continue
        kinds[type(plan).__name__] += 1
        assert elements_of(source).shape[0] == source.warps
        converted(source, target, element)
    assert kinds["SharedMemoryPlan"] > 5


def test_text_is_what_the_test_says():
    module = parse(kernel(NAMED["blocked"], NAMED["columns"], "f32"))
    assert "nv_tileas.convert_layout" in to_text(module)
