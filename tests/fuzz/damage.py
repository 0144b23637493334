"""Damage to texts and bytes that leaves most of them as they are, so that what reads them gets far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@#!^]?[\w$.]+|->|[^\s\w]|\s+')
NUMBERS = (
    *("0", "1", "-1", "2", "3", "31", "32", "33", "127", "128", "255", "256", "65536"),
    *("2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808"),
    *("18446744073709551616", "1e400", "nan", "inf", "-0.0", "0x7FC00000", "9" * 40),
)
_LETTERS = "0-x<>{}[]():,=%@#!\\?é\0"
_LONGEST = 4
"""Pieces of damage to one input."""


def damage_text(random: Random, tokens: Sequence[str], pool: Sequence[str]) -> str:
    """The text with one to three tokens deleted, doubled, exchanged, replaced or cut.

    Strings stay closed: xDSL's lexer takes exponential time to find out that one is open.
    """
    result = list(tokens)
    for _ in range(random.choice((1, 1, 2, 3))):
        if not result:
            break
        index = random.randrange(len(result))
        match random.randrange(7):
            case 0:
                del result[index]
            case 1:
                result.insert(index, result[index])
            case 2:
                other = random.randrange(len(result))
                result[index], result[other] = result[other], result[index]
            case 3:
                result[index] = random.choice(pool)
            case 4:
                result[index] = random.choice(NUMBERS)
            case 5 if '"' not in result[index]:
                result[index] = result[index][: random.randrange(len(result[index]) + 1)]
            case _:
                result[index] += random.choice(_LETTERS)
    return "".join(result)


def damage_bytes(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The bytes with some changed, lost, inserted, doubled, or taken from another input."""
    result = bytearray(data)
    for _ in range(random.randint(1, _LONGEST)):
        if not result:
            break
        start = random.randrange(len(result))
        end = min(len(result), start + random.choice((1, 1, 2, 4, 9, 40)))
        match random.randrange(7):
            case 0:
                result[start] ^= 1 << random.randrange(8)
            case 1:
                result[start] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
            case 2:
                del result[start:end]
            case 3:
                result[start:start] = result[start:end]
            case 4:
                # Numbers of variable length end with a byte below 128.
                result[start:start] = b"\xff" * random.choice((1, 4, 9, 10)) + b"\x01"
            case 5:
                other = random.choice(others)
                first = random.randrange(len(other))
                result[start:end] = other[first : first + end - start]
            case _:
                del result[start:]
    return bytes(result)
