"""Splits PTX text into tokens (PTX ISA, "Syntax")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.types import TYPES, ScalarType

# Integer constants have 64 bits (PTX ISA, "Integer Constants").
_LARGEST_INTEGER = 2**64 - 1
# Python refuses to read very many decimal digits.
_MOST_DECIMAL_DIGITS = 20
# Types of objects that only texture and surface instructions use.
_OPAQUE = frozenset({".texref", ".samplerref", ".surfref"})

# A table of decimal numbers is one token: a module may have megabytes of them. `.loc` and `.file`
# end with their line, not with a semicolon, so they are dropped here.
_TOKEN = re.compile(
    r"""
      (?P<newline>\n)
    | (?P<space>[ \t\r\f\v]+|//[^\n]*|\#[^\n]*|\.(?:loc|file)\b[^\n]*)
    | (?P<comment>/\*.*?\*/)
    | (?P<string>"[^"\n]*")
    | (?P<float_bits>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b)
    | (?P<float>\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
    | (?P<integer>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|0[0-7]*U?|[1-9]\d*U?)\b
    | (?P<name>(?:[A-Za-z_$]|%[\w$])[\w$]*(?:(?:\.|::)[\w$]+)*)
    | (?P<directive>\.[A-Za-z_][\w$]*(?:::\w+)*)
    | (?P<naturals>=\s*+\{\s*+(?:(?:0|[1-9]\d{0,18})\s*+,\s*+)*+(?:0|[1-9]\d{0,18})\s*+\})
    | (?P<mark><<|>>|[<>=!]=|&&|\|\||[{}\[\]();,:@!|+\-<>=*/%&^~?])
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `kind` is a group of the regular expression, or `end` after the last one."""

    kind: str
    text: str
    line: int
    start: int


def tokenize(text: str) -> list[Token]:
    """All tokens of a PTX text, ending with one of kind `end`.

    Raises `EmulatorError` with the line of a character that starts no token.
    """
    tokens: list[Token] = []
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise EmulatorError(f"unexpected character {text[position]!r}", line=line)
        kind = str(match.lastgroup)
        if kind == "newline":
            line += 1
        elif kind == "comment":
            line += match.group().count("\n")
        elif kind != "space":
            tokens.append(Token(kind, match.group(), line, position))
            if kind == "naturals":
                line += match.group().count("\n")
        position = match.end()
    tokens.append(Token("end", "end of text", line, len(text)))
    return tokens


_BASES = {"0x": 16, "0X": 16, "0b": 2, "0B": 2}


def integer_value(text: str) -> int | None:
    """The value of an integer literal, of 64 bits; `None` for one that the assembler refuses.

    The literal is decimal, hexadecimal, octal or binary. The assembler refuses further digits after
    a value of 2^63 or more; otherwise it takes the low 64 bits.
    """
    digits = text.rstrip("U")
    base = _BASES.get(digits[:2], 8 if digits[0] == "0" else 10)
    if base == 10 and len(digits) > _MOST_DECIMAL_DIGITS:
        return None
    value = int(digits, base)
    return None if value > _LARGEST_INTEGER and value // base >= 2**63 else value % 2**64


class TokenReader:
    """A cursor over tokens, with the checks that all rules share."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def advance(self) -> Token:
        token = self.tokens[self.position]
        if token.kind == "end":
            self.fail("unexpected end of the PTX text")
        self.position += 1
        return token

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        raise EmulatorError(message, line=self.token.line if line is None else line)

    def accept(self, text: str) -> bool:
        if self.token.text == text and self.token.kind in ("mark", "directive"):
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        if not self.accept(text):
            self.fail(f"expected {text!r}, found {self.token.text!r}")
        return self.tokens[self.position - 1]

    def expect_kind(self, kind: str, what: str) -> Token:
        if self.token.kind != kind:
            self.fail(f"expected {what}, found {self.token.text!r}")
        return self.advance()

    def natural(self, what: str = "an integer", most: int = _LARGEST_INTEGER) -> int:
        """Parses an unsigned integer of at most 64 bits."""
        return self.integer_of(self.expect_kind("integer", "an integer"), what, most)

    def integer_of(
        self, token: Token, what: str = "an integer constant", most: int = _LARGEST_INTEGER
    ) -> int:
        """The value of an integer token."""
        value = integer_value(token.text)
        if value is None or value > most:
            self.fail(f"expected {what} of at most {most}", token.line)
        return value

    def scalar_type(self) -> ScalarType:
        token = self.expect_kind("directive", "a type")
        type_ = TYPES.get(token.text[1:])
        if token.text in _OPAQUE:
            self.fail(f"textures and surfaces ('{token.text}') are not supported", token.line)
        if type_ is None:
            self.fail(f"unknown type '{token.text}'", token.line)
        return type_
