"""`python -m tests.kernels` counts what fails, and says which instructions occurred."""

import pytest

from tests.kernels import __main__ as command


def test_kernel_and_twin_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["matmul_f16", "--gpus", "sm_80"]) == 0
    out = capsys.readouterr().out
    assert out == "sm_80: 2 kernels, cp.async in 1, mma in 2\n0 failures\n"


def test_failures_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_arguments: object, **_modes: object) -> None:
        raise AssertionError("argument 2 differs")

    monkeypatch.setattr(command, "run", fail)
    assert command.main(["vector_add", "--gpus", "sm_80"]) == 1
    out = capsys.readouterr().out
    assert "sm_80, zoo, vector_add: AssertionError: argument 2 differs" in out
    assert out.endswith("1 failures\n")
