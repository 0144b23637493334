"""The text of a dense program under construction: its lines, and the tiles usable as operands."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random


@dataclass
class Draft:
    """The lines of the kernel, and the tiles usable as operands."""

    random: Random
    size: int
    lines: list[str] = field(default_factory=list[str])
    floats: list[str] = field(default_factory=list[str])
    integers: list[str] = field(default_factory=list[str])
    count: int = 0
    constants: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """The names of splat constants, by value and element type, so that none is defined twice."""

    def add(self, text: str) -> str:
        """Appends an op with one result; returns the name of the result."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def load(self, text: str) -> tuple[str, str]:
        """Appends an op with a tile and a token as results; returns their names."""
        self.count += 1
        value, token = f"%v{self.count}", f"%t{self.count}"
        self.lines.append(f"{value}, {token} = {text}")
        return value, token

    def tile(self, element: str) -> str:
        """The type of the tiles."""
        return f"tile<{self.size}x{element}>"

    def constant(self, value: str, element: str) -> str:
        """Returns the name of a splat constant, which it defines on the first call."""
        key = value, element
        if key not in self.constants:
            self.constants[key] = self.add(f"constant <{element}: {value}> : {self.tile(element)}")
        return self.constants[key]

    def combine(self, text: str, operand: str, result: str) -> str:
        """Appends a sum reduction or scan of integers; returns the name of the result."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines += [
            f"{name} = {text} identities=[0 : i32] : {operand} -> {result}",
            "(%left: tile<i32>, %right: tile<i32>) {",
            "%both = addi %left, %right : tile<i32>",
            "yield %both : tile<i32>",
            "}",
        ]
        return name
