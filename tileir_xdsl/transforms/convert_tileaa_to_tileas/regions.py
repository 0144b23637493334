"""Converts reductions, scans and back-end directives, with their regions.

    %s = nv_tileaa.reduce %x {axis = 0 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>} .. {
    ^bb0(%l: f32, %r: f32):
      %m = nv_tileaa.addf %l, %r : f32
      nv_tileaa.yield %m : f32
    }
    ->
    %s = nv_tileas.reduce %x {axis = 0 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>} .. {
    ^bb0(%l: f32, %r: f32):
      %m = nv_tileaa.addf %l, %r : f32
      nv_tileas.yield %m : f32
    }

If an op has no witness, layout assignment selects its atom.
"""

from tileir_xdsl.dialects import nv_tileaa, nv_tileas

from .patterns import Rebuild, RebuildTable

REGIONS: RebuildTable = {
    nv_tileaa.CancelNextProgramIdOp: Rebuild(nv_tileas.CancelNextProgramIdOp),
    nv_tileaa.PragmaOp: Rebuild(nv_tileas.PragmaOp),
    nv_tileaa.ReduceOp: Rebuild(nv_tileas.ReduceOp),
    nv_tileaa.ScanOp: Rebuild(nv_tileas.ScanOp),
    nv_tileaa.YieldOp: Rebuild(nv_tileas.YieldOp),
}
