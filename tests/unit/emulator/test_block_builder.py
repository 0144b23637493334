"""Instructions that overwrite the predicate that guards them: the guard is read once, before."""

import pytest

from tests.unit.emulator.instructions.cases import Array, Case, check

SET = {
    "lone": "%p",
    "first of two": "%p|%q",
    "second of two": "%q|%p",
}
"""The destinations of a comparison that its guard %p is one of."""


def predicates(destinations: str, *, is_negated: bool) -> Case:
    """A comparison that %p guards, and that writes %p."""

    def meaning(old_p: Array, old_q: Array, a: Array, b: Array) -> tuple[Array, ...]:
        guard, less = old_p != 0, a < b
        active = ~guard if is_negated else guard
        new = dict(zip(destinations.split("|"), (less, ~less), strict=False))
        old = {"%p": guard, "%q": old_q != 0}
        return tuple(active & new.get(name, value) | ~active & value for name, value in old.items())

    guard = f"@{'!' * is_negated}%p"
    text = f"mov.pred %p, %g; mov.pred %q, %h; {guard} setp.lt.s32 {destinations}, %a, %b;"
    return Case(text, "g:pred h:pred a:s32 b:s32", "p:pred q:pred", meaning)


@pytest.mark.parametrize("destinations", SET.values(), ids=SET)
@pytest.mark.parametrize("is_negated", (False, True))
def test_a_comparison_overwrites_its_guard(destinations: str, is_negated: bool):
    check(predicates(destinations, is_negated=is_negated))
