"""Configures lit for FileCheck tests of IR and PTX, in two lines of a `lit.cfg.py`.

    from tileir_xdsl.testing import configure_lit
    configure_lit(config, __file__)

A test is a file with lines such as `// RUN: xdsl-opt %s -p canonicalize | filecheck %s` and
`// RUN: tileir compile %s --gpu sm_90a | filecheck %s --check-prefix=PTX`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

SECONDS = 120
"""The time limit of a test; most take two seconds."""


def configure_lit(config: Any, file: str, *, suffixes: Sequence[str] = (".mlir",)) -> None:
    """Configures lit to run the tests in the folder of `file`, in lit's own environment.

    `config` is the variable of that name in a `lit.cfg.py`. Commands have lit's `PYTHONPATH`,
    verify after every pass, and use no cache. Outputs go to a folder `Output` next to the tests. A
    test runs in a shell; a `lit.cfg.py` may change other settings afterwards.
    """
    folder = os.path.dirname(os.path.abspath(file))
    config.name = config.name or os.path.basename(folder)
    config.suffixes = list(suffixes)
    config.test_source_root = config.test_exec_root = folder
    formats = importlib.import_module("lit.formats")
    config.test_format = formats.ShTest(execute_external=False)
    path = [os.path.dirname(sys.executable), config.environment.get("PATH", "")]
    config.environment["PATH"] = os.pathsep.join(path)
    # lit drops it; with it a checkout other than the installed one is what runs.
    if "PYTHONPATH" in os.environ:
        config.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    # A test is about the compiler, not about what it did before.
    config.environment |= {"TILEIR_VERIFY_EACH": "1", "TILEIR_CACHE": "0"}
    config.maxIndividualTestTime = SECONDS
