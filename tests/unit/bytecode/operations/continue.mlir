// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%c: tile<i1>) {
    loop {
      if %c {
        continue
      } else {
        break
      }
      continue
    }
  }
}
