"""Puts every op that needs a strategy or memory into the kernel that executes it."""

from xdsl.dialects.builtin import ModuleOp

from .inlining import inline_calls
from .synchronous_expansion import expand


def prepare(module: ModuleOp) -> None:
    """Inlines calls, and expands asynchronous ops without hardware support."""
    inline_calls(module)
    expand(module)
