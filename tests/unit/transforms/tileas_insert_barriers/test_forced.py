"""What is forced before ops: it replaces what the pass inserts, races tell where that is wrong."""

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tests.unit.interpreters.on_chip.compiled import races_of, written
from tests.unit.interpreters.on_chip.test_forms import BARRIER, READ, WRITE, kernel, launched
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.interfaces import SynchronizationOpInterface
from tileir_xdsl.dialects.nv_tileas.strategies import REGIONS, Strategy, StrategyAttr
from tileir_xdsl.dialects.nv_tileas.synchronization import SYNCHRONIZED
from tileir_xdsl.explain import OperationLabels
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_insert_barriers import (
    TileASInsertBarriersPass,
)

MATMUL = "divisible/matmul_f16_warpgroup"


def forced(module: ModuleOp, force: str) -> ModuleOp:
    TileASInsertBarriersPass(force=force).apply(tools.context(), module)
    module.verify()
    return module


def only(module: ModuleOp, kind: type[Operation]) -> Operation:
    (op,) = (op for op in module.walk() if isinstance(op, kind))
    return op


def number_of(op: Operation) -> int:
    """The number of an op in reports."""
    function = op
    while not isinstance(function, nv_tileaa.FuncOp):
        function = function.parent_op()
        assert function is not None
    return OperationLabels(function).number(op)


def undecided() -> ModuleOp:
    """A kernel whose store by TMA has nothing before it."""
    module = written(MATMUL, "sm_90a")
    store = only(module, nv_tileas.AsyncTiledTmaStoreOp)
    while isinstance(store.prev_op, SynchronizationOpInterface):
        store.prev_op.detach()
    for op in module.walk():
        op.attributes.pop(SYNCHRONIZED, None)
    return module


@pytest.mark.parametrize(
    ("force", "missing"),
    [
        ("none", {"no barrier is between them"}),
        ("barrier_agent", {"no fence_proxy is between them"}),
        ("fence_proxy_async_shared", {"no barrier is between them"}),
        ("fence_proxy_async_shared/barrier_agent", set[str]()),
    ],
)
def test_what_is_wrong_is_a_race(force: str, missing: set[str]):
    module = undecided()
    number = number_of(only(module, nv_tileas.AsyncTiledTmaStoreOp))
    forced(module, f"#{number}={force}")
    assert {race.missing for race in races_of(module, MATMUL, (64, 64, 1088))} == missing


def test_a_barrier_that_is_forced_earlier_counts():
    between = "%t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token\n"
    module = tools.parse(kernel(WRITE + between + READ, mark=""))
    token = only(module, nv_tileaa.CreateMemTokenOp)
    forced(module, f"#{number_of(token)}=barrier_agent")
    assert isinstance(only(module, nv_tileas.BarrierOp).next_op, nv_tileaa.CreateMemTokenOp)
    assert launched(module) == []


def test_what_a_loop_needs_is_inside_where_nothing_may_come_before_it():
    loop = (
        "%i0 = arith.constant 0 : i32\n%i1 = arith.constant 1 : i32\n"
        f"scf.for %i = %i0 to %i1 step %i1 : i32 {{\n{READ}}}\n"
    )
    module = tools.parse(kernel(WRITE + loop, mark=""))
    loop_op = next(op for op in module.walk() if op.name == "scf.for")
    number = number_of(loop_op)
    forced(module, f"#{number}=none")
    assert isinstance(loop_op.prev_op, nv_tileas.BarrierOp) is False
    assert only(module, nv_tileas.BarrierOp).parent_op() is loop_op
    assert launched(module) == []


@pytest.mark.parametrize(
    ("body", "mark", "force", "error"),
    [
        (WRITE + READ, "", "#99=none", "which 'k' does not have, expected one of #0 "),
        (WRITE + READ, "", "#5=guess", "has no insertion 'guess', expected one of none, async.w"),
        (
            WRITE + READ,
            "",
            "#5=fence_tmem_before",
            "'nv_tileas.convert_layout' op cannot have 'fence_tmem_before' before it: sm_90a has "
            "no tcgen05",
        ),
        (
            WRITE + BARRIER + READ,
            "nv_tileas.synchronized, ",
            "#5=none",
            "'nv_tileas.barrier' op cannot be forced: its function already has its barriers",
        ),
    ],
)
def test_what_is_refused(body: str, mark: str, force: str, error: str):
    module = tools.parse(kernel(body, mark=mark))
    with pytest.raises(PassFailedException) as raised:
        forced(module, force)
    assert error in str(raised.value)


def refusal(op: Operation, module: ModuleOp) -> str:
    """What is said of a barrier before an op."""
    with pytest.raises(PassFailedException) as raised:
        forced(module, f"#{number_of(op)}=barrier_agent")
    return str(raised.value).partition("cannot have 'barrier_agent' before it: ")[2]


def test_no_barrier_in_a_region_of_one_thread():
    module = undecided()
    load = next(op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledTmaLoadOp))
    (producer, switch) = (
        next(op for op in module.walk() if isinstance(op, kind))
        for kind in (nv_tileas.ProduceOneAsyncOp, nv_tileas.AgentSwitchOp)
    )
    assert refusal(load, module) == (
        f"it belongs before '{producer.name}' op, with which it is executed"
    )
    one, everyone = StrategyAttr(Strategy.ONE_THREAD), StrategyAttr(Strategy.ALL_THREADS)
    agent = next(n for n, body in enumerate(switch.regions) if body.is_ancestor(producer))
    strategies = [everyone] * len(switch.regions)
    strategies[agent] = one
    switch.attributes[REGIONS] = ArrayAttr(strategies)
    assert refusal(producer, module) == (
        f"one thread executes the region of '{switch.name}' op around it"
    )
    # In the other agent all threads meet, and one thread has fences of its own.
    other = switch.regions[1 - agent].block.first_op
    assert other is not None
    fenced = f"#{number_of(producer)}=fence_proxy_async_shared"
    forced(module, f"#{number_of(other)}=barrier_agent,{fenced}")
    assert isinstance(other.prev_op, nv_tileas.BarrierOp)
    assert isinstance(producer.prev_op, nv_tileas.FenceProxyOp)


def test_no_barrier_where_elements_are_combined():
    module = written("layer_norm", "sm_80")
    for op in module.walk():
        op.attributes.pop(SYNCHRONIZED, None)
    reduce = next(op for op in module.walk() if isinstance(op, nv_tileas.ReduceOp))
    inner = reduce.regions[0].block.first_op
    assert inner is not None
    assert refusal(inner, module) == "'nv_tileas.reduce' op has it within its region"
