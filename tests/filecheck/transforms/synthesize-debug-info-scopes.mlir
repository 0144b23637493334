// RUN: xdsl-opt %s -p synthesize-debug-info-scopes --print-debuginfo | filecheck %s

cuda_tile.module @m {
  entry @k() {
    // CHECK: %t = cuda_tile.make_token : token loc(fused<#cuda_tile.di_subprogram<file = <"k.py" in "/src">, line = 5, name = "k", linkageName = "k", compileUnit = <file = <"k.py" in "/src">>, scopeLine = 5>>["/src/k.py":7:4])
    %t = make_token : token loc("/src/k.py":7:4)
    // CHECK: cuda_tile.return loc(fused<#cuda_tile.di_subprogram<{{.*}}>>["/src/k.py":5:1])
    return
  // CHECK: loc(fused<#cuda_tile.di_subprogram<{{.*}}>>["/src/k.py":5:1])
  } loc("/src/k.py":5:1)
}
