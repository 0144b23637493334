"""Inlines the functions of a module into the kernels that call them (PTX ISA, "call", ".func").

A copy of the function's body replaces each call. So no return addresses are needed, and threads
that call a function together stay together. A kernel has one copy of a function's registers and
variables, since recursion is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tileir_xdsl.emulator import syntax
from tileir_xdsl.emulator.declarations import align
from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.types import ScalarType

# Functions that call each other twice and again grow beyond all bounds.
_MAX_STATEMENTS = 200_000
_MAX_DEPTH = 200


def expand_calls(
    body: syntax.FunctionBody, functions: Mapping[str, syntax.Function]
) -> syntax.FunctionBody:
    """The body with calls of `functions` inlined; other calls stay.

    Raises `EmulatorError` with the PTX line for a recursive function, and for arguments and results
    that do not fit the function. It is also raised beyond 200,000 instructions or 200 nested calls.
    """
    expansion = _Expansion(body, functions)
    expansion.body(body, lambda operand: operand, "", None, ())
    return syntax.FunctionBody(
        expansion.registers, expansion.variables, tuple(expansion.statements)
    )


def lay_out_variables(
    module: Mapping[str, syntax.Variable], body: Mapping[str, syntax.Variable]
) -> tuple[dict[str, syntax.Variable], int]:
    """Assigns offsets to a kernel's shared and local variables; returns the shared bytes too.

    `extern` shared arrays all begin where static shared memory ends.
    """
    placed: dict[str, syntax.Variable] = {}
    ends = {"shared": 0, "local": 0}
    candidates = {
        **{name: v for name, v in module.items() if v.space in ends},
        **body,
    }
    for name, variable in candidates.items():
        if not variable.external:
            offset = align(ends[variable.space], variable.alignment)
            placed[name] = replace(variable, offset=offset)
            ends[variable.space] = offset + variable.size
    for name, variable in candidates.items():
        if variable.external:
            placed[name] = replace(variable, offset=align(ends["shared"], variable.alignment))
    return placed, ends["shared"]


def map_operand(
    operand: syntax.Operand, change: Callable[[syntax.Operand], syntax.Operand]
) -> syntax.Operand:
    """Applies `change` to the names and constants in an operand."""
    match operand:
        case syntax.Negated(inner):
            return replace(operand, operand=map_operand(inner, change))
        case syntax.Selected(inner):
            return replace(operand, operand=map_operand(inner, change))
        case syntax.Pair(first, second):
            return syntax.Pair(map_operand(first, change), map_operand(second, change))
        case syntax.Vector(elements):
            return syntax.Vector(tuple(map_operand(element, change) for element in elements))
        case syntax.Address(base, offset, further):
            changed = tuple(map_operand(element, change) for element in further)
            return syntax.Address(map_operand(base, change), offset, changed)
        case _:
            return change(operand)


class _Expansion:
    """The statements of a kernel, with those of the functions that it calls."""

    def __init__(self, body: syntax.FunctionBody, functions: Mapping[str, syntax.Function]) -> None:
        self.functions = functions
        self.registers: dict[str, ScalarType] = dict(body.registers)
        self.variables: dict[str, syntax.Variable] = dict(body.variables)
        self.statements: list[syntax.Instruction | syntax.Label] = []
        self.copies = 0

    def body(
        self,
        body: syntax.FunctionBody,
        change: Callable[[syntax.Operand], syntax.Operand],
        suffix: str,
        end: syntax.LabelReference | None,
        active: tuple[str, ...],
    ) -> None:
        """Appends a body: labels get a suffix; `ret` jumps to `end`, or ends the thread without it.

        `active` names the functions whose bodies enclose this one.
        """

        def settle(operand: syntax.Operand) -> syntax.Operand:
            if isinstance(operand, syntax.LabelReference):
                return syntax.LabelReference(operand.name + suffix)
            return change(operand)

        for statement in body.statements:
            if isinstance(statement, syntax.Label):
                targets = tuple(
                    syntax.LabelReference(target.name + suffix) for target in statement.targets
                )
                self.append(syntax.Label(statement.name + suffix, statement.line, targets))
                continue
            operands = tuple(map_operand(operand, settle) for operand in statement.operands)
            if statement.opcode == "ret" and end is not None:
                branch = replace(statement, mnemonic="bra", operands=(end,))
                self.append(branch)
            elif (function := self.called(statement)) is not None:
                self.call(replace(statement, operands=operands), function, active)
            else:
                self.append(replace(statement, operands=operands))

    def append(self, statement: syntax.Instruction | syntax.Label) -> None:
        if len(self.statements) == _MAX_STATEMENTS:
            message = f"the calls of a kernel expand to more than {_MAX_STATEMENTS} instructions"
            raise EmulatorError(message, line=statement.line)
        self.statements.append(statement)

    def called(self, instruction: syntax.Instruction) -> syntax.Function | None:
        if instruction.opcode != "call":
            return None
        reference = instruction.operands[1]
        assert isinstance(reference, syntax.FunctionReference)
        return self.functions.get(reference.name)

    def call(
        self, call: syntax.Instruction, function: syntax.Function, active: tuple[str, ...]
    ) -> None:
        if function.name in active:
            raise _error(call, f"function '{function.name}' is recursive, which is not supported")
        if len(active) == _MAX_DEPTH:
            raise _error(call, f"function calls are nested more than {_MAX_DEPTH} deep")
        results, _, arguments = call.operands
        assert isinstance(results, syntax.Vector) and isinstance(arguments, syntax.Vector)
        for what, given, formals in (
            ("results", results.elements, function.results),
            ("arguments", arguments.elements, function.parameters),
        ):
            if len(given) != len(formals):
                raise _error(
                    call,
                    f"function '{function.name}' has {len(formals)} {what}, but the call has "
                    f"{len(given)}",
                )
        self.copies += 1
        suffix = f"#{self.copies}"
        self.registers.update(function.body.registers)
        self.variables.update(function.body.variables)
        after = syntax.LabelReference(f"after{suffix}")
        if call.guard is not None:
            skipping = syntax.Guard(call.guard.register, not call.guard.negated)
            self.append(replace(call, mnemonic="bra", operands=(after,), guard=skipping))
        passed: dict[syntax.Operand, syntax.Operand] = {}
        returned: list[syntax.Instruction] = []
        for actual, formal in zip(arguments.elements, function.parameters, strict=True):
            passed |= self.share(call, actual, formal)
            if not passed.get(syntax.Symbol(formal.name)):
                self.append(_move_in(call, actual, formal))
        for actual, formal in zip(results.elements, function.results, strict=True):
            passed |= self.share(call, actual, formal)
            if not passed.get(syntax.Symbol(formal.name)) and not isinstance(actual, syntax.Sink):
                returned.append(_move_out(call, actual, formal))
        end = syntax.LabelReference(f"end{suffix}")
        self.body(
            function.body,
            lambda operand: _passed_on(operand, passed),
            suffix,
            end,
            (*active, function.name),
        )
        self.append(syntax.Label(end.name, call.line))
        for instruction in returned:
            self.append(instruction)
        self.append(syntax.Label(after.name, call.line))

    def share(
        self, call: syntax.Instruction, actual: syntax.Operand, formal: syntax.Formal
    ) -> dict[syntax.Operand, syntax.Operand]:
        """Maps a parameter of the function to the caller's variable that is passed for it."""
        if formal.space == "register" or not isinstance(actual, syntax.Symbol):
            return {}
        variable = self.variables.get(actual.name)
        if variable is None or variable.space != "local" or variable.size != formal.size:
            name = formal.name.split("@")[0]
            raise _error(
                call,
                f"parameter '{name}' needs a variable of the caller of exactly {formal.size} bytes",
            )
        return {syntax.Symbol(formal.name): actual}


def _passed_on(
    operand: syntax.Operand, passed: Mapping[syntax.Operand, syntax.Operand]
) -> syntax.Operand:
    """Replaces a parameter of a function by the caller's variable that is passed for it."""
    if not isinstance(operand, syntax.Symbol):
        return operand
    variable = passed.get(syntax.Symbol(operand.name))
    return (
        replace(variable, offset=operand.offset) if isinstance(variable, syntax.Symbol) else operand
    )


def _error(instruction: syntax.Instruction, message: str) -> EmulatorError:
    return EmulatorError(message, line=instruction.line, instruction=instruction.text)


def _move_in(
    call: syntax.Instruction, actual: syntax.Operand, formal: syntax.Formal
) -> syntax.Instruction:
    """An instruction that copies an argument to a parameter of the function."""
    if formal.space == "register":
        return _unguarded(call, f"mov.{_moved(formal)}", syntax.Register(formal.name), actual)
    return _unguarded(
        call, f"st.param.{_moved(formal)}", syntax.Address(syntax.Symbol(formal.name), 0), actual
    )


def _move_out(
    call: syntax.Instruction, actual: syntax.Operand, formal: syntax.Formal
) -> syntax.Instruction:
    """An instruction that copies a result of the function to a register of the caller."""
    if formal.space == "register":
        return _unguarded(call, f"mov.{_moved(formal)}", actual, syntax.Register(formal.name))
    return _unguarded(
        call, f"ld.param.{_moved(formal)}", actual, syntax.Address(syntax.Symbol(formal.name), 0)
    )


def _moved(formal: syntax.Formal) -> str:
    return "pred" if formal.type.kind == "predicate" else f"b{formal.type.bits}"


def _unguarded(
    call: syntax.Instruction, mnemonic: str, *operands: syntax.Operand
) -> syntax.Instruction:
    return replace(call, mnemonic=mnemonic, operands=operands, guard=None)
