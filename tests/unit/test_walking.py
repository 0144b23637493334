"""`ops_in` gives what `Operation.walk` gives, and stands still while ops come and go."""

from itertools import pairwise

import pytest

from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.testing.tools import parse
from tileir_xdsl.walking import ancestors, ops_in


@pytest.mark.parametrize("name", ["attention", "nested_branches", "collatz"])
def test_the_order_of_walk(name: str) -> None:
    module = parse(KERNELS[name].text_path.read_text())
    assert ops_in(module) == list(module.walk())
    innermost = ops_in(module)[-1]
    assert ops_in(innermost) == [innermost]


def test_ops_that_are_erased_meanwhile() -> None:
    module = parse(KERNELS["vector_add"].text_path.read_text())
    count = len(list(module.walk()))
    seen = 0
    for op in ops_in(module):
        seen += 1
        if op.parent is not None and not op.regions:
            op.detach()
    assert seen == count
    assert len(ops_in(module)) < count


def test_the_ops_around_one_from_the_inside_out() -> None:
    module = parse(KERNELS["nested_branches"].text_path.read_text())
    deepest = max(module.walk(), key=lambda op: len([*ancestors(op)]))
    around = [*ancestors(deepest)]
    assert around[0] is deepest.parent_op() and around[-1] is module
    assert all(outer.is_ancestor(inner) for inner, outer in pairwise(around))
    assert list(ancestors(module)) == []
