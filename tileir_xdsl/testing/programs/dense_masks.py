"""A part of dense programs that accesses aligned pointers under masks without a pattern.

Each thread moves vectors of elements, in which the mask differs. So a pass that gives all elements
of a vector the mask of one changes the numbers.
"""

from __future__ import annotations

from tileir_xdsl.testing.programs.dense_draft import Draft

_PADDING = {"f32": ("0.5", "-0.0"), "i32": ("7", "-1"), "i16": ("7", "-1"), "i8": ("7", "-1")}
"""The element types of the pointers, and the numbers that masked loads pad with."""

_MASKS = ("data", "bound", "rest", "none")


def masked_vectors(d: Draft, own: str, data: str, count: int, token: str) -> None:
    """Loads `count` elements at a pointer under a mask, and stores sums of them under another.

    `own` is an aligned pointer to `f32`, and `data` a tile of `count` numbers of either sign.
    """
    element = d.random.choice(list(_PADDING))
    pointer, i32, i1 = f"ptr<{element}>", f"tile<{count}xi32>", f"tile<{count}xi1>"
    many, tile = f"tile<{count}x{pointer}>", f"tile<{count}x{element}>"
    if element != "f32":
        own = d.add(f"ptr_to_ptr {own} : tile<ptr<f32>> -> tile<{pointer}>")
    numbers = d.add(f"iota : {i32}")
    masks = [_mask(d, kind, numbers, data, count) for kind in d.random.sample(_MASKS, 2)]
    aligned = d.add(f"assume div_by<16>, {own} : tile<{pointer}>")
    one = d.add(f"reshape {aligned} : tile<{pointer}> -> tile<1x{pointer}>")
    base = d.add(f"broadcast {one} : tile<1x{pointer}> -> {many}")
    pointers = d.add(f"offset {base}, {numbers} : {many}, {i32} -> {many}")
    padding = d.add(f"constant <{element}: {d.random.choice(_PADDING[element])}> : {tile}")
    value, token = d.load(
        f"load_ptr_tko weak {pointers}, {masks[0]}, {padding} token={token} : {many}, {i1}, {tile} "
        f"-> {tile}, token"
    )
    total = d.add(f"{'addf' if element == 'f32' else 'addi'} {value}, {padding} : {tile}")
    d.add(
        f"store_ptr_tko weak {pointers}, {total}, {masks[1]} token={token} : {many}, {tile}, {i1} "
        "-> token"
    )


def _mask(d: Draft, kind: str, numbers: str, data: str, count: int) -> str:
    """Bits by signs of data, an odd bound of numbers, or their rest; or none."""
    i32, i1 = f"tile<{count}xi32>", f"tile<{count}xi1>"

    def constant(choices: tuple[int, ...]) -> str:
        return d.add(f"constant <i32: {d.random.choice(choices)}> : {i32}")

    match kind:
        case "data":
            zero = d.add(f"constant <f32: 0.0> : tile<{count}xf32>")
            return d.add(f"cmpf less_than ordered {data}, {zero} : tile<{count}xf32> -> {i1}")
        case "bound":
            limit = constant((1, 5, 7, 131))
            return d.add(f"cmpi greater_than {numbers}, {limit}, signed : {i32} -> {i1}")
        case "rest":
            rest = d.add(f"remi {numbers}, {constant((2, 3, 5))} unsigned : {i32}")
            return d.add(f"cmpi equal {rest}, {constant((0, 1))}, signed : {i32} -> {i1}")
        case _:
            return d.add(f"constant <i1: false> : {i1}")
