// RUN: not tileir compile %s 2>&1 | filecheck %s --check-prefix OP
// RUN: not tileir run %s.missing 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not tileir compile %s --gpu sm_1 --nonsense 2>&1 | filecheck %s --check-prefix USAGE

// OP-NOT:       Traceback
// OP:           {{^.*}}errors.mlir:16:5: error: Operation addq is not registered, did you mean 'addi'?{{$}}
// OP-NOT:       {{.}}

// MISSING:      {{^.*}}errors.mlir.missing: error: No such file or directory{{$}}

// USAGE:        {{^}}tileir: error: unrecognized arguments: --nonsense (see tileir --help){{$}}

cuda_tile.module @kernels {
  entry @square(%x: tile<i32>) {
    %y = addi %x, %x : tile<i32>
    addq %y : tile<i32>
    return
  }
}
