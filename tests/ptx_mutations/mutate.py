"""Damage to PTX text that leaves most of it as it is, so that what reads it gets far."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tileir_xdsl.emulator.instructions.table import FORM_TABLE
from tileir_xdsl.emulator.types import TYPES

# Numbers at the ends of what a register, a table or a memory can hold, and far beyond.
NUMBERS = (
    *(0, 1, 2, 3, 7, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 1023, 1024, 1025),
    *(2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64),
    *(10**20, 10**26, 2**127, 10**40, 10**400),
)
_OPERANDS = (
    *("_", "{}", "[0]", "[]", "{_}", "{_, _}", "0f7FC00000", "0d7FF0000000000000", "1.5", "1e999"),
    *("%tid.x", "%laneid", "%clock64", "%envreg3", "WARP_SZ", "-0", "!1", "[1+2, {}]", "1|2", "0b"),
    *("%nothing", "nothing", "$nowhere", "(1)", "()", "generic(1)", "-", "", "0x", "08", "1U"),
)
_STATEMENT = re.compile(r"^\s*(?:@!?[\w%$]+\s+)?[a-z][\w.:]*(?:\s[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*)?;")
_INTEGER = re.compile(r"(?<![\w.%$])(?:0[xX][0-9a-fA-F]+|\d+)(?![\w.])")
_QUALIFIER = re.compile(r"\.[a-z]\w*(?:::\w+)*")
_LITTLE_EXITS = (
    "{{ .reg .pred %leaves; .reg .b32 %here; mov.u32 %here, {register}; "
    "setp.{compare}.u32 %leaves, %here, {number}; @%leaves {leave}; }}"
)

Mutation = Callable[[str, Random], str]


def _number(random: Random) -> str:
    value = random.choice(NUMBERS)
    if random.random() < 0.2:
        value = -value
    return hex(value) if value >= 0 and random.random() < 0.2 else str(value)


def _replace_match(pattern: re.Pattern[str], text: str, random: Random, new: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = random.choice(found)
    return text[: chosen.start()] + new + text[chosen.end() :]


def _change_number(text: str, random: Random) -> str:
    return _replace_match(_INTEGER, text, random, _number(random))


def _change_qualifier(text: str, random: Random) -> str:
    form = random.choice(FORM_TABLE.forms)
    names = [
        *_QUALIFIER.findall(form.mnemonic.replace("|", ".")),
        *(f".{name}" for name in TYPES),
        *(".maxntid", ".align", ".v2", ".v4", ".v8", ".cc", ".sat", ".func", ".entry", ".extern"),
    ]
    new = random.choice([*names, "", "."])
    return _replace_match(_QUALIFIER, text, random, new)


def _statement_lines(lines: list[str]) -> list[int]:
    return [index for index, line in enumerate(lines) if _STATEMENT.match(line)]


def _on_statement(change: Callable[[str, Random], str]) -> Mutation:
    """A mutation of one statement that stands on a line."""

    def mutate(text: str, random: Random) -> str:
        lines = text.splitlines()
        places = _statement_lines(lines)
        if not places:
            return text
        place = random.choice(places)
        lines[place] = change(lines[place], random)
        return "\n".join(lines)

    return mutate


def split_operands(text: str) -> list[str]:
    """The operands of `a, {b, c}, [d, {e}]`."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "{[(") - (letter in "}])")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [operand.strip() for operand in found if operand.strip()]


def _on_operands(change: Callable[[list[str], Random], list[str]]) -> Mutation:
    """A mutation of the operands of one statement."""

    def mutate(line: str, random: Random) -> str:
        head = re.match(r"\s*(?:@!?\S+\s+)?[a-z][\w.:]*", line)
        end = line.rfind(";")
        if head is None or end < head.end():
            return line
        operands = change(split_operands(line[head.end() : end]), random)
        return f"{head.group()} {', '.join(operands)};"

    return _on_statement(mutate)


def _no_operands(operands: list[str], random: Random) -> list[str]:
    return []


def _drop_operand(operands: list[str], random: Random) -> list[str]:
    if operands:
        del operands[random.randrange(len(operands))]
    return operands


def _double_operand(operands: list[str], random: Random) -> list[str]:
    if operands:
        operands.insert(random.randrange(len(operands) + 1), random.choice(operands))
    return operands


def _swap_operands(operands: list[str], random: Random) -> list[str]:
    random.shuffle(operands)
    return operands


def _odd_operand(operands: list[str], random: Random) -> list[str]:
    if operands:
        new = random.choice([*_OPERANDS, _number(random), f"[{_number(random)}]"])
        operands[random.randrange(len(operands))] = new
    return operands


def _foreign_operand(text: str, random: Random) -> str:
    """An operand of another statement: a register of another type, a label, a vector."""
    lines = text.splitlines()
    heads = re.compile(r"\s*(?:@!?\S+\s+)?[a-z][\w.:]*")
    split: dict[int, tuple[str, list[str]]] = {}
    for place in _statement_lines(lines):
        head = heads.match(lines[place])
        if head is not None:
            operands = split_operands(lines[place][head.end() : lines[place].rfind(";")])
            if operands:
                split[place] = head.group(), operands
    if not split:
        return text
    place = random.choice(list(split))
    head, operands = split[place]
    operands[random.randrange(len(operands))] = random.choice(
        random.choice(list(split.values()))[1]
    )
    lines[place] = f"{head} {', '.join(operands)};"
    return "\n".join(lines)


def _foreign_opcode(line: str, random: Random) -> str:
    """The mnemonic of a form of the emulator in place of the statement's."""
    form = random.choice(FORM_TABLE.forms)
    pieces = re.sub(r"<\w+:([^>]*)>", lambda m: random.choice(m[1].split("|")), form.mnemonic)
    mnemonic = re.sub(r"\{([^}]*)\}", lambda m: random.choice(["", m[1]]), pieces)
    return re.sub(r"[a-z][\w.:]*", lambda _: mnemonic, line, count=1)


def _duplicate_line(text: str, random: Random) -> str:
    lines = text.splitlines()
    lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return "\n".join(lines)


def _drop_line(text: str, random: Random) -> str:
    lines = text.splitlines()
    del lines[random.randrange(len(lines))]
    return "\n".join(lines)


def _change_text(text: str, random: Random) -> str:
    """Characters that are gone, doubled, or others."""
    place = random.randrange(len(text))
    other = random.choice(["", text[place] * 2, *'{}[]();,:@!|+-<>=."%$_0x/*\0\\é²٣'])
    return text[:place] + other + text[place + 1 :]


def _cut_off(text: str, random: Random) -> str:
    return text[: random.randrange(len(text))]


def leave_early(text: str, random: Random) -> str:
    """Some threads exit, or go another way, before a statement."""
    lines = text.splitlines()
    places = _statement_lines(lines)
    if not places:
        return text
    leaving = _LITTLE_EXITS.format(
        register=random.choice(["%tid.x", "%laneid", "%warpid", "%ctaid.x"]),
        compare=random.choice(["lt", "ge", "eq", "ne"]),
        number=random.choice([0, 1, 2, 3, 17, 31, 32, 64, 96]),
        leave=random.choice(["exit", "ret", "bar.sync 0", "bar.arrive 1, 64", "bar.warp.sync -1"]),
    )
    place = random.choice(places)
    # A statement may be the middle of one that spans lines: then the text is wrong, which is fine.
    lines.insert(place, leaving)
    return "\n".join(lines)


def change_block(text: str, random: Random) -> str:
    """Another required shape of a block: one thread, odd sizes, three axes."""
    shape = random.choice(
        ["1", "2", "31", "33", "48", "1, 1, 1", "5, 3, 7", "1, 32", "127", "129", "1024"]
    )
    return re.sub(r"\.(reqntid|maxntid)\s+[\d, ]+", f".reqntid {shape}\n", text, count=1)


def same_address(text: str, random: Random) -> str:
    """The address of a variable, the same in all threads, in place of one in a register."""
    variables = re.findall(r"\.(?:shared|local|global|const)\b[^;=]*?\s([\w$]+)\[", text)
    new = random.choice([*variables, "%rd0", "0"])
    return _replace_match(re.compile(r"(?<=\[)%\w+"), text, random, new)


MUTATIONS: tuple[Mutation, ...] = (
    *(leave_early, change_block, same_address, _change_number, _change_qualifier, _foreign_operand),
    *(_duplicate_line, _drop_line, _change_text, _cut_off),
    *map(
        _on_operands, (_no_operands, _drop_operand, _double_operand, _swap_operands, _odd_operand)
    ),
    _on_operands(_odd_operand),
    _on_statement(_foreign_opcode),
    _on_statement(_change_number),
    _on_statement(_change_qualifier),
)
WORKING: tuple[Mutation, ...] = (leave_early, leave_early, change_block, same_address)
"""Mutations after which a kernel is still one that ptxas takes."""


def mutate(text: str, random: Random) -> str:
    """A text with up to three pieces of damage; half of them only have threads that leave."""
    mutations = WORKING if random.random() < 0.5 else MUTATIONS
    for _ in range(random.choice([1, 1, 2, 3])):
        text = random.choice(mutations)(text, random) or " "
    return text
