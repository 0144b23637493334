"""Warpgroups that issue their MMAs in ping-pong compute the same."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.transforms.chained_dots import chained
from tests.unit.transforms.chained_dots import run as run_chained
from tests.unit.transforms.dot_loops import (
    A_TILE,
    DOT,
    LOOP,
    NESTED,
    ORDERS,
    TWO_USERS,
    kernel,
    run,
)
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools

KERNELS = {"loop": LOOP, "nested": NESTED, "two users": TWO_USERS}


def ping_pong(loop: str, warps: int = 8) -> ModuleOp:
    passes = "tileas-materialize-async,tileas-generate-schedule,tileas-materialize-schedule"
    text = kernel(loop).replace("num_warps = 4", f"num_warps = {warps}")
    return tools.run_passes(tools.parse(text), f"{passes}{{ping-pong=true}}")


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("name", KERNELS)
def test_it_computes_the_same(name: str, order: MemoryOrder | None):
    found, expected = run(str(ping_pong(KERNELS[name])), order)
    np.testing.assert_array_equal(found, expected)


def test_a_turn_is_the_start_of_a_product():
    tools.check(
        str(ping_pong(LOOP)),
        """
        // CHECK: %[[M:Mutex.*]] = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32, nv_tile.aws.stage = {{[0-9]+}} : i32, nv_tile.aws.order = {{[0-9]+}} : i32}
        // CHECK: agent_switch
        // CHECK: scf.for
        // CHECK: acquire_mutex %[[M]] :
        // CHECK-NEXT: nv_tileas.async.dot %a_tile, %b_tile, %acc {
        // CHECK-NEXT: release_mutex %[[M]] :
        // CHECK: }, {
        // CHECK-NOT: mutex
        """,
    )


def test_dots_that_follow_one_another_share_a_mutex():
    """An early product of the next iteration, and the late one of this."""
    text = chained().replace("num_warps = 4", "num_warps = 8")
    passes = "tileas-materialize-async,tileas-generate-schedule,tileas-materialize-schedule"
    module = tools.run_passes(tools.parse(text), f"{passes}{{ping-pong=true}}")
    tools.check(
        str(module),
        """
        // CHECK: acquire_mutex %[[M:.*]] :
        // CHECK-NEXT: async.dot %w, %a_tile, %zero {
        // CHECK-NEXT: release_mutex %[[M]] :
        // CHECK: %{{.*}}, %[[W1:.*]], %[[B1:.*]], %[[O1:.*]], %{{.*}}, %{{.*}}, %total = scf.while
        // CHECK: ^bb{{.*}}(%{{.*}}: index, %[[W:.*]]: tensor<16x16xf16>, %[[B:[0-9]+]]: {{.*}}, %[[O:[0-9]+]]: tensor<16x16xf32>,
        // CHECK: %{{.*}}, %[[A:.*]] = nv_tileas.async.pipeline.consumer_read
        // CHECK-NEXT: acquire_mutex %[[M]] :
        // CHECK-NEXT: async.dot %w, %[[A]], %zero {
        // CHECK-NEXT: inc_iter
        // CHECK-NEXT: async.dot %[[W]], %[[B]], %[[O]] {
        // CHECK-NEXT: release_mutex %[[M]] :
        // CHECK: acquire_mutex %[[M]] :
        // CHECK-NEXT: async.dot %[[W1]], %[[B1]], %[[O1]] {
        // CHECK-NEXT: release_mutex %[[M]] :
        // CHECK-NOT: acquire_mutex
        """,
    )
    found, expected = run_chained(str(module))
    np.testing.assert_array_equal(found, expected)


def test_one_warpgroup_needs_no_mutex():
    module = ping_pong(LOOP, 4)
    assert "mutex" not in str(module)
    # It was asked for, so that it is not left out silently.
    assert "has no ping-pong: no agent of several warpgroups issues dots" in str(
        module.attributes["nv_tileaa.remarks"]
    )


REGISTERS = A_TILE.replace(", #nv_tileas.memory<smem>", "")
STORES = {
    "convert_layout": f"%stored = nv_tileas.convert_layout %copied : {REGISTERS} -> {A_TILE}",
    "copy": f"%empty = nv_tileas.alloc_tensor : {A_TILE}\n"
    f"%stored = nv_tileas.copy %copied into %empty : {REGISTERS} into {A_TILE} -> {A_TILE}",
}


@pytest.mark.parametrize("way", STORES)
@pytest.mark.parametrize("operand", ["a", "b"])
def test_warpgroups_that_store_an_operand_issue_without_ping_pong(operand: str, way: str):
    """All of them meet before each MMA: none may wait for its turn meanwhile."""
    read = f"\n%copied = nv_tileas.copy %{operand}_tile : {A_TILE} -> {REGISTERS}\n{STORES[way]}"
    text = LOOP.replace(DOT, read + DOT.replace(f"%{operand}_tile", "%stored"))
    assert "async.dot" in text and "%stored" in text
    module = ping_pong(text)
    assert "mutex" not in str(module)
    found, expected = run(str(module), None)
    np.testing.assert_array_equal(found, expected)


def test_ping_pong_that_is_had_has_no_remark():
    assert "nv_tileaa.remarks" not in ping_pong(LOOP).attributes
