"""How far the pipeline has taken a module: an attribute on it, and where the pipeline goes on.

The pipeline writes the attribute when its last pass has run; a pass that runs by itself writes
none. So text that is written after a pass, changed by hand and given back goes on after that pass,
and the change counts. Without the attribute a module runs all passes of its level.

    builtin.module attributes {nv_tileaa.progress = "tileas-canonicalize:2", ..} { .. }
"""

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr

from tileir_xdsl.options import OptionError
from tileir_xdsl.suggestions import did_you_mean

PROGRESS_ATTRIBUTE = "nv_tileaa.progress"
"""Module attribute, a string such as "tileas-insert-barriers": the last pass that has run."""

FROM_PASS = "from_pass"
"""The option that names the first pass to run."""


def labels_of(names: Sequence[str]) -> tuple[str, ...]:
    """The passes of a road by unique names: the second run of a pass is `NAME:2`."""
    runs = Counter[str]()
    labels: list[str] = []
    for name in names:
        runs[name] += 1
        labels.append(name if runs[name] == 1 else f"{name}:{runs[name]}")
    return tuple(labels)


def note_progress(module: ModuleOp, label: str) -> None:
    """Writes on a module which pass was the last to run."""
    module.attributes[PROGRESS_ATTRIBUTE] = StringAttr(label)


def forget_progress(module: ModuleOp) -> None:
    """Takes the attribute off again, before another pass runs."""
    module.attributes.pop(PROGRESS_ATTRIBUTE, None)


def first_to_run(module: ModuleOp, labels: Sequence[str], from_pass: str | None) -> int | None:
    """The number of the first pass to run, by `from_pass` or else by the module's attribute.

    None where neither says so. Raises OptionError for a pass that is not among `labels`.
    """
    if from_pass is not None:
        if from_pass not in labels:
            hint = did_you_mean(from_pass, labels, most=3)
            raise OptionError(FROM_PASS, from_pass, f"is not a pass of this road{hint}")
        return labels.index(from_pass)
    attribute = module.attributes.get(PROGRESS_ATTRIBUTE)
    if attribute is None:
        return None
    label = attribute.data if isinstance(attribute, StringAttr) else str(attribute)
    if label not in labels:
        hint = did_you_mean(label, labels, most=3)
        raise OptionError(PROGRESS_ATTRIBUTE, label, f"is not a pass of this road{hint}")
    return labels.index(label) + 1
