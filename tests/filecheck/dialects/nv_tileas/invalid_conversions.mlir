// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: requires the same shape and element type for source and result
%a = "test.op"() : () -> tensor<16xf32>
%b = nv_tileas.convert_layout %a : tensor<16xf32> -> tensor<16xf16>
