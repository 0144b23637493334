"""The inputs that the seeds write out, to the letter, with the values that they leave undefined.

Those of seed 002 are in `dialects/cuda_tile/specification_examples.mlir`, the layouts of seed 000
in `dialects/nv_tileas/test_layout.py`. Blocks that no parser could read, as types are `...`, are
rows of `docs/seed_rows.py` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class SeedInput:
    """A block of a seed, and what becomes of it."""

    seed: str
    title: str
    text: str
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The types of values that the block uses."""
    aliases: str = ""
    output: str = ""
    """What the seed has after the pass, whose lines are compared without blanks."""


F16_PIPELINE = "!nv_tileas.async.pipeline"
SMEM = "#smem = #nv_tileas.memory<smem>\n"

INPUTS = (
    SeedInput(
        "000",
        "assign layouts, load",
        """%a = nv_tileas.tiled_load %src : memref<128x64xf16, #smem> -> tensor<128x64xf16>
%b = nv_tileas.convert_layout %a : tensor<128x64xf16> -> tensor<128x64xf16, #dot_a>""",
        {"src": "memref<128x64xf16, #smem>"},
        SMEM + "#dot_a = #nv_tileas.layout<((2, 2, 8, 2), (4, 8), 4, 1), "
        "((1, 512, 8, 4096), (2, 64), 1024, 0)>\n",
    ),
    SeedInput(
        "000",
        "assign layouts, loaded",
        """%a = nv_tileas.tiled_load %src
{nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>>}
: memref<128x64xf16, #smem> -> tensor<128x64xf16, #dot_a>""",
        {"src": "memref<128x64xf16, #smem>"},
        SMEM + "#dot_a = #nv_tileas.layout<((2, 2, 8, 2), (4, 8), 4, 1), "
        "((1, 512, 8, 4096), (2, 64), 1024, 0)>\n",
    ),
    SeedInput(
        "000",
        "select on a condition",
        """%a = nv_tileas.alloc_tensor : tensor<128x64xf16, #smem>
%b = nv_tileas.view %a {offset = 8192} : tensor<128x64xf16, #smem>
%buf = tile.select %flag, %a, %b : tensor<128x64xf16, #smem>""",
        {"flag": "i1"},
        SMEM,
    ),
    SeedInput(
        "000",
        "select on a condition, after",
        """%a = nv_tileas.alloc_tensor : tensor<128x64xf16, #smem>
%buf = nv_tileas.view %a {offset = tile.select(%flag, 0, 8192)} : tensor<128x64xf16, #smem>""",
        {"flag": "i1"},
        SMEM,
    ),
    SeedInput(
        "000",
        "carried by a loop",
        """%a = nv_tileas.alloc_tensor : tensor<128x64xf16, #smem>
%r = scf.for %i = %c0 to %n step %c1 iter_args(%buf = %a) -> tensor<128x64xf16, #smem> {
%x = use %buf
scf.yield %a : tensor<128x64xf16, #smem>
}""",
        {"c0": "index", "n": "index", "c1": "index"},
        SMEM,
    ),
    SeedInput(
        "000",
        "dead region arguments",
        """%r:2 = scf.for %i = %c0 to %n step %c1
iter_args(%acc = %init_acc, %pre_acc = %init_pre)
-> (tensor<128x128xf32>, tensor<128x128xf32>) {
%x = nv_tileas.wgmma %a, %b, %acc : tensor<128x128xf32>
scf.yield %x, %pre_acc : tensor<128x128xf32>, tensor<128x128xf32>
}
%out = use %r#0""",
        {
            **dict.fromkeys(("c0", "n", "c1"), "index"),
            **dict.fromkeys(("init_acc", "init_pre"), "tensor<128x128xf32>"),
            "a": "tensor<128x64xf16>",
            "b": "tensor<64x128xf16>",
        },
    ),
    SeedInput(
        "001",
        "addi",
        "%r = cuda_tile.addi %a, %b : <tile shape>",
        {"a": "tile<8xi32>", "b": "tile<8xi32>"},
        output="%r = nv_tileaa.addi %a, %b : <tile shape>",
    ),
    SeedInput(
        "001",
        "rsqrt",
        "%r = cuda_tile.rsqrt %x : tensor<8x64xf32>",
        {"x": "tile<8x64xf32>"},
        output="%r = nv_tileaa.rsqrt %x : tensor<8x64xf32>",
    ),
    SeedInput(
        "001",
        "trunci",
        "%narrow = cuda_tile.trunci %wide : !cuda_tile.tile<128xi32> to !cuda_tile.tile<128xi8>",
        {"wide": "tile<128xi32>"},
        output="%narrow = nv_tileaa.trunci %wide : tensor<128xi32> to tensor<128xi8>",
    ),
    SeedInput(
        "001",
        "fma",
        """%r = cuda_tile.fma %a, %b, %c { fastmath = #arith.fastmath<contract> }
    : !cuda_tile.tile<8x64xf32>""",
        dict.fromkeys(("a", "b", "c"), "tile<8x64xf32>"),
        output="""%r = nv_tileaa.fma %a, %b, %c { fastmath = #arith.fastmath<contract> }
    : tensor<8x64xf32>""",
    ),
    SeedInput(
        "001",
        "mmaf",
        """%c' = cuda_tile.mmaf %a, %b, %c { fastmath = "contract" }
   : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>""",
        {"a": "tile<128x64xf16>", "b": "tile<64x128xf16>", "c": "tile<128x128xf32>"},
        output="""%c' = nv_tileaa.dot %a, %b, %c { input_precision = "tf32", fastmath = "contract" }
   : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>""",
    ),
    SeedInput(
        "001",
        "reduce",
        """%sum = cuda_tile.reduce %values { axis = 1 : i32 } : tensor<8x64xf32> -> tensor<8xf32> {
  ^bb0(%acc: !cuda_tile.tile<f32>, %val: !cuda_tile.tile<f32>):
    %s = cuda_tile.addf %acc, %val : !cuda_tile.tile<f32>
    cuda_tile.yield %s : !cuda_tile.tile<f32>
}""",
        {"values": "tile<8x64xf32>"},
        output="""%sum = nv_tileaa.reduce %values { axis = 1 : i32 } : tensor<8x64xf32> -> tensor<8xf32> {
  ^bb0(%acc: f32, %val: f32):
    %s = nv_tileaa.addf %acc, %val : f32
    nv_tileaa.yield %s : f32
}""",
    ),
    SeedInput(
        "001",
        "scan",
        """%prefix = cuda_tile.scan %values { axis = 1 : i32, inclusive = true }
    : !cuda_tile.tile<8x64xf32> -> !cuda_tile.tile<8x64xf32> {
  ^bb0(%acc: !cuda_tile.tile<f32>, %elem: !cuda_tile.tile<f32>):
    %sum = cuda_tile.addf %acc, %elem : !cuda_tile.tile<f32>
    cuda_tile.yield %sum : !cuda_tile.tile<f32>
}""",
        {"values": "tile<8x64xf32>"},
        output="""%prefix = nv_tileaa.scan %values { axis = 1 : i32, inclusive = true }
    : tensor<8x64xf32> -> tensor<8x64xf32> {
  ^bb0(%acc: f32, %elem: f32):
    %sum = nv_tileaa.addf %acc, %elem : f32
    nv_tileaa.yield %sum : f32
}""",
    ),
    SeedInput(
        "001",
        "token.join",
        "%t = cuda_tile.token.join [%t0, %t1, %t2] : !cuda_tile.token",
        dict.fromkeys(("t0", "t1", "t2"), "token"),
        output="%t = nv_tileaa.join_mem_token [%t0, %t1, %t2] : !nv_tileaa.mem_token",
    ),
    SeedInput(
        "003",
        "pipeline and iterator",
        """// Build the pipeline. numStages=2, one producer, one consumer.
%prod_tok, %cons_tok = nv_tileas.async.pipeline.create_pipeline %buf_view
    { numStages       = 2 : i32,
      producerGroupId = 0 : i8,
      consumerGroupId = 1 : i8,
      sharedMem       = true,
      dynamic         = false }
    : !nv_tileaa.tiled_view<2x128x128xf16>
    -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token

// Stage iterator
%iter = nv_tileas.async.pipeline.create_iterator %prod_tok
    : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>""",
        {"buf_view": "!nv_tileaa.tiled_view<2x128x128xf16>"},
    ),
    SeedInput(
        "003",
        "producer region",
        """%prod_tok2 = nv_tileas.async.pipeline.produce_one %prod_tok, %iter
    { producer_types = [tile<128x128xf16>] } : (
    !nv_tileas.async.pipeline.producer_token,
    !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%stage_buf : tile<128x128xf16>):
    %async_tok = nv_tileas.async.tiled_tma_load
        %tma_desc, %stage_buf[%k_outer]
        { atom = #nv_tileas<atom tma_load_2d>,
          operandSegmentSizes = array<i32: 1, 1, 1, 1> }
        : !cute_nvgpu.tma_descriptor_tiled, !nv_tileaa.tiled_view<128x128xf16>,
          index, !nv_tileaa.mem_token
        -> !async.value<tile<128x128xf16>>
    nv_tileas.async.pipeline.yield %stage_buf : tile<128x128xf16>
}""",
        {
            "prod_tok": f"{F16_PIPELINE}.producer_token",
            "iter": f"{F16_PIPELINE}.iterator<tile<128x128xf16>>",
            "tma_desc": "!cute_nvgpu.tma_descriptor_tiled",
            "k_outer": "index",
        },
    ),
    SeedInput(
        "003",
        "consumer region",
        """%cons_tok2 = nv_tileas.async.pipeline.consume_one %cons_tok, %iter
    { consumer_idx   = 0 : i32,
      consumer_types = [tile<128x128xf16>] } : (
    !nv_tileas.async.pipeline.consumer_token,
    !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
) -> !nv_tileas.async.pipeline.consumer_token {
^bb0(%a_tile : tile<128x128xf16>):
    %waited = nv_tileas.async.pipeline.consumer_wait %cons_tok, %iter
        { consumer_idx = 0 : i32 }
        : !nv_tileas.async.pipeline.consumer_token,
          !nv_tileas.async.pipeline.iterator<tile<128x128xf16>>
        -> !nv_tileas.async.pipeline.consumer_token
    %d = nv_tileas.dot %a_tile, %b_tile, %acc
        { atom = #nv_tileas<atom mma_f16_f16_f32> }
        : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
        -> tile<128x128xf32>
    %released = nv_tileas.async.pipeline.consumer_release %waited
        : !nv_tileas.async.pipeline.consumer_token
        -> !nv_tileas.async.pipeline.consumer_token
    nv_tileas.async.pipeline.yield %a_tile : tile<128x128xf16>
}""",
        {
            "cons_tok": f"{F16_PIPELINE}.consumer_token",
            "iter": f"{F16_PIPELINE}.iterator<tile<128x128xf16>>",
            "b_tile": "tensor<128x128xf16>",
            "acc": "tensor<128x128xf32>",
        },
    ),
    SeedInput(
        "004",
        "simplify extract slice",
        """%c0 = arith.constant 0 : index
%c64 = arith.constant 64 : index
%c1 = arith.constant 1 : index
%slice = nv_tileas.extract_slice %src[%c0, %c0][%c64, %c64][%c1, %c1]
    : tensor<128x128xf32> to tensor<?x?xf32>""",
        {"src": "tensor<128x128xf32>"},
        output="""%slice = nv_tileas.extract_slice %src[0, 0][64, 64][1, 1]
    : tensor<128x128xf32> to tensor<64x64xf32>""",
    ),
    SeedInput(
        "004",
        "decompose loop iter args",
        """%init = nv_tileas.alloc_tensor : tensor<128x128xf32>
%init_v = nv_tileas.insert_slice %seed into %init[%i0, %j0][%m, %n][1, 1]
    : tensor<?x?xf32> into tensor<128x128xf32>

%out = scf.for %k = %k0 to %k1 step %k_step
    iter_args(%buf = %init_v) -> tensor<128x128xf32> {
    %step_v = "produce_tile"(%buf, %k) : (tensor<128x128xf32>, index) -> tensor<?x?xf32>
    %next = nv_tileas.insert_slice %step_v into %buf[%i_k, %j_k][%m, %n][1, 1]
        : tensor<?x?xf32> into tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
}""",
        {
            "seed": "tensor<?x?xf32>",
            **dict.fromkeys(("i0", "j0", "m", "n", "k0", "k1", "k_step", "i_k", "j_k"), "index"),
        },
    ),
    SeedInput(
        "004",
        "decompose if",
        """%init = nv_tileas.alloc_tensor : tensor<64x64xf32>
%init_v = nv_tileas.insert_slice %seed into %init[0, 0][%m, %n][1, 1]
    : tensor<?x?xf32> into tensor<64x64xf32>
%r = scf.if %cond -> tensor<64x64xf32> {
    %v = nv_tileas.insert_slice %a into %init_v[%i, %j][%m, %n][1, 1]
        : tensor<?x?xf32> into tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
} else {
    %v = nv_tileas.insert_slice %b into %init_v[%i, %j][%m, %n][1, 1]
        : tensor<?x?xf32> into tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
}""",
        {
            **dict.fromkeys(("seed", "a", "b"), "tensor<?x?xf32>"),
            **dict.fromkeys(("m", "n", "i", "j"), "index"),
            "cond": "i1",
        },
    ),
    SeedInput(
        "004",
        "extract from insert",
        """%t = nv_tileas.insert_slice %x into %dst[%i, %j][%m, %n][1, 1]
    : tensor<?x?xf32> into tensor<64x64xf32>
%y = nv_tileas.extract_slice %t[%i, %j][%m, %n][1, 1]
    : tensor<64x64xf32> to tensor<?x?xf32>""",
        {
            "x": "tensor<?x?xf32>",
            "dst": "tensor<64x64xf32>",
            **dict.fromkeys(("i", "j", "m", "n"), "index"),
        },
    ),
)
