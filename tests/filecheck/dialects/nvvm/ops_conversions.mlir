// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

llvm.func @ops(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %e: f32, %q: i1, %v: vector<2xf16>, %d: f64) {
  %0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
  %1 = nvvm.convert.f32x2.to.f8x2 %f, %e {relu = true, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)
  %2 = nvvm.convert.f32x2.to.f8x2 %f, %e {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8> (f8E5M2)
  %3 = nvvm.convert.f16x2.to.f8x2 %v : vector<2xf16> -> i16 (f8E5M2)
  %4 = nvvm.convert.f16x2.to.f8x2 %v {relu = true} : vector<2xf16> -> vector<2xi8> (f8E4M3FN)
  %5 = nvvm.convert.f8x2.to.f16x2 %2 : vector<2xi8> (f8E5M2) -> vector<2xf16>
  %6 = nvvm.convert.f8x2.to.f16x2 %4 {relu = true} : vector<2xi8> (f8E4M3FN) -> vector<2xf16>
  %7 = nvvm.convert.f8x2.to.bf16x2 %2 : vector<2xi8> (f8E8M0FNU) -> vector<2xbf16>
  %8 = nvvm.convert.f32x2.to.f4x2 %f, %e : i8 (f4E2M1FN)
  %9 = nvvm.convert.f32x2.to.f4x2 %f, %e {relu = true} : i8 (f4E2M1FN)
  %10 = nvvm.convert.f4x2.to.f16x2 %8 : i8 (f4E2M1FN) -> vector<2xf16>
  %11 = nvvm.convert.f4x2.to.f16x2 %9 {relu = true} : i8 (f4E2M1FN) -> vector<2xf16>
  llvm.return
}

// CHECK:      %{{.*}} = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK-NEXT: %{{.*}} = nvvm.convert.f32x2.to.f8x2 %f, %e {relu = true, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)
// CHECK-NEXT: %[[F8X2:.*]] = nvvm.convert.f32x2.to.f8x2 %f, %e {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E5M2)
// CHECK-NEXT: %{{.*}} = nvvm.convert.f16x2.to.f8x2 %v : vector<2xf16> -> i16(f8E5M2)
// CHECK-NEXT: %[[F8X2_2:.*]] = nvvm.convert.f16x2.to.f8x2 %v {relu = true} : vector<2xf16> -> vector<2xi8>(f8E4M3FN)
// CHECK-NEXT: %{{.*}} = nvvm.convert.f8x2.to.f16x2 %[[F8X2]] : vector<2xi8>(f8E5M2) -> vector<2xf16>
// CHECK-NEXT: %{{.*}} = nvvm.convert.f8x2.to.f16x2 %[[F8X2_2]] {relu = true} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK-NEXT: %{{.*}} = nvvm.convert.f8x2.to.bf16x2 %[[F8X2]] : vector<2xi8>(f8E8M0FNU) -> vector<2xbf16>
// CHECK-NEXT: %[[F4X2:.*]] = nvvm.convert.f32x2.to.f4x2 %f, %e : i8(f4E2M1FN)
// CHECK-NEXT: %[[F4X2_2:.*]] = nvvm.convert.f32x2.to.f4x2 %f, %e {relu = true} : i8(f4E2M1FN)
// CHECK-NEXT: %{{.*}} = nvvm.convert.f4x2.to.f16x2 %[[F4X2]] : i8(f4E2M1FN) -> vector<2xf16>
// CHECK-NEXT: %{{.*}} = nvvm.convert.f4x2.to.f16x2 %[[F4X2_2]] {relu = true} : i8(f4E2M1FN) -> vector<2xf16>

// GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"(%f) <{rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<none>, relu = false}> : (f32) -> i32
// GENERIC: %{{.*}} = "nvvm.convert.f32x2.to.f8x2"(%f, %e) <{relu = true, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>, dstTy = f8E4M3FN}> : (f32, f32) -> i16
// GENERIC: %[[F8X2:.*]] = "nvvm.convert.f32x2.to.f8x2"(%f, %e)
// GENERIC: %{{.*}} = "nvvm.convert.f8x2.to.f16x2"(%[[F8X2]]) <{srcType = f8E5M2, relu = false}> : (vector<2xi8>) -> vector<2xf16>
// GENERIC: %{{.*}} = "nvvm.convert.f8x2.to.bf16x2"(%[[F8X2]]) <{srcType = f8E8M0FNU}> : (vector<2xi8>) -> vector<2xbf16>
// GENERIC: %[[F4X2:.*]] = "nvvm.convert.f32x2.to.f4x2"(%f, %e) <{dstTy = f4E2M1FN, relu = false}> : (f32, f32) -> i8
// GENERIC: %{{.*}} = "nvvm.convert.f4x2.to.f16x2"(%[[F4X2]]) <{srcType = f4E2M1FN, relu = false}> : (i8) -> vector<2xf16>
