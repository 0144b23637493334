// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %s = addi %y, %z : tile<i32>
  }
}
