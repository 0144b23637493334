"""A wait for a value leaves only those MMAs in flight that are younger on every path."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.unit.analysis.asynchronous_programs import function
from tests.unit.analysis.mma.test_mmas_in_flight import YOUNGER
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.transforms.convert_tileas_to_llvm.control import async_values


@pytest.mark.parametrize("name", YOUNGER)
def test_what_is_emitted(name: str, monkeypatch: pytest.MonkeyPatch):
    body, expected = YOUNGER[name]
    emitted: list[int] = []

    def wait_for_mmas(pending: int, _: object) -> None:
        emitted.append(pending)

    monkeypatch.setattr(async_values, "wait_for_mmas", wait_for_mmas)
    # Of the thread only the tiles in tensor memory are asked for.
    rewriter = SimpleNamespace(function=SimpleNamespace(columns=SimpleNamespace(of={})))
    for op in function(body).walk():
        if isinstance(op, nv_tileas.WaitOp):
            async_values.wait_for(op, op.sources[0], cast(Any, rewriter))
    assert emitted == expected
