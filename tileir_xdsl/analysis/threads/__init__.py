"""What thread blocks and clusters have: registers, warps, shapes."""
