"""Small `cuda_tile` programs with a loop that loads the operands of a dot.

The compiler pipelines such loops, with TMA copies, `cp.async` or plain loads, and their barriers,
phases and agents. There are more iterations than stages, and each iteration loads other numbers. So
a stage that is read too early or too late changes the sum. All numbers are small integers, so no
sum rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import ml_dtypes
import numpy as np

from tileir_xdsl.checking.inputs import LaunchInput

KERNEL = "dense_loop"
BLOCKS = 2
"""The number of tile blocks; each has its own columns of operand B and of the result."""

SQUARE = 4
"""Seeds equal to this modulo 5 have square operands."""

TRIPS = (3, 9, 10, 18)
MAGNITUDE = 3
ELEMENTS = ("f16", "f16", "bf16", "i8", "tf32")
"""Operand types; `tf32` operands are f32 in memory."""

_DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "tf32": np.float32}
_MEMORY = {"tf32": "f32"}
_SUMS = {"i8": "i32"}


@dataclass
class _Loop:
    """The lines of a program, and the sizes of its tiles."""

    random: Random
    element: str
    rows: int
    columns: int
    depth: int
    trips: int
    is_open: bool
    """Whether the trip count is a kernel parameter instead of a constant."""
    has_open_operands: bool
    """Whether the extents of operands are kernel parameters, so that their types can be equal."""
    lines: list[str] = field(default_factory=list[str])
    extents: dict[str, int] = field(default_factory=dict[str, int])
    """The parameters that are extents, and their values."""
    count: int = 0

    @property
    def memory(self) -> str:
        """The element type of the operands in memory."""
        return _MEMORY.get(self.element, self.element)

    @property
    def sums(self) -> str:
        """The accumulator's element type."""
        return _SUMS.get(self.element, "f32")

    @property
    def result(self) -> str:
        """The type of the accumulator."""
        return f"tile<{self.rows}x{self.columns}x{self.sums}>"

    def add(self, text: str) -> str:
        """Appends an op with one result; returns the name of the result."""
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def load(self, text: str, types: str) -> tuple[str, str]:
        """Appends a load; returns the names of its tile and its token."""
        self.count += 1
        self.lines.append(f"%v{self.count}, %t{self.count} = {text} : {types}, token")
        return f"%v{self.count}", f"%t{self.count}"


def dense_loop_program(seed: int) -> tuple[str, LaunchInput]:
    """The text of a seed's program, and its launch."""
    random = Random(f"{seed} loop")
    loop = _new_loop(seed, random)
    rows, columns, depth = loop.rows, loop.columns, loop.depth
    has_update, has_scale = random.random() < 0.4, random.random() < 0.3
    a = _operand(loop, "a", rows, depth)
    b = _operand(loop, "b", depth, columns)
    o = _tiles(loop, "o", loop.sums, rows, columns, rows, columns * BLOCKS)
    u = _tiles(loop, "u", "f32", 1, 64, 1, 64 * BLOCKS)
    zero = loop.add(
        f"constant <{loop.sums}: 0{'.0' if loop.sums == 'f32' else ''}> : {loop.result}"
    )
    written = _written(seed, loop)
    before = {"b": "%start", "o": "%start"}
    if written is not None:
        before[written.array] = written.store_twos(loop, "%start", "%zero")
    initials, types = [("%sum", zero, loop.result)], [loop.result]
    if has_update:
        initials.append(("%token", "%start", "token"))
        types.append("token")
    inside = before
    if written is not None and written.is_stored_within:
        initials.append(("%stored", before[written.array], "token"))
        types.append("token")
        inside = {**before, written.array: "%stored"}
    given = ", ".join(f"{name} = {value}" for name, value, _ in initials)
    made = [f"%made{number}" for number in range(len(types))]
    loop.lines.append(
        f"{', '.join(made)} = for %k in (%zero to %trips, step %one) : tile<i32> "
        f"iter_values({given}) -> ({', '.join(types)}) {{"
    )
    lhs = a.load(loop, "%zero", "%k", "%start")
    rhs = b.load(loop, "%k", "%x", inside["b"])
    if has_scale:
        # An operand that passes through registers.
        op = f"add{'i' if loop.element == 'i8' else 'f'}"
        lhs = loop.add(f"{op} {lhs}, {lhs} : {_tile(rows, depth, loop.memory)}")
    if loop.element == "tf32":
        lhs, rhs = (_converted(loop, *each) for each in ((lhs, rows, depth), (rhs, depth, columns)))
    total = _dot(loop, lhs, rhs)
    following = [total]
    if has_update:
        following.append(_update(loop, u))
    if written is not None and written.is_stored_within:
        tile = loop.add("addi %k, %one : tile<i32>") if written.array == "b" else "%zero"
        following.append(written.store_twos(loop, "%stored", tile))
    loop.lines += [f"continue {', '.join(following)} : {', '.join(types)}", "}"]
    result, token = made[0], made[1] if has_update else "%start"
    if written is not None and written.array == "o":
        stored = made[-1] if written.is_stored_within else before["o"]
        token = loop.add(f"join_tokens {token}, {stored} : token")
    if random.random() < 0.5:
        # The store overwrites what this loads.
        old, token = o.load_with_token(loop, "%zero", "%x", token)
        result = loop.add(f"sub{loop.sums[0]} {result}, {old} : {loop.result}")
    o.store(loop, result, "%zero", "%x", token)
    return _text(loop), _launch(seed, loop)


def _new_loop(seed: int, random: Random) -> _Loop:
    """A program without lines; draws its sizes and types."""
    rows, columns = random.choice((16, 64, 64, 64, 128)), random.choice((16, 16, 32, 64))
    trips, depth = random.choice(TRIPS), random.choice((16, 32, 32, 64))
    if seed % 5 == SQUARE:
        # The operands could be each other.
        rows = columns = depth = 64
    is_square = rows == columns == depth
    has_open_operands = Random(f"{seed} extents").random() < (0.5 if is_square else 0.15)
    element, is_open = random.choice(ELEMENTS), random.random() < 0.5
    return _Loop(random, element, rows, columns, depth, trips, is_open, has_open_operands)


def _tile(rows: int, columns: int, element: str) -> str:
    return f"tile<{rows}x{columns}x{element}>"


@dataclass(frozen=True)
class _View:
    """Tiles of an array through a view; TMA copies them on targets that have it."""

    name: str
    type: str
    tile: str

    def load_with_token(self, d: _Loop, row: str, column: str, token: str) -> tuple[str, str]:
        """Loads the tile at a row and a column; returns the names of the tile and the token."""
        return d.load(
            f"load_view_tko weak {self.name}[{row}, {column}] token = {token}",
            f"{self.type}, tile<i32> -> {self.tile}",
        )

    def load(self, d: _Loop, row: str, column: str, token: str) -> str:
        """Loads the tile at a row and a column."""
        return self.load_with_token(d, row, column, token)[0]

    def store(self, d: _Loop, value: str, row: str, column: str, token: str) -> str:
        """Stores a tile; returns the name of the token."""
        return d.add(
            f"store_view_tko weak {value}, {self.name}[{row}, {column}] token = {token} : "
            f"{self.tile}, {self.type}, tile<i32> -> token"
        )


@dataclass(frozen=True)
class _Pointers:
    """Tiles of an array through masked pointers; `cp.async` copies them where it is faster."""

    base: str
    rows: int
    columns: int
    pitch: int
    element: str
    moves: str
    """Which axis is K and so advances with the iteration: "rows" or "columns"."""

    def load(self, d: _Loop, row: str, column: str, token: str) -> str:
        """Loads the tile at a row and a column, with zeros past the end of K."""
        shape = f"{self.rows}x{self.columns}"
        i32, many = f"tile<{shape}xi32>", f"tile<{shape}xptr<{self.element}>>"
        down, along = (
            _indices(d, row, self.rows, 0, shape),
            _indices(d, column, self.columns, 1, shape),
        )
        pitch = d.add(f"constant <i32: {self.pitch}> : {i32}")
        line = d.add(f"muli {down}, {pitch} : {i32}")
        offset = d.add(f"addi {line}, {along} : {i32}")
        one = d.add(
            f"reshape {self.base} : tile<ptr<{self.element}>> -> tile<1x1xptr<{self.element}>>"
        )
        base = d.add(f"broadcast {one} : tile<1x1xptr<{self.element}>> -> {many}")
        pointers = d.add(f"offset {base}, {offset} : {many}, {i32} -> {many}")
        end = _filled(d, "%extent", shape)
        inside = d.add(
            f"cmpi less_than {down if self.moves == 'rows' else along}, {end}, signed : "
            f"{i32} -> tile<{shape}xi1>"
        )
        zero = "0" if self.element.startswith("i") else "0.0"
        other = d.add(f"constant <{self.element}: {zero}> : tile<{shape}x{self.element}>")
        tile = f"tile<{shape}x{self.element}>"
        return d.load(
            f"load_ptr_tko weak {pointers}, {inside}, {other} token={token}",
            f"{many}, tile<{shape}xi1>, {tile} -> {tile}",
        )[0]


def _indices(d: _Loop, index: str, extent: int, axis: int, shape: str) -> str:
    """A tile of row indices (`axis` 0) or column indices (`axis` 1)."""
    size = d.add(f"constant <i32: {extent}> : tile<i32>")
    first = d.add(f"muli {index}, {size} : tile<i32>")
    numbers = d.add(f"iota : tile<{extent}xi32>")
    line = f"{extent}x1" if axis == 0 else f"1x{extent}"
    reshaped = d.add(f"reshape {numbers} : tile<{extent}xi32> -> tile<{line}xi32>")
    whole = d.add(f"broadcast {reshaped} : tile<{line}xi32> -> tile<{shape}xi32>")
    return d.add(f"addi {_filled(d, first, shape)}, {whole} : tile<{shape}xi32>")


def _filled(d: _Loop, value: str, shape: str) -> str:
    one = d.add(f"reshape {value} : tile<i32> -> tile<1x1xi32>")
    return d.add(f"broadcast {one} : tile<1x1xi32> -> tile<{shape}xi32>")


def _tiles(
    d: _Loop, name: str, element: str, rows: int, columns: int, height: int, width: int
) -> _View:
    extents, types = [str(height), str(width)], ""
    tensor = f"tensor_view<{height}x{width}x{element}, strides=[{width},1]>"
    if d.has_open_operands and name in ("a", "b"):
        parameters = {f"%{name}_height": height, f"%{name}_width": width}
        d.extents |= parameters
        extents = [d.add(f"assume div_by<16>, {each} : tile<i32>") for each in parameters]
        types = "tile<i32> -> "
        tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    base = d.add(f"assume div_by<16>, %{name} : tile<ptr<{element}>>")
    shape, strides = ", ".join(extents), f"{extents[1]}, 1"
    whole = d.add(
        f"make_tensor_view {base}, shape = [{shape}], strides = [{strides}] : {types}{tensor}"
    )
    type_ = f"partition_view<tile=({rows}x{columns}), padding_value = zero, {tensor}>"
    return _View(
        d.add(f"make_partition_view {whole} : {type_}"), type_, _tile(rows, columns, element)
    )


def _operand(d: _Loop, name: str, rows: int, columns: int) -> _View | _Pointers:
    """The tiles of an operand: consecutive along the columns for A, along the rows for B."""
    is_a = name == "a"
    height = rows if is_a else rows * d.trips
    width = columns * d.trips if is_a else columns * BLOCKS
    if d.random.random() < 0.3:
        base = d.add(f"assume div_by<16>, %{name} : tile<ptr<{d.memory}>>")
        return _Pointers(base, rows, columns, width, d.memory, "columns" if is_a else "rows")
    return _tiles(d, name, d.memory, rows, columns, height, width)


def _converted(d: _Loop, value: str, rows: int, columns: int) -> str:
    tiles = f"{_tile(rows, columns, d.memory)} -> {_tile(rows, columns, d.element)}"
    return d.add(f"ftof {value} : {tiles}")


def _dot(d: _Loop, lhs: str, rhs: str) -> str:
    types = ", ".join(
        (
            _tile(d.rows, d.depth, d.element),
            _tile(d.depth, d.columns, d.element),
            d.result,
        )
    )
    if d.element == "i8":
        return d.add(f"mmai {lhs}, {rhs}, %sum signed signed : {types}")
    return d.add(f"mmaf {lhs}, {rhs}, %sum : {types}")


def _update(d: _Loop, u: _View) -> str:
    """Replaces a tile in memory by one minus the tile, in every iteration."""
    old, token = u.load_with_token(d, "%zero", "%x", "%token")
    new = d.add(f"subf %ones, {old} : {u.tile}")
    return u.store(d, new, "%zero", "%x", token)


@dataclass(frozen=True)
class _Written:
    """Rows of operand B or of the result that threads store before and in the loop.

    `cp.async` or TMA loads the operand after it, and TMA may store the result over it.
    """

    array: str
    rows: _View
    row: int
    """The stored row of a tile."""
    height: int
    """The rows of a tile."""
    is_stored_within: bool
    """Whether each iteration stores a row, too: of the tile of B that the next one loads."""

    def store_twos(self, d: _Loop, token: str, tile: str) -> str:
        """Stores twos to the row of a tile; returns the name of the token."""
        element = d.memory if self.array == "b" else d.sums
        twos = d.add(f"constant <{element}: {2 if 'i' in element else 2.0}> : {self.rows.tile}")
        height, number = (
            d.add(f"constant <i32: {each}> : tile<i32>") for each in (self.height, self.row)
        )
        first = d.add(f"muli {tile}, {height} : tile<i32>")
        row = d.add(f"addi {first}, {number} : tile<i32>")
        return self.rows.store(d, twos, row, "%x", token)


def _written(seed: int, d: _Loop) -> _Written | None:
    random = Random(f"{seed} written")
    if random.random() < 0.6:
        return None
    array = random.choice(("b", "o"))
    element, height = (d.memory, d.depth) if array == "b" else (d.sums, d.rows)
    whole = height * d.trips if array == "b" else height
    rows = _tiles(d, array, element, 1, d.columns, whole, d.columns * BLOCKS)
    return _Written(array, rows, random.randrange(height), height, random.random() < 0.5)


def _text(d: _Loop) -> str:
    memory = d.memory
    parameters = (
        f"%a: tile<ptr<{memory}>>, %b: tile<ptr<{memory}>>, %o: tile<ptr<{d.sums}>>, "
        "%u: tile<ptr<f32>>, %n: tile<i32>"
    ) + "".join(f", {name}: tile<i32>" for name in d.extents)
    trips = (
        "%trips = addi %n, %zero : tile<i32>"
        if d.is_open
        else f"%trips = constant <i32: {d.trips}> : tile<i32>"
    )
    head = f"""
%start = make_token : token
%x, %y, %z = get_tile_block_id : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
{trips}
%deep = constant <i32: {d.depth}> : tile<i32>
%extent = muli %trips, %deep : tile<i32>
%ones = constant <f32: 1.0> : tile<1x64xf32>"""
    body = "\n".join((head, *d.lines, "return"))
    return f"cuda_tile.module @m {{\nentry @{KERNEL}({parameters}) {{{body}\n}}\n}}"


def _launch(seed: int, d: _Loop) -> LaunchInput:
    random = np.random.default_rng(seed)

    def whole(count: int, type_: object) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
        return random.integers(-MAGNITUDE, MAGNITUDE + 1, count).astype(np.dtype(type_))  # pyright: ignore

    dtype = _DTYPES[d.element]
    sums = np.int32 if d.sums == "i32" else np.float32
    return LaunchInput(
        (BLOCKS, 1, 1),
        (
            whole(d.rows * d.depth * d.trips, dtype),
            whole(d.depth * d.trips * d.columns * BLOCKS, dtype),
            whole(d.rows * d.columns * BLOCKS, sums),
            whole(64 * BLOCKS, np.float32),
            d.trips,
            *d.extents.values(),
        ),
    )
