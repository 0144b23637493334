"""A debugger for kernels in the interpreter: breakpoints, printing of values, stepping."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.values import Names, short_value, source_line
from tileir_xdsl.walking import ops_in

HELP = """\
step        run this op and stop at the next one
continue    run on to the next stop
list        the values there are, in short
print NAME  one value in full
help        this list
quit        end the launch
"""


class Stopped(Exception):
    """The user has ended the launch."""


class Debugger(LaunchListener):
    """Stops before the first op of each of `lines` and executes commands, see `HELP`.

    Commands, or their first letters, are read from `commands`, whose end stops the launch. Answers
    are written to `output`. Raises InputError for a line without an op.
    """

    def __init__(self, module: ModuleOp, lines: Collection[int], commands: TextIO, output: TextIO):
        known = {source_line(location_text(op.location)) for op in ops_in(module)}
        for line in lines:
            if line not in known:
                raise InputError(f"--break {line}", "there is no op on this line")
        self._lines = frozenset(lines)
        self._names = Names(module)
        self._commands, self._output = commands, output
        self._block: Coordinates = (0, 0, 0)
        self._values: dict[SSAValue, Any] = {}
        self._stepping = False
        self._last_line: int | None = None
        self._actions: dict[str, Callable[[str], None]] = {
            "list": self._list,
            "print": self._print,
            "help": self._help,
            "quit": self._quit,
        }

    def will_run_block(self, block: Coordinates) -> None:
        self._block, self._last_line = block, None
        self._values.clear()

    def will_resume_block(self, block: Coordinates) -> None:
        # Its values are seen again where they are used.
        self.will_run_block(block)

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        # Arguments of blocks are seen where they are used.
        self._values.update(zip(op.operands, args, strict=True))
        line = source_line(location_text(op.location))
        arrived = line in self._lines and line != self._last_line
        self._last_line = line
        if arrived or self._stepping:
            self._stop(op)

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        self._values.update(zip(op.results, results, strict=True))

    def _stop(self, op: Operation) -> None:
        position = location_text(op.location)
        operands = ", ".join(map(self._names.of, op.operands))
        what = f"{self._names.results(op)}{op.name} {operands}".rstrip()
        self._output.write(f"{position}: tile block {self._block}: {what}\n")
        for command, argument in self._read():
            if command in ("step", "continue"):
                self._stepping = command == "step"
                return
            self._actions[command](argument)

    def _read(self) -> Iterator[tuple[str, str]]:
        """The full names of commands, with their arguments."""
        names = ("step", "continue", *self._actions)
        while True:
            self._output.write("> ")
            self._output.flush()
            line = self._commands.readline()
            if not line:
                self._quit("")
            word, _, argument = line.strip().partition(" ")
            matches = [name for name in names if word and name.startswith(word)]
            if matches:
                yield matches[0], argument.strip()
            elif word:
                self._output.write(f"no command '{word}', try help\n")

    def _list(self, _argument: str) -> None:
        for value, held in self._values.items():
            self._output.write(f"{self._names.of(value)}: {short_value(held, value.type)}\n")

    def _print(self, name: str) -> None:
        wanted = f"%{name.removeprefix('%')}"
        for value, held in self._values.items():
            if self._names.of(value) == wanted:
                (now,) = wait_for((held,))
                self._output.write(f"{wanted}: {value.type}\n{_in_full(now, value)}\n")
                return
        self._output.write(f"no value {wanted} so far, try list\n")

    def _help(self, _argument: str) -> None:
        self._output.write(HELP)

    def _quit(self, _argument: str) -> None:
        raise Stopped


def _in_full(held: Any, value: SSAValue) -> str:
    return str(held) if hasattr(held, "dtype") else short_value(held, value.type)
