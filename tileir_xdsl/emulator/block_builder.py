"""Generates Python statements over numpy arrays for one basic block.

The statements form the body of a function `(group, v, m)`: `v` has the register views of the
group's rectangle and `m` its mask. Instruction families emit them through `BlockBuilder`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from tileir_xdsl.emulator import syntax
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE, KernelNames
from tileir_xdsl.emulator.races.put_off import Needs
from tileir_xdsl.emulator.races.registers import RegisterUse
from tileir_xdsl.emulator.registers import CLOCKS, clock_value, special_register_type
from tileir_xdsl.emulator.state_spaces import WINDOWS
from tileir_xdsl.emulator.types import Array, ScalarType, integer_type

# Registers of 128 bits are operands of their own size alone.
_WIDEST_RELAXED = 64
_POLICY = integer_type(64, signed=False)


class BlockBuilder:
    """Writes the Python statements of one block.

    `mask` is the expression of the lanes that the current instruction applies to, or `None` for all
    lanes of the group. If `checked`, the statements report synchronisation to the race detector.
    With `puts_off`, accesses may take effect after later ones; `can_wait` says whether the current
    instruction is such an access.
    """

    def __init__(
        self,
        kernel: KernelNames,
        *,
        masked: bool,
        checked: bool = False,
        puts_off: bool = False,
    ) -> None:
        self.kernel = kernel
        self.masked = masked
        self.checked = checked
        self.puts_off = puts_off
        self.can_wait = False
        self.lines: list[str] = []
        self.origins: list[syntax.Instruction] = []
        self.mask: str | None = None
        self.indent = ""
        self.steps = 0
        self.match: Match

    def step(
        self,
        match: Match,
        emit: Callable[[BlockBuilder, Match], None],
        uses: Sequence[RegisterUse] = (),
        *,
        needs: Needs | None = None,
        can_wait: bool = False,
    ) -> None:
        self.match = match
        self.mask = "m" if self.masked else None
        self.can_wait = can_wait
        if needs is not None:
            self.settle(needs)
        if self.checked:
            self.line(f"group.site = {len(self.kernel.sites)}")
            self.kernel.sites.append(match.instruction)
        for use in uses:
            self.line(f"group.memory.races.use_registers(group, {self.mask}, {self.bind(use)})")
        guard = match.instruction.guard
        if guard is not None:
            self.line(f"q = {self.guard(guard, match)}")
            self.mask = "q"
        if "policy" in match.operands and match.instruction.opcode != "createpolicy":
            self.source(match.operands["policy"], _POLICY)
        emit(self, match)
        self.steps += 1

    def settle(self, needs: Needs) -> None:
        """Emits a call that completes the delayed accesses that an instruction needs."""
        mask = "m" if self.masked else None
        self.line(f"group.memory.races.put_off.settle(group, {mask}, {self.bind(needs)})")

    def deliver(
        self, results: Sequence[tuple[syntax.Operand, ScalarType]], *, relaxed: bool
    ) -> None:
        """Emits a call that names the destinations, one per element, of a delayed access."""
        if self.can_wait:
            names = frozenset(each.name for each, _ in results if isinstance(each, syntax.Register))
            targets = [self.destination(*result, relaxed=relaxed) for result in results]
            views = "".join(f"{'None' if each is None else each[0]}, " for each in targets)
            self.line(f"group.memory.races.put_off.deliver({self.bind(names)}, ({views}))")

    def guard(self, guard: syntax.Guard, match: Match) -> str:
        register = syntax.Register(guard.register)
        value = f"v[{self.kernel.slot(guard.register, PREDICATE)}]"
        if guard.negated:
            value = f"~{value}"
        if self.masked:
            return f"{value} & m"
        # The instruction may overwrite its own guard, or part of it, before it is done.
        overwritten = any(_mentions(operand, register) for operand in match.instruction.operands)
        return f"{value}.copy()" if overwritten and not guard.negated else value

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)
        self.origins.append(self.match.instruction)

    @contextmanager
    def nested(self, signature: str, *, mask: str) -> Generator[None]:
        """Emits a nested function, one of whose parameters is `mask`; the caller emits its body."""
        outer, self.mask = self.mask, mask
        self.line(f"def {signature}:")
        self.indent = "    "
        yield
        self.indent, self.mask = "", outer

    def bind(self, value: object) -> str:
        return self.kernel.bind(value)

    # Operands

    def source(self, operand: syntax.Operand, type_: ScalarType, *, relaxed: bool = False) -> str:
        """The expression of an operand read as `type_`.

        A relaxed operand may be a wider register, whose low bits are read (PTX ISA, "Operand Size
        Exceeding Instruction-Type Size").
        """
        match operand:
            case syntax.Register(name):
                self.check_register(name, type_, relaxed=relaxed)
                return f"v[{self.kernel.slot(name, type_)}]"
            case syntax.SpecialRegister(name):
                return self.special_register(name, type_)
            case syntax.Negated(inner) if type_.kind == "predicate":
                return f"~{self.source(inner, type_)}"
            case syntax.Integer() | syntax.Float() | syntax.FloatBits():
                return self.bind(self.constant(operand, type_))
            case syntax.Symbol(name, offset) if type_.bits >= 32 and type_.kind != "float":
                value = self.constant(
                    syntax.Integer(self.kernel.symbol_address(name) + offset), type_
                )
                if self.kernel.symbol_space(name) != "shared":
                    return self.bind(value)
                return self.in_own_block(self.bind(value), type_)
            case _:
                raise self.match.fail(f"expected an operand of type .{type_.name}")

    def in_own_block(self, offset: str, type_: ScalarType) -> str:
        """An offset in the block's shared memory as an address that its whole cluster can use."""
        kind = self.bind(type_.dtype)
        return f"({offset} + group.memory.own_rank[group.b0:group.b1].astype({kind}))"

    def special_register(self, name: str, type_: ScalarType) -> str:
        declared = special_register_type(name)
        if (
            type_.bits > declared.bits
            or type_.kind == "float"
            or (type_.kind == "predicate") != (declared.kind == "predicate")
        ):
            raise self.match.fail(f"'{name}' cannot be read as .{type_.name}")
        if name in CLOCKS:
            read = self.bind(partial(_clock, name, type_))
            return f"{read}(group.issued + {self.steps})"
        return f"v[{self.kernel.slot(name, type_)}]"

    def check_register(self, name: str, type_: ScalarType, *, relaxed: bool) -> None:
        declared = self.kernel.registers[name]
        if not fits(declared, type_, relaxed=relaxed):
            shown = name.split("@")[0]
            raise self.match.fail(
                f"register '{shown}' of type .{declared.name} does not fit an operand "
                f"of type .{type_.name}"
            )

    def constant(
        self, operand: syntax.Integer | syntax.Float | syntax.FloatBits, type_: ScalarType
    ) -> Array:
        """A literal as an array that broadcasts over threads."""
        try:
            value = constant_value(operand, type_)
        except ValueError as error:
            raise self.match.fail(str(error)) from error
        return value.reshape((1, 1) if type_.elements == 1 else (1, 1, type_.elements))

    def address(self, operand: syntax.Operand, space: str) -> tuple[str, int]:
        """The base expression and the byte offset of `[base+offset]`.

        Raises `EmulatorError` when a symbol belongs to another state space.
        """
        if not isinstance(operand, syntax.Address):
            raise self.match.fail("a memory operand must be in brackets")
        base, space = operand.base, space.split("::")[0]
        if isinstance(base, syntax.Symbol):
            actual = self.kernel.symbol_space(base.name)
            added = WINDOWS[actual] if space == "generic" else 0
            if space not in ("generic", actual) and {space, actual} != {"global", "const"}:
                raise self.match.fail(f"'{base.name}' is in state space .{actual}, not in .{space}")
            address = self.kernel.symbol_address(base.name) + added
            return self.bind(np.full((1, 1), address, np.int64)), operand.offset
        if isinstance(base, syntax.Integer):
            return self.bind(np.full((1, 1), base.value, np.int64)), operand.offset
        if not isinstance(base, syntax.Register):
            raise self.match.fail(
                "the base of an address must be a register, a variable or an integer"
            )
        declared = self.kernel.registers[base.name]
        if declared.bits not in (32, 64) or declared.kind in ("float", "predicate"):
            raise self.match.fail(
                f"register '{base.name}' of type .{declared.name} cannot hold an address"
            )
        return self.source(base, integer_type(declared.bits, signed=False)), operand.offset

    def predicate(self, operand: syntax.Operand) -> str:
        return self.source(operand, PREDICATE)

    # Results

    def destination(
        self, operand: syntax.Operand, type_: ScalarType, *, relaxed: bool = False
    ) -> tuple[str, ScalarType] | None:
        """The view that receives a result and its type; `None` for `_`.

        A relaxed destination may be wider than the result, which is then extended to it.
        """
        if isinstance(operand, syntax.Sink):
            return None
        if not isinstance(operand, syntax.Register):
            raise self.match.fail("a result operand must be a register or '_'")
        self.check_register(operand.name, type_, relaxed=relaxed)
        declared = self.kernel.registers[operand.name]
        if declared.bits > type_.bits:
            type_ = integer_type(declared.bits, signed=type_.signed)
        return f"v[{self.kernel.slot(operand.name, type_)}]", type_

    def assign(
        self, operand: syntax.Operand, type_: ScalarType, value: str, *, relaxed: bool = False
    ) -> None:
        """Write the array expression `value` to a destination in the active lanes."""
        target = self.destination(operand, type_, relaxed=relaxed)
        if target is None:
            return
        view, stored = target
        if self.mask is None:
            self.line(f"{view}[...] = {value}")
        else:
            where = f"{self.mask}[..., None]" if stored.elements > 1 else self.mask
            self.line(f"copyto({view}, {value}, 'unsafe', {where})")

    def apply(
        self,
        operand: syntax.Operand,
        type_: ScalarType,
        function: Callable[..., Any],
        arguments: Sequence[str],
        *,
        relaxed: bool = False,
    ) -> None:
        """Write `function(*arguments)`, in place when it is a numpy ufunc."""
        call = f"{self.bind(function)}({', '.join(arguments)}"
        target = self.destination(operand, type_, relaxed=relaxed)
        if isinstance(function, np.ufunc) and self.mask is None and target is not None:
            self.line(f"{call}, out={target[0]})")
        else:
            self.assign(operand, type_, f"{call})", relaxed=relaxed)

    def elements(self, operand: syntax.Operand, count: int) -> tuple[syntax.Operand, ...]:
        """The elements of a vector operand `{a, b, ...}`; a lone operand is a vector of one."""
        found = operand.elements if isinstance(operand, syntax.Vector) else (operand,)
        if len(found) != count:
            raise self.match.fail(f"expected a vector of {count} operands, found {len(found)}")
        return found

    def pair(self, operand: syntax.Operand) -> tuple[syntax.Operand, syntax.Operand]:
        """Both destinations of `d|p`; the second is the sink `_` if there is none."""
        if isinstance(operand, syntax.Pair):
            return operand.first, operand.second
        return operand, syntax.Sink()


def fits(declared: ScalarType, type_: ScalarType, *, relaxed: bool) -> bool:
    """Whether a register of one type can be an operand of another (PTX ISA, "Type Checking")."""
    if "predicate" in (declared.kind, type_.kind):
        return declared.kind == type_.kind
    if relaxed and declared.bits > type_.bits:
        if declared.bits > _WIDEST_RELAXED:
            return False
        return declared.kind == "bits" or "float" not in (declared.kind, type_.kind)
    if declared.bits != type_.bits:
        return False
    if "bits" in (declared.kind, type_.kind) or declared.elements != type_.elements:
        return True
    return (declared.kind == "float") == (type_.kind == "float")


def constant_value(
    operand: syntax.Integer | syntax.Float | syntax.FloatBits, type_: ScalarType
) -> Array:
    """A literal as the value of a type, one array element per packed element.

    Raises `ValueError` for a literal the type cannot take.
    """
    if isinstance(operand, syntax.Integer):
        if type_.kind == "predicate":
            return np.array([operand.value != 0])
        if type_.kind != "float":
            pattern = (operand.value % (1 << type_.bits)).to_bytes(type_.bytes, "little")
            return np.frombuffer(pattern, type_.dtype)
    elif type_.bits in (32, 64) and type_.elements == 1 and type_.kind in ("bits", "float"):
        if isinstance(operand, syntax.FloatBits) and operand.bits == type_.bits:
            pattern = operand.pattern.to_bytes(type_.bytes, "little")
        else:
            value = operand.value if isinstance(operand, syntax.Float) else _float_of_bits(operand)
            with np.errstate(all="ignore"):
                pattern = np.float64(value).astype(f"f{type_.bytes}").tobytes()
        return np.frombuffer(pattern, type_.dtype)
    raise ValueError(f"this constant does not fit an operand of type .{type_.name}")


def _clock(name: str, type_: ScalarType, issued: int) -> Array:
    return np.full((1, 1), clock_value(name, issued), np.uint64).astype(type_.dtype)


def _float_of_bits(operand: syntax.FloatBits) -> float:
    data = operand.pattern.to_bytes(operand.bits // 8, "little")
    return struct.unpack("<f" if operand.bits == 32 else "<d", data)[0]


def _mentions(operand: syntax.Operand, register: syntax.Register) -> bool:
    match operand:
        case syntax.Vector(elements):
            return any(_mentions(element, register) for element in elements)
        case syntax.Pair(first, second):
            return _mentions(first, register) or _mentions(second, register)
        case _:
            return operand == register
