"""`%load_ext tileir_xdsl`: magics, completion in their cells, and how values are shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from tileir_xdsl.drawings import formatters
from tileir_xdsl.drawings import jupyter as drawings
from tileir_xdsl.jupyter import magics
from tileir_xdsl.jupyter.completion import matcher_of
from tileir_xdsl.jupyter.session import Session

CELL, LINE = "cell", "line"

MAGICS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    (CELL, "tileir", magics.tileir),
    (CELL, "pass", magics.pass_),
    (CELL, "filecheck", magics.filecheck),
    (LINE, "explain", magics.explain_),
)
"""Kind, name and function of each magic."""


def load(shell: Any) -> Session:
    """Registers the magics and the display of our values with a shell of IPython."""
    session = Session(shell)
    for kind, name, function in MAGICS:
        # IPython shows the documentation of the function for `%%tileir?`.
        magic = update_wrapper(partial(function, session), function)
        shell.register_magic_function(magic, kind, name)
    drawings.load_ipython_extension(shell)
    formatters.register(shell.display_formatter.mimebundle_formatter, drawings.bundle_of)
    shell.Completer.custom_matchers.append(matcher_of(session))
    return session
