"""Which modules `tileiras` accepts and which this compiler does, for every op of cuda_tile.

`python -m tests.tileiras_agreement` gives the same bytecode to both, for five targets, and logs who
accepts it and with what words who refuses it.
"""
