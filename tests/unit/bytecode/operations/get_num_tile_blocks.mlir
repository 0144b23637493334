// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %x, %y, %z = get_num_tile_blocks : tile<i32>
    %s = addi %x, %z : tile<i32>
  }
}
