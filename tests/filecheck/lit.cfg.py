"""How lit runs the tests in this folder: `lit tests/filecheck` in an environment with the package.

Substitutions:
  %roundtrip           parses %s, prints, parses, compares, and prints the custom syntax
  %generic-roundtrip   the same through the generic syntax, which it prints
  %check-parts         FileCheck of each part of a file alone, after `--split-input-file`
"""

import importlib
import os
import sys

import lit.formats

# lit hands both to this file as global names.
config, lit_config = globals()["config"], globals()["lit_config"]

config.name = "tileir_xdsl"
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(
    os.path.dirname(os.path.dirname(config.test_source_root)), "build", "lit"
)

# The commands of the environment that lit itself runs in: xdsl-opt, filecheck, tileir.
config.environment["PATH"] = os.pathsep.join(
    [os.path.dirname(sys.executable), config.environment.get("PATH", "")]
)
# lit drops it; with it a checkout other than the installed one is what runs.
if "PYTHONPATH" in os.environ:
    config.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
# So that `python -m tests.coverage` measures what the commands run.
if "COVERAGE_PROCESS_START" in os.environ:
    config.environment["COVERAGE_PROCESS_START"] = os.environ["COVERAGE_PROCESS_START"]
config.environment["PYTHONWARNINGS"] = "error"
config.environment["TILEIR_VERIFY_EACH"] = "1"

# Seconds; a test takes about two.
config.maxIndividualTestTime = 120

roundtrip, check_parts = (
    f'"{sys.executable}" "{os.path.join(config.test_source_root, script)}"'
    for script in ("roundtrip.py", "check_parts.py")
)
config.substitutions += [
    ("%check-parts", check_parts),
    ("%roundtrip", f"{roundtrip} %s"),
    ("%generic-roundtrip", f"{roundtrip} --generic %s"),
]
# A test is about the compiler, not about what it did before.
config.environment["TILEIR_CACHE"] = "0"

# Forks save most of the time that new interpreters take. `-D plain` starts these, and so does what
# measures them, or a system where forks are not safe.
is_plain = "plain" in lit_config.params or "COVERAGE_PROCESS_START" in os.environ
if is_plain or sys.platform != "linux":
    config.test_format = lit.formats.ShTest(execute_external=False)
else:
    # Workers of lit import it by name.
    sys.path.append(config.test_source_root)
    config.test_format = importlib.import_module("forked").ForkingShTest(config.environment)
