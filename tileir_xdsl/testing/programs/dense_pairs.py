"""Pairs of ops in dense programs: the second uses the first's result, often the same constant.

Peephole rewrites match such pairs: a shift and its inverse, a division after a multiplication, a
narrowing and a widening cast, two negations. Loaded integers have all sizes, so results wrap and
casts truncate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tileir_xdsl.testing.programs.dense_draft import Draft

_ANY = (0, 1, -1, 3, 8, 255, 2**31 - 1, -(2**31))
_DIVISORS = (2, 8, 16, 3, 1000, -3, -8)
"""Divisors other than 0 and -1, so that every quotient is defined."""

_SHIFTS = (1, 4, 7, 24, 31)

_Constants = Sequence[int] | Sequence[float]

INTEGERS: Mapping[str, Sequence[int]] = {
    "addi": _ANY,
    "subi": _ANY,
    "muli": _ANY,
    "andi": _ANY,
    "ori": _ANY,
    "xori": _ANY,
    "maxi signed": _ANY,
    "maxi unsigned": _ANY,
    "mini signed": _ANY,
    "mini unsigned": _ANY,
    "divi signed": _DIVISORS,
    "divi unsigned": _DIVISORS,
    "remi signed": _DIVISORS,
    "remi unsigned": _DIVISORS,
    "shli": _SHIFTS,
    "shri signed": _SHIFTS,
    "shri unsigned": _SHIFTS,
    "negi": (),
}
"""Integer ops with the constants for their second operand; unary ops have none."""

FLOATS: Mapping[str, Sequence[float]] = {
    "addf": (0.0, 1.0, 3.0),
    "subf": (0.0, 1.0, 3.0),
    "mulf": (0.0, 1.0, -2.0, 3.0),
    "divf": (1.0, 3.0, -10.0),
    "maxf": (1.0, -3.0),
    "minf": (1.0, -3.0),
    "negf": (),
    "absf": (),
}
"""Float ops with the constants for their second operand; unary ops have none."""

RELATED_INTEGERS = (
    ("shli", "shri signed"),
    ("shli", "shri unsigned"),
    ("shri unsigned", "shli"),
    ("shli", "shli"),
    ("shri signed", "shri signed"),
    ("shri unsigned", "shri unsigned"),
    ("muli", "divi signed"),
    ("divi signed", "muli"),
    ("addi", "subi"),
    ("addi", "addi"),
    ("remi signed", "remi signed"),
    ("xori", "xori"),
    ("negi", "negi"),
)
"""Pairs of ops whose second op inverts or repeats the first, except for lost bits."""

RELATED_FLOATS = (
    ("subf", "negf"),
    ("negf", "negf"),
    ("negf", "subf"),
    ("mulf", "divf"),
    ("divf", "mulf"),
    ("addf", "subf"),
)

_LOSES_ORDER = ("divi", "remi", "shli", "shri", "divf")
"""Ops whose operands stay in order, so that the constant is the second."""

COMPARED = (8, -3)
"""Constants of integer comparisons."""

USUAL = tuple(dict.fromkeys((*COMPARED, *_ANY, *_DIVISORS)))
"""Integers at which ops change behaviour, such as those that comparisons use."""

PREDICATES = (
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)


def add_pairs(d: Draft) -> None:
    """Pairs of integer ops, pairs of casts, and a select; the last integers depend on all."""
    loaded = d.integers[0]
    found = [
        *(pair(d, loaded, "i32", INTEGERS, RELATED_INTEGERS) for _ in range(3)),
        *(_narrow(d, loaded) for _ in range(2)),
        _chosen(d, "i32", loaded, d.random.choice(d.integers)),
    ]
    for value in found:
        # No bit of any is lost.
        d.integers.append(d.add(f"xori {d.integers[-1]}, {value} : {d.tile('i32')}"))


def float_pairs(d: Draft) -> str:
    """Selects elements from the results of two pairs of float ops."""
    first, second = (
        pair(d, value, "f32", FLOATS, RELATED_FLOATS) for value in d.random.sample(d.floats, 2)
    )
    if d.random.random() < 0.2:
        # No number where it is infinite.
        first = d.add(f"subf {second}, {second} : {d.tile('f32')}")
    if d.random.random() < 0.3:
        second = _common_factor(d)
    return _chosen(d, "f32", first, second)


def _common_factor(d: Draft) -> str:
    """`a * c + b * c`, or the difference: a rewrite to `(a + b) * c` would round otherwise."""
    tile = d.tile("f32")
    a, b, c = d.random.sample(d.floats, 3)
    products = [d.add(f"mulf {value}, {c} : {tile}") for value in (a, b)]
    return d.add(f"{d.random.choice(('addf', 'subf'))} {', '.join(products)} : {tile}")


def pair(
    d: Draft,
    value: str,
    element: str,
    constants: Mapping[str, _Constants],
    related: Sequence[tuple[str, str]],
) -> str:
    """Two ops in sequence; half of the pairs are from `related`, with the same constant."""
    alike = d.random.random() < 0.5
    ops = d.random.choice(related) if alike else d.random.choices([*constants], k=2)
    number = None
    for op in ops:
        known = constants[op]
        if known and (number is None or not alike or op in ("divi signed", "divf")):
            number = d.random.choice(known)
        value = elementwise(d, op, value, number, element)
    return value


def elementwise(d: Draft, op: str, value: str, number: float | None, element: str) -> str:
    """A unary op on a tile, or a binary op on the tile and a constant."""
    name, _, sign = op.partition(" ")
    sign = f" {sign}" if sign else ""
    if name in ("negi", "negf", "absf"):
        return d.add(f"{name} {value} : {d.tile(element)}")
    assert number is not None
    second = d.constant(_written(number, element), element)
    operands = [value, second]
    if name not in _LOSES_ORDER and d.random.random() < 0.2:
        operands.reverse()
    return d.add(f"{name} {', '.join(operands)}{sign} : {d.tile(element)}")


def _written(number: float, element: str) -> str:
    """A number as a literal of a type; integers are truncated to the type's bits."""
    if element.startswith("f"):
        return str(float(number))
    half = 1 << (int(element[1:]) - 1)
    return str((int(number) + half) % (2 * half) - half)


def _narrow(d: Draft, value: str) -> str:
    """Truncates an integer to fewer bits, maybe computes on it, and extends it."""
    element = d.random.choice(("i1", "i8", "i8", "i16", "i16"))
    wide, narrow = d.tile("i32"), d.tile(element)
    cut = d.add(f"trunci {value} : {wide} -> {narrow}")
    op = d.random.choice((None, "addi", "addi", "subi", "muli", "xori"))
    if op is not None and element != "i1":
        second = cut if d.random.random() < 0.5 else d.constant("7", element)
        cut = d.add(f"{op} {cut}, {second} : {narrow}")
    sign = d.random.choice(("signed", "unsigned"))
    return d.add(f"exti {cut} {sign} : {narrow} -> {wide}")


def compared_floats(d: Draft) -> None:
    """Selects one of two floats by comparing them: NaN is neither."""
    operands = d.random.sample(d.floats, 2)
    predicate = d.random.choice(PREDICATES)
    ordering = d.random.choice(("ordered", "unordered"))
    kind = f"{d.tile('f32')} -> {d.tile('i1')}"
    chosen = d.add(f"cmpf {predicate} {ordering} {', '.join(operands)} : {kind}")
    arms = ", ".join(d.random.sample(operands, 2))
    d.floats.append(d.add(f"select {chosen}, {arms} : {d.tile('i1')}, {d.tile('f32')}"))


def _chosen(d: Draft, element: str, first: str, second: str) -> str:
    """Selects elements of two tiles by a comparison with the loaded integers."""
    predicate, sign = d.random.choice(PREDICATES), d.random.choice(("signed", "unsigned"))
    constants = [d.constant(str(number), "i32") for number in COMPARED]
    other = d.random.choice((constants[0], *constants, d.random.choice(d.integers)))
    compared = [d.integers[0], other]
    d.random.shuffle(compared)
    if element == "i32" and d.random.random() < 0.3:
        # A minimum, a maximum, or what is neither.
        first, second = d.random.sample(compared, 2)
    types = f"{d.tile('i32')} -> {d.tile('i1')}"
    chosen = d.add(f"cmpi {predicate} {', '.join(compared)}, {sign} : {types}")
    return d.add(f"select {chosen}, {first}, {second} : {d.tile('i1')}, {d.tile(element)}")


def permutes(d: Draft) -> None:
    """Two permutations of three axes, which do not commute."""
    shape = (4, 4, d.size // 16)
    value = d.add(f"reshape {d.integers[-1]} : {d.tile('i32')} -> {_of(shape)}")
    for _ in range(2):
        axes = d.random.choice(((1, 0, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1)))
        permuted = tuple(shape[axis] for axis in axes)
        value = d.add(f"permute {value} {list(axes)} : {_of(shape)} -> {_of(permuted)}")
        shape = permuted
    d.integers.append(d.add(f"reshape {value} : {_of(shape)} -> {d.tile('i32')}"))


def _of(shape: Sequence[int]) -> str:
    return f"tile<{'x'.join(map(str, shape))}xi32>"
