"""Random kernels with loops that carry `sliceCount`: nested, in branches, with all kinds of bounds.

The kernels read and write 4x8 tiles of 16x8 arrays of i32. `%n`, `%m` and `%s` are numbers that only
the launch tells; `%s` is positive.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TILE = "tensor<4x8xi32>"
TOKEN = "!nv_tileaa.mem_token"
MEMREF = "!nv_tileaa.memref<16x8xi32, strides = [8, 1]>"
VIEW = f"!nv_tileaa.tiled_view<4x8xi32, {MEMREF}>"
VIEWS = "\n".join(
    f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<i32> -> {MEMREF}\n"
    f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: 4, 8>, "
    f"dimGroups = [[0 : i64], [1 : i64]]}} : {MEMREF} -> {VIEW}"
    for name in ("in", "out")
)
NUMBERS = "\n".join(
    f"%{'m' if n < 0 else 'c'}{abs(n)} = arith.constant {n} : i32" for n in range(-6, 13)
)


def kernel(body: str, numbers: str = NUMBERS) -> str:
    """A kernel around a body: the views `%in` and `%out`, the numbers `%m6` to `%c12`."""
    return f"""
nv_tileaa.func @k(%in_ptr: !nv_tileaa.ptr<i32>, %out_ptr: !nv_tileaa.ptr<i32>, %n: i32, %k: i32, %s: i32)
    attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
{VIEWS}
{numbers}
{body}
nv_tileaa.return
}}
"""


@dataclass
class Scope:
    """The values that statements may use, by type, and the induction variables among them."""

    numbers: list[str]
    tiles: list[str]
    tokens: list[str]
    variables: list[str]

    def copy(self) -> Scope:
        """A scope for a region: what is added there stays there."""
        return Scope(list(self.numbers), list(self.tiles), list(self.tokens), list(self.variables))

    def of(self, type_: str) -> list[str]:
        """The values of a type."""
        return {"i32": self.numbers, TILE: self.tiles, TOKEN: self.tokens}[type_]


@dataclass
class RandomKernel:
    """Writes one kernel, from a seed."""

    seed: int
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    values: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def text(self) -> str:
        """The kernel; the same for the same seed."""
        scope = Scope(["%n", "%k", "%c1", "%c3"], [], [], [])
        self._token(scope)
        self._load(scope)
        for _ in range(self.rng.randint(1, 3)):
            self._loop(scope, 2)
            self._store(scope)
        return kernel("\n".join(self.lines))

    def _define(self, op: str, kind: list[str]) -> str:
        self.values += 1
        name = f"%v{self.values}"
        self.lines.append(f"{name} = {op}")
        kind.append(name)
        return name

    def _number(self, scope: Scope) -> str:
        a, b = self.rng.choices(scope.numbers[-6:], k=2)
        op = self.rng.choice(["addi", "subi", "muli", "andi", "xori"])
        return self._define(f"arith.{op} {a}, {b} : i32", scope.numbers)

    def _token(self, scope: Scope) -> str:
        return self._define(f"nv_tileaa.create_mem_token : {TOKEN}", scope.tokens)

    def _coordinate(self, scope: Scope) -> str:
        return self._define(f"arith.andi {self.rng.choice(scope.numbers)}, %c3 : i32", [])

    def _load(self, scope: Scope) -> str:
        self.values += 1
        tile, token = f"%v{self.values}", f"%v{self.values}_t"
        self.lines.append(
            f"{tile}, {token} = nv_tileas.tiled_load weak %out[{self._coordinate(scope)}, %c0] "
            f"token = {scope.tokens[-1]} : {VIEW}[i32, i32] -> {TILE}, {TOKEN}"
        )
        scope.tiles.append(tile)
        scope.tokens.append(token)
        return tile

    def _store(self, scope: Scope) -> str:
        return self._define(
            f"nv_tileas.tiled_store weak {self.rng.choice(scope.tiles[-3:])}, "
            f"%out[{self._coordinate(scope)}, %c0] token = {scope.tokens[-1]} "
            f": {TILE}, {VIEW}[i32, i32] -> {TOKEN}",
            scope.tokens,
        )

    def _add(self, scope: Scope) -> str:
        a, b = self.rng.choices(scope.tiles[-4:], k=2)
        return self._define(f"nv_tileaa.addi {a}, {b} : {TILE}", scope.tiles)

    def _splat(self, scope: Scope) -> str:
        number = self.rng.choice(scope.numbers)
        return self._define(f"nv_tileaa.splat {number} : i32 -> {TILE}", scope.tiles)

    def _insert(self, scope: Scope) -> str:
        offset = self._coordinate(scope)
        index = self._define(f"arith.index_cast {offset} : i32 to index", [])
        row = self._define(f"nv_tileaa.splat {offset} : i32 -> tensor<1x8xi32>", [])
        return self._define(
            f"nv_tileas.insert_slice {row} into {scope.tiles[-1]}[{index}, 0][1, 8][1, 1] "
            f": tensor<1x8xi32> into {TILE}",
            scope.tiles,
        )

    def _branch(self, scope: Scope, depth: int) -> None:
        condition = self._define(f"arith.cmpi sgt, {self.rng.choice(scope.numbers)}, %c1 : i32", [])
        self.lines.append(f"scf.if {condition} {{")
        self._statements(scope.copy(), depth - 1)
        self.lines.append("}")

    def _statements(self, scope: Scope, depth: int) -> None:
        for _ in range(self.rng.randint(1, 4)):
            kinds = [self._number, self._load, self._store, self._add, self._splat, self._insert]
            if depth > 0 and self.rng.random() < 0.3:
                self.rng.choice([self._loop, self._branch])(scope, depth)
            else:
                self.rng.choice(kinds)(scope)

    def _bounds(self, scope: Scope) -> tuple[str, str, str, int | None]:
        """Lower and upper bound, step and, where all are constants, the number of iterations."""
        low, extent, step = self.rng.randint(-6, 4), self.rng.randint(0, 8), self.rng.randint(1, 3)
        lower, stride = f"%{'m' if low < 0 else 'c'}{abs(low)}", f"%c{step}"
        if scope.variables and self.rng.random() < 0.4:
            variable = self.rng.choice(scope.variables)
            scaled = self._define(f"arith.muli {variable}, %c{self.rng.randint(0, 3)} : i32", [])
            lower = self._define(f"arith.addi {scaled}, {lower} : i32", [])
            return lower, self._define(f"arith.addi {lower}, %c{extent} : i32", []), stride, None
        if self.rng.random() < 0.4:
            return lower, self.rng.choice(["%n", "%k"]), self.rng.choice([stride, "%s"]), None
        high = low + extent
        upper = f"%{'m' if high < 0 else 'c'}{abs(high)}"
        return lower, upper, stride, -(-extent // step)

    def _loop(self, scope: Scope, depth: int) -> None:
        lower, upper, step, trips = self._bounds(scope)
        most = 5 if trips is None else max(1, trips)
        count = self.rng.randint(1, min(most, 5))
        types = self.rng.choices(["i32", TILE, TOKEN], k=self.rng.randint(0, 4))
        initial = [self.rng.choice(scope.of(type_)[-3:]) for type_ in types]
        self.values += 1
        name = f"%r{self.values}"
        inner = scope.copy()
        variable = f"{name}_i"
        inner.variables.append(variable)
        inner.numbers.append(variable)
        arguments = [f"{name}_a{i}" for i in range(len(types))]
        for argument, type_ in zip(arguments, types, strict=True):
            inner.of(type_).append(argument)
        carried = results = ""
        if types:
            pairs = ", ".join(f"{a} = {b}" for a, b in zip(arguments, initial, strict=True))
            carried = f" iter_args({pairs}) -> ({', '.join(types)})"
            results = ", ".join(f"{name}_{i}" for i in range(len(types))) + " = "
        self.lines.append(
            f"{results}scf.for {variable} = {lower} to {upper} step {step}{carried} : i32 {{"
        )
        self._statements(inner, depth - 1)
        if types:
            yielded = [self.rng.choice(inner.of(type_)[-2:]) for type_ in types]
            self.lines.append(f"scf.yield {', '.join(yielded)} : {', '.join(types)}")
        sliced = f" {{sliceCount = {count} : i32}}" if self.rng.random() < 0.8 else ""
        self.lines.append("}" + sliced)
        for position, type_ in enumerate(types):
            # The others are results that nobody uses.
            if self.rng.random() < 0.6:
                scope.of(type_).append(f"{name}_{position}")
