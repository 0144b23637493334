"""Litmus tests as kernels for a GPU: a launch repeats a test, on memory of its own each time.

The grid has groups of the test's blocks. A group repeats it, and before each time its threads meet
at a counter by relaxed operations, which order nothing, and wait for a moment that differs. Outcomes
are counted by the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tests.litmus.runs import WARP, Layout, layout_of, statements
from tests.litmus.syntax import LitmusTest, Location

STRIDE = 128
"""Bytes between the locations of a repetition: a cache line."""
COUNTERS = 2
"""Of each repetition: where threads meet before it, and after it."""
LONGEST = 31
"""Rounds of an empty loop that a thread waits before a repetition, at most."""

_MEMORY = ("ld", "st", "atom", "red", "fence", "membar", "bar", "barrier")
OPCODES = {*_MEMORY, "mov", "add", "xor", "and", "setp"}


def can_repeat(test: LitmusTest) -> bool:
    """Whether a test can be repeated: it is of ordinary accesses, fences and barriers, starts with
    zeros, and has no race, so that the model says what may be seen."""
    parts = [set(i.parts) for thread in test.threads for i in thread]
    places = test.locations.values()
    return (
        not test.is_racy
        and all(p & OPCODES and not p & {"proxy", "mbarrier_init"} for p in parts)
        and all(place.space != "mbarrier" and not place.initial for place in places)
    )


def has_barriers(test: LitmusTest) -> bool:
    """Whether threads meet at barriers of hardware, which count lanes that have not exited."""
    return any(i.parts[0] in ("bar", "barrier") for thread in test.threads for i in thread)


def instance_bytes(test: LitmusTest) -> int:
    """The memory of a repetition."""
    return STRIDE * len(test.locations)


def kernel(name: str, test: LitmusTest, *, exits: bool) -> str:
    """The kernel `name(memory, results, counters, rounds)` of a test.

    Memory and counters are zero before; a repetition has `instance_bytes` of memory, `COUNTERS`
    words of counters, and a word of results for each name in the condition. With `exits`, lanes
    that the test does not need end first.
    """
    layout = layout_of(test)
    lines = [*_head(name, test, layout), *(["@!%first exit;"] if exits else [])]
    lines.append("NEXT:")
    lines += _instance(test, layout)
    lines += _meet(test, 0, exits=exits)
    lines += _pause()
    for number, place in enumerate(test.places):
        warp = layout.blocks[place.cta] * layout.threads // WARP + layout.warps[number]
        lines += [f"setp.eq.u32 %here, %warp, {warp};", f"@%here bra THREAD{number};"]
    lines.append("ret;")
    for number, instructions in enumerate(test.threads):
        lines += [f"THREAD{number}:", *_remote(test, layout, number)]
        lines += [line for each in instructions for line in statements(test, each)]
        lines += [*_registers(test, number), "bra DONE;"]
    lines.append("DONE:")
    if _shared(test):
        lines += [*_meet(test, 1, exits=exits), *_shared_results(test, layout)]
    lines += [
        "add.u32 %instance, %instance, 1;",
        "setp.lt.u32 %here, %instance, %end;",
        "@%here bra NEXT;",
        "ret;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _shared(test: LitmusTest) -> list[Location]:
    return [place for place in test.locations.values() if place.space == "shared"]


def _names(test: LitmusTest) -> set[str]:
    texts = (t for thread in test.threads for i in thread for t in (*i.operands, i.guard))
    return {name for text in texts for name in re.findall(r"\b[rp]\d+\b", text)}


def _head(name: str, test: LitmusTest, layout: Layout) -> Iterator[str]:
    parameters = ", ".join(f".param .u64 {each}" for each in ("memory", "results", "counters"))
    yield f".visible .entry {name}({parameters}, .param .u32 rounds)"
    yield f".reqntid {layout.threads}, 1, 1"
    if layout.cluster > 1:
        yield f".reqnctapercluster {layout.cluster}, 1, 1"
    yield "{"
    for place in _shared(test):
        yield f".shared .align 16 .b32 {place.name}_shared[4];"
    yield ".reg .pred %here, %first, %guard;"
    yield ".reg .b32 %warp, %lane, %block, %instance, %end, %seen;"
    yield ".reg .b64 %memory, %results, %counters, %at, %base;"
    for register in sorted(_names(test)):
        yield f".reg .{'pred' if register[0] == 'p' else 'b32'} %{register};"
    for place in test.locations.values():
        yield f".reg .{'b64' if place.space == 'global' else 'b32'} %{place.name};"
    for each in ("memory", "results", "counters"):
        yield f"ld.param.u64 %{each}, [{each}];"
    yield from (
        "ld.param.u32 %end, [rounds];",
        "mov.u32 %block, %ctaid.x;",
        f"div.u32 %instance, %block, {layout.grid};",
        "mul.lo.u32 %instance, %instance, %end;",
        "add.u32 %end, %instance, %end;",
        f"rem.u32 %block, %block, {layout.grid};",
        "mov.u32 %lane, %tid.x;",
        "shr.u32 %warp, %lane, 5;",
        f"mad.lo.u32 %warp, %block, {layout.threads // WARP}, %warp;",
        "and.b32 %lane, %lane, 31;",
        "setp.eq.u32 %first, %lane, 0;",
    )


def _instance(test: LitmusTest, layout: Layout) -> Iterator[str]:
    """Places and registers of a repetition, as they are before it."""
    yield f"mad.wide.u32 %base, %instance, {instance_bytes(test)}, %memory;"
    for index, place in enumerate(test.locations.values()):
        if place.space == "global":
            yield f"add.u64 %{place.name}, %base, {index * STRIDE};"
            continue
        first = layout.blocks[place.cta] * layout.threads // WARP
        yield f"mov.u32 %{place.name}, {place.name}_shared;"
        yield f"setp.eq.and.u32 %here, %warp, {first}, %first;"
        yield f"@%here st.shared.u32 [%{place.name}], 0;"
    for register in sorted(_names(test)):
        if register[0] == "p":
            yield f"setp.ne.u32 %{register}, %lane, %lane;"
        else:
            yield f"mov.u32 %{register}, 0;"


def _remote(test: LitmusTest, layout: Layout, number: int) -> Iterator[str]:
    """The addresses of shared memory of other blocks."""
    for place in _shared(test):
        if test.places[number].cta != place.cta:
            rank = layout.blocks[place.cta] % layout.cluster
            yield f"mapa.shared::cluster.u32 %{place.name}, %{place.name}, {rank};"


def _meet(test: LitmusTest, counter: int, *, exits: bool) -> Sequence[str]:
    """The threads of the test wait for each other; only if it has shared memory is that an order."""
    fence = ["fence.acq_rel.gpu;"] if _shared(test) else []
    return [
        *fence,
        f"mad.wide.u32 %at, %instance, {4 * COUNTERS}, %counters;",
        f"@%first red.relaxed.gpu.global.add.u32 [%at+{4 * counter}], 1;",
        f"MEET{counter}:",
        f"mov.u32 %seen, {len(test.places)};",
        f"@%first ld.relaxed.gpu.global.u32 %seen, [%at+{4 * counter}];",
        f"setp.lt.u32 %here, %seen, {len(test.places)};",
        f"@%here bra MEET{counter};",
        *([] if exits else ["bar.warp.sync -1;"]),
        *fence,
    ]


def _pause() -> Sequence[str]:
    """A moment that is another one for each thread and repetition."""
    return [
        "mad.lo.u32 %seen, %warp, 0x85EBCA6B, %instance;",
        "mul.lo.u32 %seen, %seen, 0x9E3779B1;",
        "shr.u32 %seen, %seen, 16;",
        f"and.b32 %seen, %seen, {LONGEST};",
        "PAUSE:",
        "setp.eq.u32 %here, %seen, 0;",
        "@%here bra GO;",
        "sub.u32 %seen, %seen, 1;",
        "bra PAUSE;",
        "GO:",
    ]


def _result_address(test: LitmusTest) -> str:
    return f"mad.wide.u32 %at, %instance, {4 * len(test.condition.names())}, %results;"


def _registers(test: LitmusTest, number: int) -> Iterator[str]:
    """The registers of a thread that the condition names become results."""
    for index, name in enumerate(test.condition.names()):
        thread, _, register = name.partition(":")
        if not register or int(thread) != number:
            continue
        yield _result_address(test)
        source = f"%{register}"
        if register[0] == "p":
            yield f"selp.u32 %seen, 1, 0, {source};"
            source = "%seen"
        yield f"@%first st.global.u32 [%at+{4 * index}], {source};"


def _shared_results(test: LitmusTest, layout: Layout) -> Iterator[str]:
    """The words of shared memory that the condition names become results, when all have ended."""
    names = test.condition.names()
    for place in _shared(test):
        if place.name in names:
            first = layout.blocks[place.cta] * layout.threads // WARP
            yield f"setp.eq.and.u32 %here, %warp, {first}, %first;"
            yield _result_address(test)
            yield f"ld.shared.u32 %seen, [{place.name}_shared];"
            yield f"@%here st.global.u32 [%at+{4 * names.index(place.name)}], %seen;"
