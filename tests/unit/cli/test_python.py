"""`tileir python`: scripts as they are, in a process of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.extensions.written import marking
from tests.unit.frontends.habits import DOUBLE, HABITS, HEAD, PACKAGE, write

AT_THE_START = 'before="convert-cuda-tile-to-tileaa"'

CHILD = "import os, subprocess, sys\nif len(sys.argv) == 1:\n    " + (
    "subprocess.run([sys.executable, __file__, 'child'], check=True)\n"
)


def python(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tileir_xdsl.cli.main", "python", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TILEIR_RACES": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_script_and_its_child(tmp_path: Path):
    (tmp_path / "k.py").write_text(HABITS["main"] + CHILD + "print(sys.argv[1:])\n")
    done = python(tmp_path, "k.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "['child']\n[]\n", "")


def test_script_whose_launches_name_an_extension(tmp_path: Path):
    file = Path(marking(tmp_path, level="cuda_tile", place=AT_THE_START))
    text, raises = file.read_text(), "        raise ValueError('mark runs')\n        op.attributes"
    file.write_text(text.replace("        op.attributes", raises, 1))
    (tmp_path / "k.py").write_text(HABITS["main"])
    done = python(tmp_path, "--with", str(file), "k.py")
    said = (
        "pass 'mark' of extension 'marking' ends with ValueError: mark runs (marking.py, line 16)"
    )
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "words", ["-m package.run", "-m pytest -q -p no:cacheprovider test_k.py", "folder", "pool.py"]
)
def test_all_that_python_runs(words: str, tmp_path: Path):
    write(tmp_path, PACKAGE)
    done = python(tmp_path, *words.split())
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("end", "status", "errors"),
    [
        (
            "from contextlib import nullcontext\nfrom functools import partial\n"
            "with nullcontext(): partial(ct.launch, 0, (4,), double)((x, out, 7))",
            1,
            "k.py:9:25: error: .*\nk.py:12:21: note: launched here\n",
        ),
        (
            "ct.launch(0, (4,), double, (x, out, 7))",
            1,
            "k.py:9:25: error: .*\nk.py:10:1: note: launched here\n",
        ),
        ("raise SystemExit(5)", 5, ""),
        ("x = (", 1, "k.py:10:5: error: SyntaxError: '.' was never closed\n"),
        ("1 / 0", 1, 'Traceback .*\n  File "k.py", line 10, in <module>\n.*ZeroDivisionError.*\n'),
    ],
)
def test_failures(end: str, status: int, errors: str, tmp_path: Path):
    """One diagnostic for a launch; a traceback of the script's own lines for its own errors."""
    (tmp_path / "k.py").write_text(HEAD + DOUBLE + end + "\n")
    done = python(tmp_path, "k.py")
    assert done.returncode == status and re.fullmatch(errors, done.stderr, re.DOTALL), done.stderr
