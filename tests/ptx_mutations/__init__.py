"""Damaged PTX for the emulator and the static checks: only their own error may come out.

`python -m tests.ptx_mutations --seeds 2000` damages working kernels, loads, checks and runs them.
"""
