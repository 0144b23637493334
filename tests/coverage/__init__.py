"""How much of the compiler the tests run: lines and branches, by room.

`python -m tests.coverage measure` runs the tests in slices, of which those that are done already stay;
`python -m tests.coverage report` prints what they have run together.
"""
