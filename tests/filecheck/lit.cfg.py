"""How lit runs the tests in this folder: `lit tests/filecheck` in an environment with the package.

Substitutions:
  %roundtrip           parses %s, prints, parses, compares, and prints the custom syntax
  %generic-roundtrip   the same through the generic syntax, which it prints
  %check-parts         FileCheck of each part of a file alone, after `--split-input-file`
"""

import importlib
import os
import sys

from tileir_xdsl.testing import configure_lit

# lit hands both to this file as global names.
config, lit_config = globals()["config"], globals()["lit_config"]

config.name = "tileir_xdsl"
configure_lit(config, __file__)
config.test_exec_root = os.path.join(
    os.path.dirname(os.path.dirname(config.test_source_root)), "build", "lit"
)

# So that `python -m tests.coverage` measures what the commands run.
if "COVERAGE_PROCESS_START" in os.environ:
    config.environment["COVERAGE_PROCESS_START"] = os.environ["COVERAGE_PROCESS_START"]
config.environment["PYTHONWARNINGS"] = "error"

roundtrip, check_parts = (
    f'"{sys.executable}" "{os.path.join(config.test_source_root, script)}"'
    for script in ("roundtrip.py", "check_parts.py")
)
config.substitutions += [
    ("%check-parts", check_parts),
    ("%roundtrip", f"{roundtrip} %s"),
    ("%generic-roundtrip", f"{roundtrip} --generic %s"),
]
# Forks save most of the time that new interpreters take. `-D plain` starts these, and so does what
# measures them, or a system where forks are not safe.
is_plain = "plain" in lit_config.params or "COVERAGE_PROCESS_START" in os.environ
if not is_plain and sys.platform == "linux":
    # Workers of lit import it by name.
    sys.path.append(config.test_source_root)
    config.test_format = importlib.import_module("forked").ForkingShTest(config.environment)
