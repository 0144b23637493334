"""Minimum cuts against the cheapest of all separations."""

import random
from itertools import product

from tileir_xdsl.transforms.tileas_remove_layout_conversions.minimum_cut import (
    SINK,
    SOURCE,
    FlowNetwork,
)

Edge = tuple[int, int, int]


def cost(edges: list[Edge], on_source_side: list[bool]) -> int:
    return sum(
        capacity
        for tail, head, capacity in edges
        if on_source_side[tail] and not on_source_side[head]
    )


def test_cuts_cost_no_more_than_any_other_separation():
    rng = random.Random(5)
    for number in range(400):
        nodes = 2 + number % 7
        edges: list[Edge] = []
        # Small capacities on many edges: a later path then takes back the flow of an earlier one.
        for _ in range(rng.randrange(4 * nodes)):
            tail, head = rng.sample(range(nodes), 2)
            edges.append((tail, head, rng.randrange(1, 3)))
        network = FlowNetwork()
        for _ in range(nodes - 2):
            network.add_node()
        for edge in edges:
            network.add_edge(*edge)
        found = network.source_side()
        assert found[SOURCE] and not found[SINK]
        costs = [
            (cost(edges, [True, False, *rest]), sum(rest))
            for rest in product((False, True), repeat=nodes - 2)
        ]
        # Of the cheapest separations, the one that moves the fewest nodes.
        assert (cost(edges, found), sum(found) - 1) == min(costs)


def test_long_chains_need_no_recursion():
    network = FlowNetwork()
    node = SOURCE
    for _ in range(20_000):
        following = network.add_node()
        network.add_edge(node, following, 2)
        node = following
    network.add_edge(node, SINK, 1)
    assert sum(network.source_side()) == 20_001
