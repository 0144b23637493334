"""Neighbours of the inputs of steps: the same with one thing changed, drawn by a seed.

Tests hold the inputs that their authors thought of. A wrong condition shows on an input next to one
of those: with another number, an operand in another place, one op more or less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random

from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from tests.attribute_changes import variants

from .digests import inner_ops, ops_in

_ATTEMPTS = 8
"""Changes that are tried, of which most do not apply to the op that was drawn."""
_MOST_VARIANTS = 40
"""Of an attribute, among which one is drawn."""


def change(top: Operation, seed: bytes) -> None:
    """Changes one thing in an op with all that is nested in it; the result may be invalid."""
    random = Random(seed)
    ops = list(ops_in(top))[1:]
    for _ in range(_ATTEMPTS):
        if ops and random.choice(_CHANGES)(random.choice(ops), random):
            return


def _swap_operands(op: Operation, random: Random) -> bool:
    operands = op.operands
    pairs = [
        (first, second)
        for second in range(len(operands))
        for first in range(second)
        if operands[first].type == operands[second].type and operands[first] != operands[second]
    ]
    if pairs:
        first, second = random.choice(pairs)
        operands[first], operands[second] = operands[second], operands[first]
    return bool(pairs)


def _take_another_operand(op: Operation, random: Random) -> bool:
    if not op.operands:
        return False
    index = random.randrange(len(op.operands))
    old = op.operands[index]
    others = [value for value in _values_before(op) if value.type == old.type and value != old]
    if others:
        op.operands[index] = random.choice(others)
    return bool(others)


def _values_before(op: Operation) -> Iterator[SSAValue]:
    """The values that an op may read, of its own block and those around it."""
    around: Operation | None = op
    while around is not None and (block := around.parent) is not None:
        yield from block.args
        for other in block.ops:
            if other is around:
                break
            yield from other.results
        around = block.parent_op()


def _change_attribute(op: Operation, random: Random) -> bool:
    named = [(held, name) for held in (op.properties, op.attributes) for name in sorted(held)]
    random.shuffle(named)
    for held, name in named:
        others = [other for _, other in islice(variants(held[name]), _MOST_VARIANTS)]
        if others:
            held[name] = random.choice(others)
            return True
    return False


def _drop_attribute(op: Operation, random: Random) -> bool:
    named = [(held, name) for held in (op.properties, op.attributes) for name in sorted(held)]
    if named:
        held, name = random.choice(named)
        del held[name]
    return bool(named)


def _repeat(op: Operation, random: Random) -> bool:
    block = op.parent
    if block is None or op.regions or op.has_trait(IsTerminator):
        return False
    copy = op.clone()
    block.insert_op_after(copy, op)
    uses = [use for result in op.results for use in result.uses]
    if uses:
        use = random.choice(uses)
        numbers: dict[SSAValue, int] = {result: n for n, result in enumerate(op.results)}
        number = numbers[use.operation.operands[use.index]]
        use.operation.operands[use.index] = copy.results[number]
    return True


def _erase(op: Operation, _: Random) -> bool:
    is_used = any(result.uses for result in op.results)
    if op.parent is None or is_used or op.has_trait(IsTerminator):
        return False
    op.detach()
    op.erase()
    return True


def _exchange(op: Operation, _: Random) -> bool:
    """An op after the one that follows it."""
    block, following = op.parent, op.next_op
    if block is None or following is None or following.has_trait(IsTerminator):
        return False
    for inner in (following, *_all_in(following)):
        if any(operand.owner is op for operand in inner.operands):
            return False
    op.detach()
    block.insert_op_after(op, following)
    return True


def _all_in(op: Operation) -> Iterator[Operation]:
    return (inner for each in inner_ops(op) for inner in ops_in(each))


_CHANGES: Sequence[Callable[[Operation, Random], bool]] = (
    *(_swap_operands, _take_another_operand, _change_attribute, _change_attribute),
    *(_drop_attribute, _repeat, _erase, _exchange),
)

_OTHER_WORDS = (
    *(
        ("s32", "u32"),
        ("s64", "u64"),
        ("s32", "s64"),
        ("f32", "f64"),
        ("b32", "b64"),
        ("u16", "s16"),
    ),
    *(("eq", "ne"), ("lt", "le"), ("gt", "ge"), ("lo", "hi"), ("min", "max"), ("add", "sub")),
    *(("and", "or"), ("shl", "shr"), ("rn", "rz"), ("up", "down"), ("relaxed", "acquire")),
    *(("cta", "gpu"), ("shared", "global"), ("v2", "v4"), ("sync", "arrive"), ("fma", "mad")),
)
_WORD = re.compile(r"[a-z]+\d*")
_NUMBER = re.compile(r"(?<![\w%.])\d+\b")
_REGISTER = re.compile(r"%[a-z]+\d+")


def changed_ptx(text: str, seed: bytes) -> str:
    """PTX with one thing of one instruction changed; it may be invalid."""
    random, lines = Random(seed), text.split("\n")
    numbers = [
        i for i, line in enumerate(lines) if line.rstrip().endswith(";") and "\t." not in line
    ]
    for _ in range(_ATTEMPTS):
        if not numbers:
            break
        number = random.choice(numbers)
        new = random.choice(_PTX_CHANGES)(lines[number], random)
        if new != lines[number]:
            lines[number] = new
            break
    return "\n".join(lines)


def _other_word(line: str, random: Random) -> str:
    either = dict(_OTHER_WORDS) | {new: old for old, new in _OTHER_WORDS}
    return _at_one(_WORD, line, random, lambda word: either.get(word, word), set(either))


def _other_number(line: str, random: Random) -> str:
    return _at_one(_NUMBER, line, random, lambda word: str(abs(_near(int(word), random))))


def _other_register(line: str, random: Random) -> str:
    registers = sorted(set(_REGISTER.findall(line)))
    return _at_one(_REGISTER, line, random, lambda _: random.choice(registers))


def _dropped(line: str, _: Random) -> str:
    return ""


def _other_guard(line: str, _: Random) -> str:
    return line.replace("@%", "@!%") if "@%" in line else re.sub(r"@!?%\w+ ", "", line)


def _at_one(
    pattern: re.Pattern[str],
    line: str,
    random: Random,
    new: Callable[[str], str],
    words: set[str] | None = None,
) -> str:
    """A line with another text in place of one match."""
    found = [match for match in pattern.finditer(line) if words is None or match[0] in words]
    if not found:
        return line
    match = random.choice(found)
    return line[: match.start()] + new(match[0]) + line[match.end() :]


def _near(number: int, random: Random) -> int:
    return random.choice((number + 1, number - 1, 2 * number, number // 2, 0, 1, 1 << 31))


_PTX_CHANGES: Sequence[Callable[[str, Random], str]] = (
    *(_other_word, _other_word, _other_number, _other_register, _dropped, _other_guard),
)
