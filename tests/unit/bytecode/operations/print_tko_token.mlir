// since 13.2
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %0 = make_token : token
    %1 = print_tko "%f", %x token=%0 : tile<4xf32> -> token
    %2 = join_tokens %0, %1 : token
  }
}
