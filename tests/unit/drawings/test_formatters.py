"""Which values a notebook draws without being asked to, from the first import of the package on."""

import subprocess
import sys
from typing import Any

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.drawings.formatters import SHOWN, register
from tileir_xdsl.drawings.jupyter import bundle_of
from tileir_xdsl.drawings.timeline import Bar, Timeline
from tileir_xdsl.explain import Report
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.shared import shared
from tileir_xdsl.report.schema import Candidate, Decision, Phase

DECISION = Decision("k", "#4 a.b %x", (), "fast", "the lowest score", (Candidate("fast", 2),), {})

VALUES = [
    Timeline("agents", ("copy",), (Bar("copy", 0, 5, "load", 0),), 0, None),
    Report("some-pass"),
    blocked((16, 16), 2, 2),
    shared((16, 32), 16),
    DECISION,
    Phase(1, "some-pass", "some-pass", "nv_tileas", 0.1, True, {}, None, decisions=(DECISION,)),
]

NOTEBOOK = """
import sys
from types import SimpleNamespace
formatter = SimpleNamespace(for_type_by_name=lambda module, name, show: print(module, name))
shell = SimpleNamespace(display_formatter=SimpleNamespace(mimebundle_formatter=formatter))
sys.modules["IPython"] = SimpleNamespace(get_ipython=lambda: {shell})
import tileir_xdsl.layout.linear
print("drawn" if "tileir_xdsl.drawings.jupyter" in sys.modules else "not drawn")
"""


class Formatter:
    """What a shell's formatter of mime bundles is asked for."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, str], Any] = {}

    def for_type_by_name(self, module: str, name: str, function: Any) -> None:
        self.names[module, name] = function


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_our_classes_are_drawn(value: object):
    formatter = Formatter()
    register(formatter, bundle_of)
    assert formatter.names.keys() == set(SHOWN)
    show = formatter.names[type(value).__module__, type(value).__name__]
    assert show(value)["text/plain"]


@pytest.mark.parametrize(("shell", "expected"), [("shell", SHOWN), ("None", ())])
def test_the_package_registers_in_a_notebook(shell: str, expected: tuple[tuple[str, str], ...]):
    """Without importing what draws them, and without a shell not at all."""
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK.format(shell=shell)],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    assert done.stdout.splitlines() == [*(" ".join(names) for names in expected), "not drawn"]
