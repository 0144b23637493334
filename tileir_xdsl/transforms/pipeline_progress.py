"""The progress of a module through the pipeline, in an attribute, and the first pass to run next.

The pipeline writes the attribute after the last pass that it runs; a pass that runs by itself
writes none. So the output of a pass can be edited by hand: compilation then continues after that
pass. A module without the attribute runs all passes of its level.

    builtin.module attributes {nv_tileaa.progress = "tileas-canonicalize:2", ..} { .. }

The attribute also names the extensions that a module was compiled with; compilation continues only
with these:

    nv_tileaa.progress = ["tileas-canonicalize:2", "my_peephole"]
"""

import importlib
from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from tileir_xdsl.options import OptionError
from tileir_xdsl.suggestions import did_you_mean

PROGRESS_ATTRIBUTE = "nv_tileaa.progress"
"""Module attribute, a string such as "tileas-insert-barriers": the last pass that has run.

With extensions, an array of that string and their names.
"""

FROM_PASS = "from_pass"
"""The option that names the first pass to run."""


def labels_of(names: Sequence[str]) -> tuple[str, ...]:
    """Unique names for the passes of a pipeline: the second run of a pass is `NAME:2`."""
    runs = Counter[str]()
    labels: list[str] = []
    for name in names:
        runs[name] += 1
        labels.append(name if runs[name] == 1 else f"{name}:{runs[name]}")
    return tuple(labels)


def note_progress(module: ModuleOp, label: str, extensions: Sequence[str] = ()) -> None:
    """Sets the attribute: the pass that was the last to run, and the names of extensions."""
    said: StringAttr | ArrayAttr[StringAttr] = StringAttr(label)
    if extensions:
        said = ArrayAttr([said, *map(StringAttr, extension_names(extensions))])
    module.attributes[PROGRESS_ATTRIBUTE] = said


def extension_names(given: Sequence[str]) -> list[str]:
    """The names of extensions that options give by name or by file."""
    # Only compilations with extensions import them.
    registry = importlib.import_module("tileir_xdsl.extensions.registry")
    return [extension.name for extension in registry.load(given)]


def check_extensions(module: ModuleOp, given: Sequence[str]) -> None:
    """Raises OptionError unless all extensions that a module was compiled with are given."""
    attribute = module.attributes.get(PROGRESS_ATTRIBUTE)
    if not isinstance(attribute, ArrayAttr):
        return
    named = extension_names(given) if given else []
    missing = [name for name in map(_text, attribute.data[1:]) if name not in named]
    if missing:
        message = (
            f"the module was compiled with extension '{missing[0]}', which the options do not name"
        )
        raise OptionError("extensions", ",".join(given), message)


def _text(attribute: Attribute) -> str:
    return attribute.data if isinstance(attribute, StringAttr) else str(attribute)


def forget_progress(module: ModuleOp) -> None:
    """Removes the attribute before another pass runs."""
    module.attributes.pop(PROGRESS_ATTRIBUTE, None)


def first_to_run(module: ModuleOp, labels: Sequence[str], from_pass: str | None) -> int | None:
    """The index of the first pass to run: `from_pass`, or the pass after that of the module's
    attribute.

    None without either. Raises OptionError for a pass that is not among `labels`.
    """
    if from_pass is not None:
        if from_pass not in labels:
            hint = did_you_mean(from_pass, labels, most=3)
            raise OptionError(FROM_PASS, from_pass, f"is not a pass of this pipeline{hint}")
        return labels.index(from_pass)
    attribute = module.attributes.get(PROGRESS_ATTRIBUTE)
    if attribute is None:
        return None
    if isinstance(attribute, ArrayAttr) and attribute.data:
        attribute = attribute.data[0]
    label = _text(attribute)
    if label not in labels:
        hint = did_you_mean(label, labels, most=3)
        raise OptionError(PROGRESS_ATTRIBUTE, label, f"is not a pass of this pipeline{hint}")
    return labels.index(label) + 1
