// RUN: xdsl-opt %s -p tileas-select-lowering | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-select-lowering{explain="/dev/stdout"}' | filecheck %s --check-prefix REPORT
// RUN: xdsl-opt %s -p 'tileas-select-lowering{force="softmax#7=approximation"}' | filecheck %s --check-prefix FORCED

#column = #nv_tileas.layout<(64, 32, 4, 1), (128, 1, 32, 0)>

builtin.module attributes {nv_tileaa.target_spec = "sm_100a"} {
nv_tileaa.func @softmax(%scale: f32, %bound: f32, %x: tensor<64x128xf32, #column>, %kept: tensor<64x128xi1, #column>) -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> {
  %far = arith.constant -1.0e30 : f32
  %scales = nv_tileaa.splat %scale : f32 -> tensor<64x128xf32, #column>
  %others = nv_tileaa.splat %far : f32 -> tensor<64x128xf32, #column>
  %bounds = nv_tileaa.splat %bound : f32 -> tensor<64x128xf32, #column>
  // What is there lies side by side.
  // CHECK: mulf %x, %scales {nv_tileas.strategy = #nv_tileas.strategy<pairs>}
  %scaled = nv_tileaa.mulf %x, %scales : tensor<64x128xf32, #column>
  %masked = arith.select %kept, %scaled, %others : tensor<64x128xi1, #column>, tensor<64x128xf32, #column>
  // Powers replace their exponents, and are summed up by halves.
  // CHECK: subf %masked, %bounds {nv_tileas.strategy = #nv_tileas.strategy<halves>}
  // REPORT: strategy: halves
  // REPORT-NEXT: costs:
  // REPORT-NEXT:   instruction: 64
  // REPORT-NEXT:   halves: 32
  // REPORT-NEXT: pruned:
  // REPORT-NEXT:   pairs: exponents are taken from both halves
  %exponents = nv_tileaa.subf %masked, %bounds : tensor<64x128xf32, #column>
  // CHECK: exp2 %exponents {nv_tileas.strategy = #nv_tileas.strategy<tested_approximation>}
  // FORCED: exp2 %exponents {nv_tileas.strategy = #nv_tileas.strategy<approximation>}
  // REPORT: strategy: tested_approximation
  %powers = nv_tileaa.exp2 %exponents : tensor<64x128xf32, #column>
  %sums = nv_tileas.reduce %powers {axis = 0 : i32} : tensor<64x128xf32, #column> -> tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>> {
  ^bb0(%a: f32, %b: f32):
    // CHECK: addf %a, %b {nv_tileas.strategy = #nv_tileas.strategy<halves>} : f32
    %sum = nv_tileaa.addf %a, %b : f32
    nv_tileas.yield %sum : f32
  }
  nv_tileaa.return %sums : tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
}

nv_tileaa.func @few(%x: tensor<64x128xf32, #nv_tileas.layout<(16, 32, 16, 1), (512, 1, 32, 0)>>, %bound: f32) {
  %bounds = nv_tileaa.splat %bound : f32 -> tensor<64x128xf32, #nv_tileas.layout<(16, 32, 16, 1), (512, 1, 32, 0)>>
  // CHECK: subf %x, %bounds {nv_tileas.strategy = #nv_tileas.strategy<pairs>}
  %y = nv_tileaa.subf %x, %bounds : tensor<64x128xf32, #nv_tileas.layout<(16, 32, 16, 1), (512, 1, 32, 0)>>
  // CHECK: exp2 %y {nv_tileas.strategy = #nv_tileas.strategy<approximation>}
  // REPORT: tested_approximation: a thread has fewer than 32 results
  %z = nv_tileaa.exp2 %y : tensor<64x128xf32, #nv_tileas.layout<(16, 32, 16, 1), (512, 1, 32, 0)>>
  // CHECK: addf %y, %y rounding<zero> {nv_tileas.strategy = #nv_tileas.strategy<instruction>}
  // REPORT: pairs: the op rounds otherwise
  %w = nv_tileaa.addf %y, %y rounding<zero> : tensor<64x128xf32, #nv_tileas.layout<(16, 32, 16, 1), (512, 1, 32, 0)>>
  nv_tileaa.return
}
}
