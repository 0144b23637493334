"""`--dynamic-persistent` of `tileir compile`, `run` and `check`."""

import pytest

from tileir_xdsl.cli.main import main
from tileir_xdsl.testing.kernels import KERNELS

KERNEL = KERNELS["vector_add"].text_path
ARRAYS = {"a": "random", "b": "random", "c": "zeros"}
REQUEST = "clusterlaunchcontrol.try_cancel"


def test_tile_blocks_go_on_with_others(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", str(KERNEL), "--gpu", "sm_100a", "--dynamic-persistent"]) == 0
    assert REQUEST in capsys.readouterr().out
    assert main(["compile", str(KERNEL), "--gpu", "sm_100a"]) == 0
    assert REQUEST not in capsys.readouterr().out


def test_a_target_that_cannot(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", str(KERNEL), "--dynamic-persistent"]) == 1
    line = next(
        number
        for number, text in enumerate(KERNEL.read_text().splitlines(), 1)
        if "entry @" in text
    )
    message = (
        "'nv_tileas.async.cancel_next_program_id' op is not available on sm_90a: it needs sm_100"
    )
    assert capsys.readouterr().err == f"{KERNEL}:{line}:3: error: {message}\n"


def test_all_levels_agree(capsys: pytest.CaptureFixture[str]):
    arguments = ["--gpu", "sm_100a", "--grid", "4", "--dynamic-persistent"]
    assert main(["check", str(KERNEL), *arguments]) == 0
    assert "disagrees" not in capsys.readouterr().out


@pytest.mark.parametrize("level", ["nv_tileas", "ptx"])
def test_a_run(level: str, capsys: pytest.CaptureFixture[str]):
    arrays = [f"--arg={name}:{fill}:f32:4096" for name, fill in ARRAYS.items()]
    arguments = ["--gpu", "sm_100a", "--grid", "4", "--level", level, "--dynamic-persistent"]
    assert main(["run", str(KERNEL), *arguments, *arrays]) == 0
    assert "4x1x1 blocks" in capsys.readouterr().out
