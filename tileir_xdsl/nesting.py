"""The limit of nested regions, and Python's recursion limit for the calls that walk them.

The parser, the printer, the verifier, passes and interpreters, including xDSL's own, walk nested
regions by recursive calls. Python's limit is 1,000 calls, and each level of regions takes some ten.
So Python's limit is raised by the levels of nested regions in a program. Endless recursion, as on
brackets of a damaged text, still ends early.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tileir_xdsl.shared_numbers import SharedNumber

if TYPE_CHECKING:
    from xdsl.ir import Operation

MAX_NESTING = 1024
"""The greatest depth of nested regions in a program, including those of its modules."""

TOO_DEEP = f"regions are nested deeper than {MAX_NESTING}"

# Measured with Python 3.11 to 3.13: parsing takes 9 calls a level, passes at most 7. A thousand
# levels take less than 8 MiB of the stack of C, which Linux gives every thread.
_CALLS = 20

_GRAIN = 32
"""The levels of regions for which Python's own limit is enough.
"""

_limit = SharedNumber(sys.getrecursionlimit, sys.setrecursionlimit)


@contextmanager
def room_for(levels: int = 0) -> Generator[None]:
    """Raises the recursion limit for calls that walk `levels` nested regions.

    The limit is restored when the last user ends, since threads share it. A caller that runs many
    steps keeps the highest limit that one of them needed.
    """
    with _limit.kept():
        make_room(levels)
        yield


def make_room(levels: int) -> None:
    """Raises the recursion limit further, until the last active `room_for` ends."""
    if levels > _GRAIN:
        _limit.raise_to(_limit.before + _CALLS * levels)


def levels_in(module: "Operation") -> int:
    """The depth of nested ops with regions, including `module`."""
    levels, around = 0, [module]
    while around:
        levels += 1
        around = [
            op
            for outer in around
            for region in outer.regions
            for block in region.blocks
            for op in block.ops
            if op.regions
        ]
    return levels
