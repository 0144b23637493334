"""Refusals of `tileir-as`, and their exit status, as that of `tileiras`.

0 is success. 1 is a wrong command line or a file that cannot be read. 2 is an unsupported value of
a flag, or an output that cannot be written. 3 is input that is not Tile IR bytecode. 5 is a program
that cannot be compiled.
"""

SUCCESS, BAD_COMMAND_LINE, BAD_VALUE, BAD_BYTECODE, CANNOT_COMPILE = 0, 1, 2, 3, 5


class Refusal(Exception):
    """A refusal: lines to show, and the exit status."""

    def __init__(self, status: int, *lines: str):
        super().__init__(*lines)
        self.status, self.lines = status, lines
