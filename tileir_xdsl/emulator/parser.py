"""Parses PTX text to `ModuleSyntax`: the directives outside of functions.

Source: PTX ISA, chapters "Syntax", "State Spaces, Types and Variables" and "Directives".
"""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.emulator.bodies import BodyParser
from tileir_xdsl.emulator.declarations import VARIABLE_SPACES, DeclarationReader
from tileir_xdsl.emulator.functions import expand_calls, lay_out_variables
from tileir_xdsl.emulator.lexer import Token
from tileir_xdsl.emulator.syntax import (
    Function,
    FunctionBody,
    Kernel,
    ModuleSyntax,
    Parameter,
)

_LINKAGE = frozenset({".visible", ".extern", ".weak", ".common"})
# Performance and cluster directives of an entry: the most numbers that follow, and the least value.
_NUMBERED_DIRECTIVES = {
    ".maxntid": (3, 1),
    ".reqntid": (3, 1),
    ".minnctapersm": (1, 1),
    ".maxnctapersm": (1, 1),
    ".maxnreg": (1, 1),
    ".reqnctapercluster": (3, 0),
    ".maxclusterrank": (1, 0),
}
_LARGEST_NUMBER = 2**32 - 1
_PLAIN_DIRECTIVES = frozenset({".explicitcluster", ".blocksareclusters", ".noreturn"})


def parse_module(text: str) -> ModuleSyntax:
    """Parses a PTX module.

    Raises `EmulatorError` with the PTX line for a syntax error, an unknown directive or type, an
    undeclared name, or a call that cannot be expanded.
    """
    return _ModuleParser(text).parse()


@dataclass(frozen=True)
class _ParsedKernel:
    """A kernel whose calls are not expanded yet, since later functions are unknown."""

    line: int
    parameters: tuple[Parameter, ...]
    directives: dict[str, tuple[int, ...]]
    body: FunctionBody


class _ModuleParser(DeclarationReader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.version = ""
        self.target = ""
        self.kernels: dict[str, _ParsedKernel] = {}
        self.functions: dict[str, Function] = {}
        self.function_names: set[str] = set()

    def parse(self) -> ModuleSyntax:
        while self.token.kind != "end":
            self.directive()
        if not self.version:
            self.fail("the PTX text has no .version directive", 1)
        kernels = {name: self.expanded(name, parsed) for name, parsed in self.kernels.items()}
        return ModuleSyntax(self.version, self.target, kernels, self.variables)

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
        elif token.text in VARIABLE_SPACES:
            for variable in self.variable_declaration(
                VARIABLE_SPACES[token.text], external=external
            ):
                self.declare_variable(variable)
        elif token.text == ".entry":
            self.kernel(token.line)
        elif token.text == ".func":
            self.function(token.line)
        elif token.text == ".section":
            self.skip_section()
        elif token.text == ".pragma":
            self.skip_statement()
        elif token.text == ".alias":
            self.alias(token.line)
        elif token.text == ".tex":
            self.fail("textures and surfaces ('.tex') are not supported", token.line)
        else:
            self.fail(f"unknown directive '{token.text}'", token.line)

    def alias(self, line: int) -> None:
        """Parses `.alias name, function;`: another name of a function with a body."""
        name = self.expect_kind("name", "a function name").text
        self.expect(",")
        function = self.expect_kind("name", "a function name").text
        self.expect(";")
        if function not in self.functions:
            self.fail(f"function '{function}' must be defined, with a body, before its alias", line)
        self.functions[name] = self.functions[function]
        self.function_names.add(name)

    def skip_section(self) -> None:
        self.advance()
        self.expect("{")
        while not self.accept("}"):
            self.advance()

    def directives(self) -> dict[str, tuple[int, ...]]:
        """Parses the directives between the parameters of a function and its body."""
        found: dict[str, tuple[int, ...]] = {}
        while self.token.kind == "directive":
            directive = self.advance()
            if directive.text == ".pragma":
                self.skip_statement()
                continue
            if directive.text in _PLAIN_DIRECTIVES:
                found[directive.text[1:]] = ()
            elif directive.text in _NUMBERED_DIRECTIVES:
                found[directive.text[1:]] = self.numbers(directive)
            else:
                self.fail(f"unknown directive '{directive.text}'", directive.line)
        return found

    def numbers(self, directive: Token) -> tuple[int, ...]:
        """Parses the numbers after a directive."""
        most, least = _NUMBERED_DIRECTIVES[directive.text]
        what = f"a number of {directive.text}"
        numbers = [self.natural(what, _LARGEST_NUMBER)]
        while self.accept(","):
            numbers.append(self.natural(what, _LARGEST_NUMBER))
        if len(numbers) > most or min(numbers) < least:
            self.fail(
                f"'{directive.text}' takes at most {most} numbers, each at least {least}",
                directive.line,
            )
        return tuple(numbers)

    def function(self, line: int) -> None:
        while self.token.text in _PLAIN_DIRECTIVES:
            self.advance()
        results = self.formals()
        name = self.expect_kind("name", "a function name").text
        parameters = self.formals()
        self.directives()
        self.function_names.add(name)
        if self.accept(";"):
            return
        if name in self.functions:
            self.fail(f"function '{name}' is defined twice", line)
        body = BodyParser(self, self.function_names, name)
        results = tuple(body.declare_formal(formal) for formal in results)
        parameters = tuple(body.declare_formal(formal) for formal in parameters)
        self.functions[name] = Function(name, line, results, parameters, body.parse())

    def kernel(self, line: int) -> None:
        name = self.expect_kind("name", "a kernel name").text
        parameters = self.parameters()
        directives = self.directives()
        if self.accept(";"):
            return
        parser = BodyParser(self, self.function_names)
        for parameter in parameters:
            parser.declare_parameter(parameter.name)
        body = parser.parse()
        if name in self.kernels:
            self.fail(f"kernel '{name}' is defined twice", line)
        self.kernels[name] = _ParsedKernel(line, tuple(parameters), directives, body)

    def expanded(self, name: str, parsed: _ParsedKernel) -> Kernel:
        body = expand_calls(parsed.body, self.functions)
        variables, shared_size = lay_out_variables(self.variables, body.variables)
        return Kernel(
            name,
            parsed.line,
            parsed.parameters,
            body.registers,
            variables,
            body.statements,
            parsed.directives,
            shared_size,
        )
