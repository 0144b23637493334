"""The literal inputs of the seeds are read and become what the seeds say, or the page says why not."""

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from docs.seed_exceptions import ELIDED, UNREADABLE
from tests.unit.dialects.cuda_tile.samples import EXAMPLES
from tests.unit.dialects.cuda_tile.test_specification import INVALID
from tests.unit.docs.seed_inputs import INPUTS, SeedInput
from tileir_xdsl.testing.tools import parse, roundtrip, run_passes, to_text

PASSES = {"001": "convert-cuda-tile-to-tileaa", "004": "canonicalize"}
READABLE = [one for one in INPUTS if (one.seed, one.title) not in UNREADABLE]


def name(one: SeedInput) -> str:
    return f"{one.seed} {one.title}"


def program(one: SeedInput) -> str:
    """The block with what defines the values it uses, in a function where it is of `cuda_tile`."""
    if one.seed == "001":
        parameters = ", ".join(f"%{value}: {type}" for value, type in one.values.items())
        body = f"testing$func @f({parameters}) {{\n{one.text}\nreturn\n}}"
        return f"cuda_tile.module @m {{\n{body}\n}}"
    names = ", ".join(f"%{value}" for value in one.values)
    types = ", ".join(one.values.values())
    return f'{one.aliases}{names} = "test.op"() : () -> ({types})\n{one.text}'


def without_blanks(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("one", READABLE, ids=name)
def test_inputs_are_read(one: SeedInput):
    roundtrip(program(one))


@pytest.mark.parametrize("one", [one for one in READABLE if one.output], ids=name)
def test_inputs_become_what_the_seed_says(one: SeedInput):
    text = program(one)
    if one.seed == "004":
        used = one.output.split()[0]
        kind = one.text.rsplit(" to ", 1)[1]
        text += f'\n"test.op"({used}) : ({kind}) -> ()'
    after = to_text(run_passes(parse(text), PASSES[one.seed]))
    assert without_blanks(one.output) in without_blanks(after)


def test_inputs_that_cannot_be_read_are_refused():
    refused: set[tuple[str, str]] = set()
    for one in INPUTS:
        try:
            parse(program(one))
        except (ParseError, VerifyException):
            refused.add((one.seed, one.title))
    refused |= {("002", title) for title, text in EXAMPLES.items() if INVALID.search(text)}
    assert refused == {key for key, reason in UNREADABLE.items() if reason != ELIDED}
