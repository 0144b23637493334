"""Dots by the target's matrix units: `mma.sync`, `wgmma` and `tcgen05.mma`."""
