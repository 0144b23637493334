"""Litmus tests of the PTX memory model, their verdicts by its axioms, and runs of the emulator.

`syntax` and `conditions` read herd's text format; `events`, `executions` and `axioms` compute the
outcomes that the model allows and share no code with the emulator; `runs` explores what the emulator
does; `shapes` writes the generated tests of `suite`.
"""
