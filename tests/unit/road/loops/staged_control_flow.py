"""Random control flow around tiles that products and collectives take through shared memory.

A program carries a sum of f32 and a tile of f16, both of small integers, through loops that may not
run, branches, and loops with breaks. Its statements multiply tiles from views, from gathers and out of
registers, so that buffers are written by threads and by hardware, and read by both.
"""

import random
from dataclasses import dataclass, field

import numpy as np

from tests.unit.road.agreement import Array, kernel

SIZE = 64
BLOCKS = 4
"""How many tiles the input array has."""

SUM, HALF = f"tile<{SIZE}x{SIZE}xf32>", f"tile<{SIZE}x{SIZE}xf16>"
OBJECT = f"tensor_view<{BLOCKS * SIZE}x{SIZE}xf16, strides=[{SIZE},1]>"
VIEW = f"partition_view<tile=({SIZE}x{SIZE}), {OBJECT}>"
RESULT = f"tensor_view<{SIZE}x{SIZE}xf32, strides=[{SIZE},1]>"
RESULT_VIEW = f"partition_view<tile=({SIZE}x{SIZE}), {RESULT}>"
TRIPS = (0, 1, 3)
"""What the scalar parameters %n<trips> are, so that no pass knows how often a loop runs."""

MOST_DEPTH = 2

HEAD = f"""
%a = assume div_by<16>, %p0 : tile<ptr<f16>>
%o = assume div_by<16>, %p1 : tile<ptr<f32>>
%object = make_tensor_view %a, shape = [{BLOCKS * SIZE}, {SIZE}], strides = [{SIZE}, 1] : {OBJECT}
%view = make_partition_view %object : {VIEW}
%one = constant <i32: 1> : tile<i32>
%two = constant <i32: 2> : tile<i32>
%low = constant <f32: -4.0> : {SUM}
%high = constant <f32: 4.0> : {SUM}
%columns = iota : tile<{SIZE}xi32>
%row_of = reshape %columns : tile<{SIZE}xi32> -> tile<{SIZE}x1xi32>
%wide_rows = broadcast %row_of : tile<{SIZE}x1xi32> -> tile<{SIZE}x{SIZE}xi32>
%size = constant <i32: {SIZE}> : tile<{SIZE}x{SIZE}xi32>
%row_starts = muli %wide_rows, %size : tile<{SIZE}x{SIZE}xi32>
%column_of = reshape %columns : tile<{SIZE}xi32> -> tile<1x{SIZE}xi32>
%wide_columns = broadcast %column_of : tile<1x{SIZE}xi32> -> tile<{SIZE}x{SIZE}xi32>
%places = addi %row_starts, %wide_columns : tile<{SIZE}x{SIZE}xi32>
%one_pointer = reshape %a : tile<ptr<f16>> -> tile<1x1xptr<f16>>
%pointers = broadcast %one_pointer : tile<1x1xptr<f16>> -> tile<{SIZE}x{SIZE}xptr<f16>>
%nothing = constant <f32: 0.0> : {SUM}
%sum0 = constant <f32: 1.0> : {SUM}
%first = constant <i32: 0> : tile<i32>
%tile0, %loaded0 = load_view_tko weak %view[%first, %zero] : {VIEW}, tile<i32> -> {HALF}, token
"""


@dataclass
class _Draft:
    random: random.Random
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> str:
        """Appends an op; gives the name of its result."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    # Tiles of f16

    def loaded(self, index: str) -> str:
        name = self.name()
        self.lines.append(
            f"{name}, {name}_token = load_view_tko weak %view[{index}, %zero] : "
            f"{VIEW}, tile<i32> -> {HALF}, token"
        )
        return name

    def gathered(self, index: str) -> str:
        """The same by pointers, as gathers have them."""
        shape = f"tile<{SIZE}x{SIZE}xi32>"
        scalar = self.emit(f"reshape {index} : tile<i32> -> tile<1x1xi32>")
        block = self.emit(f"broadcast {scalar} : tile<1x1xi32> -> {shape}")
        start = self.emit(f"muli {block}, %size : {shape}")
        start = self.emit(f"muli {start}, %size : {shape}")
        place = self.emit(f"addi {start}, %places : {shape}")
        pointers = f"tile<{SIZE}x{SIZE}xptr<f16>>"
        address = self.emit(f"offset %pointers, {place} : {pointers}, {shape} -> {pointers}")
        name = self.name()
        self.lines.append(
            f"{name}, {name}_token = load_ptr_tko weak {address} : {pointers} -> {HALF}, token"
        )
        return name

    def half(self, tile: str, index: str) -> str:
        """A tile of f16: carried, from memory, or computed of these."""
        match self.random.randrange(6):
            case 0 | 1:
                return tile
            case 2:
                return self.gathered(index)
            case 3:
                return self.emit(f"negf {self.loaded(index)} : {HALF}")
            case 4:
                return self.emit(f"permute {tile} [1, 0] : {HALF} -> {HALF}")
            case _:
                return self.loaded(index)

    # Statements

    def mma(self, total: str, tile: str, index: str) -> tuple[str, str]:
        a, b = self.half(tile, index), self.half(tile, index)
        added = self.emit(f"mmaf {a}, {b}, {total} : {HALF}, {HALF}, {SUM}")
        return self.bounded(added), tile

    def chained(self, total: str, tile: str, index: str) -> tuple[str, str]:
        """Two products, one of the other, as in attention: the second operand B may be gathered."""
        return self.bounded(self.weighted(total, tile, index)), tile

    def weighted(self, total: str, tile: str, index: str) -> str:
        """The two products, their sum as it is."""
        key = self.loaded(index)
        if self.random.random() < 0.5:
            key = self.emit(f"permute {key} [1, 0] : {HALF} -> {HALF}")
        scores = self.emit(f"mmaf {tile}, {key}, %nothing : {HALF}, {HALF}, {SUM}")
        bounded = self.bounded(scores)
        if self.random.random() < 0.5:
            bounded, _ = self.collective(bounded, tile, index)
        weights = self.emit(f"ftof {bounded} : {SUM} -> {HALF}")
        value = self.half(tile, index)
        return self.emit(f"mmaf {weights}, {value}, {total} : {HALF}, {HALF}, {SUM}")

    def attended(self, total: str, tile: str) -> tuple[str, str]:
        """A loop of such products alone, of which one runs while others are prepared."""
        name, trips = self.name(), self.random.choice(TRIPS)
        self.lines.append(
            f"{name} = for {name}_i in (%zero to %n{trips}, step %one) : tile<i32> "
            f"iter_values({name}_s = {total}) -> ({SUM}) {{"
        )
        added = self.weighted(f"{name}_s", tile, f"{name}_i")
        self.lines.append(f"continue {added} : {SUM} }}")
        return self.bounded(name), tile

    def bounded(self, total: str) -> str:
        """A sum cut to what f16 holds, and products of it hold, exactly."""
        lower = self.emit(f"maxf {total}, %low : {SUM}")
        return self.emit(f"minf {lower}, %high : {SUM}")

    def staged(self, total: str, tile: str, index: str) -> tuple[str, str]:
        if self.random.random() < 0.4:
            return total, self.emit(f"ftof {total} : {SUM} -> {HALF}")
        return total, self.half(tile, index)

    def collective(self, total: str, tile: str, index: str) -> tuple[str, str]:
        """The largest of each row, taken off."""
        dim = self.random.randrange(2)
        reduced, name = f"tile<{SIZE}xf32>", self.name()
        self.lines.append(
            f"{name} = reduce {total} dim={dim} identities=[0xFF800000 : f32] : {SUM} -> {reduced}"
            f" ({name}_l: tile<f32>, {name}_r: tile<f32>) {{"
            f" {name}_m = maxf {name}_l, {name}_r : tile<f32> yield {name}_m : tile<f32> }}"
        )
        shape = f"tile<{SIZE}x1xf32>" if dim else f"tile<1x{SIZE}xf32>"
        thin = self.emit(f"reshape {name} : {reduced} -> {shape}")
        wide = self.emit(f"broadcast {thin} : {shape} -> {SUM}")
        return self.bounded(self.emit(f"subf {total}, {wide} : {SUM}")), tile

    def branch(self, total: str, tile: str, index: str, depth: int) -> tuple[str, str]:
        rest = self.emit(f"remi {index}, %two signed : tile<i32>")
        side = self.random.choice(["%zero", "%one"])
        condition = self.emit(f"cmpi equal {rest}, {side}, signed : tile<i32> -> tile<i1>")
        name = self.name()
        self.lines.append(f"{name}, {name}_tile = if {condition} -> ({SUM}, {HALF}) {{")
        self.yielded("yield", *self.body(total, tile, index, depth + 1))
        self.lines.append("} else {")
        last = (total, tile)
        if self.random.random() < 0.6:
            last = self.body(total, tile, index, depth + 1)
        self.yielded("yield", *last)
        self.lines.append("}")
        return name, f"{name}_tile"

    def yielded(self, op: str, total: str, tile: str) -> None:
        self.lines.append(f"{op} {total}, {tile} : {SUM}, {HALF}")

    def counted(self, total: str, tile: str, depth: int) -> tuple[str, str]:
        name, trips = self.name(), self.random.choice(TRIPS)
        bound = f"%n{trips}"
        if self.random.random() < 0.3:
            bound = self.emit(f"constant <i32: {trips}> : tile<i32>")
        self.lines.append(
            f"{name}, {name}_tile = for {name}_i in (%zero to {bound}, step %one) : tile<i32> "
            f"iter_values({name}_s = {total}, {name}_t = {tile}) -> ({SUM}, {HALF}) {{"
        )
        body = self.body(f"{name}_s", f"{name}_t", f"{name}_i", depth + 1)
        self.yielded("continue", *body)
        self.lines.append("}")
        return name, f"{name}_tile"

    def with_breaks(self, total: str, tile: str, depth: int) -> tuple[str, str]:
        """A loop that is left in the middle, by what is computed so far or before that."""
        name, trips = self.name(), self.random.choice(TRIPS)
        types = f"tile<i32>, {SUM}, {HALF}"
        self.lines.append(
            f"{name}:3 = loop iter_values({name}_i = %zero, {name}_s = {total}, {name}_t = {tile})"
            f" : {types} -> {types} {{"
        )
        total, tile, index = f"{name}_s", f"{name}_t", f"{name}_i"
        place = self.random.randrange(3)
        if place != 0:
            total, tile = self.body(total, tile, index, depth + 1)
        condition = self.emit(
            f"cmpi greater_than_or_equal {index}, %n{trips}, signed : tile<i32> -> tile<i1>"
        )
        self.lines.append(f"if {condition} {{")
        left = (total, tile)
        if self.random.random() < 0.4:
            left = self.body(total, tile, index, depth + 1)
        self.lines.append(f"break {index}, {left[0]}, {left[1]} : {types} }} else {{ }}")
        if place != 1:
            total, tile = self.body(total, tile, index, depth + 1)
        following = self.emit(f"addi {index}, %one : tile<i32>")
        self.lines.append(f"continue {following}, {total}, {tile} : {types} }}")
        return f"{name}#1", f"{name}#2"

    def body(self, total: str, tile: str, index: str, depth: int) -> tuple[str, str]:
        for _ in range(self.random.randint(1, 3 if depth else 4)):
            choice = self.random.random()
            if depth < MOST_DEPTH and choice < 0.15:
                total, tile = self.branch(total, tile, index, depth)
            elif depth < MOST_DEPTH and choice < 0.3:
                total, tile = self.counted(total, tile, depth)
            elif depth < MOST_DEPTH and choice < 0.45:
                total, tile = self.with_breaks(total, tile, depth)
            elif depth < MOST_DEPTH and choice < 0.6:
                total, tile = self.attended(total, tile)
            elif choice < 0.65:
                total, tile = self.chained(total, tile, index)
            elif choice < 0.75:
                total, tile = self.mma(total, tile, index)
            elif choice < 0.9:
                total, tile = self.staged(total, tile, index)
            else:
                total, tile = self.collective(total, tile, index)
        return total, tile


def program(seed: int) -> str:
    """The kernel @k of a seed; it takes the input, the result, and the numbers of `TRIPS`."""
    draft = _Draft(random.Random(seed))
    total, tile = draft.body("%sum0", "%tile0", "%first", 0)
    total, tile = draft.mma(total, tile, "%one")
    lines = "\n".join(draft.lines)
    tail = f"""
    %result = make_tensor_view %o, shape = [{SIZE}, {SIZE}], strides = [{SIZE}, 1] : {RESULT}
    %result_view = make_partition_view %result : {RESULT_VIEW}
    %stored = store_view_tko weak {total}, %result_view[%zero, %zero]
        : {SUM}, {RESULT_VIEW}, tile<i32> -> token
    """
    text = kernel(f"{HEAD}{lines}{tail}", ["f16", "f32"])
    scalars = "".join(f", %n{trips}: tile<i32>" for trips in TRIPS)
    return text.replace("ptr<f32>>) {", f"ptr<f32>>{scalars}) {{", 1)


def arguments(seed: int) -> list[Array | int]:
    """What the kernel is run with."""
    rng = np.random.default_rng(seed)
    tiles = rng.integers(-1, 2, BLOCKS * SIZE * SIZE).astype(np.float16)
    return [tiles, np.zeros(SIZE * SIZE, np.float32), *TRIPS]
