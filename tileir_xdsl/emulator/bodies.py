"""Statements and operands of a function's body (PTX ISA, "Syntax").

The parser resolves names. Each operand becomes a register, a special register, a variable, a label,
a function or a constant. The meaning of instructions is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from tileir_xdsl.emulator import syntax
from tileir_xdsl.emulator.declarations import VARIABLE_SPACES, DeclarationReader
from tileir_xdsl.emulator.lexer import Token
from tileir_xdsl.emulator.registers import (
    is_special_register,
    is_special_vector,
    is_unsupported_register,
)
from tileir_xdsl.emulator.types import ScalarType, bits_type, wrap_offset

# The names of the elements of a vector register.
_COMPONENTS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}
# The suffix of a register in a video instruction: some of its bytes or half words.
_SELECTOR = re.compile(r"b[0-7]{1,4}|h[0-3]{1,2}")
# Opcodes that use the address of a variable rather than what is in it.
_OF_ADDRESSES = frozenset({"mov", "cvta", "call"})
# Opcodes whose first plain name is a branch target.
_BRANCHES = frozenset({"bra", "brx"})
# How many digits the number of a register has, which is one of 64 bits.
_MOST_DIGITS = 20
_MOST_NESTED = 16
_INDIRECT = "indirect calls are not supported"


@dataclass
class _Scope:
    """The names declared between a pair of braces of a kernel body.

    `ranges` holds declarations such as `%r<100>` by their prefix. Only members in use become
    registers, since a range may be far larger than the kernel needs. `vectors` holds the width and
    the type of each vector of registers. Each of its elements is a separate register.
    """

    parent: _Scope | None
    suffix: str
    registers: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    ranges: dict[str, tuple[int, ScalarType]] = field(
        default_factory=lambda: dict[str, tuple[int, ScalarType]]()
    )
    vectors: dict[str, tuple[int, ScalarType]] = field(
        default_factory=lambda: dict[str, tuple[int, ScalarType]]()
    )
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
    """A branch target whose label may be defined later in the text."""

    reference: syntax.LabelReference
    scope: _Scope
    line: int


class BodyParser:
    """Parses the statements between a pair of braces.

    `functions` names the functions defined earlier in the text. Names declared in a function, not
    those in a kernel, get a suffix that is unique to the function.
    """

    def __init__(
        self, reader: DeclarationReader, functions: Collection[str], function: str = ""
    ) -> None:
        self.reader = reader
        self.functions = functions
        self.registers: dict[str, ScalarType] = {}
        self.variables: dict[str, syntax.Variable] = {}
        self.statements: list[syntax.Instruction | syntax.Label] = []
        self.scope = _Scope(None, f"@{function}" if function else "")
        self.scope.variables.update({name: name for name in reader.variables})
        self.scopes = 0
        self.nesting = 0
        self.pending: dict[syntax.LabelReference, _PendingLabel] = {}

    def declare_parameter(self, name: str) -> None:
        """Declares a parameter of a kernel."""
        self.scope.variables[name] = name

    def declare_formal(self, formal: syntax.Formal) -> syntax.Formal:
        """Declares a parameter or result of a function; returns it with its unique name."""
        unique = formal.name + self.scope.suffix
        if formal.space == "register":
            self.scope.registers[formal.name] = unique
            self.registers[unique] = formal.type
        else:
            self.scope.variables[formal.name] = unique
            self.variables[unique] = syntax.Variable(
                unique, "local", formal.type, formal.alignment, formal.size, formal.line
            )
        return replace(formal, name=unique)

    def parse(self) -> syntax.FunctionBody:
        self.reader.expect("{")
        depth = 1
        while depth:
            if self.reader.accept("{"):
                self.scopes += 1
                self.scope = _Scope(self.scope, f"@{self.scopes}{self.scope.suffix}")
                depth += 1
            elif self.reader.accept("}"):
                if self.scope.parent is not None:
                    self.scope = self.scope.parent
                depth -= 1
            elif not self.reader.accept(";"):
                self.statement()
        self.resolve_labels()
        return syntax.FunctionBody(self.registers, self.variables, tuple(self.statements))

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
            # Parameters of a call belong to one thread, as local variables do.
            space = "local" if token.text == ".param" else VARIABLE_SPACES[token.text]
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
        reader.attributes()
        width, type_ = reader.declared_type()
        while True:
            name = reader.declared_name("a register name")
            if is_special_register(name.text):
                reader.fail(
                    f"'{name.text}' cannot be declared: it is the name of a special register",
                    name.line,
                )
            if width > 1:
                numbered = reader.token.text == "<"
                for each in reader.numbered(name) if numbered else (name.text,):
                    self.check_undeclared(each, name.line)
                    self.scope.vectors[each] = width, type_
            elif reader.accept("<"):
                count = reader.natural("a number of registers")
                reader.expect(">")
                self.declare_range(name, count, type_)
            else:
                self.check_undeclared(name.text, name.line)
                self.declare_register(self.scope, name.text, type_)
            if not reader.accept(","):
                break
        reader.expect(";")

    def check_undeclared(self, name: str, line: int) -> None:
        scope = self.scope
        if name in scope.registers or name in scope.vectors or _range_of(name, scope.ranges):
            self.reader.fail(f"register '{name}' is declared twice", line)

    def declare_register(self, scope: _Scope, name: str, type_: ScalarType) -> None:
        scope.registers[name] = name + scope.suffix
        self.registers[name + scope.suffix] = type_

    def declare_range(self, prefix: Token, count: int, type_: ScalarType) -> None:
        """Registers `prefix0` to `prefix(count - 1)`."""
        ranges = {prefix.text: (count, type_)}
        # Of two ranges with a name in common, one begins with a name of the other, or with its own.
        declared = (*self.scope.registers, *self.scope.vectors)
        clashes = [name for name in declared if _range_of(name, ranges)]
        clashes += [f"{prefix.text}0"] if _range_of(f"{prefix.text}0", self.scope.ranges) else []
        clashes += [f"{each}0" for each in self.scope.ranges if _range_of(f"{each}0", ranges)]
        if count and clashes:
            self.reader.fail(f"register '{clashes[0]}' is declared twice", prefix.line)
        if count:
            self.scope.ranges |= ranges

    def find_register(self, name: str) -> str | None:
        """The unique name of a register that is declared, alone or in a range."""
        scope: _Scope | None = self.scope
        while scope is not None:
            if name not in scope.registers and (type_ := _range_of(name, scope.ranges)):
                self.declare_register(scope, name, type_)
            if name in scope.registers:
                return scope.registers[name]
            if name in scope.vectors:
                return None
            scope = scope.parent
        return None

    def vector(self, name: str) -> syntax.Vector | None:
        """The registers of a declared vector."""
        scope: _Scope | None = self.scope
        while scope is not None:
            if name in scope.vectors:
                width, type_ = scope.vectors[name]
                for component in "xyzw"[:width]:
                    self.declare_register(scope, f"{name}.{component}", type_)
                return syntax.Vector(
                    tuple(syntax.Register(f"{name}.{x}{scope.suffix}") for x in "xyzw"[:width])
                )
            scope = scope.parent
        return None

    def part(self, name: str) -> syntax.Operand | None:
        """The operand `v.x`, an element of a vector, or `r.h10`, a part of a register."""
        whole, _, part = name.rpartition(".")
        if part in _COMPONENTS and (vector := self.vector(whole)) is not None:
            index = _COMPONENTS[part]
            return vector.elements[index] if index < len(vector.elements) else None
        if _SELECTOR.fullmatch(part) and (unique := self.find_register(whole)) is not None:
            return syntax.Selected(syntax.Register(unique), part)
        return None

    def label(self) -> None:
        reader = self.reader
        token = reader.advance()
        reader.expect(":")
        if token.text in self.scope.labels:
            reader.fail(f"label '{token.text}' is defined twice", token.line)
        unique = token.text + self.scope.suffix
        self.scope.labels[token.text] = unique
        targets: list[syntax.LabelReference] = []
        if reader.token.text in (".callprototype", ".calltargets"):
            reader.fail(_INDIRECT)
        if reader.accept(".branchtargets"):
            while not reader.accept(";"):
                name = reader.expect_kind("name", "a label")
                targets.append(self.label_reference(name))
                reader.accept(",")
        self.statements.append(syntax.Label(unique, token.line, tuple(targets)))

    def label_reference(self, token: Token) -> syntax.LabelReference:
        """A placeholder for the label that a token names; `resolve_labels` replaces it."""
        reference = syntax.LabelReference(f"{token.text}#{token.start}")
        self.pending[reference] = _PendingLabel(
            syntax.LabelReference(token.text), self.scope, token.line
        )
        return reference

    def resolve_labels(self) -> None:
        resolved: dict[syntax.LabelReference, syntax.LabelReference] = {}
        for reference, pending in self.pending.items():
            name = pending.scope.find(pending.reference.name, lambda scope: scope.labels)
            if name is None:
                self.reader.fail(f"undeclared label '{pending.reference.name}'", pending.line)
            resolved[reference] = syntax.LabelReference(name)

        def settle(operand: syntax.Operand) -> syntax.Operand:
            return resolved[operand] if isinstance(operand, syntax.LabelReference) else operand

        for index, statement in enumerate(self.statements):
            if isinstance(statement, syntax.Label):
                targets = tuple(resolved[target] for target in statement.targets)
                self.statements[index] = replace(statement, targets=targets)
            elif statement.opcode in _BRANCHES:
                operands = tuple(settle(operand) for operand in statement.operands)
                self.statements[index] = replace(statement, operands=operands)

    def instruction(self) -> None:
        reader = self.reader
        first = reader.token
        guard: syntax.Guard | None = None
        if reader.accept("@"):
            negated = reader.accept("!")
            name = reader.expect_kind("name", "a predicate register")
            guard = syntax.Guard(self.register(name).name, negated)
            if self.registers[guard.register].kind != "predicate":
                reader.fail(f"the guard '{name.text}' is not a predicate", name.line)
        opcode = reader.expect_kind("name", "an instruction")
        operands: list[syntax.Operand] = []
        in_branch = opcode.text.split(".", 1)[0] in _BRANCHES
        if opcode.text.split(".", 1)[0] == "call":
            operands += self.call()
            reader.expect(";")
        else:
            while not reader.accept(";"):
                if operands:
                    reader.expect(",")
                operand = self.sum(self.operand(in_branch=in_branch), is_first=not operands)
                operands.append(self.indexed(operand, opcode))
        last = reader.tokens[reader.position - 1]
        text = " ".join(reader.text[first.start : last.start].split())
        self.statements.append(
            syntax.Instruction(opcode.text, tuple(operands), guard, opcode.line, text)
        )

    def call(self) -> tuple[syntax.Vector, syntax.FunctionReference, syntax.Vector]:
        """Parses `(results), function, (arguments)`; either list may be left out."""
        reader = self.reader
        results = arguments = syntax.Vector(())
        if reader.token.text == "(":
            results = self.parenthesised()
            reader.expect(",")
        name = reader.expect_kind("name", "a function")
        if self.find_register(name.text) is not None:
            reader.fail(_INDIRECT, name.line)
        if reader.accept(","):
            arguments = self.parenthesised()
        return results, syntax.FunctionReference(name.text), arguments

    def parenthesised(self) -> syntax.Vector:
        self.reader.expect("(")
        elements: list[syntax.Operand] = []
        while not self.reader.accept(")"):
            if elements:
                self.reader.expect(",")
            elements.append(self.operand())
        return syntax.Vector(tuple(elements))

    def operand(self, *, in_branch: bool = False) -> syntax.Operand:
        if self.nesting == _MOST_NESTED:
            self.reader.fail("operands are nested too deeply")
        self.nesting += 1
        operand = self.operand_within(in_branch=in_branch)
        self.nesting -= 1
        return operand

    def operand_within(self, *, in_branch: bool) -> syntax.Operand:
        reader = self.reader
        if reader.accept("{"):
            elements: list[syntax.Operand] = []
            while not reader.accept("}"):
                if elements:
                    reader.expect(",")
                elements.append(self.operand())
            return syntax.Vector(tuple(elements))
        if reader.accept("["):
            return self.address()
        if reader.starts_constant():
            return reader.constant()
        if reader.accept("!"):
            return syntax.Negated(self.operand())
        if reader.accept("-"):
            return syntax.Negated(self.operand(), arithmetic=True)
        if reader.accept("("):
            inner = self.operand()
            reader.expect(")")
            return inner
        if reader.token.kind != "name":
            reader.fail(f"expected an operand, found {reader.token.text!r}")
        token = reader.advance()
        first = self.named_operand(token, in_branch=in_branch)
        return syntax.Pair(first, self.operand()) if reader.accept("|") else first

    def sum(self, operand: syntax.Operand, *, is_first: bool) -> syntax.Operand:
        """Parses an offset added to a symbol or a source register, if there is one."""
        reader = self.reader
        if isinstance(operand, syntax.Symbol):
            return syntax.Symbol(operand.name, wrap_offset(operand.offset + reader.added()))
        named = reader.tokens[reader.position - 1]
        # An element of a vector cannot be such an operand.
        can_be_sum = named.kind == "name" and "." not in named.text and not is_first
        if not isinstance(operand, syntax.Register) or not can_be_sum or not reader.accept("+"):
            return operand
        type_ = bits_type(self.integer_bits(operand, named))
        added = syntax.Integer(reader.constant_integer())
        return self.computed(named, type_, f"add.u{type_.bits}", operand, added)

    def integer_bits(self, register: syntax.Register, named: Token) -> int:
        """The width in bits of an integer register that an operand adds to."""
        type_ = self.registers[register.name]
        if type_.kind in ("float", "predicate") or type_.bits not in (16, 32, 64):
            self.reader.fail(
                f"cannot add to '{named.text}', which is not an integer of 16, 32 or 64 bits",
                named.line,
            )
        return type_.bits

    def computed(
        self, named: Token, type_: ScalarType, mnemonic: str, *operands: syntax.Operand
    ) -> syntax.Register:
        """Appends an instruction that computes an operand; returns the new result register."""
        last = self.reader.token.start
        text = " ".join(self.reader.text[named.start : last].split())
        result = syntax.Register(f"{text}@{len(self.statements)}{self.scope.suffix}")
        self.registers[result.name] = type_
        text = f"{mnemonic} {text}"
        self.statements.append(
            syntax.Instruction(mnemonic, (result, *operands), None, named.line, text)
        )
        return result

    def indexed(self, operand: syntax.Operand, opcode: Token) -> syntax.Operand:
        """Parses an array element such as `a[i + 1]`: in `mov` and `cvta` it means its address."""
        reader = self.reader
        if not isinstance(operand, syntax.Symbol) or not reader.accept("["):
            return operand
        variable = self.variables.get(operand.name) or reader.variables.get(operand.name)
        if variable is None:
            reader.fail("only variables can be indexed")
        if reader.starts_constant():
            index = syntax.Integer(reader.constant_integer("an index"))
        else:
            index = self.sum(self.operand(), is_first=False)
        reader.expect("]")
        of_address = opcode.text.split(".", 1)[0] in _OF_ADDRESSES
        if isinstance(index, syntax.Integer):
            offset = wrap_offset(index.value * variable.element)
            return (
                syntax.Symbol(operand.name, offset)
                if of_address
                else syntax.Address(operand, offset)
            )
        if not isinstance(index, syntax.Register):
            reader.fail(
                f"an index of '{variable.name}' must be a constant or a register", opcode.line
            )
        element = self.element(index, operand, variable.element, opcode)
        return element if of_address else syntax.Address(element, 0)

    def element(
        self, index: syntax.Register, array: syntax.Symbol, size: int, named: Token
    ) -> syntax.Register:
        """Computes the address of an array element in a new register."""
        bits, long = self.integer_bits(index, named), bits_type(64)
        # The assembler takes the low 32 bits of an index as a number without a sign.
        if bits == 64:
            wide = self.computed(named, long, "and.b64", index, syntax.Integer(2**32 - 1))
        else:
            wide = self.computed(named, long, f"cvt.u64.u{bits}", index)
        base = self.computed(named, long, "mov.u64", array)
        return self.computed(named, long, "mad.lo.u64", wide, syntax.Integer(size), base)

    def address(self) -> syntax.Address:
        reader = self.reader
        base = self.operand()
        offset = 0
        if isinstance(base, syntax.Integer):
            base, offset = syntax.Integer(0), base.value
        offset += reader.added()
        further: list[syntax.Operand] = []
        while reader.accept(","):
            further.append(self.operand())
        reader.expect("]")
        return syntax.Address(base, wrap_offset(offset), tuple(further))

    def named_operand(self, token: Token, *, in_branch: bool) -> syntax.Operand:
        name = token.text
        if name == "_":
            return syntax.Sink()
        unique = self.find_register(name)
        if unique is not None:
            return syntax.Register(unique)
        if is_special_register(name):
            return syntax.SpecialRegister(name)
        if (found := self.vector(name) or self.part(name)) is not None:
            return found
        if is_special_vector(name):
            return syntax.Vector(tuple(syntax.SpecialRegister(f"{name}.{x}") for x in "xyzw"))
        if is_unsupported_register(name):
            self.reader.fail(f"special register '{name}' is not supported", token.line)
        if in_branch:
            return self.label_reference(token)
        unique = self.scope.find(name, lambda scope: scope.variables)
        if unique is not None:
            return syntax.Symbol(unique)
        if name in self.functions:
            self.reader.fail(f"the address of function '{name}': {_INDIRECT}", token.line)
        if name.startswith("%"):
            self.reader.fail(f"undeclared register '{name}'", token.line)
        self.reader.fail(f"undeclared name '{name}'", token.line)

    def register(self, token: Token) -> syntax.Register:
        unique = self.find_register(token.text)
        if unique is None:
            self.reader.fail(f"undeclared register '{token.text}'", token.line)
        return syntax.Register(unique)


def _range_of(name: str, ranges: Mapping[str, tuple[int, ScalarType]]) -> ScalarType | None:
    """The type of the register range that contains a name."""
    digits = len(name) - len(name.rstrip("0123456789"))
    for length in range(1, min(digits, _MOST_DIGITS) + 1):
        count, type_ = ranges.get(name[:-length], (0, None))
        number = name[-length:]
        if int(number) < count and (length == 1 or number[0] != "0"):
            return type_
    return None
