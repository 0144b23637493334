"""cuTile kernels: launched and compiled from Python, or by cuTile itself with this compiler.

    cutile.launch((8,), vector_add, (a, b, c, 128))
    cutile.compile(vector_add, (a, b, c, 128), "sm_90a").text
    cutile.explain(vector_add, (a, b, c, 128), "sm_90a")
    cutile.check((8,), vector_add, (a, b, c, 128))
    cutile.use()

The names of this package are imported on first use; they need the package `cuda-tile`.
"""

from typing import TYPE_CHECKING

from tileir_xdsl.on_use import names_of

if TYPE_CHECKING:
    from tileir_xdsl.cutile.launching import compile, launch, load
    from tileir_xdsl.cutile.questions import Checked, Explained, Tuned, check, explain, tune
    from tileir_xdsl.cutile.substitution import Use, use

__all__ = [
    "Checked",
    "Explained",
    "Tuned",
    "Use",
    "check",
    "compile",
    "explain",
    "launch",
    "load",
    "tune",
    "use",
]

_MODULES = {
    "compile": "launching",
    "launch": "launching",
    "load": "launching",
    **dict.fromkeys(("check", "explain", "tune", "Checked", "Explained", "Tuned"), "questions"),
    "use": "substitution",
    "Use": "substitution",
}


__getattr__ = names_of(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
