"""Random pipelines whose regions carry `sliceCount`: a producer and a consumer of 8x4 tiles.

Three arrays of f32: six tiles of `%in`, the right-hand sides of products in `%right`, and six tiles
of `%out`. All numbers are small integers, so that sums are exact in any order.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

P = "!nv_tileas.async.pipeline.producer_token"
C = "!nv_tileas.async.pipeline.consumer_token"
TILE = "tensor<8x4xf32>"
I = f"!nv_tileas.async.pipeline.iterator<{TILE}>"  # noqa: E741
MEMREF = "!nv_tileaa.memref<48x4xf32, strides = [4, 1]>"
VIEW = f"!nv_tileaa.tiled_view<8x4xf32, {MEMREF}>"
SQUARES = f"!nv_tileaa.tiled_view<4x4xf32, {MEMREF}>"
SHARED = "tensor<8x4xf32, #nv_tileas.memory<smem>>"
TOKEN = "!nv_tileaa.mem_token"
PIPE = "nv_tileas.async.pipeline"
DENSE = "[" + ", ".join(f"[{row}.0, 1.0, 0.0, -{row}.0]" for row in range(8)) + "]"


def kernel(producer: str, consumer: str) -> str:
    """A kernel in which two agents meet at a pipeline `%p`, `%c` with the iterator `%i`."""
    views = "\n".join(
        f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<f32> -> {MEMREF}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: 8, 4>, "
        f"dimGroups = [[0 : i64], [1 : i64]]}} : {MEMREF} -> {VIEW}"
        for name in ("in", "right", "out")
    )
    return f"""
nv_tileaa.func @k(%in_ptr: !nv_tileaa.ptr<f32>, %right_ptr: !nv_tileaa.ptr<f32>, %out_ptr: !nv_tileaa.ptr<f32>)
    attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  {views}
  %squares = nv_tileaa.block_tile %right_ref {{tileSizes = array<i64: 4, 4>, dimGroups = [[0 : i64], [1 : i64]]}} : {MEMREF} -> {SQUARES}
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %six = arith.constant 6 : i32
  %scale = arith.constant 2.0 : f32
  %shared = nv_tileas.alloc_tensor : {SHARED}
  %buffer = nv_tileas.alloc_tensor : tensor<2x8x4xf32, #nv_tileas.memory<smem>>
  %start = nv_tileaa.create_mem_token : {TOKEN}
  %p, %c = {PIPE}.create_pipeline %buffer {{numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8}} : tensor<2x8x4xf32, #nv_tileas.memory<smem>> -> {P}, {C}
  %i = {PIPE}.create_iterator %p : {P} -> {I}
  {PIPE}.agent_switch {{num_agents_per_group = 1 : i32}} {{
    {producer}
    {PIPE}.yield
  }}, {{
    {consumer}
    {PIPE}.yield
  }}
  nv_tileaa.return
}}
"""


@dataclass
class RandomPipeline:
    """Writes one kernel, from a seed."""

    seed: int
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    tiles: list[str] = field(default_factory=list[str])
    values: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def text(self) -> str:
        """The kernel; the same for the same seed."""
        return kernel(self._agent(self._produce(), "p", P), self._agent(self._consume(), "c", C))

    def _agent(self, body: str, token: str, type_: str) -> str:
        count = (
            f" {{sliceCount = {self.rng.randint(1, 6)} : i32}}" if self.rng.random() < 0.5 else ""
        )
        return f"""
    %{token}_last, %{token}_end = scf.for %n = %zero to %six step %one iter_args(%{token}t = %{token}, %it = %i) -> ({type_}, {I}) : i32 {{
      {body}
      %next = {PIPE}.inc_iter %it : {I} -> {I}
      scf.yield %{token}1, %next : {type_}, {I}
    }}{count}"""

    def _slices(self) -> str:
        return f", sliceCount = {self.rng.choice([1, 2, 2, 4, 8])} : i32"

    def _produce(self) -> str:
        self.lines, self.tiles = [], []
        self._load()
        self._statements()
        yielded = self.rng.choice(self.tiles[-2:])
        if self.rng.random() < 0.3:
            self.lines.append(f"%filled = {self._copy(yielded, '%stage', TILE)}")
            yielded = "%stage"
        return f"""
      %p1 = {PIPE}.produce_one %pt, %it {{producer_types = [{TILE}]{self._slices()}}} : ({P}, {I}) -> {P} {{
      ^bb0(%stage: {TILE}):
        {self._body()}
        {PIPE}.yield {yielded} : {TILE}
      }}"""

    def _consume(self) -> str:
        self.lines, self.tiles = [], ["%tile"]
        self._statements()
        self._store(self.tiles[-1])
        results = self.rng.random() < 0.5
        yielded = self.tiles[-1] if results else "%tile"
        after = ""
        if results:
            after = f"nv_tileas.tiled_store weak %given, %out[%n, %zero] : {TILE}, {VIEW}[i32, i32]"
        return f"""
      %c1{", %given" if results else ""} = {PIPE}.consume_one %ct, %it {{consumer_idx = 0 : i32, consumer_types = [{TILE}]{self._slices()}}} : ({C}, {I}) -> {C}{f", {TILE}" if results else ""} {{
      ^bb0(%tile: {TILE}):
        {self._body()}
        {PIPE}.yield {yielded} : {TILE}
      }}
      {after}"""

    def _body(self) -> str:
        return "\n        ".join(self.lines)

    def _define(self, op: str) -> str:
        self.values += 1
        self.lines.append(f"%v{self.values} = {op}")
        return f"%v{self.values}"

    def _statements(self) -> None:
        kinds = [
            self._load,
            self._add,
            self._constant,
            self._splat,
            self._broadcast,
            self._dot,
            self._sum,
            self._transpose,
            self._through_memory,
            self._branch,
        ]
        for _ in range(self.rng.randint(1, 6)):
            self.rng.choice(kinds)()

    def _any(self) -> str:
        return self.rng.choice(self.tiles[-3:])

    def _load(self) -> None:
        view, token = self.rng.choice(["in", "right"]), self.rng.random() < 0.5
        load = f"nv_tileas.tiled_load weak %{view}[%n, %zero] : {VIEW}[i32, i32] -> {TILE}"
        if token:
            self.values += 1
            ordered = load.replace("%zero]", "%zero] token = %start")
            self.lines.append(f"%v{self.values}, %t{self.values} = {ordered}, {TOKEN}")
            self.tiles.append(f"%v{self.values}")
        else:
            self.tiles.append(self._define(load))

    def _store(self, tile: str) -> None:
        self.lines.append(
            f"nv_tileas.tiled_store weak {tile}, %out[%n, %zero] : {TILE}, {VIEW}[i32, i32]"
        )

    def _add(self) -> None:
        self.tiles.append(self._define(f"nv_tileaa.addf {self._any()}, {self._any()} : {TILE}"))

    def _constant(self) -> None:
        elements = self.rng.choice([DENSE, "3.0"])
        constant = self._define(f"arith.constant dense<{elements}> : {TILE}")
        self.tiles.append(self._define(f"arith.subf {self._any()}, {constant} : {TILE}"))

    def _splat(self) -> None:
        splat = self._define(f"nv_tileaa.splat %scale : f32 -> {TILE}")
        self.tiles.append(self._define(f"nv_tileaa.mulf {self._any()}, {splat} : {TILE}"))

    def _broadcast(self) -> None:
        shape = self.rng.choice(["1x4", "8x1"])
        row = self._define(
            f"nv_tileas.extract_slice {self._any()}[0, 0][{shape.replace('x', ', ')}][1, 1] "
            f": {TILE} to tensor<{shape}xf32>"
        )
        self.tiles.append(
            self._define(f"nv_tileaa.broadcast {row} : tensor<{shape}xf32> -> {TILE}")
        )

    def _dot(self) -> None:
        square = self._define(
            f"nv_tileas.tiled_load weak %squares[%zero, %zero] : {SQUARES}[i32, i32] -> tensor<4x4xf32>"
        )
        self.tiles.append(
            self._define(
                f"nv_tileas.dot {self._any()}, {square}, {self._any()} "
                f": {TILE}, tensor<4x4xf32>, {TILE} -> {TILE}"
            )
        )

    def _sum(self) -> None:
        total = self._define(
            f"nv_tileas.reduce {self._any()} {{axis = 1 : i32}} : {TILE} -> tensor<8xf32> {{\n"
            "^bb0(%a: f32, %b: f32):\n%s = arith.addf %a, %b : f32\nnv_tileas.yield %s : f32\n}"
        )
        column = self._define(
            f"nv_tileas.expand_dims {total} {{axis = 1 : i32}} : tensor<8xf32> -> tensor<8x1xf32>"
        )
        self.tiles.append(self._define(f"nv_tileaa.broadcast {column} : tensor<8x1xf32> -> {TILE}"))

    def _transpose(self) -> None:
        """What mixes the rows is done for the whole tile."""
        axes = "{permutation = array<i32: 1, 0>}"
        turned = self._define(f"nv_tileaa.permute {self._any()} {axes} : {TILE} -> tensor<4x8xf32>")
        seen = self._define(f"nv_tileaa.view {turned} : tensor<4x8xf32> -> {TILE}")
        self.tiles.append(seen)

    def _copy(self, tile: str, place: str, type_: str) -> str:
        atom = "{atom = #nv_tileas<atom sts_32>}"
        return f"nv_tileas.copy {tile} into {place} {atom} : {TILE} into {type_} -> {type_}"

    def _through_memory(self) -> None:
        self.values += 1
        shared = f"%m{self.values}"
        self.lines.append(f"{shared} = nv_tileas.alloc_tensor : {SHARED}")
        place = self._define(self._copy(self._any(), shared, SHARED))
        source = self.rng.choice([place, shared])
        self.tiles.append(
            self._define(
                f"nv_tileas.tiled_load weak {source} {{atom = #nv_tileas<atom lds_32>}} "
                f": {SHARED} -> {TILE}"
            )
        )

    def _branch(self) -> None:
        condition = self._define("arith.cmpi sgt, %n, %one : i32")
        a, b = self._any(), self._any()
        self.tiles.append(
            self._define(
                f"scf.if {condition} -> ({TILE}) {{ scf.yield {a} : {TILE} }} "
                f"else {{ scf.yield {b} : {TILE} }}"
            )
        )
