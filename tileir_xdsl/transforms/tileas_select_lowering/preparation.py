"""Inlines calls and expands ops, so that every op that needs a strategy or memory is in its
kernel.
"""

from xdsl.dialects.builtin import ModuleOp

from .inlining import inline_calls
from .synchronous_expansion import expand


def prepare(module: ModuleOp) -> None:
    """Inlines calls, and expands asynchronous ops without hardware support."""
    inline_calls(module)
    expand(module)
