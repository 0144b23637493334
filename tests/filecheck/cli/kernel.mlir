// RUN: tileir compile %s --gpu sm_80 | filecheck %s --check-prefix PTX
// RUN: tileir compile %s -v -o %t.ptx 2>&1 | filecheck %s --check-prefix LOG
// RUN: filecheck %s --check-prefix FILE --input-file %t.ptx
// RUN: tileir run %s --level cuda_tile --arg doubled:random:f32:100 --arg 100 | filecheck %s --check-prefix RESULT
// RUN: tileir run %s --arg doubled:random:f32:100 --arg 100 | filecheck %s --check-prefix RESULT
// RUN: tileir emulate %t.ptx --arg doubled:random:f32:100 --arg 100 | filecheck %s --check-prefix RESULT
// RUN: tileir asm %s -o %t.tileirbc && tileir disasm %t.tileirbc | xdsl-opt -p convert-cuda-tile-to-tileaa | filecheck %s --check-prefix BYTECODE
// RUN: tileir opt %t.tileirbc -p convert-cuda-tile-to-tileaa | filecheck %s --check-prefix BYTECODE
// RUN: tileir check %s --grid 1 --arg random:f32:100 --arg 100 | filecheck %s --check-prefix TABLE

// The text has no module line, as a disassembler prints it.

// PTX:       .target sm_80
// PTX:       .visible .entry double(
// PTX:       add.rn.f32
// PTX:       ret;

// LOG:       read {{.*}} ops
// LOG-NEXT:  convert-cuda-tile-to-tileaa{{.*}} ops
// LOG:       ptx {{.*}} lines
// LOG-NEXT:  tileir opt {{.*}}kernel.mlir -p 'convert-cuda-tile-to-tileaa{{.*}}' -t 'ptx{gpu=sm_90a}'

// BYTECODE:  nv_tileaa.func @double(

// FILE:      .target sm_90a

// RESULT:      double: 1x1x1 blocks
// RESULT:     doubled: float32[100] = [0.25146, -0.26421, 1.28085, ..., -1.17106, -2.68244, -2.80304]

// TABLE:      double(ptr<f32>, i32) on 1x1x1 blocks
// TABLE-NEXT: level
// TABLE-NEXT: cuda_tile {{.*}} 0
// TABLE-NEXT: nv_tileaa {{.*}} 0
// TABLE-NEXT: nv_tileas {{.*}} 0
// TABLE-NEXT: ptx {{.*}} 0

entry @double(%array: tile<ptr<f32>>, %size: tile<i32>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %token = make_token : token
  %view = make_tensor_view %array, shape = [%size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %tiles = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile, %loaded = load_view_tko weak %tiles[%x] token = %token : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %sum = addf %tile, %tile : tile<128xf32>
  %stored = store_view_tko weak %sum, %tiles[%x] token = %loaded : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
