"""PTX text to `ModuleSyntax`: the directives outside of functions.

Source: PTX ISA, chapters "Syntax", "State Spaces, Types and Variables" and "Directives".
"""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.emulator.bodies import BodyParser
from tileir_xdsl.emulator.declarations import VARIABLE_SPACES, DeclarationReader
from tileir_xdsl.emulator.functions import expand_calls, place_variables
from tileir_xdsl.emulator.syntax import (
    Function,
    FunctionBody,
    Kernel,
    ModuleSyntax,
    Parameter,
)

_LINKAGE = frozenset({".visible", ".extern", ".weak", ".common"})
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
_PLAIN_DIRECTIVES = frozenset({".explicitcluster", ".blocksareclusters", ".noreturn"})


def parse_module(text: str) -> ModuleSyntax:
    """Parse a PTX module.

    Raises `EmulatorError` with the PTX line for a syntax error, an unknown directive or type, a
    name that is declared nowhere, and a call that cannot be expanded.
    """
    return _ModuleParser(text).parse()


@dataclass(frozen=True)
class _ParsedKernel:
    """A kernel before the functions are known that it calls."""

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
        else:
            self.fail(f"unknown directive '{token.text}'", token.line)

    def skip_section(self) -> None:
        self.advance()
        self.expect("{")
        while not self.accept("}"):
            self.advance()

    def directives(self) -> dict[str, tuple[int, ...]]:
        """What stands between the parameters of a function and its body."""
        found: dict[str, tuple[int, ...]] = {}
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
            found[directive.text[1:]] = tuple(numbers)
        return found

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
        variables, shared_size = place_variables(self.variables, body.variables)
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
