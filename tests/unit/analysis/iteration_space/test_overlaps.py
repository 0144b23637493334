"""Whether elements share an address, against counting the addresses."""

from itertools import product

from tileir_xdsl.analysis.iteration_space.overlaps import overlaps_itself


def test_against_counting():
    """What it calls distinct is distinct; strides that are not nested count as overlapping."""
    found = 0
    for shape in product((0, 1, 2, 3, 4), repeat=2):
        for strides in product(range(6), repeat=2):
            indices = list(product(*map(range, shape)))
            addresses = {sum(map(int.__mul__, index, strides)) for index in indices}
            shares = len(addresses) < len(indices)
            assert overlaps_itself(shape, strides) or not shares
            found += overlaps_itself(shape, strides) and not shares
    # Such as 2x3 with strides 3 and 2: 0, 2, 4, 3, 5, 7.
    assert found == 50
