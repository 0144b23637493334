"""Serves launches in the processes of a script that `tileir python` runs.

If this module hides another `sitecustomize`, it executes that one first.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_own = os.path.dirname(os.path.abspath(__file__))
_spec = PathFinder.find_spec(
    "sitecustomize", [path for path in sys.path if os.path.abspath(path) != _own]
)
if _spec is not None and _spec.loader is not None:
    _spec.loader.exec_module(module_from_spec(_spec))

try:
    from tileir_xdsl.frontends.interpreting import interpret
except ImportError:
    # A Python of another environment, which has no kernels of this one.
    pass
else:
    interpret(os.environ)
