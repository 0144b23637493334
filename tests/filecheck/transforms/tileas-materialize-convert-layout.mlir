// RUN: xdsl-opt %s -p tileas-materialize-convert-layout | filecheck %s

#two = #nv_tileas.layout<((2, 4), 32, 1, 1), ((1, 64), 2, 0, 0)>
#four = #nv_tileas.layout<((4, 2), 32, 1, 1), ((1, 128), 4, 0, 0)>
#swapped = #nv_tileas.layout<((2, 2, 2), 32, 1, 1), ((2, 1, 128), 4, 0, 0)>

%a = arith.constant dense<0.000000e+00> : tensor<256xf32, #four>

// CHECK: nv_tileas.convert_layout %a {atom_plan = #nv_tileas.atom_plan<registers>}
%b = nv_tileas.convert_layout %a : tensor<256xf32, #four> -> tensor<256xf32, #swapped>

// CHECK: nv_tileas.convert_layout %a {atom_plan = #nv_tileas.atom_plan<shuffle>}
%c = nv_tileas.convert_layout %a : tensor<256xf32, #four> -> tensor<256xf32, #two>

// CHECK: nv_tileas.convert_layout %a {atom_plan = #nv_tileas.atom_plan<shared_memory>}
%d = nv_tileas.convert_layout %a {atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<256xf32, #four> -> tensor<256xf32, #two>
