"""Dots by the matrix units of the target: `mma.sync`, `wgmma` and `tcgen05.mma`."""
