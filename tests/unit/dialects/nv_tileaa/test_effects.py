"""Memory effects: what may be erased, and what may not be moved."""

import pytest
from xdsl.traits import get_effects, is_side_effect_free
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tests.unit.dialects.nv_tileaa import samples
from tileir_xdsl.testing.tools import parse

WRITERS = [
    "store",
    "tiled_store",
    "scatter_store",
    "multimem_store",
    "atomic_cas",
    "atomic_rmw",
    "tiled_atomic_rmw",
    "multimem_reduce",
    "assert",
    "print",
    "message",
    "mark_for_reuse",
    "optimization_barrier",
    "inject_ir",
    "plugin",
    "call",
    "launch_func",
    "execute",
    "queue.put",
    "queue.get",
    "memory_fence_alias",
    "gdc_wait",
    "gdc_launch_dependents",
    "cancel_next_program_id",
]
READERS = ["load", "tiled_load", "gather_load", "multimem_load_reduce"]
ALLOCATORS = ["alloca", "create_queue"]
SYMBOLS = ["func", "global"]
TERMINATORS = ["return", "yield", "queue.yield"]
RECURSIVE = ["pragma"]


def effects_by_op() -> dict[str, set[str]]:
    """The kinds of effects of all ops in the lit tests, by mnemonic."""
    effects: dict[str, set[str]] = {}
    for path in samples.VALID.values():
        for op in parse(samples.text(path)).walk():
            if op.name.startswith("nv_tileaa."):
                kinds = {effect.kind.name for effect in get_effects(op) or ()}
                effects.setdefault(op.name.removeprefix("nv_tileaa."), set()).update(kinds)
    return effects


def test_effects():
    effects = effects_by_op()
    assert [name for name in WRITERS if "WRITE" not in effects[name]] == []
    assert [name for name in READERS if "READ" not in effects[name]] == []
    assert [name for name in ALLOCATORS if effects[name] != {"ALLOC"}] == []
    named = {*WRITERS, *READERS, *ALLOCATORS, *SYMBOLS, *TERMINATORS, *RECURSIVE}
    assert [name for name in effects if name not in named and effects[name]] == []


def test_everything_else_is_pure():
    named = {*WRITERS, *READERS, *ALLOCATORS, *SYMBOLS, *TERMINATORS, *RECURSIVE}
    external = {"extern_elementwise", "call_elementwise_intrinsic", "elementwise_inline_asm"}
    for path in samples.VALID.values():
        for op in parse(samples.text(path)).walk():
            mnemonic = op.name.removeprefix("nv_tileaa.")
            if op.name.startswith("nv_tileaa.") and mnemonic not in named | external:
                assert is_side_effect_free(op), op.name


LOAD = (
    '%p = "test.op"() : () -> !nv_tileaa.ptr<f32>\n'
    "%v, %t = nv_tileaa.load {} %p : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token"
)


@pytest.mark.parametrize(("order", "dead"), [("weak", True), ("acquire gpu", False)])
def test_only_weak_loads_are_dead_without_uses(order: str, dead: bool):
    load = parse(LOAD.format(order)).body.block.last_op
    assert load is not None
    assert is_trivially_dead(load) is dead


CALL = (
    '%a = "test.op"() : () -> f32\n'
    '%b = nv_tileaa.extern_elementwise "__nv_erff"(%a) {} : (f32) -> f32'
)


@pytest.mark.parametrize(("mark", "free"), [("{pure}", True), ("", False)])
def test_functions_from_outside_are_pure_if_they_say_so(mark: str, free: bool):
    call = parse(CALL.replace("{}", mark)).body.block.last_op
    assert call is not None
    assert is_side_effect_free(call) is free
