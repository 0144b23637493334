"""Random kernels of nested ifs and loops, for passes that must not change what a kernel does.

A kernel takes `%p`, a buffer of `SLOTS` i32, and the number `%n`. It adds to the slots with
atomics, whose order does not matter, so two runs agree if and only if they add the same.
"""

import random
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.interpreters import launch

SLOTS = 8
NUMBERS = (0, 1, 3, -2)
"""Values of `%n` that reach most branches."""

PREDICATES = (
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)


@dataclass
class _Scope:
    """The values that a place in the program may use, and how it may be left."""

    integers: list[str]
    booleans: list[str]
    tiles: list[str]
    exits: tuple[str, ...] = ("return",)
    variables: tuple[str, ...] = ()
    depth: int = 0

    def inner(self, **changes: object) -> "_Scope":
        scope = _Scope(
            list(self.integers),
            list(self.booleans),
            list(self.tiles),
            self.exits,
            self.variables,
            self.depth + 1,
        )
        for name, value in changes.items():
            setattr(scope, name, value)
        return scope


@dataclass
class _Program:
    """The text of a program while it grows."""

    choice: random.Random
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def constant(self, scope: _Scope) -> str:
        name = self.fresh()
        match self.choice.randrange(3):
            case 0:
                self.emit(f"{name} = constant <i32: {self.choice.randrange(-2, 5)}> : tile<i32>")
                scope.integers.append(name)
            case 1:
                truth = self.choice.choice(("true", "false"))
                self.emit(f"{name} = constant <i1: {truth}> : tile<i1>")
                scope.booleans.append(name)
            case _:
                pair = [self.choice.randrange(2) for _ in range(2)]
                self.emit(f"{name} = constant <i32: {pair}> : tile<2xi32>")
                scope.tiles.append(name)
        return name

    def compare(self, scope: _Scope) -> str:
        """A new condition, now and then of an induction variable."""
        name = self.fresh()
        pair = [self.choice.choice(scope.integers), self.choice.choice(scope.integers)]
        if scope.variables and self.choice.random() < 0.6:
            pair[self.choice.randrange(2)] = self.choice.choice(scope.variables)
        predicate = self.choice.choice(PREDICATES)
        self.emit(f"{name} = cmpi {predicate} {pair[0]}, {pair[1]}, signed : tile<i32> -> tile<i1>")
        scope.booleans.append(name)
        return name

    def arithmetic(self, scope: _Scope) -> None:
        name = self.fresh()
        a, b = self.choice.choice(scope.integers), self.choice.choice(scope.integers)
        c, d = self.choice.choice(scope.booleans), self.choice.choice(scope.booleans)
        s, t = self.choice.choice(scope.tiles), self.choice.choice(scope.tiles)
        match self.choice.randrange(7):
            case 0:
                self.emit(f"{name} = {self.choice.choice(('addi', 'muli'))} {a}, {b} : tile<i32>")
                scope.integers.append(name)
            case 1:
                self.emit(f"{name} = select {c}, {a}, {b} : tile<i1>, tile<i32>")
                scope.integers.append(name)
            case 2:
                self.emit(f"{name} = select {c}, {d}, {c} : tile<i1>, tile<i1>")
                scope.booleans.append(name)
            case 3:
                self.emit(f"{name} = xori {c}, %true : tile<i1>")
                scope.booleans.append(name)
            case 4:
                self.emit(
                    f"{name}_less = cmpi less_than {s}, {t}, signed : tile<2xi32> -> tile<2xi1>"
                )
                self.emit(f"{name} = select {name}_less, {s}, {t} : tile<2xi1>, tile<2xi32>")
                scope.tiles.append(name)
            case 5:
                self.emit(f"{name} = addi {s}, {t} : tile<2xi32>")
                scope.tiles.append(name)
            case _:
                self.emit(f"{name}_part = extract {s}[%c0] : tile<2xi32> -> tile<1xi32>")
                self.emit(f"{name} = reshape {name}_part : tile<1xi32> -> tile<i32>")
                scope.integers.append(name)

    def effect(self, scope: _Scope) -> None:
        name = self.fresh()
        slot, value = self.choice.randrange(SLOTS), self.choice.choice(scope.integers)
        self.emit(f"{name}_slot = constant <i32: {slot}> : tile<i32>")
        self.emit(
            f"{name}_at = offset %p, {name}_slot : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
        )
        self.emit(
            f"{name}, {name}_token = atomic_rmw_tko relaxed device {name}_at, add, {value} : "
            "tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
        )

    def branch(self, scope: _Scope, kinds: str, condition: str) -> None:
        """`if`, with results of some kinds: `i` integer, `b` boolean, `t` tile of two."""
        names = [self.fresh() for _ in kinds]
        types = {"i": "tile<i32>", "b": "tile<i1>", "t": "tile<2xi32>"}
        results = f"{', '.join(names)} = " if names else ""
        arrow = f" -> ({', '.join(types[k] for k in kinds)})" if names else ""
        self.emit(f"{results}if {condition}{arrow} {{")
        self.region(scope.inner(), kinds)
        if names or self.choice.random() < 0.5:
            self.emit("} else {")
            self.region(scope.inner(), kinds)
        self.emit("}")
        for name, kind in zip(names, kinds, strict=True):
            {"i": scope.integers, "b": scope.booleans, "t": scope.tiles}[kind].append(name)

    def kinds(self) -> str:
        return "".join(self.choice.choice("ibt") for _ in range(self.choice.randrange(3)))

    def same_or_opposite(self, scope: _Scope, condition: str) -> str:
        """The condition itself or its negation."""
        if self.choice.random() < 0.5:
            return condition
        opposite = self.fresh()
        self.emit(f"{opposite} = xori {condition}, %true : tile<i1>")
        scope.booleans.append(opposite)
        return opposite

    def region(self, scope: _Scope, kinds: str) -> None:
        if not kinds and scope.depth < 5 and self.choice.random() < 0.25:
            self.branch(scope.inner(), "", self.choice.choice(scope.booleans))
        else:
            self.statements(scope, self.choice.randrange(3))
        if self.choice.random() < 0.2:
            self.leave(scope)
            return
        pools = {"i": scope.integers, "b": scope.booleans, "t": scope.tiles}
        types = {"i": "tile<i32>", "b": "tile<i1>", "t": "tile<2xi32>"}
        if kinds:
            values = ", ".join(self.choice.choice(pools[k][-4:]) for k in kinds)
            self.emit(f"yield {values} : {', '.join(types[k] for k in kinds)}")

    def leave(self, scope: _Scope) -> None:
        match self.choice.choice(scope.exits):
            case "return":
                self.emit("return")
            case kind:
                self.emit(f"{kind} {self.choice.choice(scope.integers)} : tile<i32>")

    def counted_loop(self, scope: _Scope) -> None:
        name, variable, carried = self.fresh(), self.fresh(), self.fresh()
        low, high, step = (f"{name}_{part}" for part in ("low", "high", "step"))
        self.emit(f"{low} = constant <i32: {self.choice.randrange(-1, 2)}> : tile<i32>")
        self.emit(f"{high} = constant <i32: {self.choice.randrange(0, 6)}> : tile<i32>")
        self.emit(f"{step} = constant <i32: {self.choice.randrange(1, 4)}> : tile<i32>")
        self.emit(
            f"{name} = for {variable} in ({low} to {high}, step {step}) : tile<i32> "
            f"iter_values({carried} = {self.choice.choice(scope.integers)}) -> (tile<i32>) {{"
        )
        inner = scope.inner(exits=("continue",), variables=(*scope.variables, variable))
        inner.integers += [variable, carried]
        self.statements(inner, 1 + self.choice.randrange(3))
        self.emit(f"continue {self.choice.choice(inner.integers[-4:])} : tile<i32>")
        self.emit("}")
        scope.integers.append(name)

    def open_loop(self, scope: _Scope) -> None:
        """A loop with a counter of its own, which ends it."""
        name, counter = self.fresh(), self.fresh()
        limit = self.choice.randrange(1, 4)
        self.emit(f"{name} = loop iter_values({counter} = %c0) : tile<i32> -> tile<i32> {{")
        self.emit(f"{name}_limit = constant <i32: {limit}> : tile<i32>")
        self.emit(
            f"{name}_over = cmpi greater_than {counter}, {name}_limit, signed : "
            "tile<i32> -> tile<i1>"
        )
        self.emit(f"if {name}_over {{ break {counter} : tile<i32> }}")
        exits = ("break", "return") if "return" in scope.exits else ("break",)
        inner = scope.inner(exits=exits, variables=())
        inner.integers.append(counter)
        self.statements(inner, 1 + self.choice.randrange(2))
        self.emit(f"{name}_next = addi {counter}, %c1 : tile<i32>")
        self.emit(f"continue {name}_next : tile<i32>")
        self.emit("}")
        scope.integers.append(name)

    def statements(self, scope: _Scope, count: int) -> None:
        for _ in range(count):
            kind = self.choice.random()
            if kind < 0.15:
                self.constant(scope)
            elif kind < 0.3:
                self.compare(scope)
            elif kind < 0.5:
                self.arithmetic(scope)
            elif kind < 0.7 or scope.depth >= 4:
                self.effect(scope)
            elif kind < 0.9:
                condition = (
                    self.compare(scope)
                    if self.choice.random() < 0.6
                    else self.choice.choice(scope.booleans)
                )
                self.branch(scope, self.kinds(), condition)
                if self.choice.random() < 0.3:
                    self.branch(scope, self.kinds(), self.same_or_opposite(scope, condition))
            elif kind < 0.97:
                self.counted_loop(scope)
            else:
                self.open_loop(scope)


def random_kernel(seed: int, statements: int = 10) -> str:
    """The text of a module with the kernel `k`."""
    program = _Program(random.Random(seed))
    scope = _Scope(["%n", "%c0", "%c1"], ["%b0", "%true"], ["%pair", "%ramp"])
    program.statements(scope, statements)
    program.effect(scope)
    body = "\n".join(program.lines)
    return f"""
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %true = constant <i1: true> : tile<i1>
    %pair = constant <i32: [1, 0]> : tile<2xi32>
    %ramp = iota : tile<2xi32>
    %b0 = cmpi less_than %c1, %n, signed : tile<i32> -> tile<i1>
    {body}
  }}
}}
"""


def outcome(module: ModuleOp) -> list[npt.NDArray[np.int32]]:
    """The buffer after the kernel has run, for every number of `NUMBERS`."""
    buffers: list[npt.NDArray[np.int32]] = []
    for number in NUMBERS:
        buffer = np.zeros(SLOTS, np.int32)
        launch(module, "k", (1, 1, 1), [buffer, number])
        buffers.append(buffer)
    return buffers
