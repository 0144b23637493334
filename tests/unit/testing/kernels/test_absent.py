"""Without cuTile the zoo keeps its Tile IR, its arguments and its meaning."""

import subprocess
import sys
import zlib

import numpy as np

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS

SCRIPT = """
import sys, zlib
sys.modules["cuda"] = None  # Nothing imports it.
import numpy as np
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, absent
for case in (*KERNELS.values(), *DIVISIBLE.values()):
    assert case.text_path.is_file() and isinstance(case.parameters[0], absent.ParameterConstraint)
    arguments = case.make_arguments(case.problems[0])
    arrays = (a for a in arguments if isinstance(a, np.ndarray))
    print(zlib.crc32(b"".join(a.tobytes() for a in arrays)), len(arguments))
"""


def test_arguments_are_the_same():
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(
        command, check=True, capture_output=True, encoding="utf-8", cwd=REPOSITORY
    )
    expected: list[str] = []
    for case in (*KERNELS.values(), *DIVISIBLE.values()):
        arguments = case.make_arguments(case.problems[0])
        arrays = (a for a in arguments if isinstance(a, np.ndarray))
        expected.append(f"{zlib.crc32(b''.join(a.tobytes() for a in arrays))} {len(arguments)}")
    assert done.stdout.split("\n")[:-1] == expected
