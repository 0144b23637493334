"""The search against trying all choices one by one, and on kernels whose answer is plain."""

from itertools import product
from math import prod

import pytest

from tests.conversion_search import SearchTooLong, fewest_conversions, random_graph
from tests.conversion_search.search import Graph, build, register_conversions
from tileir_xdsl.testing import tools

MOST_CHOICES = 2000


def conversions(graph: Graph, choice: dict[int, tuple[tuple[int, ...], ...]]) -> int:
    """The conversions of one choice of layouts."""
    total = 0
    for value, users in graph.users.items():
        if value not in graph.free:
            made = choice[graph.made_by[value]]
            wanted = {
                graph.nodes[user].carry(choice[user]) if isinstance(user, int) else user
                for user in users
            }
            total += len(wanted - {made})
    return total


def test_no_single_choice_has_fewer():
    tried = 0
    for seed in range(60):
        module = tools.parse(random_graph(seed))
        tools.run_passes(module, "tileas-remove-layout-conversions")
        graph = build(module)
        layouts = [node.layouts[:1] if node.fixed else node.layouts for node in graph.nodes]
        if prod(map(len, layouts)) <= MOST_CHOICES:
            tried += 1
            costs = (conversions(graph, dict(enumerate(choice))) for choice in product(*layouts))
            assert fewest_conversions(module) == min(costs), seed
    assert tried > 10


A = "tensor<256xf32, #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>>"
B = "tensor<256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>"


@pytest.mark.parametrize(("sink", "fewest"), [(A, 0), (B, 1)])
def test_a_detour_is_seen(sink: str, fewest: int):
    back = "" if sink == B else f"%z = nv_tileas.convert_layout %s : {B} -> {A}"
    module = tools.parse(
        f"""
        %x = "test.op"() : () -> {A}
        %y = nv_tileas.convert_layout %x : {A} -> {B}
        %s = nv_tileaa.addf %y, %y : {B}
        {back}
        "test.op"({"%z" if back else "%s"}) : ({sink}) -> ()
        """
    )
    assert register_conversions(module) == (2 if back else 1)
    assert fewest_conversions(module) == fewest


def test_a_search_that_takes_too_many_steps_says_so():
    with pytest.raises(SearchTooLong):
        for seed in range(10):
            fewest_conversions(tools.parse(random_graph(seed)), most_steps=1)
