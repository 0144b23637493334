"""The open CUDA Tile IR compiler: cuda_tile to PTX, every stage a readable xDSL dialect."""
