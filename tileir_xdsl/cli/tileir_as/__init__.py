"""`tileir-as`: a replacement for `tileiras` with the same flags and the same errors.

    tileir-as --gpu-name sm_90 -O3 kernel.tilebc -o kernel.cubin

`tileir-as` compiles for ABI `tile` (see `docs/abi.md`), assembles with `ptxas`, and keeps the PTX
next to the cubin, under the hash of the cubin. `command_line` reads the flags, `assembly` does the
work, `remark_formats` writes remarks, `installation` makes a `tileiras` for PATH.
"""
