"""Declarations of variables and parameters (PTX ISA, "State Spaces, Types and Variables")."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tileir_xdsl.emulator.lexer import TokenReader
from tileir_xdsl.emulator.syntax import (
    Float,
    FloatBits,
    Formal,
    Integer,
    Parameter,
    StateSpace,
    Variable,
)
from tileir_xdsl.emulator.types import ScalarType

_LARGEST_ALIGNMENT = 2**31
# PTX ISA, "Kernel Function Parameters", since version 8.1.
_PARAMETER_BYTES = 32_764

VARIABLE_SPACES: dict[str, StateSpace] = {
    ".shared": "shared",
    ".local": "local",
    ".global": "global",
    ".const": "const",
}


class DeclarationReader(TokenReader):
    """Reads declarations; `variables` are those outside of functions, or with a life as long."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.variables: dict[str, Variable] = {}

    def declare_variable(self, variable: Variable) -> None:
        if variable.name in self.variables:
            self.fail(f"variable '{variable.name}' is declared twice", variable.line)
        self.variables[variable.name] = variable

    def skip_statement(self) -> None:
        while not self.accept(";"):
            self.advance()

    def variable_declaration(self, space: StateSpace, *, external: bool) -> list[Variable]:
        """`[.align N] .type name[extents] [= initialiser] {, name ...};` after its state space."""
        alignment = 1
        while True:
            if self.accept(".align"):
                alignment = self.alignment()
            elif self.accept(".attribute"):
                self.expect("(")
                while not self.accept(")"):
                    self.advance()
            else:
                break
        type_ = self.scalar_type()
        variables: list[Variable] = []
        while True:
            name = self.expect_kind("name", "a variable name")
            extent = self.array_extent()
            variable = Variable(
                name.text,
                space,
                type_,
                max(alignment, type_.bytes),
                type_.bytes * (1 if extent is None else extent),
                name.line,
                external,
            )
            if self.accept("="):
                variable = self.initialised(variable)
            variables.append(variable)
            if not self.accept(","):
                break
        self.expect(";")
        return variables

    def alignment(self) -> int:
        """A power of two (PTX ISA, ".align")."""
        line = self.token.line
        found = self.natural("an alignment", _LARGEST_ALIGNMENT)
        if found.bit_count() != 1:
            self.fail(f"an alignment is a power of two, not {found}", line)
        return found

    def array_extent(self) -> int | None:
        """The number of elements of `[4][8]`, 0 for `[]`, `None` for a scalar."""
        extent: int | None = None
        while self.accept("["):
            count = 0 if self.token.text == "]" else self.natural("an extent")
            extent = count if extent is None else extent * count
            self.expect("]")
        return extent

    def initialised(self, variable: Variable) -> Variable:
        data = bytearray()
        addresses: list[tuple[int, str, int]] = []
        depth = 0
        while True:
            if self.accept("{"):
                depth += 1
            elif self.accept("}"):
                depth -= 1
            elif not self.accept(","):
                self.initial_value(variable.type, data, addresses)
            if depth == 0 and self.token.text in (";", ","):
                break
        # An array whose extent is left open takes it from its initialiser.
        size = variable.size or len(data)
        if len(data) > size:
            self.fail(f"too many initial values for '{variable.name}'")
        return replace(variable, size=size, initial=bytes(data), addresses=tuple(addresses))

    def initial_value(
        self, type_: ScalarType, data: bytearray, addresses: list[tuple[int, str, int]]
    ) -> None:
        if self.token.kind == "name":
            symbol = self.advance()
            if symbol.text == "generic":
                self.expect("(")
                symbol = self.expect_kind("name", "a variable name")
                self.expect(")")
            if type_.bits != 64:
                self.fail("an address needs a 64-bit element", symbol.line)
            added = self.integer() if self.accept("+") else 0
            addresses.append((len(data), symbol.text, added))
            data += bytes(8)
            return
        constant = self.constant()
        if isinstance(constant, FloatBits):
            data += constant.pattern.to_bytes(constant.bits // 8, "little")
        elif isinstance(constant, Float) or type_.kind == "float":
            with np.errstate(all="ignore"):
                data += np.array(float(constant.value)).astype(type_.dtype).tobytes()
        else:
            data += (constant.value % (1 << type_.bits)).to_bytes(type_.bytes, "little")

    def constant(self) -> Integer | Float | FloatBits:
        """A literal with an optional sign."""
        sign = -1 if self.accept("-") else 1
        token = self.advance()
        if token.kind == "integer":
            return Integer(sign * self.integer_of(token))
        if token.kind == "float":
            value = float(token.text)
            if math.isinf(value):
                self.fail(f"'{token.text}' is no number of double precision", token.line)
            return Float(sign * value)
        if token.kind == "float_bits":
            bits = 32 if token.text[1] in "fF" else 64
            pattern = int(token.text[2:], 16)
            return FloatBits(pattern ^ (1 << (bits - 1)) if sign < 0 else pattern, bits)
        self.fail(f"expected an operand, found {token.text!r}", token.line)

    def parameters(self) -> list[Parameter]:
        """The parameters of a kernel, with their places in parameter space."""
        parameters: list[Parameter] = []
        offset = 0
        for variable in self.formals():
            if variable.space == "register":
                self.fail(f"parameter '{variable.name}' of a kernel is a register", variable.line)
            offset = align(offset, variable.alignment)
            parameters.append(
                Parameter(
                    variable.name,
                    variable.type,
                    variable.alignment,
                    variable.size,
                    offset,
                    variable.extent,
                )
            )
            offset += variable.size
            if offset > _PARAMETER_BYTES:
                message = f"the parameters of a kernel have at most {_PARAMETER_BYTES} bytes"
                self.fail(message, variable.line)
        return parameters

    def formals(self) -> list[Formal]:
        """`(.param .b32 a, .reg .f32 b, ...)`, or nothing at all."""
        found: list[Formal] = []
        if not self.accept("("):
            return found
        while not self.accept(")"):
            if found:
                self.expect(",")
            found.append(self.formal())
        return found

    def formal(self) -> Formal:
        in_register = self.accept(".reg")
        if not in_register:
            self.expect(".param")
        alignment, type_ = 1, None
        while self.token.kind == "directive":
            if self.accept(".align"):
                alignment = self.alignment()
            elif self.accept(".ptr"):
                # The attributes after .ptr describe the pointer's target, not the parameter.
                self.pointer_attributes()
            else:
                type_ = self.scalar_type()
        name = self.expect_kind("name", "a parameter name")
        if type_ is None:
            self.fail(f"parameter '{name.text}' has no type", name.line)
        extent = self.array_extent()
        size = type_.bytes * (1 if extent is None else extent)
        space = "register" if in_register else "param"
        return Formal(name.text, space, type_, max(alignment, type_.bytes), size, name.line, extent)

    def pointer_attributes(self) -> None:
        while self.token.kind == "directive":
            if self.accept(".align"):
                self.alignment()
            elif self.token.text in VARIABLE_SPACES:
                self.advance()
            else:
                return


def align(offset: int, alignment: int) -> int:
    """The first multiple of an alignment that is not below an offset."""
    return -(-offset // alignment) * alignment
