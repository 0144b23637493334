"""Loops within loops are followed as often as states differ, not twice as often with every level."""

from collections import Counter
from typing import Any

import pytest
from xdsl.dialects import scf

from bench.growing_modules import nested
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_insert_barriers.hazards import Walker
from tileir_xdsl.transforms.tileas_insert_barriers.tokens import dying_tokens

DEPTH = 8


def test_how_often_a_loop_is_followed(monkeypatch: pytest.MonkeyPatch):
    followed: Counter[Any] = Counter()
    follow = Walker._follow  # pyright: ignore[reportPrivateUsage]

    def counted(self: Walker, op: scf.ForOp | scf.WhileOp, *rest: Any) -> Any:
        followed[op] += 1
        return follow(self, op, *rest)

    monkeypatch.setattr(Walker, "_follow", counted)
    tools.run_passes(tools.parse(nested(DEPTH)), "tileir-pipeline{gpu=sm_90a}")
    assert len(followed) >= DEPTH
    assert max(followed.values()) <= 2 * DEPTH


TOKENS = """
builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %c: i1) {
  %x = arith.constant 1.0 : f16
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %unused = nv_tileas.store weak %p, %x token = %t : !nv_tileaa.ptr<f16>, f16 -> !nv_tileaa.mem_token
  %a = nv_tileas.store weak %p, %x token = %t : !nv_tileaa.ptr<f16>, f16 -> !nv_tileaa.mem_token
  %b = scf.if %c -> (!nv_tileaa.mem_token) {
    %d = nv_tileas.store weak %p, %x token = %a : !nv_tileaa.ptr<f16>, f16 -> !nv_tileaa.mem_token
    scf.yield %d : !nv_tileaa.mem_token
  } else {
    scf.yield %t : !nv_tileaa.mem_token
  }
  %e = nv_tileas.store weak %p, %x token = %b : !nv_tileaa.ptr<f16>, f16 -> !nv_tileaa.mem_token
  nv_tileaa.return
}
}
"""


def test_the_last_uses_of_tokens():
    module = tools.parse(TOKENS)
    (function,) = (op for op in module.walk() if op.name == "nv_tileaa.func")
    (block,) = function.regions[0].blocks
    found = {
        op.name: sorted(token.name_hint or "" for token in tokens)
        for op, tokens in dying_tokens(block).items()
        if op.name == "scf.if"
    }
    # Used in an arm, or forwarded by one.
    assert found == {"scf.if": ["a", "t"]}
    last = [op for op in block.ops if op.name == "nv_tileas.store"][-1]
    assert [token.name_hint for token in dying_tokens(block)[last]] == ["b", "e"]
    (conditional,) = (op for op in block.ops if isinstance(op, scf.IfOp))
    (arm, _) = (region.block for region in conditional.regions)
    assert dying_tokens(arm) == {}
