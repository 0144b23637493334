"""Group l, litmus: what a GPU does where the memory model allows much or little.

The tests are those that the emulator is held to (`tests/litmus`), repeated; the outcomes that may
be seen are those of the axioms. Barriers also run in warps of which one lane is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from bench.pack.devices import PackDevice
from bench.pack.facts import HEADER
from bench.pack.items import KERNEL_SECONDS, Item, Program, Unit, UnitSpec
from tests.litmus.executions import allowed
from tests.litmus.repeated import (
    COUNTERS,
    STRIDE,
    can_repeat,
    has_barriers,
    instance_bytes,
    kernel,
)
from tests.litmus.runs import layout_of
from tests.litmus.shapes import SUITE
from tests.litmus.syntax import LitmusTest, read_test
from tileir_xdsl.runtime.ptxas import assemble

GROUPS, ROUNDS = 64, 1563
"""100,000 repetitions: so many groups of blocks at once, each so many times."""
ITEM_SECONDS = 0.1
"""What a test is expected to take: repetitions, copies of its memory, and counting."""
EXITED = "exited lanes"


@cache
def tests() -> dict[str, tuple[LitmusTest, ...]]:
    """The tests that can be repeated, by family."""
    found: dict[str, list[LitmusTest]] = {}
    for path in sorted(SUITE.rglob("*.litmus")):
        test = read_test(path)
        if can_repeat(test):
            found.setdefault(path.parent.name, []).append(test)
    # Last those that would hang where hardware counts other lanes than the PTX ISA says.
    names = sorted(found, key=lambda family: any(map(has_barriers, found[family])))
    return {family: tuple(found[family]) for family in names}


def variants(family: Sequence[LitmusTest]) -> Iterator[tuple[LitmusTest, bool]]:
    """Each test, and whether the lanes exit that it does not need."""
    for test in family:
        yield test, not has_barriers(test)
    for test in filter(has_barriers, family):
        yield test, True


def make(device: PackDevice, family: str) -> Unit:
    """The tests of a family in one module."""
    unit, module = Unit(device), f"litmus_{re.sub(r'[^A-Za-z0-9]', '_', family)}"
    chosen = list(variants(tests()[family]))
    texts = [kernel(f"k{n}", test, exits=exits) for n, (test, exits) in enumerate(chosen)]
    unit.ptx[module] = HEADER.format(target=device.target) + "".join(texts)
    unit.cubins[module] = assemble(unit.ptx[module], device.target).cubin
    for number, (test, exits) in enumerate(chosen):
        unit.items.append(_item(module, f"k{number}", family, test, exits))
    return unit


def _item(module: str, name: str, family: str, test: LitmusTest, exits: bool) -> Item:
    layout, model = layout_of(test), allowed(test)
    lanes = f", {EXITED}" if exits and has_barriers(test) else ""
    places = [place.name for place in test.locations.values() if place.space == "global"]
    program = Program(module, name, (layout.threads, 1, 1), 0, layout.cluster)
    return {
        "id": f"l/{family}/{test.name}{lanes.replace(', ', '+').replace(' ', '-')}",
        "group": "l",
        "kind": "litmus",
        "title": f"{test.name}{lanes}",
        "note": test.comment,
        "seconds": KERNEL_SECONDS,
        "launch": {**program.launch((layout.grid, 1, 1), []), "predicted": ITEM_SECONDS},
        "groups": GROUPS,
        "rounds": ROUNDS,
        "bytes": instance_bytes(test),
        "counters": COUNTERS,
        "names": list(model.names),
        # A word of memory that the condition names is read where it is.
        "words": {
            name: list(test.locations).index(name) * STRIDE
            for name in model.names
            if name in places
        },
        "allowed": sorted(map(list, model.outcomes)),
    }


def units(_device: PackDevice) -> list[UnitSpec]:
    """A unit for each family."""
    return [UnitSpec(f"l/{family}", make, (family,)) for family in tests()]
