// RUN: xdsl-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_80}' --split-input-file --verify-diagnostics | %check-parts %s

// What a target lacks, and what no pattern converts.

cuda_tile.module @m {
  testing$func @product(%a: tile<16x32xf8E4M3FN>, %b: tile<32x8xf8E4M3FN>, %c: tile<16x8xf32>) {
    // CHECK: Incompatibility with architecture 'sm_80': unsupported type 'f8E4M3FN'; it needs sm_89 or later
    %d = mmaf %a, %b, %c : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, tile<16x8xf32>
  }
}

// -----

cuda_tile.module @m {
  testing$func @sum(%p: tile<ptr<bf16>>, %x: tile<bf16>) {
    // CHECK: Incompatibility with architecture 'sm_80': atomicRMW ADDF with bf16 is not supported; it needs sm_89 or later
    %v, %t = atomic_rmw_tko relaxed device %p, addf, %x : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token
  }
}

// -----

// CHECK: failed to convert cuda_tile to nv_tileaa
"test.op"() ({
^bb0(%x: !cuda_tile.tile<f32>):
  "test.termop"() : () -> ()
}) : () -> ()
