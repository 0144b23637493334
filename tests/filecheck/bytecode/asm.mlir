// RUN: tileir asm %s --version 13.2 -o %t.tileirbc
// RUN: tileir disasm %t.tileirbc | filecheck %s
// RUN: tileir disasm %t.tileirbc -g | filecheck %s --check-prefix LOCATIONS
// RUN: tileir asm %t.tileirbc --version 13.5 | tileir disasm - | filecheck %s
// RUN: not tileir asm %s --version 13.1 2>&1 | filecheck %s --check-prefix OLD

cuda_tile.module @m {
  global @table alignment = 16 <i32: [1, 2]> : tile<2xi32>
  entry @scale(%x: tile<ptr<f32>>, %y: tile<f32>, %z: tile<f32>) optimization_hints=<sm_100 = {occupancy = 2}> {
    %0 = atan2 %y, %z : tile<f32>
    %1 = store_ptr_tko weak %x, %0 : tile<ptr<f32>>, tile<f32> -> token
  }
}

// The name of a module is not part of bytecode, and globals come first.

// CHECK:      global @table alignment = 16 <i32: [1, 2]> : tile<2xi32>
// CHECK-NEXT: entry @scale(%[[X:.*]]: tile<ptr<f32>>, %[[Y:.*]]: tile<f32>, %[[Z:.*]]: tile<f32>) optimization_hints=<sm_100 = {occupancy = 2}> {
// CHECK-NEXT:   %[[ANGLE:.*]] = atan2 %[[Y]], %[[Z]] : tile<f32>
// CHECK-NEXT:   %{{.*}} = store_ptr_tko weak %[[X]], %[[ANGLE]] : tile<ptr<f32>>, tile<f32> -> token
// CHECK-NEXT:   return
// CHECK-NEXT: }

// LOCATIONS:      atan2 %arg1, %arg2 : tile<f32> loc(#loc)
// LOCATIONS:      #loc = loc(unknown)

// OLD: asm.mlir:10:5: error: 'cuda_tile.atan2' op requires bytecode version 13.2+, targeting 13.1
