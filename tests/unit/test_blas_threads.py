"""Launches of the numpy levels in this process: one thread for dots, and then as many as before.

The numbers come from OpenBLAS itself, in processes of their own.
"""

import json
import os
import subprocess
import sys

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.blas_threads import BLAS_THREADS

BEGIN = """
import json
import numpy as np
from tileir_xdsl.blas_threads import one_blas_thread, openblas_threads
threads = openblas_threads()
read, write = threads.read, threads.write
seen = [read()]
"""

NESTED = """
with one_blas_thread():
    seen.append(read())
    with one_blas_thread():
        seen.append(read())
    seen.append(read())
seen.append(read())
print(json.dumps(seen))
"""

LAUNCH = """
from tileir_xdsl.testing import tools
from tileir_xdsl import interpreters
from tileir_xdsl.interpreters.listeners import LaunchListener
class Reads(LaunchListener):
    def will_run_block(self, block):
        seen.append(read())
module = tools.parse("cuda_tile.module @m { entry @k(%a: tile<ptr<f32>>) { BODY return } }")
try:
    interpreters.launch(module, "k", (2, 1, 1), [np.zeros(1, np.float32)], listeners=(Reads(),))
except interpreters.InterpreterError:
    pass
seen.append(read())
print(json.dumps(seen))
"""
FAILS = '%zero = constant <i1: 0> : tile<i1> assert %zero, \\"x\\" : tile<i1> '


def printed(code: str, **given: str) -> list[int]:
    """What a process prints where BLAS has as many threads as it likes, or as the user says."""
    others = {name: value for name, value in os.environ.items() if name not in BLAS_THREADS}
    run = subprocess.run(
        [sys.executable, "-c", BEGIN + code],
        cwd=REPOSITORY,
        env=others | given,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


SEVERAL = "write(3)\nseen[:] = [read()]\n"
"""Three threads, however many processors there are."""


def test_the_last_of_those_under_way_restores_the_number() -> None:
    assert printed(SEVERAL + NESTED) == [3, 1, 1, 1, 3]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("body", "during"), [("", [1, 1]), (FAILS, [1])])
def test_a_launch_has_one_thread_and_restores_the_number(body: str, during: list[int]) -> None:
    assert printed(SEVERAL + LAUNCH.replace("BODY", body)) == [3, *during, 3]


def test_what_the_user_has_said_stays() -> None:
    assert printed(SEVERAL + NESTED, OPENBLAS_NUM_THREADS="2") == [3, 3, 3, 3, 3]
