"""Small `cuda_tile` programs in which ops that passes rewrite use each other's results.

A program loads masked tiles of random numbers and computes chains of elementwise ops. Parts of it
extract slices, reduce, and store under a mask. Tokens order later loads of the same arrays after
the stores. So the programs cover rounding sums, selects, slices past the first row, and disabled
elements. Elements move between threads, so barriers are needed. `dense_pairs.py` adds pairs of ops
that rewrites match, `dense_casts.py` casts. `dense_arrays.py` adds partial tiles, narrow offsets,
scans and axes, `dense_masks.py` masks that differ within a vector.
"""

from __future__ import annotations

from random import Random

import numpy as np

from tileir_xdsl.checking.inputs import LaunchInput, integers_of_all_sizes
from tileir_xdsl.testing.programs.dense_arrays import (
    EXTENT,
    axes,
    narrow_offsets,
    parts_of_array,
    scans,
)
from tileir_xdsl.testing.programs.dense_casts import casts
from tileir_xdsl.testing.programs.dense_draft import Draft
from tileir_xdsl.testing.programs.dense_masks import masked_vectors
from tileir_xdsl.testing.programs.dense_messages import NUMBERS, messages
from tileir_xdsl.testing.programs.dense_pairs import (
    USUAL,
    add_pairs,
    compared_floats,
    float_pairs,
    permutes,
)

KERNEL = "dense"
BLOCKS = 2
SQUARE = 16
"""The extent of both axes of the tiles of a dot."""

WIDE = 512
"""The number of elements in a tile of four for each thread of four warps."""

CHAIN = 6
"""The length of a chain of float ops; chains of integer ops are half as long."""

CHOSEN = 3
"""How many of `_PARTS` a program has."""

_MASKED = 0.5
"""The share of programs with an aligned array that also access it under masks."""

_FLOATS = ("addf", "addf", "subf", "mulf", "maxf", "minf")
_INTEGERS = ("addi", "subi", "muli", "andi", "xori", "maxi", "mini")
_SIGNED = ("maxi", "mini")
_STAYS = 0.5
"""The probability that the next op of a chain has the same name."""


def dense_program(seed: int) -> tuple[str, LaunchInput]:
    """The text of a seed's program, and its launch."""
    draft = Draft(Random(f"{seed} dense"), Random(f"{seed} size").choice((64, 128, 256)))
    pointers = [(_pointers(draft, *array), array[1]) for array in _ARRAYS]
    a, b, c, o = (_load(draft, each, element) for each, element in pointers)
    draft.floats += [a[0], b[0], o[0]]
    # Of every second program the array is aligned, as `_launch` makes it.
    is_masked = seed % 2 == 0 and Random(f"{seed} masks").random() < _MASKED
    own, signs, last = _unmasked(draft, is_aligned=is_masked)
    draft.integers += [c[0], "%index"]
    _chain(draft, draft.floats, _FLOATS, CHAIN, "f32")
    _chain(draft, draft.integers, _INTEGERS, CHAIN // 2, "i32")
    compared_floats(draft)
    _in_place(draft)
    add_pairs(draft)
    for part in draft.random.sample(_PARTS, CHOSEN):
        part(draft)
    _chain(draft, draft.floats, _FLOATS, CHAIN // 2, "f32")
    token = _store(draft, pointers[3][0], draft.floats[-1], "f32", o[1])
    token = _join(draft, token, o[1])
    again, token = _load(draft, pointers[3][0], "f32", token)
    total = draft.add(f"addf {_swapped(draft, again)}, {draft.floats[-2]} : {draft.tile('f32')}")
    _store(draft, pointers[3][0], total, "f32", token)
    _store_integers(draft, pointers[2][0], c[1])
    _store(draft, pointers[1][0], float_pairs(draft), "f32", b[1])
    if is_masked:
        masked_vectors(draft, own, signs, WIDE, last)
    return _text(draft), _launch(seed, draft.size)


_ARRAYS = (("a", "f32"), ("b", "f32"), ("c", "i32"), ("o", "f32"))
"""The arrays that the program accesses through pointers; it accesses `%w` through a view."""


def _pointers(d: Draft, name: str, element: str) -> str:
    one = d.add(f"reshape %{name} : tile<ptr<{element}>> -> tile<1xptr<{element}>>")
    many = f"tile<{d.size}xptr<{element}>>"
    base = d.add(f"broadcast {one} : tile<1xptr<{element}>> -> {many}")
    return d.add(f"offset {base}, %index : {many}, {d.tile('i32')} -> {many}")


def _load(d: Draft, pointers: str, element: str, token: str = "%start") -> tuple[str, str]:
    """A masked load, with ones for disabled elements: the names of its tile and its token."""
    ones = d.constant("1" if element == "i32" else "1.0", element)
    tile, many = d.tile(element), f"tile<{d.size}xptr<{element}>>"
    return d.load(
        f"load_ptr_tko weak {pointers}, %mask, {ones} token={token} : "
        f"{many}, {d.tile('i1')}, {tile} -> {tile}, token"
    )


def _unmasked(d: Draft, *, is_aligned: bool) -> tuple[str, str, str]:
    """Negates the elements of an array, unmasked, by wide accesses if it is known to be aligned.

    Returns a pointer to the elements, their tile before, and the token of the last store.
    """
    tile, i32 = f"tile<{WIDE}xf32>", f"tile<{WIDE}xi32>"
    many = f"tile<{WIDE}xptr<f32>>"
    wide = d.add(f"constant <i32: {WIDE}> : tile<i32>")
    first = d.add(f"muli %x, {wide} : tile<i32>")
    own = d.add(f"offset %s, {first} : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>")
    if is_aligned:
        own = d.add(f"assume div_by<16>, {own} : tile<ptr<f32>>")
    one = d.add(f"reshape {own} : tile<ptr<f32>> -> tile<1xptr<f32>>")
    base = d.add(f"broadcast {one} : tile<1xptr<f32>> -> {many}")
    numbers = d.add(f"iota : {i32}")
    pointers = d.add(f"offset {base}, {numbers} : {many}, {i32} -> {many}")
    value, token = d.load(f"load_ptr_tko weak {pointers} token=%start : {many} -> {tile}, token")
    changed = d.add(f"negf {value} : {tile}")
    stored = d.add(
        f"store_ptr_tko weak {pointers}, {changed} token={token} : {many}, {tile} -> token"
    )
    if d.random.random() < 0.5:
        # All but some of them as they were.
        first, i1 = d.add(f"constant <i32: 5> : {i32}"), f"tile<{WIDE}xi1>"
        mask = d.add(f"cmpi greater_than {numbers}, {first}, signed : {i32} -> {i1}")
        types = f"{many}, {tile}, {i1}"
        stored = d.add(
            f"store_ptr_tko weak {pointers}, {value}, {mask} token={stored} : {types} -> token"
        )
    return own, value, stored


def _join(d: Draft, *tokens: str) -> str:
    """Joins tokens; one of them is an operand twice."""
    joined = [*tokens, d.random.choice(tokens)]
    d.random.shuffle(joined)
    return d.add(f"join_tokens {', '.join(joined)} : token")


def _store(
    d: Draft, pointers: str, value: str, element: str, token: str, mask: str = "%mask"
) -> str:
    many = f"tile<{d.size}xptr<{element}>>"
    return d.add(
        f"store_ptr_tko weak {pointers}, {value}, {mask} token={token} : {many}, "
        f"{d.tile(element)}, {d.tile('i1')} -> token"
    )


def _store_integers(d: Draft, pointers: str, token: str) -> None:
    """Stores the last integer tile, perhaps masked after a store of the indices."""
    mask = "%mask"
    if d.random.random() < 0.5:
        token = _store(d, pointers, "%index", "i32", token)
        few = d.add(f"andi %index, {d.constant('3', 'i32')} : {d.tile('i32')}")
        types = f"{d.tile('i32')} -> {d.tile('i1')}"
        some = d.add(f"cmpi not_equal {few}, {d.constant('1', 'i32')}, signed : {types}")
        mask = d.add(f"andi %mask, {some} : {d.tile('i1')}")
    _store(d, pointers, d.integers[-1], "i32", token, mask)


def _chain(d: Draft, values: list[str], ops: tuple[str, ...], count: int, element: str) -> None:
    """Elementwise ops, most of which take the result of the preceding op as their first operand."""
    op = d.random.choice(ops)
    for _ in range(count):
        if d.random.random() > _STAYS:
            op = d.random.choice(ops)
        second = d.random.choice(values[:-1])
        signed = " signed" if op in _SIGNED else ""
        values.append(d.add(f"{op} {values[-1]}, {second}{signed} : {d.tile(element)}"))


def _slices(d: Draft) -> None:
    """Extracts rows of the last float tile, and concatenates some of them in another order."""
    rows, row = f"tile<4x{d.size // 4}xf32>", f"tile<1x{d.size // 4}xf32>"
    whole = d.add(f"reshape {d.floats[-1]} : {d.tile('f32')} -> {rows}")
    zero = d.add("constant <i32: 0> : tile<i32>")
    numbers = [d.add(f"constant <i32: {n}> : tile<i32>") for n in d.random.sample(range(4), 2)]
    first, second = (d.add(f"extract {whole}[{n}, {zero}] : {rows} -> {row}") for n in numbers)
    total = d.add(f"subf {first}, {second} : {row}")
    pair = f"tile<2x{d.size // 4}xf32>"
    half = d.add(f"cat {total}, {second} dim = 0 : {row}, {row} -> {pair}")
    # One of the two rows that have just been put together.
    row_of_two = d.random.choice((zero, d.add("constant <i32: 1> : tile<i32>")))
    back = d.add(f"extract {half}[{row_of_two}, {zero}] : {pair} -> {row}")
    again = d.add(f"cat {first}, {back} dim = 0 : {row}, {row} -> {pair}")
    both = d.add(f"cat {half}, {again} dim = 0 : {pair}, {pair} -> {rows}")
    d.floats.append(d.add(f"reshape {both} : {rows} -> {d.tile('f32')}"))


def _swapped(d: Draft, value: str) -> str:
    """Swaps the halves of a tile, so that elements which a mask disabled are stored."""
    rows, row = f"tile<2x{d.size // 2}xf32>", f"tile<1x{d.size // 2}xf32>"
    whole = d.add(f"reshape {value} : {d.tile('f32')} -> {rows}")
    zero, one = (d.add(f"constant <i32: {n}> : tile<i32>") for n in (0, 1))
    first, second = (d.add(f"extract {whole}[{n}, {zero}] : {rows} -> {row}") for n in (zero, one))
    swapped = d.add(f"cat {second}, {first} dim = 0 : {row}, {row} -> {rows}")
    return d.add(f"reshape {swapped} : {rows} -> {d.tile('f32')}")


def _dot(d: Draft) -> None:
    """A dot of square tiles of equal type; the third tile is its accumulator or is added to it."""
    if d.size != SQUARE * SQUARE:
        return
    square, narrow = (f"tile<{SQUARE}x{SQUARE}x{element}>" for element in ("f32", "f16"))
    first, second, third = (
        d.add(f"reshape {value} : {d.tile('f32')} -> {square}") for value in d.floats[-3:]
    )
    lhs, rhs = (d.add(f"ftof {value} : {square} -> {narrow}") for value in (first, second))
    is_later = d.random.random() < 0.5
    initial = d.add(f"constant <f32: 0.0> : {square}") if is_later else third
    dot = d.add(f"mmaf {lhs}, {rhs}, {initial} : {narrow}, {narrow}, {square}")
    if is_later:
        dot = d.add(f"addf {dot}, {third} : {square}")
    d.floats.append(d.add(f"reshape {dot} : {square} -> {d.tile('f32')}"))


def _in_place(d: Draft) -> None:
    """Loads a tile of a view, changes it and stores it, twice; tokens order the accesses."""
    view = "tensor_view<?xf32, strides=[1]>"
    array = d.add(f"make_tensor_view %w, shape = [%n], strides = [1] : tile<i32> -> {view}")
    tiles = f"partition_view<tile=({d.size}), padding_value = zero, {view}>"
    parts = d.add(f"make_partition_view {array} : {tiles}")
    token, changed = "%start", d.floats[-1]
    for _ in range(2):
        value, loaded = d.load(
            f"load_view_tko weak {parts}[%x] token = {token} : {tiles}, "
            f"tile<i32> -> {d.tile('f32')}, token"
        )
        changed = d.add(f"subf {value}, {changed} : {d.tile('f32')}")
        token = d.add(
            f"store_view_tko weak {changed}, {parts}[%x] token = {loaded} : {d.tile('f32')}, "
            f"{tiles}, tile<i32> -> token"
        )
    d.floats.append(changed)


def _reduction(d: Draft) -> None:
    """Appends a tile filled with the sum of the last float tile."""
    d.count += 1
    name = f"%v{d.count}"
    d.lines += [
        f"{name} = reduce {d.floats[-1]} dim=0 identities=[0.0 : f32] : {d.tile('f32')} "
        "-> tile<f32>",
        "(%lhs: tile<f32>, %rhs: tile<f32>) {",
        "%sum = addf %lhs, %rhs : tile<f32>",
        "yield %sum : tile<f32>",
        "}",
    ]
    one = d.add(f"reshape {name} : tile<f32> -> tile<1xf32>")
    d.floats.append(d.add(f"broadcast {one} : tile<1xf32> -> {d.tile('f32')}"))


def _loop(d: Draft) -> None:
    """A loop that carries a tile; its step may not divide the range."""
    bounds = d.random.choice(((0, 3, 1), (1, 4, 2), (0, 5, 2), (2, 3, 4)))
    lower, upper, step = (d.add(f"constant <i32: {n}> : tile<i32>") for n in bounds)
    first, second = d.random.sample(d.floats, 2)
    d.count += 1
    name, tile = f"%v{d.count}", d.tile("f32")
    d.lines += [
        f"{name} = for %i in ({lower} to {upper}, step {step}) : tile<i32> "
        f"iter_values(%carried = {first}) -> ({tile}) {{",
        f"%half = mulf %carried, {second} : {tile}",
        f"%next = subf %half, {d.random.choice(d.floats)} : {tile}",
        f"continue %next : {tile}",
        "}",
    ]
    d.floats.append(name)


_PARTS = (
    _slices,
    _reduction,
    _loop,
    _dot,
    permutes,
    messages,
    casts,
    parts_of_array,
    narrow_offsets,
    scans,
    axes,
)
"""A program has `CHOSEN` of these parts, in random order."""


def _text(d: Draft) -> str:
    arrays = (*_ARRAYS, ("w", "f32"), ("m", "i32"), ("s", "f32"), ("all", "f32"), ("r", "f32"))
    parameters = ", ".join(f"%{name}: tile<ptr<{element}>>" for name, element in arrays)
    i32, i1 = d.tile("i32"), d.tile("i1")
    head = f"""
%start = make_token : token
%x, %y, %z = get_tile_block_id : tile<i32>
%extent = constant <i32: {d.size}> : tile<i32>
%first = muli %x, %extent : tile<i32>
%first_1 = reshape %first : tile<i32> -> tile<1xi32>
%first_all = broadcast %first_1 : tile<1xi32> -> {i32}
%numbers = iota : {i32}
%index = addi %first_all, %numbers : {i32}
%n_1 = reshape %n : tile<i32> -> tile<1xi32>
%n_all = broadcast %n_1 : tile<1xi32> -> {i32}
%mask = cmpi less_than %index, %n_all, signed : {i32} -> {i1}"""
    body = "\n".join((head, *d.lines, "return"))
    return f"cuda_tile.module @m {{\nentry @{KERNEL}({parameters}, %n: tile<i32>) {{{body}\n}}\n}}"


SPECIAL = (0.0, -0.0, 1e-40, 3e38, np.inf, -np.inf, np.nan)
"""Floats that rewrites often mishandle; every third program reads some."""


def _launch(seed: int, size: int) -> LaunchInput:
    """Arrays that end inside the last block's tile; `%s` may begin at an odd element."""
    random, count = np.random.default_rng(seed), BLOCKS * size - 13
    a, b, o, w = (random.standard_normal(count).astype(np.float32) for _ in range(4))
    if seed % 3 == 1:
        for array in (a, b):
            at = random.choice(count, len(SPECIAL), replace=False)
            array[at] = random.permutation(SPECIAL)
    c = integers_of_all_sizes(np.dtype(np.int32), count, random)
    c[random.choice(count, 2 * len(USUAL), replace=False)] = np.tile(np.array(USUAL, np.int32), 2)
    counter = np.zeros(NUMBERS, np.int32)
    # An executor aligns whole arrays only, so this one is given as well.
    numbers = np.random.default_rng((seed, WIDE)).permutation(BLOCKS * WIDE + 1) - WIDE
    whole = numbers.astype(np.float32)
    signs = whole[seed % 2 :][: BLOCKS * WIDE]
    read = random.standard_normal(EXTENT).astype(np.float32)
    return LaunchInput((BLOCKS, 1, 1), (a, b, c, o, w, counter, signs, whole, read, count))
