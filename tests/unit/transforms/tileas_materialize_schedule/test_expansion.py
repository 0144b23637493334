"""Loops whose products run beside other ops compute the same, however often they run."""

import numpy as np
import pytest

from tests.unit import tools
from tests.unit.transforms.chained_products import chained, run
from tests.unit.transforms.products import ORDERS
from tileir_xdsl.interpreters.memory_order import MemoryOrder


def scheduled(kernel: str, stages: int = 2, options: str = "") -> str:
    passes = (
        f"tileas-materialize-async{{num-stages={stages}}},tileas-generate-schedule,"
        f"tileas-materialize-schedule{options}"
    )
    module = tools.run_passes(tools.parse(kernel), passes)
    module.verify()
    return str(module)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("is_known", (True, False), ids=("known", "unknown"))
@pytest.mark.parametrize("count", (0, 1, 2, 6))
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
        // CHECK: consumer_wait
        // CHECK: %[[TOKEN:.*]], %[[A:.*]] = nv_tileas.async.pipeline.consumer_read
        // CHECK: %[[FIRST:.*]] = nv_tileas.async.dot %w, %[[A]], %zero
        // CHECK: %[[DONE:.*]] = nv_tileas.async.future_wait %[[FIRST]]
        // CHECK: %[[S0:.*]] = nv_tileas.async.to_async %[[DONE]]
        // CHECK: %[[O0:.*]] = nv_tileas.async.to_async %zero
        // CHECK: scf.while ({{.*}} = %[[S0]], {{.*}} = %[[TOKEN]], {{.*}} = %[[O0]],
        // CHECK: %scores = nv_tileas.async.future_wait
        // CHECK: consumer_release
        // CHECK: consumer_wait
        // CHECK: consumer_read
        // CHECK: %[[O:.*]] = nv_tileas.async.future_wait
        // CHECK: consumer_release
        // CHECK: %weights = nv_tileaa.fp_to_fp %scores
        // CHECK: %scaled = nv_tileaa.mulf %[[O]], %minus
        // CHECK: scf.condition
        // CHECK: consumer_wait
        // CHECK: async.dot %w,
        // CHECK: async.dot
        // CHECK: scf.yield
        // CHECK: async.dot
        // CHECK: async.future_wait
        // CHECK: consumer_release
        // CHECK: produce_one_async
        """,
    )
