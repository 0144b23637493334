"""A pairwise sample of kernels, compiled for every target by us and by NVIDIA's compiler.

What a kind of kernel varies is a table of axes. `plan` draws from all kinds, `pairwise` says how,
`measuring` compiles one point, `store` keeps what was measured, `report` makes tables of it.
"""
