"""How deep regions may be nested, and room for the calls that walk them.

The parser, the printer, the verifier, passes and interpreters follow regions by calls that nest as
deep as these, xDSL's own among them. Python ends what nests deeper than 1,000 calls; each level
takes some ten. So the limit is raised only by the levels that a program has. Endless nesting, such
as brackets of a damaged text, still ends early.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tileir_xdsl.shared_numbers import SharedNumber

if TYPE_CHECKING:
    from xdsl.ir import Operation

MAX_NESTING = 1024
"""The depth of nested regions that a program may have, those of its modules included."""

TOO_DEEP = f"regions are nested deeper than {MAX_NESTING}"

# Measured with Python 3.11 to 3.13: parsing takes 9 calls a level, passes at most 7. A thousand
# levels take less than 8 MiB of the stack of C, which Linux gives every thread.
_CALLS = 20

_GRAIN = 32
"""The number of levels for which Python's own limit is enough, and the number by which the limit is
raised.
"""

_limit = SharedNumber(sys.getrecursionlimit, sys.setrecursionlimit)


@contextmanager
def room_for(levels: int = 0) -> Generator[None]:
    """Lets calls nest as deep as following so many nested regions takes.

    The limit stays until the last user ends, as threads share it. A caller that follows a program
    through many steps thus keeps the limit that any of them needed.
    """
    with _limit.kept():
        make_room(levels)
        yield


def make_room(levels: int) -> None:
    """Raises the limit further, until the last `room_for` under way ends."""
    if levels > _GRAIN:
        _limit.raise_to(_limit.before + _CALLS * levels)


def levels_in(module: "Operation") -> int:
    """How many ops that have regions are nested in one another, `module` included."""
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
