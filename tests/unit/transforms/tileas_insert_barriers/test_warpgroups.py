"""Columns of tensor memory by warpgroup, where each issues the MMAs of its own rows."""

from dataclasses import replace

from bench.matrix_kernels import TALL_CASES
from tileir_xdsl.analysis.mma.tensor_memory_mmas import tensor_memory_mmas
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.memory_effects import Proxy
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.strategies import is_of_each_warpgroup
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_insert_barriers import TileASInsertBarriersPass
from tileir_xdsl.transforms.tileas_insert_barriers.accesses import Accesses, ExtentAccess
from tileir_xdsl.transforms.tileas_insert_barriers.memory import (
    Allocations,
    Part,
    WarpgroupColumns,
)

GPU = "sm_100a"


def issued() -> list[tuple[int, ExtentAccess]]:
    """The MMAs of attention of 256 rows, each with the columns of a row."""
    module = tools.parse(TALL_CASES["attention_256x128x64"].text_path.read_text())
    for module_pass in passes(GPU):
        module_pass.apply(tools.context(), module)
        if isinstance(module_pass, TileASInsertBarriersPass):
            break
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    accesses = Accesses(Allocations.of(function), get_target(GPU))
    found: list[tuple[int, ExtentAccess]] = []
    for mma in tensor_memory_mmas(module.walk()):
        assert is_of_each_warpgroup(mma)
        (access,) = (a for a in accesses.of(mma).last if a.proxy is Proxy.TENSOR_CORE)
        found.append((tile_shape(mma.b.type).shape[-1], access))
    return found


def test_each_warpgroup_has_the_columns_of_its_rows():
    found = issued()
    assert len(found) > 1
    for columns, access in found:
        assert access.is_kept and access.warpgroups is not None
        first, second, *_ = access.warpgroups.parts
        start = access.extent.start
        assert first == Part(start, start + columns, 0)
        assert second == Part(start + columns, start + 2 * columns, 1)


def test_columns_that_another_warpgroup_has_next():
    for columns, access in issued():
        assert access.warpgroups is not None
        start = access.extent.start
        # As of an accumulator with half as many columns.
        halves = (
            Part(start, start + columns // 2, 0),
            Part(start + columns // 2, start + columns, 1),
        )
        narrow = replace(access, warpgroups=WarpgroupColumns(access.warpgroups.agent, halves))
        assert not access.conflicts(access)
        assert access.conflicts(narrow) and narrow.conflicts(access)
        # Threads meet in their warpgroup alone before an MMA that they store something for.
        stored = replace(narrow, proxy=Proxy.GENERIC)
        assert stored.conflicts(replace(narrow, follows_own_warps=False))
        assert not stored.conflicts(replace(narrow, follows_own_warps=True))
        assert stored.conflicts(replace(access, follows_own_warps=True))
