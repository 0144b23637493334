"""Which accesses tokens put before which, compared with the closure of a matrix."""

import numpy as np
import pytest

from tileir_xdsl.interpreters.on_chip.token_order import Position, TokenOrder


@pytest.mark.parametrize("seed", range(8))
def test_an_access_follows_what_its_tokens_lead_back_to(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = 24
    named = np.tril(random.random((count, count)) < random.uniform(0.03, 0.3), -1)
    follows = np.linalg.matrix_power(named + np.eye(count), count) > 0
    order, positions = TokenOrder(), list[Position]()
    for row in named:
        positions.append(order.after(positions[int(each)] for each in np.flatnonzero(row)))
    for later in range(count):
        for earlier in range(later):
            expected = follows[later, earlier]
            assert positions[later].follows(positions[earlier]) == expected


def test_loads_that_follow_each_store_need_as_many_chains_as_loads() -> None:
    order = TokenOrder()
    store = order.after([])
    for _ in range(10):
        loads = [order.after([store]) for _ in range(3)]
        store = order.after([*loads, store])
    assert len(order.lengths) == 3
    assert sum(order.lengths) == 41
