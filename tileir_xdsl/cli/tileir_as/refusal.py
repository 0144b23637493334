"""What `tileir-as` does not do, and its exit status, as that of `tileiras`.

0 for success; 1 for a wrong command line or a file that cannot be read; 2 for a flag's value that
cannot be had, and an output that cannot be written; 3 for input that is no Tile IR bytecode; 5 for
a program that cannot be compiled.
"""

SUCCESS, BAD_COMMAND_LINE, BAD_VALUE, BAD_BYTECODE, CANNOT_COMPILE = 0, 1, 2, 3, 5


class Refusal(Exception):
    """What cannot be done: lines to show, and the exit status."""

    def __init__(self, status: int, *lines: str):
        super().__init__(*lines)
        self.status, self.lines = status, lines
