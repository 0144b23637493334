"""Random kernels whose tiles wander between layouts, as text.

A kernel reads tiles of 256 numbers, combines, reshapes and transposes them in branches and loops,
and stores some. Loads and stores have layouts of their own; every other op works in a layout drawn
at random, and conversions stand wherever two do not agree.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

LENGTH = 256
SHAPES = {"256": (256,), "16x16": (16, 16)}
INPUTS = OUTPUTS = 6
MOST_CONVERSIONS = 8

Bases = tuple[int, ...]


def layout_text(bases: Bases) -> str:
    """A layout with one register bit, five lane bits and two warp bits, as the compiler writes it.

    Bases that double are one mode.
    """
    modes = [_mode(bases[:1]), _mode(bases[1:6]), _mode(bases[6:8])]
    return f"<({', '.join(m[0] for m in modes)}, 1), ({', '.join(m[1] for m in modes)}, 0)>"


def _mode(bases: Bases) -> tuple[str, str]:
    sizes: list[int] = []
    strides: list[int] = []
    for base in bases:
        if sizes and base == strides[-1] * sizes[-1]:
            sizes[-1] *= 2
        else:
            sizes.append(2)
            strides.append(base)
    if len(sizes) == 1:
        return str(sizes[0]), str(strides[0])
    return f"({', '.join(map(str, sizes))})", f"({', '.join(map(str, strides))})"


LAYOUTS: Sequence[Bases] = (
    (1, 2, 4, 8, 16, 32, 64, 128),
    (128, 1, 2, 4, 8, 16, 32, 64),
    (16, 1, 2, 4, 8, 32, 64, 128),
    (2, 16, 32, 64, 128, 1, 4, 8),
)


@dataclass(frozen=True)
class _Tile:
    name: str
    shape: str
    layout: Bases

    @property
    def type(self) -> str:
        return tile_type(self.shape, self.layout)


def tile_type(shape: str, layout: Bases) -> str:
    """The type of a tile of i32."""
    return f"tensor<{shape}xi32, {alias(layout)}>"


def alias(layout: Bases) -> str:
    """The name of a layout in the text."""
    return "#l" + "_".join(map(str, layout))


def transposed(layout: Bases) -> Bases:
    """The layout of a transposed tile of 16 x 16."""
    return tuple(base // 16 + base % 16 * 16 for base in layout)


@dataclass
class _Graph:
    choice: random.Random
    layouts: Sequence[Bases]
    lines: list[str] = field(default_factory=list[str])
    conversions: int = 0
    stores: int = 0
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def converted(self, tile: _Tile, layout: Bases) -> _Tile:
        if tile.layout == layout:
            return tile
        result = _Tile(self.name(), tile.shape, layout)
        self.emit(
            f"{result.name} = nv_tileas.convert_layout {tile.name} : {tile.type} -> {result.type}"
        )
        self.conversions += 1
        return result

    def layout_near(self, *tiles: _Tile) -> Bases:
        """Mostly the layout of one of the tiles; any other while conversions may be added."""
        spare = MOST_CONVERSIONS - self.conversions
        if spare >= len(tiles) and self.choice.random() < 0.35:
            return self.choice.choice(self.layouts)
        return self.choice.choice(tiles).layout

    def pick(self, tiles: list[_Tile], shape: str | None = None) -> _Tile:
        return self.choice.choice([t for t in tiles if shape in (None, t.shape)])

    # Steps: each adds a tile to those in scope, or stores one.

    def constant(self, tiles: list[_Tile], depth: int) -> None:
        result = _Tile(self.name(), "256", self.choice.choice(self.layouts))
        value = self.choice.randrange(100)
        self.emit(f"{result.name} = arith.constant dense<{value}> : {result.type}")
        tiles.append(result)

    def combine(self, tiles: list[_Tile], depth: int) -> None:
        first = self.pick(tiles)
        second = self.pick(tiles, first.shape)
        layout = self.layout_near(first, second)
        if (
            self.conversions + (first.layout != layout) + (second.layout != layout)
            > MOST_CONVERSIONS
        ):
            return
        operands = [self.converted(tile, layout).name for tile in (first, second)]
        result = _Tile(self.name(), first.shape, layout)
        op = self.choice.choice(("addi", "subi", "xori", "muli"))
        self.emit(f"{result.name} = arith.{op} {', '.join(operands)} : {result.type}")
        tiles.append(result)

    def view(self, tiles: list[_Tile], depth: int) -> None:
        source = self.pick(tiles)
        result = _Tile(self.name(), "16x16" if source.shape == "256" else "256", source.layout)
        self.emit(f"{result.name} = nv_tileas.view {source.name} : {source.type} to {result.type}")
        tiles.append(result)

    def transpose(self, tiles: list[_Tile], depth: int) -> None:
        squares = [tile for tile in tiles if tile.shape == "16x16"]
        if not squares:
            return
        source = self.choice.choice(squares)
        result = _Tile(self.name(), "16x16", transposed(source.layout))
        self.emit(
            f"{result.name} = nv_tileaa.permute {source.name} {{permutation = array<i32: 1, 0>}} : "
            f"{source.type} -> {result.type}"
        )
        tiles.append(result)

    def convert(self, tiles: list[_Tile], depth: int) -> None:
        if self.conversions < MOST_CONVERSIONS:
            tiles.append(self.converted(self.pick(tiles), self.choice.choice(self.layouts)))

    def store(self, tiles: list[_Tile], depth: int) -> None:
        if self.stores == OUTPUTS or depth:
            return
        tile = self.pick(tiles, "256")
        layout = self.layout_near(tile)
        tile = self.converted(tile, layout)
        self.emit(
            f"nv_tileas.tiled_store weak {tile.name}, %out[%i{self.stores}] {{atom = #nv_tileas<atom "
            f"stg_32>, nv_tileas.layout = {layout_text(layout)}}} : {tile.type}, "
            f"!nv_tileaa.tiled_view<256xi32, !nv_tileaa.memref<?xi32, strides = [1]>>[i32]"
        )
        self.stores += 1

    def branch(self, tiles: list[_Tile], depth: int) -> None:
        shape = self.pick(tiles).shape
        layout = self.choice.choice(self.layouts)
        results: list[str] = []
        heads = len(self.lines)
        for _ in range(2):
            inner = list(tiles)
            self.emit("BRANCH")
            self.steps(inner, depth + 1, 2)
            recent = [tile for tile in inner[-3:] if tile.shape == shape]
            last = self.pick(recent or inner, shape)
            if self.conversions == MOST_CONVERSIONS and last.layout != layout:
                same = [t for t in inner if (t.shape, t.layout) == (shape, layout)]
                if not same:
                    del self.lines[heads:]
                    return
                last = same[-1]
            yielded = self.converted(last, layout)
            results.append(f"scf.yield {yielded.name} : {yielded.type}")
            self.emit(results[-1])
        result = _Tile(self.name(), shape, layout)
        bounds = [i for i, line in enumerate(self.lines) if i >= heads and line == "BRANCH"]
        # Inner branches have replaced their marks already.
        self.lines[bounds[0]] = f"{result.name} = scf.if %flag -> ({result.type}) {{"
        self.lines[bounds[1]] = "} else {"
        self.emit("}")
        tiles.append(result)

    def loop(self, tiles: list[_Tile], depth: int) -> None:
        start, carried, result = self.carried(tiles)
        self.emit(
            f"{result.name} = scf.for %iv{self.names} = %c0 to %c2 step %c1 "
            f"iter_args({carried.name} = {start.name}) -> ({carried.type}) {{"
        )
        self.body([*tiles, carried, carried], carried, "scf.yield", depth)
        self.emit("}")
        tiles.append(result)

    def while_loop(self, tiles: list[_Tile], depth: int) -> None:
        start, carried, result = self.carried(tiles)
        self.emit(
            f"{result.name} = scf.while ({carried.name} = {start.name}) "
            f": ({carried.type}) -> {result.type} {{"
        )
        self.body([*tiles, carried, carried], carried, "scf.condition(%never)", depth)
        again = _Tile(self.name(), carried.shape, carried.layout)
        self.emit("} do {")
        self.emit(f"^bb0({again.name}: {again.type}):")
        self.body([*tiles, again, again], again, "scf.yield", depth)
        self.emit("}")
        tiles.append(result)

    def pragma(self, tiles: list[_Tile], depth: int) -> None:
        start, _, result = self.carried(tiles)
        self.emit(f"{result.name} = nv_tileas.pragma : {result.type} {{")
        self.body([*tiles, start, start], start, "nv_tileas.yield", depth)
        self.emit("}")
        tiles.append(result)

    def carried(self, tiles: list[_Tile]) -> tuple[_Tile, _Tile, _Tile]:
        """A tile in some layout, and two more of its type."""
        first = self.pick(tiles)
        start = self.converted(first, self.layout_near(first))
        carried, result = (_Tile(self.name(), start.shape, start.layout) for _ in range(2))
        return start, carried, result

    def body(self, tiles: list[_Tile], spare: _Tile, terminator: str, depth: int) -> None:
        """A region that ends with a tile of the type of `spare`, which is one of its tiles."""
        self.steps(tiles, depth + 1, 3)
        last = self.pick(tiles, spare.shape)
        if self.conversions == MOST_CONVERSIONS and last.layout != spare.layout:
            last = spare
        yielded = self.converted(last, spare.layout)
        self.emit(f"{terminator} {yielded.name} : {yielded.type}")

    def steps(self, tiles: list[_Tile], depth: int, count: int) -> None:
        kinds = [self.combine] * 5 + [self.constant, self.view, self.transpose, self.convert]
        kinds += [self.store] * 2
        if depth < 2:
            kinds += [self.branch, self.loop, self.branch, self.loop, self.while_loop, self.pragma]
        for _ in range(count):
            self.choice.choice(kinds)(tiles, depth)


def random_graph(seed: int) -> str:
    """The kernel of a seed: `@graph` of a pointer to the input, one to the output, and a number."""
    choice = random.Random(seed)
    graph = _Graph(choice, LAYOUTS[: choice.randint(2, len(LAYOUTS))])
    view = "!nv_tileaa.tiled_view<256xi32, !nv_tileaa.memref<?xi32, strides = [1]>>"
    tiles: list[_Tile] = []
    for index in range(choice.randint(2, INPUTS)):
        layout = choice.choice(graph.layouts)
        tile = _Tile(f"%t{index}", "256", layout)
        graph.emit(
            f"{tile.name} = nv_tileas.tiled_load weak %in[%i{index}] {{atom = #nv_tileas<atom "
            f"ldg_32>, nv_tileas.layout = {layout_text(layout)}}} : {view}[i32] -> {tile.type}"
        )
        tiles.append(tile)
    graph.steps(tiles, 0, choice.randint(4, 12))
    flat = [tile for tile in tiles if tile.shape == "256"]
    while graph.stores < OUTPUTS and flat:
        graph.store([flat.pop()], 0)
    indices = "\n".join(
        f"%i{index} = arith.constant {index} : i32" for index in range(max(INPUTS, OUTPUTS))
    )
    memref = "!nv_tileaa.memref<?xi32, strides = [1]>"
    body = "\n".join(graph.lines)
    layouts = dict.fromkeys((*LAYOUTS, *map(transposed, LAYOUTS)))
    aliases = "\n".join(
        f"{alias(layout)} = #nv_tileas.layout{layout_text(layout)}" for layout in layouts
    )
    return f"""
{aliases}
nv_tileaa.func @graph(%p: !nv_tileaa.ptr<i32>, %q: !nv_tileaa.ptr<i32>, %n: i32) attributes {{
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
{indices}
%size = arith.constant {LENGTH * INPUTS} : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%never = arith.constant false
%flag = arith.cmpi sgt, %n, %i0 : i32
%m0 = nv_tileaa.make_memref %p sizes = [%size : i32] : !nv_tileaa.ptr<i32> -> {memref}
%m1 = nv_tileaa.make_memref %q sizes = [%size : i32] : !nv_tileaa.ptr<i32> -> {memref}
%in = nv_tileaa.block_tile %m0 {{tileSizes = array<i64: 256>, dimGroups = [[0 : i64]]}} : {memref} -> {view}
%out = nv_tileaa.block_tile %m1 {{tileSizes = array<i64: 256>, dimGroups = [[0 : i64]]}} : {memref} -> {view}
{body}
nv_tileaa.return
}}
"""
