"""Fields of nested structs and arrays, inserted and extracted in any order, against a dictionary."""

from random import Random

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import kernel, run

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
