// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %0 = assume div_by<16>, %p : tile<ptr<f32>>
    %1 = assume bounded<0, ?>, %n : tile<i32>
    %2 = assume bounded<?, 5>, %n : tile<i32>
    %3 = assume bounded<-3, 5>, %n : tile<i32>
    %c = constant <i32: 0> : tile<8x16xi32>
    %4 = assume same_elements<[1, 16]>, %c : tile<8x16xi32>
    %5 = assume div_by<4, every 4 along 1>, %c : tile<8x16xi32>
    %6 = assume div_by<4611686018427387904>, %n : tile<i32>
  }
}
