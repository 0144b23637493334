// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>) optimization_hints=<default = {}, sm_100 = {num_cta_in_cga = 2, occupancy = 4}, sm_90 = {num_worker_warps_per_cta = 8}> {
  }
}
