"""Random kernels of slices, views, loops and branches, with ops among them whose order matters."""

from random import Random

TILE = "tensor<4x8xf32>"
VIEW = "!nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<16x8xf32, strides = [8, 1]>>[index, index]"
SHAPES = ("4x8", "2x4", "1x8", "2x8", "4x4")
"""Shapes of slices of a tile."""

ACCESSES = (
    "",
    "{padding_value = #nv_tileaa.padding_value<nan>} ",
    "{in_bounds = array<i1: true, true>} ",
    "{in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<zero>} ",
)
"""What loads say besides: nothing of it matters, and all of it stays."""


class Generator:
    """Writes one body for `tests.unit.interpreters.nv_tileas.kernels.kernel`.

    Every element of a tile that is read has been written, so that what is computed is defined.
    """

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.tiles: dict[str, list[str]] = {shape: [] for shape in SHAPES}
        self.indices = ["%c0", "%c1", "%c2", "%c3"]

    def name(self) -> str:
        self.count += 1
        return f"%x{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def tile(self, shape: str = "4x8") -> str:
        """A tile of a shape, made if there is none."""
        if not self.tiles[shape]:
            if shape == "4x8":
                self.load()
            else:
                self.extract(shape)
        return self.random.choice(self.tiles[shape])

    def load(self) -> None:
        name, row = self.name(), self.random.choice(self.indices)
        order = self.random.choice(["weak", "weak", "acquire gpu", "relaxed sys"])
        attributes = self.random.choice(ACCESSES)
        self.emit(
            f"{name} = nv_tileas.tiled_load {order} %in[{row}, %c0] {attributes}: {VIEW} -> {TILE}"
        )
        self.tiles["4x8"].append(name)

    def place(self, shape: str) -> str:
        """A slice of a 4x8 tile: numbers, or constants as values."""
        sizes = [int(n) for n in shape.split("x")]
        offsets = [
            self.random.randrange(extent - size + 1)
            for extent, size in zip((4, 8), sizes, strict=True)
        ]

        def text(number: int) -> str:
            named = number <= 4 and self.random.random() < 0.5
            return f"%c{number}" if named else str(number)

        return (
            "".join("[" + ", ".join(text(n) for n in numbers) + "]" for numbers in (offsets,))
            + f"[{sizes[0]}, {sizes[1]}][1, 1]"
        )

    def extract(self, shape: str | None = None) -> None:
        shape = shape or self.random.choice(SHAPES[1:])
        source, name = self.tile(), self.name()
        self.emit(
            f"{name} = nv_tileas.extract_slice {source}{self.place(shape)} "
            f": {TILE} to tensor<{shape}xf32>"
        )
        self.tiles[shape].append(name)

    def dynamic(self) -> None:
        """A slice whose type is dynamic although its sizes are known, put into another tile."""
        source, target = self.tile(), self.tile()
        part, name = self.name(), self.name()
        self.emit(
            f"{part} = nv_tileas.extract_slice {source}[%c1, %c2][%c2, %c4][%c1, %c1] "
            f": {TILE} to tensor<?x?xf32>"
        )
        self.emit(
            f"{name} = nv_tileas.insert_slice {part} into {target}[%c0, %c4][%c2, %c4][1, 1] "
            f": tensor<?x?xf32> into {TILE}"
        )
        self.tiles["4x8"].append(name)

    def insert(self) -> None:
        """A slice in a tile, and sometimes the same slice taken back."""
        shape = self.random.choice(SHAPES[1:])
        part, target, name, place = self.tile(shape), self.tile(), self.name(), self.place(shape)
        self.emit(
            f"{name} = nv_tileas.insert_slice {part} into {target}{place} "
            f": tensor<{shape}xf32> into {TILE}"
        )
        self.tiles["4x8"].append(name)
        if self.random.random() < 0.5:
            taken = self.name()
            self.emit(
                f"{taken} = nv_tileas.extract_slice {name}{place} : {TILE} to tensor<{shape}xf32>"
            )
            self.tiles[shape].append(taken)

    def view(self) -> None:
        """A view of a tile, sliced, and viewed back."""
        source = self.tile()
        seen, part, name = self.name(), self.name(), self.name()
        row = self.random.choice(self.indices)
        self.emit(f"{seen} = nv_tileas.view {source} : {TILE} to tensor<1x4x8xf32>")
        self.emit(
            f"{part} = nv_tileas.extract_slice {seen}[0, {row}, 0][1, 1, 8][1, 1, 1] "
            ": tensor<1x4x8xf32> to tensor<1x1x8xf32>"
        )
        self.emit(f"{name} = nv_tileas.view {part} : tensor<1x1x8xf32> to tensor<1x8xf32>")
        self.tiles["1x8"].append(name)

    def add(self) -> None:
        shape = self.random.choice(SHAPES)
        name, lhs, rhs = self.name(), self.tile(shape), self.tile(shape)
        self.emit(f"{name} = arith.addf {lhs}, {rhs} : tensor<{shape}xf32>")
        self.tiles[shape].append(name)

    def ordered(self) -> None:
        """An op whose order matters."""
        shape = self.random.choice(SHAPES)
        source, name, later = self.tile(shape), self.name(), self.name()
        type = f"tensor<{shape}xf32>"
        match self.random.randrange(5):
            case 0:
                self.emit(f"{name} = nv_tileas.copy {source} : {type} -> {type}")
            case 1:
                self.emit("nv_tileas.fence acq_rel gpu")
                name = source
            case 2:
                self.emit(
                    f"{later} = nv_tileas.async.copy {source} : {type} -> !async.value<{type}>"
                )
                self.emit(f"nv_tileas.async.wait {later} : !async.value<{type}>")
                self.emit(
                    f"{name} = nv_tileas.async.future_wait {later} : !async.value<{type}> -> {type}"
                )
            case 3:
                row, mode = (
                    self.random.choice(self.indices),
                    self.random.choice(["add", "max", "xchg"]),
                )
                self.emit(
                    f"{later} = nv_tileas.tiled_atomic_rmw relaxed gpu {self.tile()}, %out[{row}, %c0] "
                    f"{{rmw_mode = #nv_tileas.rmw_mode<{mode}>}} : {TILE}, {VIEW} -> {TILE}"
                )
                name = source
            case _:
                column = f"tensor<{shape.split('x')[0]}xf32>"
                self.emit(
                    f"{later} = nv_tileas.reduce {source} {{axis = 1 : i32}} : {type} -> {column} {{"
                )
                self.emit("^bb0(%l: f32, %r: f32):\n%s = arith.addf %l, %r : f32")
                self.emit("nv_tileas.yield %s : f32\n}")
                name = source
        self.tiles[shape].append(name)

    def store(self) -> None:
        row = self.random.choice(self.indices)
        self.emit(f"nv_tileas.tiled_store weak {self.tile()}, %out[{row}, %c0] : {TILE}, {VIEW}")

    def allocation(self) -> str:
        """A tile that is allocated and covered."""
        seed, storage, name = self.tile(), self.name(), self.name()
        self.emit(f"{storage} = nv_tileas.alloc_tensor : {TILE}")
        self.emit(
            f"{name} = nv_tileas.insert_slice {seed} into {storage}[0, 0][4, 8][1, 1] "
            f": {TILE} into {TILE}"
        )
        return name

    def into(self, target: str) -> str:
        """A tile with a slice replaced."""
        shape, name = self.random.choice(SHAPES[1:]), self.name()
        self.emit(
            f"{name} = nv_tileas.insert_slice {self.tile(shape)} into {target}{self.place(shape)} "
            f": tensor<{shape}xf32> into {TILE}"
        )
        return name

    def scope(self) -> tuple[dict[str, list[str]], list[str]]:
        return {shape: list(names) for shape, names in self.tiles.items()}, list(self.indices)

    def leave(self, saved: tuple[dict[str, list[str]], list[str]]) -> None:
        self.tiles, self.indices = saved

    def branch(self, depth: int) -> None:
        """A branch whose arms put slices into one allocation; a slice of it is taken, or all."""
        target, name, flag = self.allocation(), self.name(), self.name()
        a, b = self.random.choice(self.indices), self.random.choice(self.indices)
        self.emit(f"{flag} = arith.cmpi slt, {a}, {b} : index")
        self.emit(f"{name} = scf.if {flag} -> ({TILE}) {{")
        for last in (False, True):
            saved = self.scope()
            self.body(depth + 1, 1)
            self.emit(f"scf.yield {self.into(target)} : {TILE}")
            self.emit("}" if last else "} else {")
            self.leave(saved)
        if self.random.random() < 0.5:
            part = self.name()
            self.emit(
                f"{part} = nv_tileas.extract_slice {name}{self.place('2x4')} "
                f": {TILE} to tensor<2x4xf32>"
            )
            self.tiles["2x4"].append(part)
        else:
            self.tiles["4x8"].append(name)

    def loop(self, depth: int) -> None:
        """A loop that carries a tile made of an allocation, whose result is used or not."""
        target, name, index, carried = self.allocation(), self.name(), self.name(), self.name()
        self.emit(
            f"{name} = scf.for {index} = %c0 to %c3 step %c1 iter_args({carried} = {target}) "
            f"-> ({TILE}) {{"
        )
        saved = self.scope()
        self.indices.append(index)
        if self.random.random() < 0.3:
            self.tiles["4x8"].append(carried)
        self.body(depth + 1, 2)
        self.emit(f"scf.yield {self.into(carried)} : {TILE}\n}}")
        self.leave(saved)
        if self.random.random() < 0.4:
            self.tiles["4x8"].append(name)

    def nest(self, depth: int) -> None:
        """Two loops, the inner one alone in the outer one."""
        outer, inner = self.name(), self.name()
        self.tile()
        self.emit(f"scf.for {outer} = %c1 to %c4 step %c2 {{")
        self.emit(f"scf.for {inner} = %c0 to %c3 step %c2 {{")
        saved = self.scope()
        self.indices += [outer, inner]
        self.body(depth + 1, 2)
        self.store()
        self.emit("}\n}")
        self.leave(saved)

    def body(self, depth: int, length: int) -> None:
        simple = [self.load, self.extract, self.dynamic, self.insert, self.view, self.add]
        simple += [self.ordered, self.store]
        for _ in range(length):
            if depth < 2 and self.random.random() < 0.35:
                self.random.choice([self.branch, self.loop, self.nest])(depth)
            else:
                self.random.choice(simple)()


def random_body(seed: int) -> str:
    """The body of a kernel."""
    generator = Generator(seed)
    generator.load()
    generator.body(0, 8)
    for row in range(4):
        generator.emit(
            f"nv_tileas.tiled_store weak {generator.tile()}, %out[%c{row}, %c0] : {TILE}, {VIEW}"
        )
    return "\n".join(generator.lines)
