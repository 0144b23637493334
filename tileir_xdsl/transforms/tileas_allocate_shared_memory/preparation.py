"""What precedes allocation: after it every op that needs memory is in the function that has it."""

from xdsl.dialects.builtin import ModuleOp

from .inlining import inline_calls
from .synchronous_expansion import expand


def prepare(module: ModuleOp) -> None:
    """Inlines calls, and expands asynchronous ops without hardware support."""
    inline_calls(module)
    expand(module)
