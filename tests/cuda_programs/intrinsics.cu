// Intrinsics of CUDA C++, one after the other, for the instructions that they become.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>
typedef unsigned int u32; typedef unsigned long long u64;
// Integers, packed integers, counting bits.
extern "C" __global__ void integers(u32 *a, int *b, u64 *c, float *f, double *d, __half *h, __nv_bfloat16 *bf) {
  int i = threadIdx.x;
  a[i] = __dp4a(a[i], a[i], 3u); b[i] = __dp4a(b[i], b[i], 7); b[i] += __dp2a_lo(b[i], b[i], 3);
  a[i] ^= __vadd4(a[i], 7u)^__vabsdiffu4(a[i], 9u)^__vmaxs2(a[i], 5u)^__vcmpgtu4(a[i], 3u)^__vsubss4(a[i], 2)^__vavgu2(a[i], 4);
  a[i] += __sad(b[i], 3, a[i]) + __usad(a[i], b[i], 2u) + __fns(a[i], 2, 3) + __umulhi(a[i], 7u) + __mulhi(b[i], b[i])
      + __hadd(b[i], 3) + __rhadd(b[i], 4) + __uhadd(a[i], 1u) + __urhadd(a[i], 2u);
  c[i] += __umul64hi(c[i], c[i]) + clock64()*0 + __funnelshift_r(a[i], a[i], i) + __funnelshift_lc(a[i], a[i], i);
}
// Functions of singles and doubles, conversions with every rounding.
extern "C" __global__ void numbers(u32 *a, int *b, u64 *c, float *f, double *d, __half *h, __nv_bfloat16 *bf) {
  int i = threadIdx.x;
  f[i] = __fdividef(f[i], 3.f) + __expf(f[i]) + __logf(f[i]) + __sinf(f[i]) + __cosf(f[i]) + __powf(f[i], 2.f)
      + __saturatef(f[i]) + __frcp_rz(f[i]) + __fsqrt_rd(f[i]) + __fadd_ru(f[i], 1.f) + __fmaf_rd(f[i], f[i], 1.f)
      + __frsqrt_rn(f[i]) + __tanf(f[i]) + __exp10f(f[i]);
  f[i] += erfinvf(f[i]) + cbrtf(f[i]) + rcbrtf(f[i]) + hypotf(f[i], 2.f) + atan2f(f[i], 3.f) + asinf(f[i]) + tgammaf(f[i])
      + lgammaf(f[i]) + j0f(f[i]) + normcdff(f[i]) + sinpif(f[i]) + ldexpf(f[i], 3) + logbf(f[i]) + remainderf(f[i], 3.f)
      + nextafterf(f[i], 9.f) + fdimf(f[i], 1.f) + exp2f(f[i]) + log1pf(f[i]) + expm1f(f[i]) + sinhf(f[i]) + acoshf(f[i])
      + roundf(f[i]) + truncf(f[i]) + nearbyintf(f[i]) + copysignf(f[i], -1.f) + rnorm3df(f[i], 1.f, 2.f)
      + cyl_bessel_i0f(f[i]);
  d[i] += sin(d[i]) + exp(d[i]) + log(d[i]) + pow(d[i], 1.5) + sqrt(d[i]) + 1/d[i] + fma(d[i], d[i], 1.) + cbrt(d[i]) + erf(d[i])
      + floor(d[i]) + rint(d[i]) + fmod(d[i], 3.) + tanh(d[i]) + rsqrt(d[i]) + __drcp_rn(d[i]) + __dmul_rz(d[i], 3.)
      + ilogb(d[i]) + atan(d[i]) + lgamma(d[i]);
  b[i] = __float2int_rz(f[i]) + __float2int_rn(f[i]) + __double2int_rd(d[i]) + __float_as_int(f[i])
      + __double2hiint(d[i]) + lrintf(f[i]) + llroundf(f[i]);
  c[i] = __double_as_longlong(d[i]) + __float2ull_ru(f[i]) + __double2ull_rz(d[i]);
  f[i] += __int2float_ru(b[i]) + __ull2float_rd(c[i]) + __half2float(h[i]) + __bfloat162float(bf[i])
      + __uint2double_rn(a[i]) + __ll2double_rz(c[i]);
}
// Halves, exchange between lanes, votes, caching hints.
extern "C" __global__ void halves(u32 *a, int *b, u64 *c, float *f, double *d, __half *h, __nv_bfloat16 *bf) {
  int i = threadIdx.x;
  h[i] = hsin(h[i]) + hlog2(h[i]) + hrsqrt(h[i]) + __float2half_rz(f[i]) + __int2half_rn(b[i]) + __hmax_nan(h[i], h[i])
      + __hfma_relu(h[i], h[i], h[i]) + __hadd_sat(h[i], h[i]) + hfloor(h[i]) + hrint(h[i]) + __habs(h[i]) + h[i]/h[i]
      + hsqrt(h[i]) + __short2half_rn(b[i]) + htrunc(h[i]) + hexp10(h[i]);
  bf[i] = hexp(bf[i]) + __float2bfloat16_rz(f[i]) + __hmax(bf[i], bf[i]) + hsqrt(bf[i]) + bf[i]/bf[i]
      + __int2bfloat16_rn(b[i]) + hfloor(bf[i]) + __hmin_nan(bf[i], bf[i]) + htanh(bf[i]);
  b[i] = __half2int_rz(h[i]) + __half2short_rn(h[i]) + __bfloat162int_rd(bf[i]) + __hisnan(h[i]) + __hgeu(h[i], h[i])
      + __heq(bf[i], bf[i]) + __half2uint_ru(h[i]) + __half2ll_rn(h[i]);
  atomicAdd(&h[i], h[i + 1]);
  atomicAdd((__half2*)h, *(__half2*)(h + 2));
  atomicAdd(&bf[i], bf[i]);
  atomicAdd((__nv_bfloat162*)bf, *(__nv_bfloat162*)(bf + 2));
  f[i] = __shfl_up_sync(~0u, f[i], 1) + __shfl_down_sync(~0u, d[i], 2) + (float)__shfl_sync(~0u, h[i], 3)
      + __shfl_xor_sync(~0u, c[i], 4, 16);
  a[i] = __match_any_sync(~0u, b[i]) + __match_all_sync(~0u, c[i], b + i) + __activemask() + __any_sync(~0u, b[i])
      + __all_sync(~0u, b[i]) + __reduce_max_sync(~0u, b[i]) + __reduce_or_sync(~0u, a[i]) + __syncthreads_count(b[i])
      + __syncthreads_or(b[i]) + __syncthreads_and(b[i]) + __isGlobal(a) + __isShared(a);
  __syncwarp(); __nanosleep(10); __threadfence_block(); __threadfence_system(); __prof_trigger(1);
  b[i] = __ldg(b + i) + __ldcg(b + i + 1) + __ldcs(b + i + 2) + __ldlu(b + i + 3) + __ldcv(b + i + 4);
  __stcs(b + i, 3);
  __stwt(b + i, 4);
  __stcg(b + i, 5);
  float4 v=__ldg((float4*)f + i); __stcg((float4*)f + i, v); __ldca(b + 1);
}
// Atomics of every scope, a switch, arrays of a thread.
extern "C" __global__ void control(u32 *a, int *b, u64 *c, float *f, double *d, __half *h, __nv_bfloat16 *bf) {
  int i = threadIdx.x;
  atomicAdd_block(b, 1); atomicAdd_system(b, 1); atomicCAS_block(b, 1, 2); atomicExch(f, 2.f); atomicExch(c, 7ull);
  atomicMax(c, 9ull); atomicMin((long long *)c, 3ll); atomicDec(a, 7u); atomicAnd(c, 7ull);
  atomicCAS((unsigned short *)h, (unsigned short)1, (unsigned short)2);
  int n = b[i] & 7;
  switch (n) {
    case 0: a[i] = 1; break;
    case 1: a[i] = f[i]; break;
    case 2: a[i] = d[i]; break;
    case 3: a[i] = c[i]; break;
    case 4: a[i] = clock(); break;
    case 5: a[i] = n * 7; break;
    case 6: __trap();
  }
  int words[16];
  for (int j = 0; j < 16; j++) words[j] = b[j];
  a[i] += words[n] + words[n + 8];
  char bytes[8];
  *(u64 *)bytes = c[i];
  b[i] = bytes[n] + (short)a[i] * (short)b[i];
  a[i] += __popc(a[i]) + __clz(b[i]) + __ffs(b[i]) + __brev(a[i]);
  if (__syncthreads_or(f[i] > 0)) f[i] = isnan(f[i]) || isinf(d[i]) || signbit(f[i]) ? 1 : fminf(f[i], 2.f);
  if (__builtin_expect(i > 50, 0)) asm volatile("exit;");
}
// Conversions to 8, 6 and 4 bits.
extern "C" __global__ void small_floats(float2*x, __nv_fp6x2_storage_t*a, __nv_fp4x2_storage_t*b, __half2*h, __nv_fp8x4_e4m3*e, float4*y){
  int i = threadIdx.x;
  a[i] = __nv_cvt_float2_to_fp6x2(x[i], __NV_E3M2, cudaRoundNearest);
  b[i] = __nv_cvt_float2_to_fp4x2(x[i], __NV_E2M1, cudaRoundNearest);
  h[i] = __half2(__nv_cvt_fp6x2_to_halfraw2(a[i], __NV_E3M2));
  e[i] = __nv_fp8x4_e4m3(y[i]);
}
