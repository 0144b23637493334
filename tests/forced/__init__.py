"""Random choices in place of those of the passes: whatever is legal, a kernel computes the same.

`python -m tests.forced --seeds 100` draws for each seed a kernel of the zoo, a target, options, and for some
of the decisions that passes report another candidate than the one they take.
"""
