"""Fields of nested structs and arrays and elements of vectors, inserted and extracted in any order."""

from random import Random

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import DTYPES, kernel, run

FIELDS = 24
PAIR = "!llvm.struct<(i32, i32)>"
ARRAY = f"!llvm.array<2 x {PAIR}>"
WHOLE = f"!llvm.struct<({PAIR}, i32, {ARRAY}, i32)>"
PARTS = {PAIR: ("i32", "i32"), ARRAY: (PAIR, PAIR), WHOLE: (PAIR, "i32", ARRAY, "i32")}
"""The fields of each type that has fields."""

Path = tuple[int, ...]


def paths(type: str, at: Path = ()) -> dict[Path, str]:
    """The type at each position of a type, its own too."""
    found = {at: type}
    for index, part in enumerate(PARTS.get(type, ())):
        found |= paths(part, (*at, index))
    return found


def leaves(type: str) -> list[Path]:
    """The positions of the words of a type."""
    return [at for at, part in paths(type).items() if part == "i32"]


class Program:
    """Insertions and extractions, and the words of each value: numbers of the kernel's input."""

    def __init__(self, rng: Random):
        self.rng, self.lines = rng, list[str]()
        self.values: dict[str, list[tuple[str, dict[Path, int]]]] = {"i32": []}
        for n in range(FIELDS):
            at = f"llvm.getelementptr %in[{n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32"
            self.lines += [f"%at{n} = {at}", f"%w{n} = llvm.load %at{n} : !llvm.ptr<1> -> i32"]
            self.values["i32"].append((f"%w{n}", {(): n}))
        for type in PARTS:
            # No word of an undefined value is looked at.
            self.values[type] = [(self.define(f"llvm.mlir.undef : {type}"), {})]

    def define(self, op: str) -> str:
        self.lines.append(f"%v{len(self.lines)} = {op}")
        return f"%v{len(self.lines) - 1}"

    def insert(self, type: str) -> None:
        """A recent value with a recent part of it in one place."""
        name, words = self.rng.choice(self.values[type][-2:])
        at, part = self.rng.choice([(at, part) for at, part in paths(type).items() if at])
        inserted, new = self.rng.choice(self.values[part][-6:])
        position = ", ".join(map(str, at))
        made = self.define(f"llvm.insertvalue {inserted}, {name}[{position}] : {type}")
        kept = {path: word for path, word in words.items() if path[: len(at)] != at}
        self.values[type].append((made, kept | {(*at, *path): word for path, word in new.items()}))

    def extract(self, type: str) -> None:
        """A part of a recent value."""
        name, words = self.rng.choice(self.values[type][-2:])
        at, part = self.rng.choice([(at, part) for at, part in paths(type).items() if at])
        of = {path[len(at) :]: word for path, word in words.items() if path[: len(at)] == at}
        # Of words that may be anything nothing is known.
        if part == "i32" and not of:
            return
        position = ", ".join(map(str, at))
        self.values[part].append(
            (self.define(f"llvm.extractvalue {name}[{position}] : {type}"), of)
        )

    def store_words(self) -> list[int]:
        """Stores all words that are known of all values; returns which they are."""
        stored: list[int] = []
        for type in PARTS:
            for name, words in self.values[type]:
                for path, word in words.items():
                    position = ", ".join(map(str, path))
                    found = self.define(f"llvm.extractvalue {name}[{position}] : {type}")
                    self.store(found, len(stored))
                    stored.append(word)
        for name, words in self.values["i32"]:
            self.store(name, len(stored))
            stored.append(words[()])
        return stored

    def store(self, name: str, index: int) -> None:
        at = f"llvm.getelementptr %out[{index}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32"
        self.lines.append(f"llvm.store {name}, {self.define(at)} : i32, !llvm.ptr<1>")


@pytest.mark.parametrize("seed", range(2))
def test_fields_are_those_that_were_inserted_last(seed: int):
    """Parts of what was inserted as a whole, and wholes of which parts were inserted."""
    program = Program(Random(seed))
    for _ in range(25):
        for type in PARTS:
            program.insert(type)
            program.extract(type)
    words = program.store_words()
    inputs = np.arange(100, 100 + FIELDS, dtype=np.int32)
    out = np.zeros(len(words), np.int32)
    body = "\n".join([*program.lines, "llvm.return"])
    run(kernel(body, "%in: !llvm.ptr<1>, %out: !llvm.ptr<1>"), [inputs, out])
    np.testing.assert_array_equal(out, inputs[words])


@pytest.mark.parametrize("count", [2, 3, 4, 8])
@pytest.mark.parametrize("type", ["i8", "i16", "f16", "f32", "i64"])
def test_elements_are_those_that_were_placed_last(type: str, count: int):
    """Insertions and shuffles of loaded, constant and undefined vectors, packed or not."""
    rng, size = Random(f"{type} {count}"), np.dtype(DTYPES[type]).itemsize
    vector, aligned = f"vector<{count}x{type}>", f"{{alignment = {size} : i64}}"
    data = np.arange(1, 2 * count + 1).astype(DTYPES[type])
    literal = ", ".join(f"{90 + n}.0" if "f" in type else f"{90 + n}" for n in range(count))
    lines = [
        f"%in1 = llvm.getelementptr %in[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.array<{count} x {type}>",
        f"%v0 = llvm.load %in {aligned} : !llvm.ptr<1> -> {vector}",
        f"%v1 = llvm.load %in1 {aligned} : !llvm.ptr<1> -> {vector}",
        f"%v2 = llvm.mlir.constant(dense<[{literal}]> : {vector}) : {vector}",
        f"%v3 = llvm.mlir.undef : {vector}",
    ]
    firsts = (1, 1 + count, 90)
    models: list[list[int | None]] = [list(range(first, first + count)) for first in firsts]
    models.append([None] * count)
    for n in range(4, 16):
        # Recent vectors, so that insertions are into insertions and shuffles of shuffles.
        (a, b), at = rng.sample(range(max(0, n - 5), n), 2), rng.randrange(count)
        if rng.random() < 0.5:
            mask = [rng.randrange(-1 if rng.random() < 0.1 else 0, 2 * count) for _ in range(count)]
            lines.append(f"%v{n} = llvm.shufflevector %v{a}, %v{b} {mask} : {vector}")
            both = [*models[a], *models[b], None]
            models.append([both[place] for place in mask])
        else:
            source = rng.randrange(count)
            lines += [
                f"%i{n} = llvm.mlir.constant({at} : i32) : i32",
                f"%j{n} = llvm.mlir.constant({source} : i32) : i32",
                f"%e{n} = llvm.extractelement %v{b}[%j{n} : i32] : {vector}",
                f"%v{n} = llvm.insertelement %e{n}, %v{a}[%i{n} : i32] : {vector}",
            ]
            models.append([*models[a][:at], models[b][source], *models[a][at + 1 :]])
    for n in range(len(models)):
        lines += [
            f"%o{n} = llvm.getelementptr %out[{n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.array<{count} x {type}>",
            f"llvm.store %v{n}, %o{n} {aligned} : {vector}, !llvm.ptr<1>",
        ]
    out = np.zeros((len(models), count), DTYPES[type])
    text = kernel(
        "\n".join([*lines, "llvm.return"]),
        "%in: !llvm.ptr<1>, %out: !llvm.ptr<1>",
        "nvvm.reqntid = array<i32: 1>",
    )
    run(text, [data, out])
    for found, model in zip(out.astype(np.int64).tolist(), models, strict=True):
        assert [f if m is not None else None for f, m in zip(found, model, strict=True)] == model
