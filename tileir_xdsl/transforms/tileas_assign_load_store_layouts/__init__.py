"""`tileas-assign-load-store-layouts`: where the elements of every tile live, by which copies.

Tiles that elementwise ops, accesses and control flow tie together form a group and share one
layout. Loads, stores, dots, reductions and scans propose candidates. Each is scored over all ops of
the group by the cost of its copies in shared-memory transactions, tensor-memory cycles, registers
and global-memory sectors. The cheapest wins. An op that would pay more for the layout of its group
than for a conversion gets a layout of its own:

    %x = nv_tileas.tiled_load weak %v[%i] : .. -> tensor<1024xf32>
    ->
    %x = nv_tileas.tiled_load weak %v[%i] {atom = #nv_tileas<atom ldg_128>,
         nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>}
         : .. -> tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>

Every tile then carries its layout as the encoding of its type, every access its copy atom. A
`convert_layout` stands wherever producer and consumer differ; `tileas-remove-layout-conversions`
removes some of these. Runs before `convert-tileas-to-llvm`, which reads nothing but layouts and
atoms. How the choice is made is in `analysis`: `groups`, `global_uses`, `tile_uses`, `copy_costs`;
here, in `group_choice` and `layout_assignment`.
"""

from .assign_layouts import TileASAssignLoadStoreLayoutsPass

__all__ = ["TileASAssignLoadStoreLayoutsPass"]
