"""Constant expressions of PTX text (PTX ISA, "Constants", "Constant Expressions")."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import NoReturn

from tileir_xdsl.emulator.lexer import Token, TokenReader
from tileir_xdsl.emulator.syntax import Float, FloatBits, Integer

# Binary operators by how tightly they bind, the loosest first.
_LEVELS: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
)
_UNARY = ("+", "-", "!", "~")
_MOST_NESTED = 64
_WORD = 2**64
_SIGNED_END = 2**63

_ORDERED: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_BITWISE: Mapping[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}

Constant = Integer | Float | FloatBits


class ConstantReader(TokenReader):
    """Parses constant expressions of 64-bit integers and double-precision floats."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    def starts_constant(self) -> bool:
        """Whether the next token begins a constant expression."""
        position = self.position
        while self.tokens[position].text in (*_UNARY, "("):
            position += 1
        token = self.tokens[position]
        return token.kind in ("integer", "float", "float_bits") or token.text in (
            "WARP_SZ",
            ".s64",
            ".u64",
        )

    def constant(self) -> Constant:
        """Parses a constant expression; `?:` has the lowest precedence.

        An integer is signed unless a literal or an operator makes it unsigned.
        """
        if self.depth == _MOST_NESTED:
            self.fail("constant expressions are nested too deep")
        self.depth += 1
        found = self._binary(0)
        if self.accept("?"):
            chosen = self.constant()
            self.expect(":")
            other = self.constant()
            found = self._choose(found, chosen, other)
        self.depth -= 1
        return found

    def constant_integer(self, what: str = "an integer") -> int:
        """The value of an integer constant expression."""
        line = self.token.line
        found = self.constant()
        if not isinstance(found, Integer):
            self.fail(f"expected {what}", line)
        return found.value

    def natural(self, what: str = "an integer", most: int = _WORD - 1) -> int:
        """The value of an integer constant expression from 0 to `most`."""
        token = self.token
        if token.kind != "integer" and not self.starts_constant():
            self.fail(f"expected an integer, found {token.text!r}")
        if token.kind == "integer" and self.tokens[self.position + 1].text in (">", ",", ";"):
            return super().natural(what, most)
        found = self.constant_integer(what)
        if found < 0:
            self.fail(f"expected {what} that is not negative, found {found}", token.line)
        if found > most:
            self.fail(f"expected {what} of at most {most}", token.line)
        return found

    def integer(self) -> int:
        return self.constant_integer()

    def _choose(self, condition: Constant, chosen: Constant, other: Constant) -> Constant:
        if isinstance(condition, Integer):
            if isinstance(chosen, Integer) and isinstance(other, Integer):
                value = chosen.value if condition.value else other.value
                return self._integer(value, signed=chosen.signed and other.signed)
            if not isinstance(chosen, Integer) and not isinstance(other, Integer):
                return chosen if condition.value else other
        self.fail("'?:' needs an integer as condition, then two integers or two floats")

    def _binary(self, level: int) -> Constant:
        if level == len(_LEVELS):
            return self._unary()
        found = self._binary(level + 1)
        while self.token.kind == "mark" and self.token.text in _LEVELS[level]:
            token = self.advance()
            found = self._apply(token, found, self._binary(level + 1))
        return found

    def _unary(self) -> Constant:
        token = self.token
        if self.depth == _MOST_NESTED:
            self.fail("constants are nested too deep")
        self.depth += 1
        if token.kind == "mark" and token.text in _UNARY:
            self.advance()
            found = self._signed(token, self._unary())
        elif self.accept("("):
            cast = self.token.text
            if self.accept(".s64") or self.accept(".u64"):
                self.expect(")")
                inner = self._unary()
                if not isinstance(inner, Integer):
                    self.fail(f"the operand of '({cast})' must be an integer", token.line)
                found = self._integer(inner.value, signed=cast == ".s64")
            else:
                found = self.constant()
                self.expect(")")
        else:
            found = self._literal()
        self.depth -= 1
        return found

    def _signed(self, token: Token, inner: Constant) -> Constant:
        """Applies a unary operator to a constant."""
        if isinstance(inner, Integer):
            match token.text:
                case "-":
                    return self._integer(-inner.value, signed=inner.signed)
                case "!":
                    return Integer(int(inner.value == 0))
                case "~":
                    return self._integer(~inner.value, signed=False)
                case _:
                    return inner
        match token.text, inner:
            case "+", _:
                return inner
            case "-", Float(value):
                return Float(-value)
            case "-", FloatBits(pattern, bits):
                return FloatBits(pattern ^ (1 << (bits - 1)), bits)
            case _:
                self.fail(f"the operand of '{token.text}' must be an integer", token.line)

    def _apply(self, token: Token, left: Constant, right: Constant) -> Constant:
        if isinstance(left, Integer) and isinstance(right, Integer):
            return self._apply_to_integers(token, left, right)
        values = self._double(token, left), self._double(token, right)
        if token.text in _ORDERED:
            return Integer(int(_ORDERED[token.text](*values)))
        if token.text in _ARITHMETIC:
            return Float(_ARITHMETIC[token.text](*values))
        if token.text != "/":
            self.fail(f"the operands of '{token.text}' must be integers", token.line)
        if values[1] == 0:
            self._no_division(token)
        return Float(values[0] / values[1])

    def _double(self, token: Token, operand: Constant) -> float:
        if not isinstance(operand, Float):
            self.fail(
                f"the operands of '{token.text}' must be two integers or two floats", token.line
            )
        return operand.value

    def _apply_to_integers(self, token: Token, left: Integer, right: Integer) -> Integer:
        signed = left.signed and right.signed
        if not signed:
            left = self._integer(left.value, signed=left.signed and token.text in ("<<", ">>"))
            right = self._integer(right.value, signed=False)
        a, b = left.value, right.value
        match token.text:
            case "<<" | ">>":
                amount = b % _WORD
                value = a >> min(amount, 64) if token.text == ">>" else a << min(amount, 64)
                return self._integer(value, signed=left.signed)
            case "&&":
                return Integer(int(a != 0 and b != 0))
            case "||":
                return Integer(int(a != 0 or b != 0))
            case "/":
                if b == 0:
                    self._no_division(token)
                quotient = abs(a) // abs(b)
                return self._integer(quotient if (a < 0) == (b < 0) else -quotient, signed=signed)
            case "%":
                if b == 0:
                    self._no_division(token)
                return self._integer(a % _WORD % (b % _WORD), signed=True)
            case name if name in _ORDERED:
                return Integer(int(_ORDERED[name](a, b)))
            case name if name in _BITWISE:
                return self._integer(_BITWISE[name](a, b), signed=False)
            case name:
                return self._integer(int(_ARITHMETIC[name](a, b)), signed=signed)

    def _no_division(self, token: Token) -> NoReturn:
        self.fail("division of a constant by zero", token.line)

    def _integer(self, value: int, *, signed: bool) -> Integer:
        """An integer of 64 bits."""
        value %= _WORD
        return Integer(value - _WORD if signed and value >= _SIGNED_END else value, signed)

    def _literal(self) -> Constant:
        token = self.advance()
        if token.text == "WARP_SZ":
            return Integer(32)
        if token.kind == "integer":
            value = self.integer_of(token)
            return Integer(value, value < _SIGNED_END and not token.text.endswith("U"))
        if token.kind == "float":
            value = float(token.text)
            if math.isinf(value):
                self.fail(f"'{token.text}' is out of the range of double precision", token.line)
            return Float(value)
        if token.kind == "float_bits":
            bits = 32 if token.text[1] in "fF" else 64
            return FloatBits(int(token.text[2:], 16), bits)
        self.fail(f"expected an operand, found {token.text!r}", token.line)
