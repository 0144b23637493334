"""Loops that split: how, when, and that they compute the same."""

import itertools

import numpy as np
import pytest
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.bodies import transformed
from tests.unit.transforms.random_programs import PREDICATES, outcome, random_kernel
from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing.tools import context, parse, to_text
from tileir_xdsl.transforms.loop_split import LoopSplitPass

ONE = "%one = constant <i32: 1> : tile<i32>"
TWO = "%two = constant <i32: 2> : tile<i32>"
BRANCH = "if %q { store %x } else { store %y }"


def loop(comparison: str, body: str = BRANCH, step: str = "one", head: str = "") -> str:
    return (
        f"{ONE} {TWO} {head}for %i in (%one to %x, step %{step}) : tile<i32> {{ "
        f"%q = cmpi {comparison}, signed : tile<i32> -> tile<i1> {body} }}"
    )


def loops(
    before: str, first: str, second: str, end: str, start: str, step: str = "one", head: str = ""
) -> str:
    return (
        f"{ONE} {TWO} {head}{before} "
        f"for %i in (%one to %{end}, step %{step}) : tile<i32> {{ {first} }} "
        f"for %i_1 in (%{start} to %x, step %{step}) : tile<i32> {{ {second} }}"
    )


MEET_AT_Y = "%0 = mini %y, %x signed : tile<i32> %1 = maxi %y, %one signed : tile<i32>"
MEET_AFTER_Y = (
    "%0 = constant <i32: 1> : tile<i32> %1 = subi %x, %0 : tile<i32> "
    "%2 = mini %y, %1 signed : tile<i32> %3 = addi %2, %0 : tile<i32> "
    "%4 = mini %3, %x signed : tile<i32> %5 = maxi %3, %one signed : tile<i32>"
)
MEET_AFTER_TWO = (
    "%0 = constant <i32: 1> : tile<i32> %1 = addi %two, %0 : tile<i32> "
    "%2 = mini %1, %x signed : tile<i32> %3 = maxi %1, %one signed : tile<i32>"
)
MEET_AT_A_STEP = (
    "%0 = mini %y, %x signed : tile<i32> %1 = maxi %0, %one signed : tile<i32> "
    "%2 = subi %1, %one : tile<i32> "
    "%3 = divi %2, %two unsigned rounding<positive_inf> : tile<i32> "
    "%4 = muli %3, %two : tile<i32> %5 = addi %one, %4 : tile<i32> "
    "%6 = mini %5, %x signed : tile<i32> %7 = maxi %5, %one signed : tile<i32>"
)

CASES = {
    "less_than": (
        loop("less_than %i, %y"),
        loops(MEET_AT_Y, "store %x", "store %y", "0", "1"),
    ),
    "greater_than_or_equal": (
        loop("greater_than_or_equal %i, %y"),
        loops(MEET_AT_Y, "store %y", "store %x", "0", "1"),
    ),
    "less_than_or_equal": (
        loop("less_than_or_equal %i, %y"),
        loops(MEET_AFTER_Y, "store %x", "store %y", "4", "5"),
    ),
    "greater_than": (
        loop("greater_than %i, %y"),
        loops(MEET_AFTER_Y, "store %y", "store %x", "4", "5"),
    ),
    "greater_than a constant": (
        loop("greater_than %i, %two"),
        loops(MEET_AFTER_TWO, "store %y", "store %x", "2", "3"),
    ),
    "variable on the right": (
        loop("greater_than %y, %i"),
        loops(MEET_AT_Y, "store %x", "store %y", "0", "1"),
    ),
    "step": (
        loop("less_than %i, %y", step="two"),
        loops(MEET_AT_A_STEP, "store %x", "store %y", "6", "7", step="two"),
    ),
    "other users": (
        loop("less_than %i, %y", f"{BRANCH} %e = exti %q unsigned : tile<i1> -> tile<i32>"),
        loops(
            MEET_AT_Y,
            "%q = constant <i1: true> : tile<i1> store %x "
            "%e = exti %q unsigned : tile<i1> -> tile<i32>",
            "%q_1 = constant <i1: false> : tile<i1> store %y "
            "%e_1 = exti %q_1 unsigned : tile<i1> -> tile<i32>",
            "0",
            "1",
        ),
    ),
    "nested ifs": (
        loop("less_than %i, %y", f"if %c {{ {BRANCH} }} {BRANCH}"),
        loops(
            MEET_AT_Y,
            "if %c { store %x } store %x",
            "if %c { store %y } store %y",
            "0",
            "1",
        ),
    ),
    "if in an if on the same": (
        loop("less_than %i, %y", f"if %q {{ store %i {BRANCH} }} else {{ {BRANCH} }}"),
        loops(MEET_AT_Y, "store %i store %x", "store %y", "0", "1"),
    ),
    "the same comparison twice": (
        loop(
            "less_than %i, %y",
            f"{BRANCH} %s = cmpi greater_than %y, %i, signed : tile<i32> -> tile<i1> "
            "if %s { store %i }",
        ),
        loops(MEET_AT_Y, "store %x store %i", "store %y", "0", "1"),
    ),
    "branch leaves": (
        loop("less_than %i, %y", "if %q { store %x continue } store %y"),
        loops(MEET_AT_Y, "store %x", "store %y", "0", "1"),
    ),
}

UNCHANGED = {
    "equality": loop("equal %i, %y"),
    "no induction variable": loop("less_than %x, %y"),
    "signedness": loop("less_than %i, %y").replace(", signed", ", unsigned"),
    "value from inside": loop("less_than %i, %z").replace(
        "%q = cmpi", "%z = addi %i, %x : tile<i32> %q = cmpi"
    ),
    "no if": loop("less_than %i, %y", "%e = exti %q unsigned : tile<i1> -> tile<i32> store %e"),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str):
    before, after = CASES[name]
    assert transformed(before, LoopSplitPass()) == after


@pytest.mark.parametrize("name", UNCHANGED)
def test_stays(name: str):
    assert transformed(UNCHANGED[name], LoopSplitPass()) == UNCHANGED[name]


def test_carried_values_go_from_loop_to_loop():
    body = transformed(
        f"{ONE} %r, %s = for %i in (%one to %x, step %one) : tile<i32> "
        "iter_values(%a = %one, %b = %y) -> (tile<i32>, tile<i32>) { "
        "%q = cmpi less_than %i, %y, signed : tile<i32> -> tile<i1> "
        "%t = if %q -> (tile<i32>) { yield %a : tile<i32> } else { yield %b : tile<i32> } "
        "continue %t, %a : tile<i32>, tile<i32> } store %r store %s",
        LoopSplitPass(),
    )
    assert body == (
        f"{ONE} {MEET_AT_Y} %r, %s = for %i in (%one to %0, step %one) : tile<i32> "
        "iter_values(%a = %one, %b = %y) -> (tile<i32>, tile<i32>) { "
        "continue %a, %a : tile<i32>, tile<i32> } "
        "%r_1, %s_1 = for %i_1 in (%1 to %x, step %one) : tile<i32> "
        "iter_values(%a_1 = %r, %b_1 = %s) -> (tile<i32>, tile<i32>) { "
        "continue %b_1, %a_1 : tile<i32>, tile<i32> } store %r_1 store %s_1"
    )


def is_split(branch: str, threshold: int) -> bool:
    before = loop("less_than %i, %y", branch)
    return transformed(before, LoopSplitPass(threshold)).count("for ") == 2


SUMS = "%1 = addi %x, %i : tile<i32> %2 = addi %1, %i : tile<i32>"


@pytest.mark.parametrize(
    ("branch", "threshold", "expected"),
    [
        ("if %q { }", 0, False),
        ("if %q { }", 1, True),
        ("if %q { }", 2, False),
        (f"if %q {{ {SUMS} }}", 2, True),
        (f"if %q {{ {SUMS} }}", 3, False),
        (f"if %q {{ }} else {{ {SUMS} }}", 2, True),
        ("if %q { store %x }", 100, True),
        ("if %q { if %c { } }", 100, True),
        (
            "if %q { %1 = iota : tile<4xi32> %2 = reduce %1 dim=0 identities=[0 : i32] : "
            "tile<4xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) { yield %a : tile<i32> } }",
            100,
            True,
        ),
        ("if %q { %1 = loop : tile<i32> { break %x : tile<i32> } }", 2, False),
        ("if %q { } {cuda_tile.loop_split = 1 : i32}", 0, True),
        ("if %q { } {cuda_tile.loop_split = 0 : i32}", 1, False),
    ],
)
def test_threshold(branch: str, threshold: int, expected: bool):
    assert is_split(branch, threshold) is expected


@pytest.mark.parametrize(
    ("branch", "loop", "kernel", "expected"),
    [(None, None, 1, True), (None, 0, 1, False), (1, 0, 0, True), (None, None, None, False)],
)
def test_nearest_attribute_decides(
    branch: int | None, loop: int | None, kernel: int | None, expected: bool
):
    def attribute(threshold: int | None) -> str:
        return "" if threshold is None else f"{{cuda_tile.loop_split = {threshold} : i32}}"

    module = parse(f"""
        cuda_tile.module @m {{
          entry @k(%x: tile<i32>, %y: tile<i32>) {{
            for %i in (%x to %y, step %x) : tile<i32> {{
              %q = cmpi less_than %i, %y, signed : tile<i32> -> tile<i1>
              if %q {{ }} {attribute(branch)}
            }} {attribute(loop)}
          }} {attribute(kernel)}
        }}
    """)
    LoopSplitPass(0).apply(context(), module)
    assert (to_text(module).count("for ") == 2) is expected


def test_option():
    def factory() -> type[ModulePass]:
        return LoopSplitPass

    for text, expected in (("loop-split", 1), ("loop-split{split-threshold=7}", 7)):
        pipeline = PassPipeline.parse_spec({"loop-split": factory}, text)
        assert pipeline.passes == (LoopSplitPass(expected),)
    with pytest.raises(PassFailedException, match="split-threshold must not be negative"):
        LoopSplitPass(-1).apply(context(), parse("builtin.module {}"))


EXTREMES = (-128, -127, -3, 0, 1, 5, 120, 127)


def extreme_kernel(flag: str) -> str:
    """Adds up, for every predicate, either side, step 1 and another, what the loops see; in i8."""
    sums = ""
    for number, (predicate, flipped, step) in enumerate(
        itertools.product(PREDICATES[2:], (False, True), ("one", "step"))
    ):
        operands = "%v, %i" if flipped else "%i, %v"
        sums += f"""
            %sum{number} = for {flag} %i in (%lb to %ub, step %{step}) : tile<i8>
                iter_values(%s = %zero) -> (tile<i32>) {{
              %q = cmpi {predicate} {operands}, {flag or "signed"} : tile<i8> -> tile<i1>
              %t = if %q -> (tile<i32>) {{
                %w = exti %i signed : tile<i8> -> tile<i32>
                %u = muli %s, %seven : tile<i32>
                %z = addi %u, %w : tile<i32>
                yield %z : tile<i32>
              }} else {{
                %z = addi %s, %seven : tile<i32>
                yield %z : tile<i32>
              }}
              continue %t : tile<i32>
            }}
            %n{number} = constant <i32: {number}> : tile<i32>
            %a{number} = offset %p, %n{number} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            store_ptr_tko weak %a{number}, %sum{number} : tile<ptr<i32>>, tile<i32> -> token
        """
    return f"""
        cuda_tile.module @m {{
          entry @k(%p: tile<ptr<i32>>, %lb: tile<i8>, %ub: tile<i8>, %step: tile<i8>, %v: tile<i8>) {{
            %one = constant <i8: 1> : tile<i8>
            %zero = constant <i32: 0> : tile<i32>
            %seven = constant <i32: 7> : tile<i32>
            {sums}
          }}
        }}
    """


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("flag", "lower", "upper", "step"),
    [
        ("", -3, 5, 3),
        ("", 0, 60, 40),
        ("", 5, -3, 40),
        ("", -128, -120, 5),
        ("", -128, 87, 40),
        ("", 120, 127, 1),
        ("", -2, -1, 100),
        ("unsigned", 5, -43, 40),
        ("unsigned", 0, 6, 4),
        ("unsigned", -3, 5, 40),
        ("unsigned", 120, -120, 7),
        ("unsigned", -9, -1, 1),
    ],
)
def test_limits_of_the_type(flag: str, lower: int, upper: int, step: int):
    """No induction variable runs over the limit, but the compared values are at it."""
    text = extreme_kernel(flag)
    plain, split = parse(text), parse(text)
    LoopSplitPass().apply(context(), split)
    split.verify()
    assert to_text(split).count(" for ") == 2 * to_text(plain).count(" for ")
    for value in EXTREMES:
        before, after = np.zeros(16, np.int32), np.zeros(16, np.int32)
        launch(plain, "k", (1, 1, 1), [before, lower, upper, step, value])
        launch(split, "k", (1, 1, 1), [after, lower, upper, step, value])
        assert before.tolist() == after.tolist(), value


@pytest.mark.parametrize(
    ("flag", "value"), [("", 127), ("", 126), ("", -128), ("unsigned", -1), ("unsigned", -2)]
)
def test_constants_at_the_limit_of_the_type(flag: str, value: int):
    """One more than the largest number would be the smallest, from which on all would be."""
    text = extreme_kernel(flag).replace(", %v: tile<i8>", "")
    text = text.replace("%zero =", f"%v = constant <i8: {value}> : tile<i8> %zero =", 1)
    plain, split = parse(text), parse(text)
    LoopSplitPass().apply(context(), split)
    for lower, upper, step in ((-128, -120, 5), (-9, -1, 4), (0, 60, 40), (120, 127, 1)):
        before, after = np.zeros(16, np.int32), np.zeros(16, np.int32)
        launch(plain, "k", (1, 1, 1), [before, lower, upper, step])
        launch(split, "k", (1, 1, 1), [after, lower, upper, step])
        assert before.tolist() == after.tolist(), (lower, upper, step)


@pytest.mark.parametrize("seed", range(12))
def test_kernels_do_the_same(seed: int):
    module = parse(random_kernel(seed))
    before = outcome(module)
    LoopSplitPass().apply(context(), module)
    module.verify()
    for expected, found in zip(before, outcome(module), strict=True):
        assert expected.tolist() == found.tolist()


def test_a_loop_outside_of_functions_splits_as_the_option_says():
    text = "cuda_tile.for %i in (%a to %b, step %c) : tile<i32> {\n"
    text = (
        '%a, %b, %c, %y = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, '
        f"!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)\n{text}"
        "%q = cuda_tile.cmpi less_than %i, %y, signed : tile<i32> -> tile<i1>\n"
        'cuda_tile.if %q { cuda_tile.print_tko "x" -> token }\n}'
    )
    module = parse(text)
    for threshold, count in ((0, 1), (1, 2)):
        LoopSplitPass(threshold).apply(context(), module)
        assert to_text(module).count("for %") == count
