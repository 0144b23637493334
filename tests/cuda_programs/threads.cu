typedef unsigned int u32;
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
extern "C" __global__ void scale_vectors(const float4 *a, float4 *b, float s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = a[i];
  b[i] = make_float4(v.x * s, v.y * s, v.z * s, v.w * s);
}
__device__ float warp_max(float v) {
  for (int d = 16; d; d >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  return v;
}
__device__ float warp_sum(float v) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  return v;
}
extern "C" __global__ void softmax(const float *x, float *y, int columns) {
  __shared__ float maxima[8], sums[8];
  const float *row = x + blockIdx.x * columns;
  int warps = blockDim.x / 32;
  float m = -__int_as_float(0x7f800000);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) m = fmaxf(m, row[i]);
  m = warp_max(m);
  if (threadIdx.x % 32 == 0) maxima[threadIdx.x / 32] = m;
  __syncthreads();
  m = maxima[0];
  for (int i = 1; i < warps; i++) m = fmaxf(m, maxima[i]);
  float s = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) s += expf(row[i] - m);
  s = warp_sum(s);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  for (int i = 0; i < warps; i++) s += sums[i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[blockIdx.x * columns + i] = expf(row[i] - m) / s;
}
extern "C" __global__ void transpose(const float *x, float *y, int rows, int columns) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (r + i < rows && c < columns) tile[threadIdx.y + i][threadIdx.x] = x[(r + i) * columns + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x; r = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (r + i < columns && c < rows) y[(r + i) * rows + c] = tile[threadIdx.x][threadIdx.y + i];
}
extern "C" __global__ void sum(const int *x, int *total, int *positive, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? x[i] : 0;
  int s = __reduce_add_sync(~0u, v);
  u32 votes = __ballot_sync(~0u, v > 0);
  if (threadIdx.x % 32 == 0) { atomicAdd(total, s); atomicAdd(positive, __popc(votes)); }
}
extern "C" __global__ void histogram(const unsigned char *x, u32 *bins, int n) {
  __shared__ u32 local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) if (local[i]) atomicAdd(&bins[i], local[i]);
}
extern "C" __global__ void atomics(const int *x, int *out, double *total, unsigned long long *exchanged) {
  int v = x[threadIdx.x];
  atomicMin(out, v); atomicMax(out + 1, v); atomicAnd(out + 2, v); atomicOr(out + 3, v); atomicXor(out + 4, v);
  atomicInc((u32 *)out + 5, 9); atomicSub(out + 6, v);
  atomicAdd(total, (double)v);
  unsigned long long seen = *(volatile unsigned long long *)exchanged, expected;
  do { expected = seen; seen = atomicCAS(exchanged, expected, expected * 3 + 1); } while (seen != expected);
}
extern "C" __global__ void weak_guess(u32 *x) {
  u32 seen = *x, expected;
  do { expected = seen; seen = atomicCAS(x, expected, expected + 1); } while (seen != expected);
}
extern "C" __global__ void failing_swaps(u32 *x, u32 *out) {
  u32 seen = atomicCAS(x, 7, 8);
  out[threadIdx.x] = seen + *x;
}
__device__ u32 arrived;
extern "C" __global__ void last_block(const float *x, float *parts, float *result) {
  __shared__ bool is_last;
  float s = warp_sum(x[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = s;
    __threadfence();
    is_last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float v = threadIdx.x < gridDim.x ? ((volatile float *)parts)[threadIdx.x] : 0.f;
    v = warp_sum(v);
    if (threadIdx.x == 0) *result = v;
  }
}
extern "C" __global__ void collatz(const u32 *x, u32 *steps) {
  u32 n = x[threadIdx.x], s = 0;
  while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; s++; }
  steps[threadIdx.x] = s;
}
extern "C" __global__ void cases(const int *kind, const float *x, float *y) {
  int i = threadIdx.x;
  float v = x[i];
  switch (kind[i]) {
    case 0: v = sinf(v); break;
    case 1: v = cosf(v) + 1; break;
    case 2: v = logf(fabsf(v) + 1); break;
    case 3: v = sqrtf(fabsf(v)); break;
    case 4: v = powf(fabsf(v), 1.5f); break;
    case 5: v = tanhf(v); break;
    case 6: v = floorf(v) + rintf(v); break;
    case 7: v = fmodf(v, 0.75f); break;
    case 8: v = erff(v); break;
    default: v = -v;
  }
  y[i] = v;
}
extern "C" __global__ void integers(const long long *a, const long long *b, long long *out) {
  int i = threadIdx.x, n = blockDim.x;
  out[i] = a[i] / b[i]; out[n + i] = a[i] % b[i]; out[2 * n + i] = __mul64hi(a[i], b[i]);
  out[3 * n + i] = __clzll(a[i]) + 100 * __popcll(b[i]) + 10000 * __ffsll(b[i]);
  out[4 * n + i] = (long long)__brevll(a[i]) ^ (u32)__byte_perm((u32)a[i], (u32)b[i], 0x2417);
  out[5 * n + i] = (u32)__funnelshift_l((u32)a[i], (u32)b[i], i) + (u32)a[i] % 7u + (int)b[i] / 10;
}
__device__ __noinline__ float horner(const float *c, int n, float x) {
  float s = 0;
  for (int i = 0; i < n; i++) s = s * x + c[i];
  return s;
}
struct Pair { float low; double high; };
__device__ __noinline__ Pair split(Pair p, float x) { p.low += x; p.high *= horner(&x, 1, 2.f); return p; }
extern "C" __global__ void calls(const float *x, const float *c, float *y, double *z) {
  int i = threadIdx.x;
  if (i % 3) {
    y[i] = horner(c, i % 5, x[i]);
    Pair p = split({x[i], 3.0}, 1.f);
    y[i] += p.low; z[i] = p.high;
  } else { y[i] = 0; z[i] = -1; }
}
extern "C" __global__ void sort_rows(float *x) {
  float v[8];
  for (int i = 0; i < 8; i++) v[i] = x[threadIdx.x * 8 + i];
  for (int i = 1; i < 8; i++) {
    float key = v[i]; int j = i - 1;
    while (j >= 0 && v[j] > key) { v[j + 1] = v[j]; j--; }
    v[j + 1] = key;
  }
  for (int i = 0; i < 8; i++) x[threadIdx.x * 8 + i] = v[i];
}
