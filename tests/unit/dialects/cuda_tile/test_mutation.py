"""Mutated texts give a diagnostic or a valid module, never another exception."""

import random
import re

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.fuzz.damage import TOKENS, damage_text
from tests.unit.dialects.cuda_tile import samples
from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.testing.tools import context, parse, to_text

CASES = 10_000
TESTED = 1_000
"""Cases of `make test`; those of `make soak` are others."""


@pytest.mark.parametrize(
    ("seed", "cases"), [(20, TESTED), pytest.param(21, CASES, marks=pytest.mark.soak)]
)
def test_mutated_texts(seed: int, cases: int):
    random_ = random.Random(seed)
    small = [TOKENS.findall(text) for text in small_texts()]
    large = [TOKENS.findall(text) for text in [*samples.functions(), *samples.EXAMPLES.values()]]
    generic = [TOKENS.findall(text) for text in generic_texts()]
    pool = sorted({token for tokens in small + large + generic for token in tokens})
    shared = context()
    valid = 0
    for case in range(cases):
        text = damage_text(random_, random_.choice((small, generic, large, small)[case % 4]), pool)
        try:
            module = Parser(shared, text).parse_module()
            module.verify()
        except (ParseError, VerifyException):
            continue
        except Exception as error:
            raise AssertionError(f"{error!r} for\n{text}") from error
        valid += 1
        print_short(module)
    # Some mutations change nothing that matters; most are errors.
    assert cases // 100 < valid < cases // 2


@pytest.mark.parametrize(
    "line",
    [
        f"%0 = alloca num_elem = {'9' * 5_000}, alignment = 4 : tile<ptr<i32>>",
        f"%0 = constant <i32: {'9' * 5_000}> : tile<i32>",
        'print_tko "\\FF" -> token',
    ],
)
def test_literals_that_python_cannot_convert(line: str):
    with pytest.raises((ParseError, VerifyException)):
        parse(f"cuda_tile.module @m {{ entry @f() {{ {line} }} }}")


@pytest.mark.parametrize("depth", [60, 200, 5_000])
def test_nesting(depth: int):
    text = "cuda_tile.module @m { entry @f(%c: tile<i1>) { NESTED } }"
    nested = text.replace("NESTED", "if %c { " * depth + "} " * depth)
    try:
        module = Parser(context(), nested).parse_module()
        module.verify()
        print_short(module)
    except ParseError as error:
        assert depth > 60
        assert error.msg == "the text is nested too deeply"


def small_texts() -> list[str]:
    """The samples of a few lines; most of them break one rule."""
    files = sorted(samples.FILECHECK.glob("invalid_*.mlir"))
    return [re.sub(r"//.*\n", "", text) for path in files for _, text in samples.chunks(path)]


def generic_texts() -> list[str]:
    """The valid samples in generic syntax, where segments, properties and regions can go wrong."""
    return [to_text(parse(text), generic=True) for text in samples.functions()]
