"""Declarations of variables and parameters (PTX ISA, "State Spaces, Types and Variables")."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tileir_xdsl.emulator.lexer import TokenReader, integer_value
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
                alignment = self.integer()
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

    def array_extent(self) -> int | None:
        """The number of elements of `[4][8]`, 0 for `[]`, `None` for a scalar."""
        extent: int | None = None
        while self.accept("["):
            count = 0 if self.token.text == "]" else self.integer()
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
            value = constant.value
            data += np.array(value).astype(type_.dtype).tobytes()
        else:
            data += (constant.value % (1 << type_.bits)).to_bytes(type_.bytes, "little")

    def constant(self) -> Integer | Float | FloatBits:
        """A literal with an optional sign."""
        sign = -1 if self.accept("-") else 1
        token = self.advance()
        if token.kind == "integer":
            return Integer(sign * integer_value(token.text))
        if token.kind == "float":
            return Float(sign * float(token.text))
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
                alignment = self.integer()
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
                self.integer()
            elif self.token.text in VARIABLE_SPACES:
                self.advance()
            else:
                return


def align(offset: int, alignment: int) -> int:
    """The first multiple of an alignment that is not below an offset."""
    return -(-offset // alignment) * alignment
