"""How many threads numpy computes the dots of tiles in."""

import os
import subprocess
import sys

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.blas_threads import BLAS_THREADS

CODE = """
import os
from tileir_xdsl.cli import main
main.main([])
print(*(os.environ.get(name) for name in main.BLAS_THREADS))
"""


@pytest.mark.parametrize(
    ("given", "found"), [({}, "1 1 1"), ({"OMP_NUM_THREADS": "3"}, "None None 3")]
)
def test_one_unless_told_otherwise(given: dict[str, str], found: str) -> None:
    others = {name: value for name, value in os.environ.items() if name not in BLAS_THREADS}
    command = [sys.executable, "-c", CODE]
    run = subprocess.run(
        command, cwd=REPOSITORY, env=others | given, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == found
