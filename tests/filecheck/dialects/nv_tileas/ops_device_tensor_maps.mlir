// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<f16>, %m: i32) {
  %d, %e = nv_tileas.make_device_tma_descs %p, %m {tensor_maps = [#nv_tileas.tensor_map<128x64xf16, arg0, sizes = [arg1, 64], strides = [64, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg0, sizes = [arg1, 64], strides = [64, 1], swizzle = none, oob = nan>], slots = 384 : i32} : !nv_tileaa.ptr<f16>, i32 -> !nv_tileas.tma_desc, !nv_tileas.tma_desc
  nv_tileaa.return
}

// CHECK:   %d, %e = nv_tileas.make_device_tma_descs %p, %m {tensor_maps = [#nv_tileas.tensor_map<128x64xf16, arg0, sizes = [arg1, 64], strides = [64, 1], swizzle = 128B, oob = zero>, #nv_tileas.tensor_map<64x64xf16, arg0, sizes = [arg1, 64], strides = [64, 1], swizzle = none, oob = nan>], slots = 384 : i32} : !nv_tileaa.ptr<f16>, i32 -> !nv_tileas.tma_desc, !nv_tileas.tma_desc
// GENERIC: "nv_tileas.make_device_tma_descs"(%p, %m) <{tensor_maps =
