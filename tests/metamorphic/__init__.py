"""Random programs and kernels of the zoo in other forms that mean the same: they compute the same.

`python -m tests.metamorphic --seeds 100` draws for each seed a kernel, some of the forms of
`tests/metamorphic/forms.py`, a target and options, and runs the PTX in the emulator.
"""
