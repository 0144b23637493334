"""Effects, speculation, terminators, symbols and regions of every operation, as specified."""

from collections.abc import Callable

import pytest
from xdsl.ir import Operation
from xdsl.traits import (
    ConditionallySpeculatable,
    ConstantLike,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    NoMemoryEffect,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    SymbolTable,
    is_side_effect_free,
)

from docs.cuda_tile import operations
from tests.unit.dialects.cuda_tile import samples
from tileir_xdsl.dialects.cuda_tile.control_flow import ParentOneOf
from tileir_xdsl.dialects.cuda_tile.definition import SEGMENT_SIZES
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.testing.tools import parse, run_passes, to_text

OPERATIONS = {operation.name.removeprefix("cuda_tile."): operation for operation in operations()}

TERMINATORS = {"break", "continue", "return", "yield"}
RECURSIVE = {"for", "if", "loop", "reduce", "scan"}
NOT_SPECULATABLE = {"divi", "get_index_space_shape", "get_tensor_shape", "make_tensor_view"}
"""They touch no memory, but what they compute is not defined for all operands."""
FUNCTIONS = {"entry", "experimental$func", "testing$func"}
STAYS = {
    "alloca",
    "assert",
    "assume",
    "atomic_cas_tko",
    "atomic_red_view_tko",
    "atomic_rmw_tko",
    "fpowf",
    "gdc_launch_dependents_tko",
    "gdc_wait_tko",
    "global",
    "load_ptr_tko",
    "load_view_tko",
    "memory_fence_alias_tko",
    "module",
    "multimem_load_reduce_view_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
    "print_tko",
    "store_ptr_tko",
    "store_view_tko",
    "token.join",
    *FUNCTIONS,
}
"""Never erased or moved. `fpowf` and `token.join` are read as `pow` and `join_tokens`."""

SEGMENTED = {
    "atomic_cas_tko",
    "atomic_red_view_tko",
    "atomic_rmw_tko",
    "load_ptr_tko",
    "load_view_tko",
    "make_tensor_view",
    "multimem_load_reduce_view_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
    "print_tko",
    "store_ptr_tko",
    "store_view_tko",
}

PARENTS = {
    "break": ("cuda_tile.if", "cuda_tile.loop"),
    "continue": ("cuda_tile.for", "cuda_tile.if", "cuda_tile.loop"),
    "yield": ("cuda_tile.if", "cuda_tile.reduce", "cuda_tile.scan"),
    # Sections 8.3.11 and 8.3.15: a module has globals and functions, and is in nothing.
    "module": ("builtin.module",),
    **dict.fromkeys(
        ("entry", "experimental$func", "global", "testing$func"), ("cuda_tile.module",)
    ),
}


def having(holds: Callable[[type[CudaTileOperation]], bool]) -> set[str]:
    """The names of the operations for which `holds`."""
    return {name for name, operation in OPERATIONS.items() if holds(operation)}


def with_trait(trait: type) -> set[str]:
    return having(lambda operation: operation.has_trait(trait))


def test_effects():
    assert with_trait(RecursiveMemoryEffect) == RECURSIVE
    terminators_with_effects = TERMINATORS - {"yield"}
    others = RECURSIVE | STAYS | terminators_with_effects
    assert with_trait(NoMemoryEffect) == OPERATIONS.keys() - others
    assert with_trait(MemoryEffect) == with_trait(NoMemoryEffect) | RECURSIVE


def test_speculation():
    pure = with_trait(NoMemoryEffect) - NOT_SPECULATABLE
    assert with_trait(Pure) == with_trait(ConditionallySpeculatable) == pure
    assert with_trait(ConstantLike) == {"constant"}


def test_terminators():
    assert with_trait(IsTerminator) == TERMINATORS
    parents = {
        name: relation.names
        for name, operation in OPERATIONS.items()
        for relation in operation.RELATIONS
        if isinstance(relation, ParentOneOf)
    }
    assert parents == PARENTS


def test_symbols():
    assert with_trait(SymbolTable) == {"module"}
    assert with_trait(SymbolOpInterface) == {"module", "global", *FUNCTIONS}


def test_regions():
    single = {"module", "for", "loop", "reduce", "scan", *FUNCTIONS}
    assert having(lambda o: bool(o.DEFINITION.regions)) == single | {"if"}
    assert having(lambda o: any(r.single_block for r in o.DEFINITION.regions)) == single
    assert with_trait(IsolatedFromAbove) == {"module", *FUNCTIONS}
    assert with_trait(NoTerminator) == {"module"}


def test_segment_sizes():
    assert having(lambda operation: operation.DEFINITION.segmented) == SEGMENTED
    for text in samples.functions():
        for operation in parse(text).walk():
            if isinstance(operation, CudaTileOperation):
                assert (SEGMENT_SIZES in operation.properties) == operation.DEFINITION.segmented


BODY = (
    "cuda_tile.module @m {{ testing$func @f(%c: tile<i1>, %i: tile<i32>, %a: tile<f32>) {{ {} }} }}"
)
IF = "if %c {{ {} }}"
REDUCTION = (
    "%0 = constant <i32: 0> : tile<4xi32> "
    "%1 = reduce %0 dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> "
    "(%x: tile<i32>, %y: tile<i32>) {{ {} yield %x : tile<i32> }}"
)


def region_operation(body: str) -> Operation:
    """The operation with a region in a function with this body."""
    module = parse(BODY.format(body))
    return next(op for op in module.walk() if op.has_trait(RecursiveMemoryEffect))


def test_a_region_has_the_effects_of_its_body():
    assert is_side_effect_free(region_operation(IF.format("%0 = negf %a : tile<f32>")))
    assert not is_side_effect_free(region_operation(IF.format('assert %c, "m" : tile<i1>')))
    # Division touches no memory, so that a reduction may hold it.
    divided = REDUCTION.format("%z = divi %x, %y signed : tile<i32>")
    assert is_side_effect_free(region_operation(divided))


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("%0 = negf %a : tile<f32>", False),
        ("%0 = divi %i, %i signed : tile<i32>", False),
        ("%0 = make_token : token", False),
        ("%0 = assume bounded<0, ?>, %i : tile<i32>", True),
        ("%0 = alloca num_elem = 4, alignment = 4 : tile<ptr<f32>>", True),
        ('%0 = print_tko "%f", %a : tile<f32> -> token', True),
        ("%0 = gdc_wait_tko -> token", True),
    ],
)
def test_unused_operations(line: str, stays: bool):
    module = run_passes(parse(BODY.format(line)), "dce")
    name = line.split()[2]
    assert (f"cuda_tile.{name}" in to_text(module)) == stays


def test_globals_of_a_detached_function_are_not_looked_up():
    module = parse("""
cuda_tile.module @m {
  global @g <f32: [1.0]> : tile<1xf32>
  entry @k() { %p = get_global @g : tile<ptr<f32>> return }
}""")
    (entry,) = (op for op in module.walk() if op.name == "cuda_tile.entry")
    entry.detach()
    entry.verify()
