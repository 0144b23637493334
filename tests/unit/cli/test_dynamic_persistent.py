"""`tileir compile --dynamic-persistent`."""

import pytest

from tests.kernels import KERNELS
from tileir_xdsl.cli.main import main

KERNEL = KERNELS["vector_add"].text_path
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
    message = "'nv_tileas.cancel_next_program_id' op is not available on sm_90a: it needs sm_100"
    assert capsys.readouterr().err == f"{KERNEL}:{line}:3: error: {message}\n"
