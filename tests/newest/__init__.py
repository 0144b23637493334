"""The tests with the newest of all that the package is built on, and each Python at hand.

`python -m tests.newest` makes an environment for each Python, without the upper bounds of
`pyproject.toml`, runs the quick tests and the zoo there, and prints what is newer and what fails.
"""
