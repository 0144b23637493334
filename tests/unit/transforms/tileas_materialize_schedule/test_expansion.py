"""Loops whose products run beside other ops compute the same, however often they run."""

import numpy as np
import pytest

from tests.unit.transforms.chained_dots import chained, run
from tests.unit.transforms.dot_loops import ORDERS
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools


def scheduled(kernel: str, stages: int = 2, options: str = "") -> str:
    passes = (
        f"tileas-materialize-async{{num-stages={stages}}},tileas-generate-schedule,"
        f"tileas-materialize-schedule{options}"
    )
    module = tools.run_passes(tools.parse(kernel), passes)
    module.verify()
    return str(module)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("is_known", (True, False), ids=("known", "unknown"))
@pytest.mark.parametrize("count", (-1, 0, 1, 2, 6))
def test_it_computes_the_same(count: int, is_known: bool, order: MemoryOrder | None):
    text = scheduled(chained(count, is_known=is_known))
    assert "scf.while" in text
    found, expected = run(text, order, count)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("stages", (1, 3))
def test_stages(stages: int):
    """A stage is held while the next one is waited for, so that a single one does not do."""
    text = scheduled(chained(), stages)
    assert ("scf.while" in text) == (stages > 1)
    found, expected = run(text)
    np.testing.assert_array_equal(found, expected)


def test_a_loop_that_runs_needs_no_test():
    assert "scf.if" not in scheduled(chained(1))
    assert "scf.if" in scheduled(chained(1, is_known=False))


def test_one_agent_keeps_the_loop():
    text = scheduled(chained(), 2, "{pipeline-strategy=unspecialize}")
    assert "scf.while" not in text
    found, expected = run(text)
    np.testing.assert_array_equal(found, expected)


def test_the_form():
    """What comes before the loop, its two parts, and what comes after."""
    tools.check(
        scheduled(chained()),
        """
        // CHECK-NOT: iter_offset
        // CHECK: agent_switch
        // CHECK: %[[STAGE:.*]] = nv_tileas.async.pipeline.consumer_wait %[[A_END:.*]], %[[A_AT:.*]] {
        // CHECK: %[[TOKEN:.*]], %[[A:.*]] = nv_tileas.async.pipeline.consumer_read %[[STAGE]] {
        // CHECK: %[[FIRST:.*]] = nv_tileas.async.dot %w, %[[A]], %zero {
        // CHECK: %[[A_NEXT:.*]] = nv_tileas.async.pipeline.inc_iter %[[A_AT]] {
        // CHECK: %[[DONE:.*]] = nv_tileas.async.future_wait %[[FIRST]] :
        // CHECK: %[[S0:.*]] = nv_tileas.async.to_async %[[DONE]] :
        // CHECK: %[[O0:.*]] = nv_tileas.async.to_async %zero :
        // CHECK: %[[NONE:.*]] = nv_tileas.async.pipeline.create_null_token
        // CHECK: %{{.*}}, %[[W1:.*]], %[[B1:.*]], %[[O1:.*]], %[[BI1:.*]], %[[BT1:.*]], %total = scf.while (
        // CHECK-SAME: %[[K:.*]] = %none, %[[BI:.*]] = %{{.*}}, %[[AI:.*]] = %[[A_NEXT]], %[[S:.*]] = %[[S0]],
        // CHECK-SAME: %[[AT:.*]] = %[[TOKEN]], %[[O:.*]] = %[[O0]], %[[BT:.*]] = %[[NONE]])
        // CHECK: %scores = nv_tileas.async.future_wait %[[S]] {
        // CHECK: consumer_release %[[AT]] {
        // CHECK: %[[STAGE:.*]] = nv_tileas.async.pipeline.consumer_wait %{{.*}}, %[[BI]] {
        // CHECK: %[[B_TOKEN:.*]], %[[B:.*]] = nv_tileas.async.pipeline.consumer_read %[[STAGE]] {
        // CHECK: %[[OUT:.*]] = nv_tileas.async.future_wait %[[O]] :
        // CHECK: consumer_release %[[BT]] {
        // CHECK: %weights = nv_tileaa.fp_to_fp %scores {
        // CHECK: %scaled = nv_tileaa.mulf %[[OUT]], %minus {
        // CHECK: scf.condition(%{{.*}}) %{{.*}}, %weights, %[[B]], %scaled, %[[BI]], %[[B_TOKEN]], %[[AI]] :
        // CHECK: ^bb{{.*}}(%{{.*}}: index, %[[W:.*]]: tensor<16x16xf16>, %[[B:[0-9]+]]: {{.*}}, %[[O:[0-9]+]]: tensor<16x16xf32>, %[[BI:[0-9]+]]: {{.*}}, %[[BT:[0-9]+]]: {{.*}}, %[[AI:[0-9]+]]: {{.*}}):
        // CHECK: %[[STAGE:.*]] = nv_tileas.async.pipeline.consumer_wait %[[A_END]], %[[AI]] {
        // CHECK: %[[AT:.*]], %[[A:.*]] = nv_tileas.async.pipeline.consumer_read %[[STAGE]] {
        // CHECK: %[[S:.*]] = nv_tileas.async.dot %w, %[[A]], %zero {
        // CHECK: %[[AI2:.*]] = nv_tileas.async.pipeline.inc_iter %[[AI]] {
        // CHECK: %[[O2:.*]] = nv_tileas.async.dot %[[W]], %[[B]], %[[O]] {
        // CHECK: %[[BI2:.*]] = nv_tileas.async.pipeline.inc_iter %[[BI]] {
        // CHECK: scf.yield %{{.*}}, %[[BI2]], %[[AI2]], %[[S]], %[[AT]], %[[O2]], %[[BT]] :
        // CHECK: %[[LAST:.*]] = nv_tileas.async.dot %[[W1]], %[[B1]], %[[O1]] {
        // CHECK: %[[RESULT:.*]] = nv_tileas.async.future_wait %[[LAST]] :
        // CHECK: consumer_release %[[BT1]] :
        // CHECK: tiled_store weak %[[RESULT]], %c[
        // CHECK: produce_one_async
        """,
    )
