#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>
typedef unsigned int u32;
using namespace nvcuda;
extern "C" __global__ void halves(const __half *a, const __half2 *b, __half2 *out, __nv_bfloat162 *bout) {
  int i = threadIdx.x;
  __half2 v = __half2half2(a[i]);
  v = __hfma2(v, b[i], __hmax2(b[i], v)); v = __hadd2(v, h2exp2(b[i])); v = __hmul2(v, h2rcp(b[i]));
  if (__hlt(a[i], __float2half(0.f))) v = __hneg2(v);
  out[i] = v;
  __nv_bfloat162 w = __float22bfloat162_rn(make_float2(__low2float(v), __high2float(b[i])));
  bout[i] = __hfma2(w, w, __hmin2(w, w));
}
extern "C" __global__ void eight_bits(const float2 *x, __nv_fp8x2_storage_t *a, __nv_fp8x2_storage_t *b, __half2 *back) {
  int i = threadIdx.x;
  a[i] = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E4M3);
  b[i] = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E5M2);
  back[i] = __half2(__nv_cvt_fp8x2_to_halfraw2(a[i], __NV_E4M3));
}
// One warp, one 16x16x16 product with fragments that the compiler chooses.
extern "C" __global__ void wmma_f16(const half *a, const half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 1.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
extern "C" __global__ void wmma_s8(const signed char *a, const signed char *b, int *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_col_major);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2;
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}
extern "C" __global__ void wmma_tf32(const float *a, const float *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 8);
  for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

// Products of one warp, with fragments as the manual gives them. Factors are packed in words along k.
#define PRODUCT(name, instruction, D, d)                                                        \
  extern "C" __global__ void name(const u32 *a, const u32 *b, D *c) {                              \
    int g = threadIdx.x / 4, t = threadIdx.x % 4;                                                    \
    D x[4] = {};                                                                                     \
    u32 a0 = a[g * 8 + t], a1 = a[(g + 8) * 8 + t], a2 = a[g * 8 + t + 4], a3 = a[(g + 8) * 8 + t + 4]; \
    u32 b0 = b[g * 8 + t], b1 = b[g * 8 + t + 4];                                                    \
    asm(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                         \
        : "+" d(x[0]), "+" d(x[1]), "+" d(x[2]), "+" d(x[3])                                         \
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                                     \
    for (int i = 0; i < 4; i++) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = x[i];                       \
  }
PRODUCT(mma_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", float, "f")
PRODUCT(mma_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
PRODUCT(mma_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
PRODUCT(mma_s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", int, "r")
PRODUCT(mma_e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", float, "f")

// 64x64 product of 4 warps: two stages filled with cp.async, fragments read with ldmatrix.
extern "C" __global__ void pipelined_gemm(const half *a, const half *b, float *c, int k) {
  __shared__ __align__(128) half left[2][64][40], right[2][64][40];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float d[8][4] = {};
  auto fetch = [&](int step) {
    for (int i = threadIdx.x; i < 256; i += 128) {
      int row = i / 4, column = i % 4 * 8;
      __pipeline_memcpy_async(&left[step % 2][row][column], a + row * k + step * 32 + column, 16);
      __pipeline_memcpy_async(&right[step % 2][row][column], b + row * k + step * 32 + column, 16);
    }
    __pipeline_commit();
  };
  fetch(0);
  for (int step = 0; step < k / 32; step++) {
    if (step + 1 < k / 32) fetch(step + 1); else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int part = 0; part < 32; part += 16) {
      u32 x[4], y[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(shared_address(&left[step % 2][warp * 16 + lane % 16][part + lane / 16 * 8])));
      for (int n = 0; n < 8; n += 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                     : "r"(shared_address(
                         &right[step % 2][n * 8 + lane % 8 + lane / 16 * 8][part + lane / 8 % 2 * 8])));
        for (int h = 0; h < 2; h++)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(d[n + h][0]), "+f"(d[n + h][1]), "+f"(d[n + h][2]), "+f"(d[n + h][3])
                       : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * h]), "r"(y[2 * h + 1]));
      }
    }
    __syncthreads();
  }
  for (int n = 0; n < 8; n++)
    for (int i = 0; i < 4; i++)
      c[(warp * 16 + lane / 4 + i / 2 * 8) * 64 + n * 8 + lane % 4 * 2 + i % 2] = d[n][i];
}
