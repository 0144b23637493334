// RUN: xdsl-opt %s -p convert-cuda-tile-to-tileaa | filecheck %s

// The worked examples of the lowering's definition, one function each.

cuda_tile.module @examples {
  // CHECK: @one_to_one
  testing$func @one_to_one(%a: tile<8x64xi32>, %b: tile<8x64xi32>) -> tile<8x64xi32> {
    // CHECK-NEXT: %r = nv_tileaa.addi %a, %b : tensor<8x64xi32>
    %r = addi %a, %b : tile<8x64xi32>
    return %r : tile<8x64xi32>
  }

  // CHECK: @rsqrt
  testing$func @rsqrt(%x: tile<8x64xf32>) -> tile<8x64xf32> {
    // CHECK-NEXT: %r = nv_tileaa.rsqrt %x : tensor<8x64xf32>
    %r = rsqrt %x : tile<8x64xf32>
    return %r : tile<8x64xf32>
  }

  // CHECK: @trunci
  testing$func @trunci(%wide: !cuda_tile.tile<128xi32>) -> !cuda_tile.tile<128xi8> {
    // CHECK-NEXT: %narrow = nv_tileaa.trunci %wide : tensor<128xi32> to tensor<128xi8>
    %narrow = cuda_tile.trunci %wide : !cuda_tile.tile<128xi32> -> !cuda_tile.tile<128xi8>
    return %narrow : !cuda_tile.tile<128xi8>
  }

  // CHECK: @fma
  testing$func @fma(%a: tile<8x64xf32>, %b: tile<8x64xf32>, %c: tile<8x64xf32>) -> tile<8x64xf32> {
    // CHECK-NEXT: %r = nv_tileaa.fma %a, %b, %c {{{ *}}fastmath = #arith.fastmath<contract>{{ *}}} : tensor<8x64xf32>
    %r = cuda_tile.fma %a, %b, %c { fastmath = #arith.fastmath<contract> }
        : !cuda_tile.tile<8x64xf32>
    return %r : tile<8x64xf32>
  }

  // CHECK: @mmaf
  testing$func @mmaf(%a: tile<128x64xf16>, %b: tile<64x128xf16>, %c: tile<128x128xf32>) -> tile<128x128xf32> {
    // CHECK-NEXT: %d = nv_tileaa.dot %a, %b, %c {{{ *}}input_precision = "tf32", fastmath = "contract"{{ *}}} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %d = cuda_tile.mmaf %a, %b, %c { fastmath = "contract" }
       : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    return %d : tile<128x128xf32>
  }

  // CHECK: @reduce
  testing$func @reduce(%values: tile<8x64xf32>) -> tile<8xf32> {
    // CHECK-NEXT: %sum = nv_tileaa.reduce %values {{{ *}}axis = 1 : i32{{ *}}} : tensor<8x64xf32> -> tensor<8xf32> {
    // CHECK-NEXT: ^bb0(%acc: f32, %val: f32):
    // CHECK-NEXT:   %s = nv_tileaa.addf %acc, %val : f32
    // CHECK-NEXT:   nv_tileaa.yield %s : f32
    // CHECK-NEXT: }
    %sum = reduce %values dim=1 identities=[0.0 : f32] : tile<8x64xf32> -> tile<8xf32>
    (%acc: tile<f32>, %val: tile<f32>) {
      %s = addf %acc, %val : tile<f32>
      yield %s : tile<f32>
    }
    return %sum : tile<8xf32>
  }

  // CHECK: @scan
  testing$func @scan(%values: tile<8x64xf32>) -> tile<8x64xf32> {
    // CHECK-NEXT: %prefix = nv_tileaa.scan %values {{{ *}}axis = 1 : i32, inclusive = true{{ *}}} : tensor<8x64xf32> -> tensor<8x64xf32> {
    // CHECK-NEXT: ^bb0(%acc: f32, %elem: f32):
    // CHECK-NEXT:   %sum = nv_tileaa.addf %acc, %elem : f32
    // CHECK-NEXT:   nv_tileaa.yield %sum : f32
    // CHECK-NEXT: }
    %prefix = scan %values dim=1 reverse=false identities=[0.0 : f32] : tile<8x64xf32> -> tile<8x64xf32>
    (%acc: tile<f32>, %elem: tile<f32>) {
      %sum = addf %acc, %elem : tile<f32>
      yield %sum : tile<f32>
    }
    return %prefix : tile<8x64xf32>
  }

  // An identity that its function does not imply is carried over, as is the direction.
  // CHECK: @identities
  testing$func @identities(%values: tile<8x64xf32>) -> tile<8x64xf32> {
    // CHECK-NEXT: nv_tileaa.scan %values {axis = 0 : i32, inclusive = true, identities = [-0.000000e+00 : f32], reverse = true} : tensor<8x64xf32> -> tensor<8x64xf32> {
    %prefix = scan %values dim=0 reverse=true identities=[-0.0 : f32] : tile<8x64xf32> -> tile<8x64xf32>
    (%acc: tile<f32>, %elem: tile<f32>) {
      %sum = addf %acc, %elem : tile<f32>
      yield %sum : tile<f32>
    }
    return %prefix : tile<8x64xf32>
  }

  // CHECK: @join
  testing$func @join(%t0: token, %t1: token, %t2: token) -> token {
    // CHECK-NEXT: %t = nv_tileaa.join_mem_token{{ *}}[%t0, %t1, %t2] : !nv_tileaa.mem_token
    %t = join_tokens %t0, %t1, %t2 : token
    return %t : token
  }

  // A join of one token is that token.
  // CHECK: @join_one
  testing$func @join_one(%t0: token) -> token {
    // CHECK-NEXT: nv_tileaa.return %t0 : !nv_tileaa.mem_token
    %t = join_tokens %t0 : token
    return %t : token
  }

  // A join of none is a new one.
  // CHECK: @join_none
  testing$func @join_none() -> token {
    // CHECK-NEXT: %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    // CHECK-NEXT: nv_tileaa.return %t : !nv_tileaa.mem_token
    %t = join_tokens : token
    return %t : token
  }
}
