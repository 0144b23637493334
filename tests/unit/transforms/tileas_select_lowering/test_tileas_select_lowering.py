"""What is selected, what is kept, what is forced, and what is refused."""

import re

import pytest
from xdsl.utils.exceptions import ParseError, PassFailedException

from tileir_xdsl.testing import tools

PASS = "tileas-select-lowering"
FOUR = "#nv_tileas.layout<((4, 2), 32, 1, 1), ((1, 128), 4, 0, 0)>"
ROW = "#nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>"


def selected(op: str, options: str = "") -> str:
    text = f"""
    nv_tileaa.func @k(%a: i32, %b: i32) {{
      %seven = arith.constant 7 : i32
      %x = nv_tileaa.splat %a : i32 -> tensor<256xi32, {FOUR}>
      {op}
      nv_tileaa.return
    }}"""
    return tools.to_text(tools.run_passes(tools.parse(text), PASS + options))


def strategy(op: str, options: str = "") -> str:
    return re.findall(r"#nv_tileas.strategy<(\w+)>", selected(op, options))[-1]


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        ("%y = arith.divsi %a, %seven : i32", "reciprocal"),
        ("%y = arith.divsi %a, %b : i32", "instruction"),
        ("%y = arith.divsi %seven, %seven : i32", "instruction"),
        ("%c = arith.constant 0 : i32\n%y = arith.divsi %a, %c : i32", "instruction"),
        ("%c = arith.constant -1 : i32\n%y = arith.divsi %a, %c : i32", "shift"),
        ("%c = arith.constant -2147483648 : i32\n%y = arith.ceildivui %a, %c : i32", "shift"),
        ("%c = arith.constant 1000 : i32\n%y = arith.remui %a, %c : i32", "reciprocal"),
        ("%c = arith.constant true\n%y = arith.divui %c, %c : i1", "instruction"),
        (
            f"%c = nv_tileaa.splat %seven : i32 -> tensor<256xi32, {FOUR}>\n"
            f"%y = arith.divui %x, %c : tensor<256xi32, {FOUR}>",
            "reciprocal",
        ),
    ],
)
def test_selection(op: str, wanted: str):
    assert strategy(op) == wanted


def test_what_is_written_stays_but_for_what_is_forced():
    op = "%y = arith.divsi %a, %seven {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : i32"
    assert strategy(op) == "instruction"
    assert strategy(op, '{force="k#2=reciprocal"}') == "reciprocal"


REFUSED = {
    "%y = arith.divsi %a, %b {{{}}} : i32": (
        "#nv_tileas.strategy<shift>",
        "'arith.divsi' op cannot be lowered by 'shift': the divisor is not known",
    ),
    "%y = arith.remui %a, %seven {{{}}} : i32": (
        "#nv_tileas.strategy<shift>",
        "'arith.remui' op cannot be lowered by 'shift': the divisor is not a power of two",
    ),
    "%y = arith.addi %a, %seven {{{}}} : i32": (
        "#nv_tileas.strategy<shift>",
        "'arith.addi' op has no strategies to choose from, and no op of it has a choice",
    ),
    "%y = arith.divui %a, %seven {{{}}} : i32": (
        "7 : i32",
        "'arith.divui' op expects nv_tileas.strategy to be a strategy, got 7 : i32",
    ),
}


@pytest.mark.parametrize("op", REFUSED)
def test_what_an_op_cannot_have(op: str):
    value, message = REFUSED[op]
    with pytest.raises(PassFailedException) as failure:
        selected(op.format(f"nv_tileas.strategy = {value}"))
    assert failure.value.args[0] == message


def test_an_unknown_strategy_does_not_parse():
    with pytest.raises(ParseError, match="guess"):
        selected("%y = arith.divui %a, %a {nv_tileas.strategy = #nv_tileas.strategy<guess>} : i32")


@pytest.mark.parametrize(
    ("force", "message"),
    [
        ("#2=guess", "'arith.divui' op has no strategy 'guess', expected one of"),
        ("#2=shuffle", "'arith.divui' op has no strategy 'shuffle', expected one of"),
        (
            "#0=shift",
            "'arith.constant' op has no strategies to choose from, expected one of #2 arith.divui",
        ),
        ("#9=shift", "which 'k' does not have, expected one of #2 arith.divui"),
        ("2=shift", "expected items like"),
    ],
)
def test_what_cannot_be_forced(force: str, message: str):
    with pytest.raises(PassFailedException, match=re.escape(message)):
        selected("%y = arith.divui %a, %seven : i32", f'{{force="{force}"}}')


def exchanging(strategies: str) -> str:
    attribute = f"nv_tileas.exchanges = {strategies}, " if strategies else ""
    text = f"""
    nv_tileaa.func @k(%a: f32) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %x = nv_tileaa.splat %a : f32 -> tensor<128xf32, {ROW}>
      %y = nv_tileas.reduce %x {{{attribute}axis = 0 : i32}}
          : tensor<128xf32, {ROW}> -> f32 {{
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        nv_tileas.yield %s : f32
      }}
      nv_tileaa.return
    }}"""
    return tools.to_text(tools.run_passes(tools.parse(text), PASS))


def reducing(layout: str, attribute: str = "", passes: str = PASS) -> str:
    text = f"""
    nv_tileaa.func @k(%a: f32) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %x = nv_tileaa.splat %a : f32 -> tensor<128x4xf32, {layout}>
      %y = nv_tileas.reduce %x {{{attribute}axis = 1 : i32}} : tensor<128x4xf32, {layout}>
          -> tensor<128xf32, {ROW}> {{
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        nv_tileas.yield %s : f32
      }}
      nv_tileaa.return
    }}"""
    return tools.to_text(tools.run_passes(tools.parse(text), passes))


ACROSS_LANES = "#nv_tileas.layout<(4, (4, 8), 4, 1), (128, (1, 4), 32, 0)>"
"""Four lanes hold a row of 4 elements."""
IN_REGISTERS = "#nv_tileas.layout<(4, 32, 4, 1), (1, 4, 128, 0)>"


def test_a_reduction_says_how_many_lanes_it_combines():
    assert "reduce_atom = #cute_nvgpu.reduce_atom<4>" in reducing(ACROSS_LANES)
    assert "reduce_atom<32>" in exchanging("")
    assert "reduce_atom" not in reducing(IN_REGISTERS)


def test_a_butterfly_over_other_lanes_is_refused():
    def lowered(layout: str, lanes: int) -> str:
        attribute = f"reduce_atom = #cute_nvgpu.reduce_atom<{lanes}>, "
        return reducing(layout, attribute, tools.TO_LLVM)

    assert lowered(ACROSS_LANES, 4).count("nvvm.shfl.sync bfly") == 8
    assert "shfl" not in lowered(IN_REGISTERS, 1)
    message = "'nv_tileas.reduce' op combines 4 lanes of a warp, but its atom combines 8"
    with pytest.raises(PassFailedException, match=message):
        lowered(ACROSS_LANES, 8)


def test_exchanges_of_a_reduction():
    assert "nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>]" in exchanging("")


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        ("[#nv_tileas.atom_plan<shuffle>]", "cannot convert between these layouts by shuffle"),
        ("[]", "expects 1 strategies, one for each exchange between different layouts, but got 0"),
        ("7 : i32", "expects nv_tileas.exchanges to be an array of atom plans, got 7 : i32"),
    ],
)
def test_exchanges_that_there_are_not(strategies: str, message: str):
    with pytest.raises(PassFailedException, match=re.escape(message)) as failure:
        exchanging(strategies)
    assert "'nv_tileas.reduce' op" in failure.value.args[0]
