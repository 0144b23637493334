"""What the newest environment asks for, and what it says of it."""

from tests.newest.__main__ import wanted
from tests.newest.comparison import changes, failed_kernels, failures, freed
from tests.pythons import at_hand


def test_bounds_of_what_is_freed_go():
    asked = ["xdsl[gui]>=0.74,<0.76", "nvidia-cuda-nvcc==13.5.*", "numpy>=2.0", "pytest>=8"]
    assert freed([*asked, "tileir_xdsl[lsp]"]) == [
        "xdsl[gui]",
        "nvidia-cuda-nvcc",
        "numpy",
        "pytest>=8",
    ]


def test_what_is_wanted():
    found = wanted()
    assert {"xdsl", "numpy", "cuda-tile", "nvidia-cuda-tileiras", "nvidia-cuda-nvcc"} <= {*found}
    assert any(line.startswith("pytest>=") for line in found)


def test_changes_name_both_versions():
    tested = {"xdsl": "0.75.0", "numpy": "2.4.0", "pytest": "9.0", "cuda-tile": "1.7.0"}
    found = {"xdsl": "0.76.1", "numpy": "2.4.0", "pytest": "9.1"}
    assert changes(tested, found) == [
        "cuda-tile: 1.7.0 tested, none found",
        "xdsl: 0.75.0 tested, 0.76.1 found",
    ]


def test_failures_by_name():
    printed = """
FAILED tests/unit/test_a.py::test_b[x - y] - AssertionError: one - two
ERROR tests/unit/test_c.py
2 failed in 1.0s
"""
    assert failures(printed) == ["tests/unit/test_a.py::test_b[x - y]", "tests/unit/test_c.py"]


def test_failed_kernels_by_name():
    printed = """
sm_90a, zoo, matmul_f16: AssertionError: 2 of 4 differ
sm_90a: 150 kernels, wgmma in 12
1 failures
"""
    assert failed_kernels(printed) == ["sm_90a, zoo, matmul_f16"]


def test_a_missing_python_is_named():
    assert at_hand(("2.99",)) == {"2.99": None}
