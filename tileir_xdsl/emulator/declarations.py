"""Declarations of variables and parameters (PTX ISA, "State Spaces, Types and Variables")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tileir_xdsl.emulator.constants import ConstantReader
from tileir_xdsl.emulator.lexer import Token
from tileir_xdsl.emulator.syntax import (
    Float,
    FloatBits,
    Formal,
    InitialAddress,
    Parameter,
    StateSpace,
    Variable,
)
from tileir_xdsl.emulator.types import TYPES, ScalarType

_LARGEST_ALIGNMENT = 2**31
# PTX ISA, "Kernel Function Parameters", since version 8.1.
_PARAMETER_BYTES = 32_764
# The variables of a declaration `name<N>`.
_MOST_NUMBERED = 65_536

_VECTOR_BITS = 128
# Types that operands have and declarations have not (PTX ISA, "Fundamental Types").
_OF_INSTRUCTIONS = frozenset(
    type_.name
    for type_ in TYPES.values()
    if type_.name.startswith(("bf", "tf")) or type_.elements > 1
) - {"b128", "f16x2"}

# Which byte of an address a mask selects (PTX ISA, "Initializers").
_BYTE_MASKS = {0xFF << (8 * i): i for i in range(8)}

VARIABLE_SPACES: dict[str, StateSpace] = {
    ".shared": "shared",
    ".local": "local",
    ".global": "global",
    ".const": "const",
}


class DeclarationReader(ConstantReader):
    """Parses declarations; `variables` has those of the module, and others that last as long."""

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
        """Parses `[.align N] .type name[extents] [= initialiser] {, name ...};` after `.space`."""
        alignment = self.attributes()
        width, type_ = self.declared_type()
        if type_.kind == "predicate":
            self.fail(f"a predicate must be a register, not a variable in .{space}")
        variables: list[Variable] = []
        while True:
            name = self.declared_name("a variable name")
            size = width * type_.bytes
            one = Variable(
                name.text,
                space,
                type_,
                max(alignment, size),
                size,
                name.line,
                external,
                element=size,
            )
            if self.token.text == "<":
                variables += [replace(one, name=each) for each in self.numbered(name)]
            else:
                variables.append(self.with_extent(one))
            if not self.accept(","):
                break
        self.expect(";")
        return variables

    def with_extent(self, variable: Variable) -> Variable:
        """Parses the extent and the initial values that follow a variable's name."""
        extent = self.array_extent()
        if extent is not None:
            variable = replace(variable, size=variable.size * extent)
        if self.token.kind == "naturals":
            variable = self.with_initial(variable, naturals(self.advance(), variable.type))
        elif self.accept("="):
            if self.token.text != "{" and (extent is not None or _is_vector(variable)):
                self.fail(
                    f"initial values of the array or vector '{variable.name}' must be in braces"
                )
            variable = self.initialised(variable)
        if not (variable.external or variable.size):
            self.fail(f"variable '{variable.name}' has no extent", variable.line)
        if variable.initial and variable.space not in ("global", "const"):
            message = f"variable '{variable.name}' in .{variable.space} has an initial value"
            self.fail(message, variable.line)
        return variable

    def attributes(self) -> int:
        """Parses attributes of a declaration; returns the alignment, 1 by default."""
        alignment = 1
        while True:
            if self.accept(".align"):
                alignment = self.alignment()
            elif self.accept(".attribute"):
                self.expect("(")
                while not self.accept(")"):
                    self.advance()
            else:
                return alignment

    def declared_type(self) -> tuple[int, ScalarType]:
        """Parses a type: how many elements it has (`.v2`, `.v4`, or one), and their type."""
        width = next((width for width in (2, 4) if self.accept(f".v{width}")), 1)
        line = self.token.line
        type_ = self.scalar_type()
        if type_.name in _OF_INSTRUCTIONS:
            self.fail(
                f"'.{type_.name}' can be the type of an instruction, but not of a "
                "register or variable",
                line,
            )
        if width > 1 and type_.kind == "predicate":
            self.fail("a vector cannot have predicates as elements", line)
        if width * type_.bits > _VECTOR_BITS:
            self.fail(f"a vector must have at most {_VECTOR_BITS} bits", line)
        return width, type_

    def declared_name(self, what: str) -> Token:
        """Parses an identifier (PTX ISA, "Identifiers")."""
        token = self.expect_kind("name", what)
        if token.text == "_" or {".", ":"} & set(token.text):
            self.fail(f"'{token.text}' is not an identifier", token.line)
        return token

    def numbered(self, name: Token) -> list[str]:
        """The names that `name<4>` declares, `name0` to `name3`."""
        self.expect("<")
        count = self.natural("a number of variables", _MOST_NUMBERED)
        self.expect(">")
        return [f"{name.text}{i}" for i in range(count)]

    def alignment(self) -> int:
        """Parses an alignment: a power of two (PTX ISA, ".align")."""
        line = self.token.line
        found = self.natural("an alignment", _LARGEST_ALIGNMENT)
        if found.bit_count() != 1:
            self.fail(f"an alignment must be a power of two, not {found}", line)
        return found

    def array_extent(self) -> int | None:
        """Parses array extents: 32 elements for `[4][8]`, 0 for `[]`, `None` for a scalar."""
        extent: int | None = None
        while self.accept("["):
            count = 0 if self.token.text == "]" else self.natural("an extent")
            extent = count if extent is None else extent * count
            self.expect("]")
        return extent

    def initialised(self, variable: Variable) -> Variable:
        data = bytearray()
        addresses: list[InitialAddress] = []
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
        return self.with_initial(variable, bytes(data), addresses)

    def with_initial(
        self, variable: Variable, data: bytes, addresses: Sequence[InitialAddress] = ()
    ) -> Variable:
        # An array whose extent is left open takes it from its initialiser.
        size = variable.size or len(data)
        if len(data) > size:
            self.fail(f"too many initial values for '{variable.name}'")
        return replace(variable, size=size, initial=data, addresses=tuple(addresses))

    def initial_value(
        self, type_: ScalarType, data: bytearray, addresses: list[InitialAddress]
    ) -> None:
        masked = self.token.kind == "integer" and self.tokens[self.position + 1].text == "("
        if self.token.kind == "name" and self.token.text != "WARP_SZ":
            if type_.bits != 64:
                self.fail("an address as initial value needs a 64-bit element", self.token.line)
            symbol, added = self.initial_address()
            addresses.append(InitialAddress(len(data), symbol, added))
            data += bytes(8)
            return
        if masked:
            mask = self.advance()
            first = _BYTE_MASKS.get(self.integer_of(mask))
            if first is None:
                self.fail(f"the mask '{mask.text}' must select exactly one byte", mask.line)
            self.expect("(")
            symbol, added = self.initial_address()
            self.expect(")")
            addresses.append(InitialAddress(len(data), symbol, added, first, 1))
            data += bytes(type_.bytes)
            return
        constant = self.constant()
        if isinstance(constant, FloatBits):
            data += constant.pattern.to_bytes(constant.bits // 8, "little")
        elif isinstance(constant, Float) or type_.kind == "float":
            with np.errstate(all="ignore"):
                data += np.array(float(constant.value)).astype(type_.dtype).tobytes()
        else:
            data += (constant.value % (1 << type_.bits)).to_bytes(type_.bytes, "little")

    def initial_address(self) -> tuple[str, int]:
        """Parses the name of a variable, or its generic address, with an added offset."""
        symbol, added = self.advance(), 0
        if symbol.text == "generic":
            self.expect("(")
            symbol = self.expect_kind("name", "a variable name")
            added = self.added()
            self.expect(")")
        return symbol.text, added + self.added()

    def added(self) -> int:
        """Parses the offset that `+` or `-` and a constant add to an address; 0 without them."""
        if self.accept("+") or self.token.text == "-":
            return self.constant_integer()
        return 0

    def parameters(self) -> list[Parameter]:
        """Parses a kernel's parameters and assigns their offsets in parameter space."""
        parameters: list[Parameter] = []
        offset = 0
        for variable in self.formals():
            if variable.space == "register":
                self.fail(
                    f"parameter '{variable.name}' of a kernel must not be a register", variable.line
                )
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
        """Parses parameters of a function, such as `(.param .b32 a, .reg .f32 b)`, or nothing."""
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


def _is_vector(variable: Variable) -> bool:
    return variable.element > variable.type.bytes


def naturals(token: Token, type_: ScalarType) -> bytes:
    """The bytes of the integers in a token of kind `naturals`; integers lose upper bits."""
    # Decimal numbers of at most 19 digits have 64 bits.
    digits = token.text.partition("{")[2].rstrip("}").split(",")
    found = np.array([int(each) for each in digits], np.uint64)
    if type_.kind == "float":
        with np.errstate(all="ignore"):
            return found.astype(np.float64).astype(type_.dtype).tobytes()
    if type_.bytes > found.itemsize:
        return b"".join(int(each).to_bytes(type_.bytes, "little") for each in found)
    return found.astype(f"<u{type_.bytes}").tobytes()


def align(offset: int, alignment: int) -> int:
    """An offset rounded up to a multiple of an alignment."""
    return -(-offset // alignment) * alignment
