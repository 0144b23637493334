"""Debug information of random programs is kept: in bytecode, and as lines of the PTX."""

from __future__ import annotations

import random
import re

import pytest
from xdsl.dialects.builtin import LocationAttr, ModuleOp

from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.bytecode import VERSIONS, read, write
from tileir_xdsl.dialects.cuda_tile import EntryOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import generate
from tileir_xdsl.testing.programs.machine import lower
from tileir_xdsl.testing.programs.scopes import DEPTHS, add_scopes, has_scopes


def _locations(module: ModuleOp) -> list[LocationAttr]:
    """Where the operations of kernels are."""
    kernels = [op for op in module.walk() if isinstance(op, EntryOp)]
    return [op.location for kernel in kernels for op in kernel.walk()]


@pytest.mark.parametrize("seed", range(4))
def test_scopes_of_any_depth_are_read_back_from_bytecode(seed: int) -> None:
    module = generate(seed, 4).module
    add_scopes(module, random.Random(seed))
    again = read(write(module, str(VERSIONS[-1])))
    assert _locations(again) == _locations(module)


def test_scopes_reach_the_ptx() -> None:
    program = generate(1, 3, exact=True, target="sm_90a")
    without = tools.to_text(program.module)
    add_scopes(program.module, random.Random(1))
    assert has_scopes(program.module) and tools.to_text(program.module) == without
    ptx = emit(lower(program, program.module), program.target)
    assert re.search(r"\.loc 1 \d+ \d+, function_name \S+, inlined_at", ptx)


def test_some_programs_have_scopes_and_some_of_them_are_deep() -> None:
    share = sum(has_scopes(generate(seed, 2).module) for seed in range(100))
    assert 5 <= share <= 30
    assert max(DEPTHS) > 64
