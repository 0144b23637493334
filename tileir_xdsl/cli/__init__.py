"""The `tileir` command: compile, run and check Tile IR kernels."""
