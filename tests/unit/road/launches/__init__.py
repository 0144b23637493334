"""Are kernels right under every launch: ABIs, dependent launches, blocks that take over others?"""
