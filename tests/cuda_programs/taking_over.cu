// Blocks that take over others which have not started: of sm_100.

using Answer = unsigned __int128;

__device__ unsigned shared_address(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void wait(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  while (!done) {
    asm volatile(
        "{\n.reg .pred %%p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 %%p, [%1], %2;\nselp.u32 %0, 1, 0, %%p;\n}"
        : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  }
}

// Doubles each number of a matrix: a block has a row, and goes on with those of other blocks.
extern "C" __global__ void double_rows(float *rows, int columns, unsigned *done_by) {
  __shared__ alignas(16) Answer answer;
  __shared__ unsigned long long barrier;
  const unsigned place = shared_address(&answer), object = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  unsigned row = blockIdx.x, parity = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;");
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
          "[%0], [%1];" ::"r"(place), "r"(object) : "memory");
      asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%0], 16;" ::"r"(
                       object)
                   : "memory");
    }
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
      rows[row * columns + column] *= 2;
    if (threadIdx.x == 0) done_by[row] = blockIdx.x;
    wait(object, parity);
    parity ^= 1;
    const Answer found = answer;
    unsigned canceled;
    asm("{\n.reg .pred %%p;\n"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %%p, %1;\n"
        "selp.u32 %0, 1, 0, %%p;\n}"
        : "=r"(canceled) : "q"(found));
    if (!canceled) return;
    asm volatile("clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, %1;"
                 : "=r"(row) : "q"(found));
    asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;");
  }
}
