"""`tileas-assign-load-store-layouts`: chooses a layout for every tile, and a copy atom for every
access.

Tiles that elementwise ops, accesses and control flow tie together form a group and share one
layout. Loads, stores, dots, reductions and scans propose candidates. A candidate's cost is the sum
over all ops of the group, in shared-memory transactions, tensor-memory cycles, registers and
global-memory sectors. The cheapest candidate is chosen. An op for which the layout of the group
costs more than a conversion gets a separate layout:

    %x = nv_tileas.tiled_load weak %v[%i] : .. -> tensor<1024xf32>
    ->
    %x = nv_tileas.tiled_load weak %v[%i] {atom = #nv_tileas<atom ldg_128>,
         nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>}
         : .. -> tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>

Every tile then carries its layout as the encoding of its type, every access its copy atom. The pass
inserts a `convert_layout` wherever the layouts of producer and consumer differ;
`tileas-remove-layout-conversions` removes some of these. `convert-tileas-to-llvm` reads nothing but
the layouts and atoms. The choice is implemented in `analysis` (`groups`, `global_uses`,
`tile_uses`, `copy_costs`), and here in `group_choice` and `layout_assignment`.
"""

from .assign_layouts import TileASAssignLoadStoreLayoutsPass

__all__ = ["TileASAssignLoadStoreLayoutsPass"]
