"""Barriers and fences written by hand: what they order, and what one arm of a branch leaves."""

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.interpreters.races import find_races
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_insert_barriers import TileASInsertBarriersPass

ROWS = "#nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>"
COLUMNS = "#nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>"
BUFFER = "tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>"


def kernel(body: str, *, mark: str = "nv_tileas.synchronized, ") -> str:
    """A kernel of four warps around a body.

    `%x` and `%y` are tiles in different threads, `%a` and `%b` buffers of which the second begins
    in the middle of the first; `%c` is an argument.
    """
    return f"""
builtin.module attributes {{nv_tileaa.target_spec = "sm_90a"}} {{
nv_tileaa.func @k(%c: i1) attributes {{{mark}nv_tileas.smem_bytes = 768 : i32,
    nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  %x = arith.constant dense<0.0> : tensor<128xf32, {ROWS}>
  %y = arith.constant dense<1.0> : tensor<128xf32, {COLUMNS}>
  %a = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>}}
    : {BUFFER}
  %b = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 256, size = 512>}}
    : {BUFFER}
  {body}
  nv_tileaa.return
}}
}}
"""


WRITE = f"%w = nv_tileas.copy %x into %a : tensor<128xf32, {ROWS}> into {BUFFER} -> {BUFFER}\n"
WRITE_AGAIN = WRITE.replace("%w =", "%v =")
WRITE_BY_OTHERS = (
    f"%v = nv_tileas.copy %y into %a : tensor<128xf32, {COLUMNS}> into {BUFFER} -> {BUFFER}\n"
)
WRITE_OTHER = WRITE.replace("%w =", "%v =").replace("%a", "%b")
READ = f"%r = nv_tileas.convert_layout %a : {BUFFER} -> tensor<128xf32, {COLUMNS}>\n"
BARRIER = "nv_tileas.barrier agent\n"
IN_ONE_ARM = f"scf.if %c {{\n {BARRIER} }}\n"
NO_BARRIER = "no barrier is between them"


def launched(module: ModuleOp, *, condition: bool = True) -> list[OnChipRace]:
    found: list[OnChipRace] = []
    launch(module, "k", (1, 1, 1), [condition], listeners=(OnChipRaces(found.append),))
    return found


def races(body: str, *, condition: bool = True) -> list[OnChipRace]:
    return launched(tools.parse(kernel(body)), condition=condition)


def test_threads_that_read_what_others_write_meet():
    assert races(WRITE + BARRIER + READ) == []
    (race,) = races(WRITE + READ)
    assert str(race) == (
        "#4 nv_tileas.copy %w writes and #5 nv_tileas.convert_layout %r reads bytes 0 to 511 of "
        "shared memory in tile block (0, 0, 0), and no barrier is between them"
    )


def test_a_thread_may_write_again_what_it_wrote():
    assert races(WRITE + WRITE_AGAIN) == []
    (race,) = races(WRITE + WRITE_BY_OTHERS)
    assert (race.first_writes, race.second_writes, race.missing) == (True, True, NO_BARRIER)


def test_what_other_threads_read_is_not_overwritten():
    (race,) = races(WRITE + BARRIER + READ + WRITE_BY_OTHERS)
    assert (race.first_writes, race.second_writes, race.missing) == (False, True, NO_BARRIER)


def test_reuse_of_memory_is_a_hazard():
    (race,) = races(WRITE + WRITE_OTHER)
    assert str(race.span) == "bytes 256 to 511 of shared memory"
    assert races(WRITE + BARRIER + WRITE_OTHER) == []


def test_a_tile_in_registers_stays_there_when_it_is_put_in_memory():
    allocated = "{nv_tileas.smem = #nv_tileas.allocation<offset = OFFSET, size = 512>}"
    put = f"nv_tileas.convert_layout %x {allocated} : tensor<128xf32, {ROWS}> -> {BUFFER}\n"
    first, second = (put.replace("OFFSET", offset) for offset in ("0", "512"))
    assert races(f"%v = {first}%w = {second}") == []
    (race,) = races(f"%v = {first}%w = {second.replace('512,', '256,')}")
    assert str(race.span) == "bytes 256 to 511 of shared memory"


def test_a_barrier_of_a_warp_orders_no_other_warps():
    assert len(races(WRITE + "nv_tileas.barrier warp\n" + READ)) == 1
    assert races(WRITE + "nv_tileas.barrier cta\n" + READ) == []


def test_a_barrier_in_one_arm_orders_that_arm_only():
    body = WRITE + IN_ONE_ARM + READ
    assert races(body, condition=True) == []
    (race,) = races(body, condition=False)
    assert race.missing == NO_BARRIER


def test_the_pass_orders_the_other_arm():
    body = WRITE + IN_ONE_ARM + READ
    module = tools.parse(kernel(body, mark=""))
    TileASInsertBarriersPass().apply(tools.context(), module)
    names = [op.name for op in module.walk() if isinstance(op, nv_tileas.BarrierOp | scf.IfOp)]
    assert names == ["scf.if", "nv_tileas.barrier", "nv_tileas.barrier"]
    assert launched(module, condition=False) == []


ACCUMULATOR = "#nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>"
HALVES = f"tensor<64x64xf16, {ACCUMULATOR}>"
SUMS = f"tensor<64x64xf32, {ACCUMULATOR}>"
OPERAND = "tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>"
TILE, TILE_OF_SUMS = OPERAND.replace("tensor", "tile", 1), SUMS.replace("tensor", "tile", 1)
MMA = f"""
  %h = arith.constant dense<1.0> : {HALVES}
  %z = arith.constant dense<0.0> : {SUMS}
  %p = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 1024, size = 8192>}}
    : {OPERAND}
  %w = nv_tileas.copy %h into %p : {HALVES} into {OPERAND} -> {OPERAND}
  %d = nv_tileas.async.dot %w, %w, %z {{atom = #nv_tileas<atom wgmma_f16_f16_f32>}}
    : {TILE}, {TILE}, {TILE_OF_SUMS} -> !async.value<{TILE_OF_SUMS}>
  %v = nv_tileas.copy %h into %p : {HALVES} into {OPERAND} -> {OPERAND}
  %s = nv_tileas.async.future_wait %d : !async.value<{TILE_OF_SUMS}> -> {TILE_OF_SUMS}
"""


@pytest.mark.parametrize(
    ("lost", "first", "second", "missing"),
    [
        (nv_tileas.FenceProxyOp, "copy", "async.dot", "no fence_proxy is between them"),
        (nv_tileas.BarrierOp, "copy", "async.dot", NO_BARRIER),
        (
            nv_tileas.WaitMMAsOp,
            "async.dot",
            "copy",
            "nothing waits for the first, which is asynchronous",
        ),
    ],
)
def test_an_mma_in_flight(lost: type[Operation], first: str, second: str, missing: str):
    module = tools.parse(kernel(MMA, mark=""))
    TileASInsertBarriersPass().apply(tools.context(), module)
    assert launched(module) == []
    next(op for op in module.walk() if isinstance(op, lost)).detach()
    race, *_ = launched(module)
    names = [op.name.removeprefix("nv_tileas.") for op in (race.first, race.second)]
    assert (*names, race.missing) == (first, second, missing)


def mma(number: int) -> str:
    """An MMA of memory of its own."""
    names = {"%p": f"%p{number}", "%w": f"%w{number}", "%d": f"%d{number}"}
    text = "".join(MMA.partition("  %p =")[1:]).partition("  %v =")[0]
    for name, other in names.items():
        text = text.replace(name, other)
    before = "nv_tileas.fence_proxy async_shared\nnv_tileas.barrier agent\n"
    text = text.replace("offset = 1024", f"offset = {1024 + 8192 * number}")
    return text.replace(f"  %d{number} =", f"{before}  %d{number} =")


@pytest.mark.parametrize("reused", range(3))
@pytest.mark.parametrize("pending", range(5))
def test_mmas_that_may_still_be_in_flight(pending: int, reused: int):
    """The last of three that were issued: PTX ISA, "wgmma.wait_group"."""
    values = MMA.partition("  %p =")[0]
    waits = f"nv_tileas.async.wait_mmas {{pending = {pending} : i32}}\nnv_tileas.barrier agent\n"
    again = MMA[MMA.index("  %v =") : MMA.index("  %s =")].replace("%p", f"%p{reused}")
    found = races(values + "".join(map(mma, range(3))) + waits + again)
    assert bool(found) == (reused >= 3 - pending)


def test_agents_need_a_handshake():
    switch = (
        "nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, "
        "num_warps = array<i32: 4, 4>, warp_id = array<i32: 0, 4>, agent_strides = array<i32: 4, 4>} "
        f"{{\n{WRITE}{BARRIER}nv_tileas.async.pipeline.yield\n}}, "
        f"{{\n{READ}{BARRIER}nv_tileas.async.pipeline.yield\n}}\n"
    )
    (race,) = races(switch)
    assert race.missing == "no handshake of agents orders them"
    assert len(races(WRITE.replace("%w =", "%u =") + switch)) == 3
    over = switch.replace(WRITE, "")
    assert races(over + BARRIER + WRITE) == []
    (race,) = races(over + WRITE)
    assert race.missing == "no barrier follows the agents"


def test_a_loop_orders_its_iterations():
    loop = (
        "%i0 = arith.constant 0 : i32\n%i1 = arith.constant 1 : i32\n%i2 = arith.constant 2 : i32\n"
        f"scf.for %i = %i0 to %i2 step %i1 : i32 {{\n{WRITE}{BARRIER}{READ}AGAIN}}\n"
    )
    (race,) = races(loop.replace("AGAIN", ""))
    assert (race.first.name, race.second.name) == ("nv_tileas.convert_layout", "nv_tileas.copy")
    assert races(loop.replace("AGAIN", BARRIER)) == []


def test_functions_that_leave_barriers_to_the_conversion_are_not_watched():
    assert launched(tools.parse(kernel(WRITE + READ, mark=""))) == []


def test_races_are_found_with_those_of_global_memory():
    module = tools.parse(kernel(WRITE + READ))
    (race,) = find_races(module, "k", (2, 1, 1), [True])
    assert str(race).endswith(NO_BARRIER)


PIPE = "nv_tileas.async.pipeline"
PRODUCER = f"!{PIPE}.producer_token"
ITERATOR = f"!{PIPE}.iterator<{BUFFER.replace('tensor', 'tile')}>"
STAGES = "tensor<1x128xf32, #nv_tileas.memory<smem>>"
ACQUIRE = f"""
%s = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>}}
  : {STAGES}
%p, %q = {PIPE}.create_pipeline %s {{numStages = 1 : i32, producerGroupId = 0 : i8,
  consumerGroupId = 0 : i8, nv_tileas.smem = #nv_tileas.allocation<offset = 512, size = 16>}}
  : {STAGES} -> {PRODUCER}, !{PIPE}.consumer_token
%i = {PIPE}.create_iterator %p : {PRODUCER} -> {ITERATOR}
%acquired = {PIPE}.producer_acquire %p, %i : {PRODUCER}, {ITERATOR} -> {PRODUCER}
"""
"""A stage of a pipeline, to be written."""


def fill(token: str, tile: str, layout: str, result: str) -> str:
    return (
        f"{result} = {PIPE}.producer_write {token}, {tile} "
        f": {PRODUCER}, tensor<128xf32, {layout}> -> {PRODUCER}\n"
    )


@pytest.mark.parametrize(("tile", "layout", "missing"), [("%x", ROWS, 0), ("%y", COLUMNS, 1)])
def test_a_stage_that_is_written_twice(tile: str, layout: str, missing: int):
    first = fill("%acquired", "%x", ROWS, "%once")
    second = fill("%once", tile, layout, "%twice")
    assert len(races(ACQUIRE + first + second)) == missing
    assert races(ACQUIRE + first + BARRIER + second) == []
    module = tools.parse(kernel(ACQUIRE + first + second, mark=""))
    TileASInsertBarriersPass().apply(tools.context(), module)
    (barrier,) = (op for op in module.walk() if isinstance(op, nv_tileas.BarrierOp))
    assert isinstance(barrier.next_op, nv_tileas.ProducerWriteOp)
    assert isinstance(barrier.prev_op, nv_tileas.ProducerWriteOp)
    assert launched(module) == []


SUMS_IN_TENSOR_MEMORY = SUMS.replace(
    ACCUMULATOR, "#nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>"
)
TILE_OF_THESE = SUMS_IN_TENSOR_MEMORY.replace("tensor", "tile", 1)


def tensor_memory_mma(number: int) -> str:
    return f"""
  %d{number} = nv_tileas.async.dot %f, %f, %z{number} {{atom = #nv_tileas<atom umma_f16_f16_f32>,
    nv_tileas.tmem = #nv_tileas.allocation<offset = {64 * number}, size = 64>}}
    : {TILE}, {TILE}, {TILE_OF_THESE} -> !async.value<{TILE_OF_THESE}>
"""


def awaited_mma(number: int) -> str:
    return (
        f"%s{number} = nv_tileas.async.future_wait %d{number} : !async.value<{TILE_OF_THESE}> "
        f"-> {TILE_OF_THESE}\n"
    )


ISSUE, ISSUE_YOUNGER, AWAIT = tensor_memory_mma(0), tensor_memory_mma(1), awaited_mma(0)
AWAIT_YOUNGER = awaited_mma(1)


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        (WRITE + ISSUE + AWAIT + READ, []),
        (ISSUE + WRITE + AWAIT + READ, []),
        (ISSUE + AWAIT + WRITE + READ, [NO_BARRIER]),
        # Nobody has arrived again since the younger one was issued.
        (ISSUE + WRITE + ISSUE_YOUNGER + AWAIT + READ + AWAIT_YOUNGER, []),
        (ISSUE + ISSUE_YOUNGER + WRITE + AWAIT + READ + AWAIT_YOUNGER, [NO_BARRIER]),
        (ISSUE + ISSUE_YOUNGER + WRITE + AWAIT + AWAIT_YOUNGER + READ, []),
    ],
)
def test_threads_meet_where_they_wait_for_tensor_memory(body: str, missing: list[str]):
    operands = f"""
  %z0 = arith.constant dense<0.0> : {SUMS_IN_TENSOR_MEMORY}
  %z1 = arith.constant dense<0.0> : {SUMS_IN_TENSOR_MEMORY}
  %f = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 1024, size = 8192>}}
    : {OPERAND}
"""
    text = kernel(operands + body).replace("sm_90a", "sm_100a")
    text = text.replace("tmem_columns = 0", "tmem_columns = 128")
    assert [race.missing for race in launched(tools.parse(text))] == missing
