"""A pack of compiled kernels that any machine with a GPU runs, and the report of what they did.

    python -m bench.pack build build/pack          # here, without a GPU
    python run_pack.py --minutes 30                # there, with numpy alone
    python -m bench.pack report results-gpu.json   # here

`build` writes cubins, inputs, expected results and `run_pack.py`, which is made of the files
in `bench/pack/runner`. docs/gpu.md says what is in a pack and how to read the results.
"""
