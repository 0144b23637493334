"""Registers of asynchronous products: what may touch them, and when."""

import random

import pytest

from tests.unit.emulator.kernels import HOPPER_HEADER
from tileir_xdsl import emulator

MMA = (
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3},"
    " {%a0, %a1, %a2, %a3}, %b, 1, 1, 1, 0;"
)
FENCE = "wgmma.fence.sync.aligned;"
COMMIT = "wgmma.commit_group.sync.aligned;"
WAIT = "wgmma.wait_group.sync.aligned 0;"


FIRST = 9
"""The line of the first instruction of a body."""


def run(body: str, declarations: str = "") -> None:
    """`%w` is the number of the warpgroup."""
    text = (
        f"{HOPPER_HEADER}.visible .entry k() .reqntid 256\n{{\n"
        ".reg .pred %p; .reg .b32 %a<4>, %w, %x; .reg .f32 %d<4>, %f; .reg .b64 %b;"
        f" {declarations} .shared .align 128 .b8 buffer[1024]; mov.u32 %w, %tid.x; shr.u32 %w, %w, 7;\n"
        f"mov.b64 %b, 0x0000001000080000;\n{body}\nret;\n}}\n"
    )
    emulator.load(text).launch("k", (1, 1, 1), [], races=True)


RIGHT = [
    f"{FENCE} {MMA} {COMMIT} {WAIT} mov.f32 %f, %d0;",
    f"{FENCE} {MMA} {MMA} {COMMIT} mov.b32 %x, %a0; {WAIT} mov.b32 %a0, 0;",
    f"mov.f32 %d0, 0f00000000; {FENCE} {MMA} {COMMIT} {FENCE} {MMA} {COMMIT} {WAIT}",
    # Each warpgroup has registers of its own.
    f"setp.eq.u32 %p, %w, 0; @%p bra OTHER;\n{FENCE} {MMA} {COMMIT} {WAIT} bra END;\n"
    "OTHER: mov.f32 %d0, 0f00000000;\nEND:",
]


@pytest.mark.parametrize("body", RIGHT)
def test_right_use(body: str):
    run(body)


WRONG = [
    (f"{FENCE}\n{MMA} {COMMIT}\nmov.f32 %f, %d1;\n{WAIT}", 11, "register '%d1' of a wgmma"),
    (f"{FENCE} {MMA} {COMMIT}\nmov.f32 %d1, %f;\n{WAIT}", 10, "register '%d1' of a wgmma"),
    (f"{FENCE} {MMA} {COMMIT}\nmov.b32 %a2, 0;\n{WAIT}", 10, "register '%a2' of a wgmma"),
    (f"{FENCE} {MMA}\n{WAIT}\nmov.f32 %f, %d1;", 11, "before wgmma.wait_group"),
    (f"{MMA} {COMMIT} {WAIT}", 9, "no wgmma.fence is between"),
    (
        f"{FENCE} {MMA} {COMMIT} {WAIT} mov.f32 %f, %d1;\n{MMA} {COMMIT} {WAIT}",
        10,
        "no wgmma.fence is between",
    ),
    (
        f"{FENCE} {MMA} {COMMIT}\n{MMA.replace('%a0', '%d0')} {COMMIT} {WAIT}",
        10,
        "it reads registers that a wgmma in flight writes",
    ),
]


@pytest.mark.parametrize(("body", "line", "message"), WRONG)
def test_wrong_use(body: str, line: int, message: str):
    with pytest.raises(emulator.EmulatorError, match="race: ") as caught:
        run(body)
    assert message in caught.value.message
    assert caught.value.line == line


COUNT = 3
"""The products of random programs, each with registers of its own."""


def step(seed: random.Random, pending: list[set[int]], open_group: set[int]) -> tuple[str, bool]:
    """The next instruction of a random program, and whether it is a race.

    `pending` has the products of committed groups that may be in flight, `open_group` those that
    are not committed (PTX ISA, "wgmma.commit_group" and "wgmma.wait_group").
    """
    match seed.choice(("mma", "mma", "commit", "wait", "access", "access")):
        case "mma":
            number = seed.randrange(COUNT)
            open_group.add(number)
            return FENCE + MMA.replace("%d", f"%d{number}").replace("%a", f"%a{number}"), False
        case "commit":
            pending.append(set(open_group))
            open_group.clear()
            return COMMIT, False
        case "wait":
            left = seed.randrange(COUNT)
            del pending[: max(len(pending) - left, 0)]
            return f"wgmma.wait_group.sync.aligned {left};", False
        case _:
            number, place = seed.randrange(COUNT), seed.randrange(4)
            text, may_race = seed.choice(
                [
                    (f"mov.f32 %f, %d{number}{place};", True),
                    (f"mov.f32 %d{number}{place}, %f;", True),
                    (f"mov.b32 %a{number}{place}, %x;", True),
                    (f"mov.b32 %x, %a{number}{place};", False),
                ]
            )
            return text, may_race and any(number in group for group in (*pending, open_group))


def test_registers_are_taken_until_their_group_is_waited_for():
    declarations = " ".join(
        f".reg .f32 %d{number}<4>; .reg .b32 %a{number}<4>;" for number in range(COUNT)
    )
    raced: list[bool] = []
    for number in range(60):
        seed, lines = random.Random(number), list[str]()
        pending, open_group = list[set[int]](), set[int]()
        is_race = False
        while not is_race and len(lines) < 3 + number % 12:
            text, is_race = step(seed, pending, open_group)
            lines.append(text)
        body = "\n".join(lines)
        try:
            run(body, declarations)
            found = None
        except emulator.EmulatorError as error:
            assert "race: register" in error.message
            found = error.line
        assert found == (FIRST + len(lines) - 1 if is_race else None), body
        raced.append(is_race)
    assert 10 < sum(raced) < 50
