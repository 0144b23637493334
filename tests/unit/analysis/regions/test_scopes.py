"""Functions are worked on one by one, and after them what stands outside of functions."""

from tileir_xdsl.analysis.regions.scopes import is_made_once, is_repeated, scope_name, scopes_of
from tileir_xdsl.testing import tools

FUNCTIONS = (
    "nv_tileaa.func @f() {\nnv_tileaa.return\n}\nnv_tileaa.func @g() {\nnv_tileaa.return\n}\n"
)


def _names(text: str) -> list[str]:
    return [scope_name(scope) for scope in scopes_of(tools.parse(text))]


def test_functions():
    assert _names(FUNCTIONS) == ["f", "g"]


def test_functions_of_inner_modules():
    assert _names(f"builtin.module {{\n{FUNCTIONS}}}\n") == ["f", "g"]


def test_what_stands_outside_comes_last():
    assert _names("%c = arith.constant 1 : i32\n" + FUNCTIONS) == ["f", "g", "module"]


def test_declarations_have_nothing_to_work_on():
    assert _names("nv_tileaa.func @f()\n") == []


def test_what_is_in_loops_is_repeated():
    module = tools.parse(
        """nv_tileaa.func @f(%n: i32, %c: i1) {
          %outside = arith.addi %n, %n : i32
          %branch = scf.if %c -> (i32) {
            %in_branch = arith.addi %n, %n : i32
            scf.yield %in_branch : i32
          } else {
            scf.yield %n : i32
          }
          %loop = scf.for %i = %n to %n step %n iter_args(%carried = %n) -> (i32) : i32 {
            %in_loop = scf.if %c -> (i32) {
              %deep = arith.addi %i, %carried : i32
              scf.yield %deep : i32
            } else {
              scf.yield %n : i32
            }
            scf.yield %in_loop : i32
          }
          nv_tileaa.return
        }"""
    )
    ops = [op for op in module.walk() if op.results]
    names = {op.results[0].name_hint: op for op in ops}
    repeated = {name for name, op in names.items() if is_repeated(op)}
    assert repeated == {"in_loop", "deep"}
    once = {name for name, op in names.items() if is_made_once(op.results[0])}
    assert once == names.keys() - repeated
    index, carried = names["loop"].regions[0].block.args
    assert not is_made_once(index)
    assert not is_made_once(carried)
