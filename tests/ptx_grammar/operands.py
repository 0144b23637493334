"""Operands that fit an instruction by its qualifiers: registers, addresses, vectors, fragments.

Now and then one is of another kind, so that many instructions are nearly valid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random

REGISTERS = {
    "pred": "%p",
    "b16": "%h",
    "b32": "%r",
    "b64": "%d",
    "b128": "%q",
    "f32": "%f",
    "f64": "%g",
}
"""A prefix of registers of each declared type."""
PER_TYPE = 4
"""How many registers of a type single operands are taken from."""
DECLARED = 256
"""How many registers of a type there are: those of the largest vector."""
VARIABLE = "buffer"
"""A variable in shared memory."""

_ODD = 0.05
"""How many operands are of another kind than what fits."""

_BITS: Mapping[str, int] = {
    **{
        name: int(re.findall(r"\d+", name)[0])
        for name in ("s4", "u4", "s8", "u8", "b1", "f16", "bf16", "f32", "f64")
    },
    "s32": 32,
    "tf32": 32,
    **dict.fromkeys(("e4m3", "e5m2", "e3m2", "e2m3"), 8),
    "e2m1": 8,
}
"""Bits of an element of a fragment; of `e2m1` in the kinds that do not pack it."""


@dataclass(frozen=True)
class Context:
    """What an operand depends on: the qualifiers of its instruction, in their order."""

    random: Random
    qualifiers: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Whether one of some qualifiers is there."""
        return any(name in self.qualifiers for name in names)

    def odd(self) -> bool:
        """Whether the next operand is of another kind."""
        return self.random.random() < _ODD

    def number(self, *values: int) -> str:
        """One of some numbers."""
        return str(self.random.choice(values))


Maker = Callable[[Context], str]


def register(c: Context, kind: str) -> str:
    """A register of a declared type."""
    if c.odd():
        kind = c.random.choice(list(REGISTERS))
    return f"{REGISTERS[kind]}{c.random.randrange(PER_TYPE)}"


def _kind_of(type_: str) -> str:
    """The declared type of the registers of an instruction type."""
    if type_ in ("f32", "f64", "pred"):
        return type_
    if type_.endswith("x2"):
        return "b64" if type_ == "f32x2" else "b32"
    return {"8": "b16", "16": "b16", "32": "b32", "64": "b64", "128": "b128"}[
        re.sub(r"\D", "", type_)
    ]


def _types(c: Context) -> list[str]:
    return [q for q in c.qualifiers if re.fullmatch(r"(b|u|s|f|bf)\d+(x2)?|pred", q)]


def value(c: Context) -> str:
    """One register of the last type, or as many as `.v2`, `.v4` or `.v8` says."""
    types = _types(c)
    kind = _kind_of(types[-1]) if types else "b32"
    counts = [int(q[1:]) for q in c.qualifiers if q in ("v2", "v4", "v8")]
    if not counts:
        return register(c, kind)
    count = c.random.choice((1, 2, 4, 8)) if c.odd() else counts[0]
    return "{" + ", ".join(register(c, kind) for _ in range(count)) + "}"


word = partial(register, kind="b32")
long = partial(register, kind="b64")
half = partial(register, kind="b16")
predicate = partial(register, kind="pred")


def word_or(*values: int) -> Maker:
    """A register of 32 bits, or one of some numbers."""
    return lambda c: c.number(*values) if c.random.random() < 0.5 else word(c)


def constant(*values: int) -> Maker:
    """One of some numbers."""
    return lambda c: word(c) if c.odd() else c.number(*values)


def spaces(c: Context) -> list[str]:
    """The state spaces that an instruction names, in order."""
    return [q for q in c.qualifiers if q.split("::")[0] in _SPACES]


def address(space: str | None = None, *, of: int = 0) -> Maker:
    """An address in a space; by default in one that the instruction names, or a generic one.

    None of 32 bits but in shared memory: whether `ptxas` takes it depends on the rest of a module.
    """

    def make(c: Context) -> str:
        named = spaces(c)
        chosen = space or (named[min(of, len(named) - 1)] if named else "generic")
        number = c.random.randrange(PER_TYPE)
        if c.odd():
            return f"%d{number}"
        bases = [f"%d{number}"]
        if chosen.startswith("shared"):
            bases += [f"%r{number}", f"%r{number}", VARIABLE]
        if chosen == "tensor":
            bases = [f"%r{number}"]
        if c.odd():
            bases = [f"%f{number}", f"%g{number}", f"%p{number}", VARIABLE]
        offset = c.random.choice(("", "", "+16", "+4"))
        return f"[{c.random.choice(bases)}{offset}]"

    return make


_SPACES = ("global", "shared", "local", "const", "param")


def _vector(c: Context, kind: str, count: int) -> str:
    """So many different registers."""
    if c.odd():
        count = max(1, count + c.random.choice((-1, 1, count)))
    names = [f"{REGISTERS[kind]}{number}" for number in range(min(count, DECLARED))]
    if c.odd():
        names[c.random.randrange(len(names))] = register(c, kind)
    return "{" + ", ".join(names) + "}"


def tensor(c: Context) -> str:
    """A tensor map and coordinates."""
    ranks = [int(q[0]) for q in c.qualifiers if re.fullmatch(r"[1-5]d", q)]
    count = ranks[0] if ranks else 2
    if c.has("tile::gather4", "tile::scatter4"):
        count = 5
    # With a predicate as its address `ptxas` does not end.
    return f"[%d{c.random.randrange(PER_TYPE)}, {_vector(c, 'b32', count)}]"


def pixel_offsets(c: Context) -> str:
    """Offsets of `im2col`, two of `im2col::w`."""
    ranks = [int(q[0]) for q in c.qualifiers if re.fullmatch(r"[1-5]d", q)]
    count = ranks[0] - 2 if c.has("im2col") and ranks else 2
    return _vector(c, "b16", max(1, count))


def matrices(c: Context) -> str:
    """The registers of `ldmatrix` and `stmatrix`."""
    counts = [int(q[1:]) for q in c.qualifiers if re.fullmatch(r"x\d", q)]
    count = (counts or [1])[0] * (2 if c.has("m16n16") else 1)
    return _vector(c, "b32", count)


def tensor_words(c: Context) -> str:
    """The registers of `tcgen05.ld` and `tcgen05.st`."""
    counts = [int(q[1:]) for q in c.qualifiers if re.fullmatch(r"x\d+", q)]
    times = 2 if c.has("16x128b") else 4 if c.has("16x256b") else 1
    return _vector(c, "b32", (counts or [1])[0] * times)


def fragment(role: str) -> Maker:
    """The registers of a matrix of `mma`, by its shape and the type of its elements."""

    def make(c: Context) -> str:
        extents = [q for q in c.qualifiers if re.fullmatch(r"m\d+n\d+k\d+", q)]
        types = [q for q in c.qualifiers if q in _BITS]
        if not extents or len(types) < 4:
            return _vector(c, "b32", 2)
        m, n, k = (int(each) for each in re.findall(r"\d+", extents[0]))
        type_ = types["dabc".index(role)]
        bits = _BITS[type_]
        if type_ == "e2m1" and c.has("kind::mxf4", "kind::mxf4nvf4"):
            bits = 4
        is_sparse = c.has("sp", "sp::ordered_metadata")
        size = {"d": m * n, "c": m * n, "a": m * k // (2 if is_sparse else 1), "b": k * n}[role]
        kind = type_ if type_ == "f64" or (type_ == "f32" and role in "dc") else "b32"
        return _vector(c, kind, max(1, size // 32 * bits // (64 if bits == 64 else 32)))

    return make


def warpgroup_result(c: Context) -> str:
    """The accumulator of `wgmma`."""
    extents = [q for q in c.qualifiers if re.fullmatch(r"m\d+n\d+k\d+", q)]
    n = int(re.findall(r"\d+", extents[0])[1]) if extents else 8
    types = [q for q in c.qualifiers if q in _BITS]
    is_half = bool(types) and types[0] == "f16"
    kind = "f32" if types and types[0] == "f32" else "b32"
    return _vector(c, kind, n // (4 if is_half else 2))


def warpgroup_operand(c: Context) -> str:
    """Matrix A of `wgmma`: a descriptor, or registers."""
    return long(c) if c.random.random() < 0.6 else _vector(c, "b32", 4)


def either(*makers: Maker) -> Maker:
    """What one of some makers gives."""
    return lambda c: c.random.choice(makers)(c)


def paired(first: Maker, *, always: bool = False) -> Maker:
    """A result with a predicate after it, or perhaps without one."""

    def make(c: Context) -> str:
        if not always and c.random.random() < 0.5:
            return first(c)
        return f"{first(c)}|{predicate(c)}"

    return make
