"""The commands of lit tests, which are forks of lit, do what new processes do, and fail as they do."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

CONFIGURATION = f"""
import os
import sys
lit_config.load_config(config, {str(REPOSITORY / "tests/filecheck/lit.cfg.py")!r})
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.test_source_root, os.environ["LIT_FOLDER"])
config.substitutions.append(("%probe", sys.executable + " " + config.test_source_root + "/probe.py"))
"""

PROBE = """
import gc, multiprocessing, os, signal, sys, threading, warnings

# Of a run of lit, and what Python sets for the programs that it starts.
OTHERS = ("TEMP", "TEMPDIR", "TMP", "TMPDIR", "LC_CTYPE")

def state():
    yield sys.argv[0] == __file__, sys.argv[1:], __name__, sys.path, os.getcwd()
    yield sorted(item for item in os.environ.items() if item[0] not in OTHERS)
    yield [(s.fileno(), s.encoding, s.errors, s.line_buffering)
           for s in (sys.stdin, sys.stdout, sys.stderr)]
    yield [signal.getsignal(getattr(signal, name)).__repr__()
           for name in ("SIGINT", "SIGPIPE", "SIGXFSZ", "SIGTERM")]
    yield gc.isenabled(), gc.get_threshold(), threading.active_count()
    yield multiprocessing.current_process().daemon
    yield [fd for fd in range(3, 64) if os.path.exists(f"/proc/self/fd/{fd}")]
    yield sys.stdin.read()
    try:
        warnings.warn("a warning")
    except UserWarning as error:
        yield error

for part in state():
    print(part)
print("the error stream", file=sys.stderr)
match sys.argv[1:]:
    case ["raise"]:
        raise ValueError("raised")
    case ["words"]:
        sys.exit("said at the end")
    case ["seven"]:
        sys.exit(7)
"""

IR = "// CHECK: builtin.module\nbuiltin.module {}\n"

TESTS: Mapping[str, tuple[str, str]] = {
    "passes": ("PASS", "xdsl-opt %s | filecheck %s"),
    "other_text": ("FAIL", "xdsl-opt %s | filecheck %s --check-prefix OTHER"),
    "unknown_pass": ("FAIL", "xdsl-opt %s -p no-such-pass"),
    "refused": ("PASS", "not xdsl-opt %s -p no-such-pass > %t 2>&1"),
    "first_of_a_pipe": ("FAIL", "xdsl-opt %s -p no-such-pass | cat"),
    "state": ("FAIL", "%probe 'a b' c < %s && %probe seven"),
    "streams": ("FAIL", "%probe raise < %s > %t.1 2> %t.2"),
    "other_program": ("FAIL", "cat %s | %probe seven"),
    "one_stream": ("FAIL", "%probe raise 2>&1"),
    "words": ("FAIL", "env MORE=1 %probe words 2>&1"),
    "variables": ("FAIL", "env PYTHONHASHSEED=1 %probe seven"),
}
"""A result and commands, which run with `IR` as `%s`."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of lit tests beside those of the repository."""
    folder = tmp_path_factory.mktemp("lit")
    (folder / "lit.cfg.py").write_text(CONFIGURATION)
    (folder / "probe.py").write_text(PROBE)
    for name, (_, commands) in TESTS.items():
        other = "// OTHER: no such text\n"
        (folder / f"{name}.mlir").write_text(f"// RUN: {commands}\n{other}{IR}")
    return folder


def _results(folder: Path, *options: str) -> dict[str, tuple[str, str]]:
    """What becomes of each test, and what lit says of it."""
    output = folder / "results.json"
    lit = Path(sys.executable).with_name("lit")
    command = [str(lit), "-q", "-j1", *options, "--output", str(output), str(folder)]
    environment = {"PATH": "", "PYTHONPATH": str(REPOSITORY), "LIT_FOLDER": "out"}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    return {
        test["name"].rpartition(" ")[2].removesuffix(".mlir"): (test["code"], test["output"])
        for test in json.loads(output.read_text())["tests"]
    }


def test_commands_do_what_new_processes_do(folder: Path):
    forked = _results(folder)
    assert {name: code for name, (code, _) in forked.items()} == {
        name: code for name, (code, _) in TESTS.items()
    }
    assert "builtin.module" in forked["other_text"][1]
    assert "ValueError: raised" in forked["streams"][1]
    assert forked == _results(folder, "-D", "plain")
