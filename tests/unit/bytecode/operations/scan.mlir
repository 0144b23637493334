// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %0 = scan %x dim=0 reverse=false identities=[0.0 : f32] : tile<4xf32> -> tile<4xf32>
    (%l: tile<f32>, %r: tile<f32>) {
      %1 = addf %l, %r : tile<f32>
      yield %1 : tile<f32>
    }
    %2 = scan %x dim=0 reverse=true identities=[1.0 : f32] : tile<4xf32> -> tile<4xf32>
    (%l: tile<f32>, %r: tile<f32>) {
      %3 = mulf %l, %r : tile<f32>
      yield %3 : tile<f32>
    }
  }
}
