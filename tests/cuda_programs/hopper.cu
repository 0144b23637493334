#include <cuda_fp16.h>
typedef unsigned int u32;
typedef unsigned long long u64;
struct alignas(64) TensorMap { char bytes[128]; };
__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void wait(u64 *barrier, u32 parity) {
  asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @!done bra again; }"
               :: "r"(shared_address(barrier)), "r"(parity) : "memory");
}
__device__ void load(void *tile, const TensorMap *map, int x, int y, u64 *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               :: "r"(shared_address(tile)), "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)) : "memory");
}
__device__ u64 descriptor(const void *p) {
  return 0x4000004000010000ull | (shared_address(p) & 0x3FFFF) >> 4;
}
// c = a b^T for tiles of 64x64 and 32x64 that tensor maps bring, 128-byte swizzled; k is a multiple of 64.
extern "C" __global__ void __launch_bounds__(128) gemm(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *c, int n, int k) {
  __shared__ __align__(1024) half left[2][64 * 64], right[2][32 * 64];
  __shared__ u64 full[2];
  int row = blockIdx.y * 64, column = blockIdx.x * 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; s++)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(&full[s])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  auto fetch = [&](int step) {
    if (threadIdx.x) return;
    u64 *barrier = &full[step % 2];
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 12288;" :: "r"(shared_address(barrier)) : "memory");
    load(left[step % 2], &a, step * 64, row, barrier);
    load(right[step % 2], &b, step * 64, column, barrier);
  };
  float d[16] = {};
  fetch(0);
  for (int step = 0; step < k / 64; step++) {
    if (step + 1 < k / 64) fetch(step + 1);
    wait(&full[step % 2], step / 2 & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int part = 0; part < 4; part++) {
      u64 x = descriptor(left[step % 2]) + 2 * part, y = descriptor(right[step % 2]) + 2 * part;
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
                   "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1, 0, 0;"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                     "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                   : "l"(x), "l"(y));
    }
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 16; i++)
    c[(row + warp * 16 + lane / 4 + i / 2 % 2 * 8) * n + column + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}
