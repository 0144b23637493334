"""The tables of strategies: every name is in one, and every row says where it is from."""

from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.transforms.tileas_select_lowering.selection import FAMILIES

ROWS = [row for family in dict.fromkeys(FAMILIES.values()) for row in family.rows]


def test_every_strategy_is_in_a_table():
    assert {row.strategy for row in ROWS} == set(Strategy)


def test_every_row_has_a_source():
    assert all(row.source for row in ROWS)


def test_a_family_has_each_strategy_once():
    for family in FAMILIES.values():
        strategies = [row.strategy for row in family.rows]
        assert len(strategies) == len(set(strategies)) > 1
