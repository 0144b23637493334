"""The command line that reproduces a report."""

import shlex

from tileir_xdsl.options import Options
from tileir_xdsl.report.forcing import NOTHING_FORCED, Forced

WITH = "--with"
"""The option that names an extension."""


def option_words(gpu: str | None, options: Options) -> list[str]:
    """The target and the given options as words of a command line."""
    words = [] if gpu is None else ["--gpu", gpu]
    for name, value in options.given().items():
        if name == "extensions":
            words += with_words(options)
            continue
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        else:
            words += [flag, str(value)]
    return words


def with_words(options: Options) -> list[str]:
    """The words of a command line that name extensions."""
    return [word for name in options.extensions for word in (WITH, name)]


def explain_command(
    file: str, gpu: str | None, options: Options, forced: Forced = NOTHING_FORCED
) -> str:
    """The command `tileir explain` with the given arguments."""
    words = ["tileir", "explain", file, *option_words(gpu, options)]
    for name, choices in forced.choices.items():
        words += ["--force", f"{name}{{force={choices}}}"]
    return shlex.join([*words, "-o", "report.html"])
