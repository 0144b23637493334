"""Templates of packages that `tileir new` writes: a pass, an op or a target, with tests.

Each folder has the files of one template, with `.txt` added to their names. In file names and
texts, `my_name`, `my-name` and `MyName` are placeholders for the package's name.
"""

from collections.abc import Mapping
from pathlib import Path

SUFFIX = ".txt"

KINDS: Mapping[str, str] = {
    "pass": "a pass that runs on the road",
    "op": "an op with its meaning and its instruction",
    "target": "a variant of a target",
}
"""The folders of templates, with descriptions."""


def files_of(kind: str, name: str) -> dict[str, str]:
    """The files of a new package, by their paths in it. Raises KeyError for an unknown kind."""
    if kind not in KINDS:
        raise KeyError(kind)
    folder = Path(__file__).with_name(kind)
    return {
        named(path.relative_to(folder).as_posix().removesuffix(SUFFIX), name): named(
            path.read_text("utf-8"), name
        )
        for path in sorted(folder.rglob(f"*{SUFFIX}"))
    }


def named(text: str, name: str) -> str:
    """A text of a template with the placeholders replaced by a package's name."""
    words = name.split("_")
    camel = "".join(word.capitalize() for word in words)
    for placeholder, written in (
        ("my_name", name),
        ("my-name", "-".join(words)),
        ("MyName", camel),
    ):
        text = text.replace(placeholder, written)
    return text
