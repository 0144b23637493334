"""Random Tile IR programs, compiled for processors and run, next to the interpreter."""
