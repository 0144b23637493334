"""Choices that the user forces on passes of the pipeline, as the report offers them.

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
    """Choices forced on passes, by their names."""

    choices: Mapping[str, str] = field(default_factory=dict[str, str])

    def on(self, step: ModulePass) -> ModulePass:
        """A pass with what is forced on it."""
        if (choices := self.choices.get(step.name)) is None:
            return step
        return cast(ModulePass, replace(cast(Any, step), force=choices))


NOTHING_FORCED = Forced()
"""Every choice left to the passes."""


def read_forced(texts: Iterable[str], extensions: Sequence[str] = ()) -> Forced:
    """Reads what is forced, on passes of extensions too; several choices of one pass add up.

    Raises InputError for text of another form, for a pass that takes no choices, and for an unknown
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
            raise InputError(f"--force {text}", f"no pass '{name}' takes choices")
        others = choices.setdefault(name, [])
        # `keep=#1,#3` names its list once.
        new = match["choices"]
        others.append(new.removeprefix(_KEEP) if others else new)
    return Forced({name: ",".join(each) for name, each in choices.items()})
