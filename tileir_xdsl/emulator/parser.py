"""PTX text to `ModuleSyntax`: declarations, scopes, statements and operands.

Source: PTX ISA, chapters "Syntax", "State Spaces, Types and Variables" and "Directives". Names are
resolved here: what is left of an operand is a declared register, a special register, a variable, a
label or a constant. What an instruction means is not decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from tileir_xdsl.emulator.lexer import Token, TokenReader, integer_value
from tileir_xdsl.emulator.registers import is_special_register
from tileir_xdsl.emulator.syntax import (
    Address,
    Float,
    FloatBits,
    FunctionReference,
    Guard,
    Instruction,
    Integer,
    Kernel,
    Label,
    LabelReference,
    ModuleSyntax,
    Negated,
    Operand,
    Pair,
    Parameter,
    Register,
    Sink,
    SpecialRegister,
    StateSpace,
    Symbol,
    Variable,
    Vector,
)
from tileir_xdsl.emulator.types import ScalarType

_LINKAGE = frozenset({".visible", ".extern", ".weak", ".common"})
_SPACES: dict[str, StateSpace] = {
    ".shared": "shared",
    ".local": "local",
    ".global": "global",
    ".const": "const",
}
# Performance and cluster directives of an entry: followed by integers, or by nothing.
_NUMBERED_DIRECTIVES = frozenset(
    {
        ".maxntid",
        ".reqntid",
        ".minnctapersm",
        ".maxnctapersm",
        ".maxnreg",
        ".reqnctapercluster",
        ".maxclusterrank",
    }
)
_PLAIN_DIRECTIVES = frozenset({".explicitcluster", ".noreturn"})
# Opcodes whose first plain name is a branch target.
_BRANCHES = frozenset({"bra", "brx"})


def parse_module(text: str) -> ModuleSyntax:
    """Parse a PTX module.

    Raises `EmulatorError` with the PTX line for a syntax error, an unknown directive or type, and
    a name that is declared nowhere.
    """
    return _ModuleParser(text).parse()


@dataclass
class _Scope:
    """The names declared between a pair of braces of a kernel body."""

    parent: _Scope | None
    suffix: str
    registers: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    variables: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    labels: dict[str, str] = field(default_factory=lambda: dict[str, str]())

    def find(self, name: str, table: Callable[[_Scope], dict[str, str]]) -> str | None:
        scope: _Scope | None = self
        while scope is not None:
            found = table(scope).get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None


@dataclass(frozen=True)
class _PendingLabel:
    """A branch target whose label may still follow."""

    reference: LabelReference
    scope: _Scope
    line: int


class _ModuleParser(TokenReader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.version = ""
        self.target = ""
        self.kernels: dict[str, Kernel] = {}
        self.variables: dict[str, Variable] = {}

    def parse(self) -> ModuleSyntax:
        while self.token.kind != "end":
            self.directive()
        if not self.version:
            self.fail("the PTX text has no .version directive", 1)
        return ModuleSyntax(self.version, self.target, self.kernels, self.variables)

    def directive(self) -> None:
        token = self.expect_kind("directive", "a directive")
        external = False
        while token.text in _LINKAGE:
            external |= token.text == ".extern"
            token = self.expect_kind("directive", "a directive")
        if token.text == ".version":
            self.version = self.advance().text
        elif token.text == ".target":
            self.target = self.advance().text
            while self.accept(","):
                self.advance()
        elif token.text == ".address_size":
            if self.integer() != 64:
                self.fail("only 64-bit addresses are supported", token.line)
        elif token.text in _SPACES:
            for variable in self.variable_declaration(_SPACES[token.text], external=external):
                self.declare_variable(variable)
        elif token.text == ".entry":
            self.kernel(token.line)
        elif token.text == ".func":
            self.skip_function_declaration(token.line)
        elif token.text == ".section":
            self.skip_section()
        elif token.text == ".pragma":
            self.skip_statement()
        else:
            self.fail(f"unknown directive '{token.text}'", token.line)

    def declare_variable(self, variable: Variable) -> None:
        if variable.name in self.variables:
            self.fail(f"variable '{variable.name}' is declared twice", variable.line)
        self.variables[variable.name] = variable

    def skip_statement(self) -> None:
        while not self.accept(";"):
            self.advance()

    def skip_function_declaration(self, line: int) -> None:
        while not self.accept(";"):
            if self.token.text == "{":
                self.fail("functions with a body (.func) are not supported", line)
            self.advance()

    def skip_section(self) -> None:
        self.advance()
        self.expect("{")
        while not self.accept("}"):
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

    def kernel(self, line: int) -> None:
        name = self.expect_kind("name", "a kernel name").text
        parameters = self.parameters()
        directives: dict[str, tuple[int, ...]] = {}
        while self.token.kind == "directive":
            directive = self.advance()
            if directive.text == ".pragma":
                self.skip_statement()
                continue
            if directive.text not in _NUMBERED_DIRECTIVES | _PLAIN_DIRECTIVES:
                self.fail(f"unknown directive '{directive.text}'", directive.line)
            numbers = [] if directive.text in _PLAIN_DIRECTIVES else [self.integer()]
            while numbers and self.accept(","):
                numbers.append(self.integer())
            directives[directive.text[1:]] = tuple(numbers)
        if self.accept(";"):
            return
        body = _BodyParser(self, parameters)
        body.parse()
        if name in self.kernels:
            self.fail(f"kernel '{name}' is defined twice", line)
        variables, shared_size = _place_variables(self.variables, body.variables)
        self.kernels[name] = Kernel(
            name,
            line,
            tuple(parameters),
            body.registers,
            variables,
            tuple(body.statements),
            directives,
            shared_size,
        )

    def parameters(self) -> list[Parameter]:
        parameters: list[Parameter] = []
        offset = 0
        if not self.accept("("):
            return parameters
        while not self.accept(")"):
            if parameters:
                self.expect(",")
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
            alignment = max(alignment, type_.bytes)
            offset = _align(offset, alignment)
            parameters.append(Parameter(name.text, type_, alignment, size, offset, extent))
            offset += size
        return parameters

    def pointer_attributes(self) -> None:
        while self.token.kind == "directive":
            if self.accept(".align"):
                self.integer()
            elif self.token.text in _SPACES:
                self.advance()
            else:
                return


class _BodyParser:
    """The statements between the braces of an entry."""

    def __init__(self, module: _ModuleParser, parameters: list[Parameter]) -> None:
        self.reader = module
        self.registers: dict[str, ScalarType] = {}
        self.variables: dict[str, Variable] = {}
        self.statements: list[Instruction | Label] = []
        self.scope = _Scope(None, "")
        self.scope.variables.update({name: name for name in module.variables})
        self.scope.variables.update({p.name: p.name for p in parameters})
        self.scopes = 0
        self.pending: dict[LabelReference, _PendingLabel] = {}

    def parse(self) -> None:
        self.reader.expect("{")
        depth = 1
        while depth:
            if self.reader.accept("{"):
                self.scopes += 1
                self.scope = _Scope(self.scope, f"@{self.scopes}")
                depth += 1
            elif self.reader.accept("}"):
                if self.scope.parent is not None:
                    self.scope = self.scope.parent
                depth -= 1
            elif not self.reader.accept(";"):
                self.statement()
        self.resolve_labels()

    def statement(self) -> None:
        token = self.reader.token
        if token.kind == "end":
            self.reader.fail("unexpected end of the PTX text")
        elif token.kind == "directive":
            self.directive()
        elif (
            token.kind == "name"
            and self.reader.tokens[self.reader.position + 1].text == ":"
            and self.reader.tokens[self.reader.position + 1].kind == "mark"
        ):
            self.label()
        elif token.kind == "name" or token.text == "@":
            self.instruction()
        else:
            self.reader.fail(f"expected an instruction, found {token.text!r}")

    def directive(self) -> None:
        reader = self.reader
        token = reader.advance()
        if token.text == ".reg":
            self.register_declaration()
        elif token.text in (".shared", ".local", ".global", ".const", ".param"):
            # What a call passes on is a thread's own, as local variables are.
            space = "local" if token.text == ".param" else _SPACES[token.text]
            for variable in reader.variable_declaration(space, external=False):
                unique = variable.name + self.scope.suffix
                self.scope.variables[variable.name] = unique
                if variable.space in ("global", "const"):
                    reader.declare_variable(variable)
                    self.scope.variables[variable.name] = variable.name
                else:
                    self.variables[unique] = variable
        elif token.text == ".pragma":
            reader.skip_statement()
        else:
            reader.fail(f"unknown directive '{token.text}'", token.line)

    def register_declaration(self) -> None:
        reader = self.reader
        type_ = reader.scalar_type()
        while True:
            name = reader.expect_kind("name", "a register name")
            if is_special_register(name.text):
                reader.fail(f"'{name.text}' is the name of a special register", name.line)
            names = [name.text]
            if reader.accept("<"):
                names = [f"{name.text}{index}" for index in range(reader.integer())]
                reader.expect(">")
            for each in names:
                if each in self.scope.registers:
                    reader.fail(f"register '{each}' is declared twice", name.line)
                self.scope.registers[each] = each + self.scope.suffix
                self.registers[each + self.scope.suffix] = type_
            if not reader.accept(","):
                break
        reader.expect(";")

    def label(self) -> None:
        reader = self.reader
        token = reader.advance()
        reader.expect(":")
        if token.text in self.scope.labels:
            reader.fail(f"label '{token.text}' is defined twice", token.line)
        unique = token.text + self.scope.suffix
        self.scope.labels[token.text] = unique
        targets: list[LabelReference] = []
        if reader.accept(".branchtargets"):
            while not reader.accept(";"):
                name = reader.expect_kind("name", "a label")
                targets.append(self.label_reference(name))
                reader.accept(",")
        self.statements.append(Label(unique, token.line, tuple(targets)))

    def label_reference(self, token: Token) -> LabelReference:
        """A reference made unique by its token; `resolve_labels` gives it its label's name."""
        reference = LabelReference(f"{token.text}#{token.start}")
        self.pending[reference] = _PendingLabel(LabelReference(token.text), self.scope, token.line)
        return reference

    def resolve_labels(self) -> None:
        resolved: dict[LabelReference, LabelReference] = {}
        for reference, pending in self.pending.items():
            name = pending.scope.find(pending.reference.name, lambda scope: scope.labels)
            if name is None:
                self.reader.fail(f"undeclared label '{pending.reference.name}'", pending.line)
            resolved[reference] = LabelReference(name)

        def settle(operand: Operand) -> Operand:
            return resolved[operand] if isinstance(operand, LabelReference) else operand

        for index, statement in enumerate(self.statements):
            if isinstance(statement, Label):
                targets = tuple(resolved[target] for target in statement.targets)
                self.statements[index] = replace(statement, targets=targets)
            elif statement.opcode in _BRANCHES:
                operands = tuple(settle(operand) for operand in statement.operands)
                self.statements[index] = replace(statement, operands=operands)

    def instruction(self) -> None:
        reader = self.reader
        first = reader.token
        guard: Guard | None = None
        if reader.accept("@"):
            negated = reader.accept("!")
            name = reader.expect_kind("name", "a predicate register")
            guard = Guard(self.register(name).name, negated)
            if self.registers[guard.register].kind != "predicate":
                reader.fail(f"the guard '{name.text}' is not a predicate", name.line)
        opcode = reader.expect_kind("name", "an instruction")
        operands: list[Operand] = []
        in_branch = opcode.text.split(".", 1)[0] in _BRANCHES
        if opcode.text.split(".", 1)[0] == "call":
            operands += self.call()
            reader.expect(";")
        else:
            while not reader.accept(";"):
                if operands:
                    reader.expect(",")
                operands.append(self.operand(in_branch=in_branch))
        last = reader.tokens[reader.position - 1]
        text = " ".join(reader.text[first.start : last.start].split())
        self.statements.append(Instruction(opcode.text, tuple(operands), guard, opcode.line, text))

    def call(self) -> tuple[Vector, FunctionReference, Vector]:
        """`(results), function, (arguments)`; either list may be left out."""
        reader = self.reader
        results = arguments = Vector(())
        if reader.token.text == "(":
            results = self.parenthesised()
            reader.expect(",")
        name = reader.expect_kind("name", "a function")
        if reader.accept(","):
            arguments = self.parenthesised()
        return results, FunctionReference(name.text), arguments

    def parenthesised(self) -> Vector:
        self.reader.expect("(")
        elements: list[Operand] = []
        while not self.reader.accept(")"):
            if elements:
                self.reader.expect(",")
            elements.append(self.operand())
        return Vector(tuple(elements))

    def operand(self, *, in_branch: bool = False) -> Operand:
        reader = self.reader
        if reader.accept("{"):
            elements: list[Operand] = []
            while not reader.accept("}"):
                if elements:
                    reader.expect(",")
                elements.append(self.operand())
            return Vector(tuple(elements))
        if reader.accept("["):
            return self.address()
        if reader.accept("!"):
            return Negated(self.operand())
        if reader.accept("("):
            inner = self.operand()
            reader.expect(")")
            return inner
        if reader.token.kind != "name":
            return cast(Operand, reader.constant())
        token = reader.advance()
        first = self.named_operand(token, in_branch=in_branch)
        return Pair(first, self.operand()) if reader.accept("|") else first

    def address(self) -> Address:
        reader = self.reader
        base = self.operand()
        offset = 0
        if isinstance(base, Integer):
            base, offset = Integer(0), base.value
        if reader.accept("+") or reader.token.text == "-":
            offset += reader.integer()
        further: list[Operand] = []
        while reader.accept(","):
            further.append(self.operand())
        reader.expect("]")
        return Address(base, offset, tuple(further))

    def named_operand(self, token: Token, *, in_branch: bool) -> Operand:
        name = token.text
        if name == "_":
            return Sink()
        unique = self.scope.find(name, lambda scope: scope.registers)
        if unique is not None:
            return Register(unique)
        if is_special_register(name):
            return SpecialRegister(name)
        if name == "WARP_SZ":
            return Integer(32)
        if in_branch:
            return self.label_reference(token)
        unique = self.scope.find(name, lambda scope: scope.variables)
        if unique is not None:
            return Symbol(unique)
        if name.startswith("%"):
            self.reader.fail(f"undeclared register '{name}'", token.line)
        self.reader.fail(f"undeclared name '{name}'", token.line)

    def register(self, token: Token) -> Register:
        unique = self.scope.find(token.text, lambda scope: scope.registers)
        if unique is None:
            self.reader.fail(f"undeclared register '{token.text}'", token.line)
        return Register(unique)


def _place_variables(
    module: dict[str, Variable], body: dict[str, Variable]
) -> tuple[dict[str, Variable], int]:
    """Give the shared and local variables of a kernel their offsets; return the shared bytes.

    `extern` shared arrays all begin where static shared memory ends.
    """
    placed: dict[str, Variable] = {}
    ends = {"shared": 0, "local": 0}
    candidates = {
        **{name: v for name, v in module.items() if v.space in ends},
        **body,
    }
    for name, variable in candidates.items():
        if not variable.external:
            offset = _align(ends[variable.space], variable.alignment)
            placed[name] = replace(variable, offset=offset)
            ends[variable.space] = offset + variable.size
    for name, variable in candidates.items():
        if variable.external:
            placed[name] = replace(variable, offset=_align(ends["shared"], variable.alignment))
    return placed, ends["shared"]


def _align(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
