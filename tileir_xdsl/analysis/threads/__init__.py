"""Resources of thread blocks and clusters: registers, warps, shapes."""
