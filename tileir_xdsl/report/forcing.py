"""Choices that the user forces on passes of the pipeline, in the form that reports print.

tileas-assign-load-store-layouts{force=#4=ldg_64}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from xdsl.passes import ModulePass

from tileir_xdsl.passes import PASSES, takes_option
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.reader import know_extensions

_KEEP = "keep="
"""The prefix of a list of conversions that are kept."""

_TEXT = re.compile(r"(?P<name>[\w-]+)\{force=\"?(?P<choices>[^\"{}]+)\"?\}")


@dataclass(frozen=True)
class Forced:
    """The forced choices, by names of passes."""

    choices: Mapping[str, str] = field(default_factory=dict[str, str])

    def on(self, step: ModulePass) -> ModulePass:
        """A pass with the choices that are forced on it."""
        if (choices := self.choices.get(step.name)) is None:
            return step
        return cast(ModulePass, replace(cast(Any, step), force=choices))


NOTHING_FORCED = Forced()
"""No choice is forced."""


def read_forced(texts: Iterable[str], extensions: Sequence[str] = ()) -> Forced:
    """Parses forced choices; a pass may have several.

    Raises InputError for text of another form, for a pass without choices, and for an unknown
    extension.
    """
    know_extensions(extensions)
    choices: dict[str, list[str]] = {}
    for text in texts:
        match = _TEXT.fullmatch(text.strip())
        if match is None:
            raise InputError(f"--force {text}", "expected PASS{force=#NUMBER=CHOICE}")
        name = match["name"]
        if name not in PASSES or not takes_option(PASSES[name].load(), "force"):
            raise InputError(f"--force {text}", f"there is no pass '{name}' with choices to force")
        others = choices.setdefault(name, [])
        # `keep=#1,#3` names its list once.
        new = match["choices"]
        others.append(new.removeprefix(_KEEP) if others else new)
    return Forced({name: ",".join(each) for name, each in choices.items()})
