"""Texts with mistakes: all of these are found, and nothing where the commands find nothing."""

import random

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl import load
from tileir_xdsl.lsp.analysis import Analysis, analyse
from tileir_xdsl.lsp.parsing import MOST_PROBLEMS, next_start, parts_of
from tileir_xdsl.lsp.source import Source
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.reader import new_context, read_text

CONTEXT = new_context()
KERNEL = (
    REPOSITORY / "tileir_xdsl/testing/kernels/divisible/matmul_f16_warpgroup.mlir"
).read_text()
SMALL = (REPOSITORY / "tileir_xdsl/testing/kernels/vector_add.mlir").read_text()

HEAD = "entry @k(%a: tile<ptr<f32>>, %b: tile<i32>) {\n"
"""One line, in front of the lines of a body."""


def read(text: str) -> Analysis:
    return analyse(CONTEXT, Source(text))


def found(text: str) -> list[tuple[int, str]]:
    """The line from 0, and the marked text, of each problem."""
    analysis = read(text)
    position = analysis.source.position
    return [(position(p.span[0])[0], text[slice(*p.span)]) for p in analysis.problems]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%0 = adi %b, %b : tile<i32>", [(1, "%0")]),
        # What a lost value is used for is not wrong.
        ("%0 = adi %b, %b : tile<i32>\n%1 = addi %0, %b : tile<i32>", [(1, "%0")]),
        ("%0 = addi %x, %b : tile<i32>\n%1 = addi %y, %b : tile<i32>", [(1, "%x"), (2, "%y")]),
        ("%0 = addi %b, %b : tile<i64>\n)))\nfoo", [(1, "%b"), (2, ")"), (3, "foo")]),
        ("%0 = addi (%b, %b : tile<i32>\n%1 = subi %b %b : tile<i32>", [(1, "("), (2, "%b")]),
        ('%0 = constant <i32: "x\n%1 = foo', [(1, '"'), (2, "%1")]),
        # An op that does not verify, beside one that cannot be read.
        (
            "%0 = addf %b, %b : tile<i32>\n%1 = foo",
            [(1, "%0 = addf %b, %b : tile<i32>"), (2, "%1")],
        ),
        ("%c = constant <i1: 1> : tile<i1>\nif %c {\n  foo\n}\nbar", [(3, "foo"), (5, "bar")]),
        ("%0 = addi %b, %b : tile<i32", [(2, "return")]),
    ],
)
def test_all_mistakes_are_found(body: str, expected: list[tuple[int, str]]):
    assert found(f"{HEAD}{body}\nreturn\n}}\n") == expected


def test_mistakes_of_structure():
    assert found("} entry") == [(0, "}"), (0, "y")]
    assert found(f"{HEAD}return\n") != []
    assert found("") == found("// nothing\n") == []
    assert found(f"{HEAD}return\n}}\n{HEAD}return\n}}\n") != [], "a symbol twice"
    no_terminator = "llvm.func @f() {\n  %0 = llvm.mlir.constant(1 : i32) : i32\n}\n"
    assert [line for line, _ in found(no_terminator)] == [1]


def test_aliases():
    text = (
        "!t = !cuda_tile.tile<i32>\n#wrong = #nope.nope\nentry @k(%a: !t) {\n  foo\n  return\n}\n"
    )
    assert [line for line, _ in found(text)] == [1, 3]


def test_parts():
    text = f"{HEAD}return\n}}\n// -----\n{HEAD}foo\nreturn\n}}\n// -----\n"
    assert found(text) == [(5, "foo")]
    assert "".join(text[start:end] for start, end in parts_of(text)) == text


def test_deep_nesting():
    assert found("cuda_tile.module @m {\n" * 3000) != []


UNREAD, UNVERIFIED = "foo\n", "addf %b, %b : tile<i32>\n"


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("mistakes", [UNREAD, UNVERIFIED, UNREAD + UNVERIFIED])
def test_many_mistakes(mistakes: str, parts: int):
    """However many parts of a text have them, and whether these cannot be read or do not verify."""
    part = f"{HEAD}{mistakes * 120}return\n}}\n"
    assert MOST_PROBLEMS <= len(found("// -----\n".join([part] * parts))) <= MOST_PROBLEMS + parts


@pytest.mark.parametrize(
    ("text", "error", "rest"),
    [
        ("op (\n%x = op", 1, "%x = op"),
        ("op {\n  op\n}\nop", 0, "op"),
        ("op }\nop", 1, "}\nop"),
        ('op "}" // }\nop', 0, "op"),
        ("op (%a,\n    %b: t) {\n}\nop", 1, "op"),
        ("op", 0, ""),
    ],
)
def test_where_reading_goes_on(text: str, error: int, rest: str):
    assert text[next_start(text, 0, error) :] == rest


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa", "nv_tileas", "llvm"])
def test_every_level_reads(level: str):
    program = load(KERNEL, "sm_90a")
    text = KERNEL if level == "cuda_tile" else program.lower(level).text
    analysis = read(text)
    assert analysis.problems == () and analysis.level in (level, "nvvm")
    count = sum(1 for _ in read_text(CONTEXT, text, "text").walk()) - 1
    assert len(analysis.records.operations) in (count, count + 1)
    # Every name is known, and stands where it is said to be.
    for name in analysis.records.names.values():
        assert name.named and text[name.span[0]] in "%^"


def mutated(text: str, seed: int) -> str:
    """The text with a few letters or lines changed."""
    draw = random.Random(seed)
    for _ in range(draw.randint(1, 2)):
        start = draw.randrange(len(text))
        end = min(len(text), start + draw.choice([0, 0, 0, 1, 2, 20, 80]))
        text = (
            text[:start]
            + draw.choice([" ", " ", "\n", "%", "}", "(", '"', "x", "%0 = "])
            + text[end:]
        )
    return text


@pytest.mark.parametrize("seeds", [range(40)], ids=["40"])
def test_as_the_commands(seeds: range):
    """There are problems where the commands have an error, and nowhere else."""
    accepted = 0
    for seed in seeds:
        text = mutated(SMALL, seed)
        try:
            read_text(CONTEXT, text, "text")
        except InputError as error:
            assert read(text).problems, (seed, str(error))
        else:
            accepted += 1
            assert read(text).problems == (), seed
    assert 0 < accepted < len(seeds)
