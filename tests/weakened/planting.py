"""Kernels with a weaker op in place of those of one site, and whether the emulator finds it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from tests.weakened.forms import CLASSES, FORMS
from tests.weakened.sites import WRAPPERS, site_at

SITE = "weakened.site"
"""The attribute that says by which call an op was made."""


def _site_of_caller(kind: str) -> str | None:
    """The place of the call that makes an op now; that of a wrapper is where it is called."""
    callee, frame = kind, inspect.currentframe()
    while frame is not None:
        code = frame.f_code
        found = site_at(code.co_filename, frame.f_lineno, callee)
        if found is not None:
            return str(found)
        if code.co_name in WRAPPERS and "convert_tileas_to_llvm" in code.co_filename:
            callee = code.co_name
        frame = frame.f_back
    return None


@contextmanager
def traced() -> Generator[None]:
    """Marks each op that orders memory with the site that makes it."""
    originals = {kind: kind.__init__ for kind in CLASSES}
    try:
        for kind, original in originals.items():
            kind.__init__ = _marking(kind, original)
        yield
    finally:
        for kind, original in originals.items():
            kind.__init__ = original


def _marking(kind: type[Operation], original: Callable[..., None]) -> Callable[..., None]:
    def initialise(self: Operation, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        site = _site_of_caller(kind.__name__)
        if site is not None:
            self.attributes[SITE] = StringAttr(site)

    return initialise


def ops_by_site(module: ModuleOp) -> Iterator[tuple[str, Operation]]:
    for op in module.walk():
        site = op.attributes.get(SITE)
        if isinstance(site, StringAttr) and type(op) in FORMS:
            yield site.data, op


@dataclass(frozen=True)
class Weakening:
    """One site, and the name of the form that is put there."""

    site: str
    form: str


def weakenings(module: ModuleOp) -> dict[Weakening, None]:
    """What can be made weaker in a kernel."""
    found: dict[Weakening, None] = {}
    for site, op in ops_by_site(module):
        for form in FORMS[type(op)]:
            weakening = Weakening(site, form)
            if weakening not in found and planted(module, weakening) is not None:
                found[weakening] = None
    return found


def planted(module: ModuleOp, weakening: Weakening) -> ModuleOp | None:
    """The kernel with all ops of the site weaker; `None` where none can be."""
    copy = module.clone()
    ops = [op for site, op in ops_by_site(copy) if site == weakening.site]
    changed = [
        FORMS[type(op)][weakening.form](op) for op in ops if weakening.form in FORMS[type(op)]
    ]
    return copy if any(changed) else None
