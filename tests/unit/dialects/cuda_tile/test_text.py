"""Every operation as text: it prints, parses and compares in the custom, generic and short form."""

import re

import pytest

from tests.unit.dialects.cuda_tile import samples
from tileir_xdsl.dialects.cuda_tile import CudaTile, FPowFOp, TokenJoinOp, functions
from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.testing.tools import parse, roundtrip, to_text

FILES = {**samples.VALID, **samples.KERNEL_FILES}
NAMES = [
    *samples.VALID,
    *(pytest.param(name, marks=pytest.mark.one_in(24)) for name in samples.KERNEL_FILES),
]
"""All samples of single operations, and some kernels."""


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name: str):
    roundtrip(samples.text(FILES[name]))


@pytest.mark.parametrize("name", NAMES)
def test_short_form_is_a_fixed_point(name: str):
    module = parse(samples.text(FILES[name]))
    short = print_short(module)
    again = parse(short)
    assert print_short(again) == short
    # The short form leaves nothing out but names and prefixes.
    assert print_short(parse(to_text(module, generic=True))) == short


def test_every_operation_has_a_sample():
    seen = {type(op) for path in samples.VALID.values() for op in parse(samples.text(path)).walk()}
    # Spellings of other operations, and functions that are no part of the bytecode.
    elsewhere = {FPowFOp, TokenJoinOp, functions.ExperimentalFuncOp, functions.TestingFuncOp}
    assert set(CudaTile.operations) - elsewhere <= seen


def test_functions_of_the_specification():
    text = roundtrip(
        """
        cuda_tile.module @m attributes {producer = "test"} {
          experimental$func @foo() -> (tile<i32>, tile<f16>) {
            %0 = constant <i32: 0> : tile<i32>
            %1 = constant <f16: 0.0> : tile<f16>
            return %0, %1 : tile<i32>, tile<f16>
          }
          testing$func @bar(%v: tensor_view<4xf32, strides=[1]>, %t: token) -> token {
            return %t : token
          }
          testing$func @baz(%a: tile<2xf32> {x.y = 1 : i32}) { }
        }
        """
    )
    assert "cuda_tile.experimental$func @foo() -> (tile<i32>, tile<f16>) {" in text
    assert "@bar(%v: tensor_view<4xf32, strides=[1]>, %t: token) -> token {" in text
    assert 'cuda_tile.module @m attributes {producer = "test"} {' in text
    assert "@baz(%a: tile<2xf32> {x.y = 1 : i32}) {" in text


def test_prefixes_and_implicit_terminators_are_optional():
    long = roundtrip(
        """
        cuda_tile.module @m {
          cuda_tile.entry @f(%c: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
            cuda_tile.if %c { cuda_tile.yield } else { cuda_tile.yield }
            cuda_tile.for %i in (%n to %n, step %n) : !cuda_tile.tile<i32> { cuda_tile.continue }
            cuda_tile.return
          }
        }
        """
    )
    short = roundtrip(
        """
        cuda_tile.module @m {
          entry @f(%c: tile<i1>, %n: tile<i32>) {
            if %c { } else { }
            for %i in (%n to %n, step %n) : tile<i32> { }
          }
        }
        """
    )
    assert long == short


def test_discardable_attributes_survive():
    text = roundtrip(
        """
        cuda_tile.module @m {
          entry @f(%a: tile<f32>, %c: tile<i1>, %n: tile<i32>) {
            %0 = negf %a {x = 1 : i64} : tile<f32>
            if %c { } {x = 2 : i64}
            for %i in (%n to %n, step %n) : tile<i32> { } {x = 3 : i64}
            loop { break } {x = 4 : i64}
          } {x = 5 : i64}
        }
        """
    )
    for value in range(1, 6):
        assert f"{{x = {value} : i64}}" in text


def test_pow_and_fpowf_are_one_operation():
    text = "cuda_tile.module @m { entry @f(%a: tile<f32>) { %0 = KIND %a, %a : tile<f32> } }"
    modules = [parse(text.replace("KIND", kind)) for kind in ("pow", "fpowf")]
    assert to_text(modules[0]) == to_text(modules[1])
    assert "cuda_tile.pow" in to_text(modules[0])
    assert "fpowf" in print_short(modules[0])
    generic = to_text(modules[0], generic=True).replace("cuda_tile.pow", "cuda_tile.fpowf")
    assert to_text(parse(generic)) == to_text(modules[0])


@pytest.mark.parametrize("op", ["exp", "tanh"])
def test_a_missing_rounding_mode_is_the_default(op: str):
    text = (
        f"cuda_tile.module @m {{ testing$func @f(%a: tile<f32>) {{ %0 = {op} %a : tile<f32> }} }}"
    )
    generic = re.sub(r" <{rounding_mode = [^}]*}>", "", to_text(parse(text), generic=True))
    assert "rounding" not in generic
    assert to_text(parse(generic)) == to_text(parse(text))


def test_a_multimem_store_has_no_reduction():
    view = (
        "partition_view<tile=(4), tensor_view<4xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>"
    )
    text = roundtrip(
        f"""
        cuda_tile.module @m {{
          testing$func @f(%v: {view}, %i: tile<i32>, %a: tile<4xf16>) {{
            %t = multimem_store_view_tko weak %v, %a[%i] attributes {{reduction = 1 : i32}}
              : {view}, tile<4xf16>, tile<i32> -> token
          }}
        }}
        """
    )
    assert "attributes {reduction = 1 : i32}" in text


@pytest.mark.parametrize("operation", ["sqrt %x", "addf %x, %x", "divf %x, %x", "fma %x, %x, %x"])
def test_what_is_not_written_is_rounded_to_nearest_even(operation: str):
    text = f"cuda_tile.module @m {{ testing$func @f(%x: tile<4xf32>) {{ %y = {operation} : tile<4xf32> }} }}"
    found = [str(op.properties["rounding_mode"]) for op in parse(text).walk() if op.results]
    assert found == ["#cuda_tile.rounding<nearest_even>"]


@pytest.mark.parametrize("types", [(), ("tile<i32>",), ("tile<i32>", "tile<f16>")])
def test_results_of_functions(types: tuple[str, ...]):
    results = f" -> {types[0]}" if len(types) == 1 else f" -> ({', '.join(types)})" if types else ""
    names = ", ".join(["%x", "%y"][: len(types)])
    returned = f"return {names} : {', '.join(types)}" if types else "return"
    function = f"testing$func @f(%x: tile<i32>, %y: tile<f16>){results} {{"
    text = roundtrip(f"cuda_tile.module @m {{ {function}\n{returned}\n}} }}")
    assert function in text
