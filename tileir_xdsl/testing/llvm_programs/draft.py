"""A partly generated function in the `llvm` dialect: lines of text, and visible values."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
VECTORS = ("vector<4xi32>", "vector<2xf16>", "vector<4xf32>", "vector<2xi64>")
MEMORY_TYPES = (*INTEGERS, *FLOATS)
"""Element types of the arrays that a function reads and writes."""

INPUT_ELEMENTS = 256
OUTPUTS_PER_THREAD = 4
SLOTS_PER_THREAD = 8
"""The number of words of scratch memory of each thread."""

SCRATCH_TYPES = ("i32", "i64", "f32")
SHARED = "shared"
"""The name of the shared-memory array of i32, in which each thread has slots."""


def width(type: str) -> int:
    """Bits of an integer or float type."""
    return 16 if type == "bf16" else int(type[1:])


@dataclass
class Draft:
    """The lines so far, and by type the names of the values that the next op may use."""

    rng: Random
    lines: list[str] = field(default_factory=list[str])
    visible: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    count: int = 0

    def fresh(self) -> str:
        """An unused name."""
        self.count += 1
        return f"v{self.count}"

    def line(self, text: str) -> None:
        """Adds an op without a result."""
        self.lines.append(text)

    def define(self, type: str, text: str, *, visible: bool = True) -> str:
        """Adds an op with one result; returns its name, which later ops may use if `visible`."""
        name = f"%{self.fresh()}"
        self.line(f"{name} = {text}")
        if visible:
            self.show(type, name)
        return name

    def show(self, type: str, name: str) -> None:
        """Makes a value visible to later ops."""
        self.visible.setdefault(type, []).append(name)

    def constant(self, type: str, value: int | float | str) -> str:
        """Adds a constant that random later ops do not use, and returns its name."""
        return self.define(type, f"llvm.mlir.constant({value} : {type}) : {type}", visible=False)

    def use(self, type: str) -> str:
        """A random visible value of a type, mostly a recent one; a constant if there is none."""
        names = self.visible.get(type)
        if not names or self.rng.random() < 0.05:
            return self.draw_constant(type)
        return names[max(self.rng.randrange(len(names)), self.rng.randrange(len(names)))]

    def draw_constant(self, type: str) -> str:
        """Adds a random constant of a type, often a corner value."""
        rng = self.rng
        if type == "i1":
            return self.define(
                type, f"llvm.mlir.constant({rng.choice(('true', 'false'))}) : i1", visible=False
            )
        if type in INTEGERS:
            limit = 1 << (width(type) - 1)
            values = (0, 1, -1, limit - 1, -limit, rng.randrange(-limit, limit))
            return self.constant(type, rng.choice(values))
        if type in FLOATS:
            return self.constant(type, rng.choice(("0.0", "-0.0", "1.0", "-2.5", "0.125", "96.0")))
        zero = "dense<0>" if "xi" in type else "dense<0.0>"
        return self.constant(type, zero)

    def present(self, types: tuple[str, ...]) -> str:
        """A random one of the types, if possible one with a visible value."""
        return self.rng.choice([type for type in types if self.visible.get(type)] or list(types))

    @contextmanager
    def scope(self) -> Generator[None]:
        """Hides values defined in the context from code after it."""
        outside = {type: list(names) for type, names in self.visible.items()}
        yield
        self.visible = outside


OpWriter = Callable[[Draft], None]
"""A function that adds a few ops to a draft."""
