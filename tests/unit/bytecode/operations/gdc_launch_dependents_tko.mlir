// since 13.4
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = make_token : token
    %1 = gdc_launch_dependents_tko -> token
    %2 = gdc_launch_dependents_tko token = %0 -> token
  }
}
