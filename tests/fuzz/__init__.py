"""Inputs with something wrong, for everything that reads: only errors of our own may come out.

`python -m tests.fuzz --seeds 2000` damages bytecode, text of every level, PTX, layouts, options,
arguments and command lines. An input may take ten seconds and 2 GiB.
"""
