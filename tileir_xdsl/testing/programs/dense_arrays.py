"""Parts of dense programs that load many tiles of one array, or reduce along an axis of a tile.

The last tile of the array is partial, with any padding value. Sums of the narrow offsets overflow
their type. Scans run forward or backward. Both axes have equal extents, so a pass that confuses
them changes only the numbers.
"""

from __future__ import annotations

from tileir_xdsl.testing.programs.dense_draft import Draft

EXTENT = 300
"""The number of elements of the read-only array `%r`."""

PART = 32
"""The number of elements in one tile of `%r`."""

PADDING = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
SQUARES = {64: 8, 256: 16}
"""The extent of a square tile, by its number of elements."""


def parts_of_array(d: Draft) -> None:
    """Combines all tiles of the array, in a loop over them."""
    view = f"tensor_view<{EXTENT}xf32, strides=[1]>"
    array = d.add(f"make_tensor_view %r, shape = [{EXTENT}], strides = [1] : {view}")
    padding = d.random.choice(PADDING)
    tiles = f"partition_view<tile=({PART}), padding_value = {padding}, {view}>"
    parts = d.add(f"make_partition_view {array} : {tiles}")
    count = d.add(f"get_index_space_shape {parts} : {tiles} -> tile<i32>")
    zero, step = (d.add(f"constant <i32: {n}> : tile<i32>") for n in (0, d.random.choice((1, 4))))
    part = f"tile<{PART}xf32>"
    initial = d.add(f"constant <f32: 1.0> : {part}")
    d.count += 1
    total = f"%v{d.count}"
    d.lines += [
        f"{total} = for %part in ({zero} to {count}, step {step}) : tile<i32> "
        f"iter_values(%total = {initial}) -> ({part}) {{",
        f"%of_part, %read = load_view_tko weak {parts}[%part] token = %start : {tiles}, tile<i32> "
        f"-> {part}, token",
        f"%with_part = subf %of_part, %total : {part}",
        f"continue %with_part : {part}",
        "}",
    ]
    _as_floats(d, total)


def narrow_offsets(d: Draft) -> None:
    """Loads at two i8 offsets in sequence, whose sum does not fit into i8."""
    i8, many = f"tile<{PART}xi8>", f"tile<{PART}xptr<f32>>"
    one = d.add("reshape %r : tile<ptr<f32>> -> tile<1xptr<f32>>")
    pointers = d.add(f"broadcast {one} : tile<1xptr<f32>> -> {many}")
    first, second = (
        d.add(f"constant <i8: {number}> : {i8}") for number in d.random.sample((70, 90, 96), 2)
    )
    following = d.add(f"addi {second}, {d.add(f'iota : {i8}')} : {i8}")
    for offset in (first, following):
        pointers = d.add(f"offset {pointers}, {offset} : {many}, {i8} -> {many}")
    value, _ = d.load(
        f"load_ptr_tko weak {pointers} token=%start : {many} -> tile<{PART}xf32>, token"
    )
    _as_floats(d, value)


def _as_floats(d: Draft, value: str) -> None:
    """Repeats a tile of `PART` elements until it has the size of the program's tiles."""
    shape = f"tile<{d.size // PART}x{PART}xf32>"
    row = d.add(f"reshape {value} : tile<{PART}xf32> -> tile<1x{PART}xf32>")
    rows = d.add(f"broadcast {row} : tile<1x{PART}xf32> -> {shape}")
    d.floats.append(d.add(f"reshape {rows} : {shape} -> {d.tile('f32')}"))


def scans(d: Draft) -> None:
    """A scan of the last integers by their sum, forward or backward."""
    reverse = d.random.choice(("true", "false"))
    d.integers.append(
        d.combine(f"scan {d.integers[-1]} dim=0 reverse={reverse}", d.tile("i32"), d.tile("i32"))
    )


def axes(d: Draft) -> None:
    """Subtracts the sums along one of two equal axes from each element of a square tile."""
    if d.size not in SQUARES:
        return
    extent, axis = SQUARES[d.size], d.random.choice((0, 1))
    square, line = f"tile<{extent}x{extent}xi32>", f"tile<{extent}xi32>"
    value = d.add(f"reshape {d.integers[-1]} : {d.tile('i32')} -> {square}")
    total = d.combine(f"reduce {value} dim={axis}", square, line)
    across = f"tile<{f'1x{extent}' if axis == 0 else f'{extent}x1'}xi32>"
    reshaped = d.add(f"reshape {total} : {line} -> {across}")
    whole = d.add(f"broadcast {reshaped} : {across} -> {square}")
    less = d.add(f"subi {value}, {whole} : {square}")
    d.integers.append(d.add(f"reshape {less} : {square} -> {d.tile('i32')}"))
