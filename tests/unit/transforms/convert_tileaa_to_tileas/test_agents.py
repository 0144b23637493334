"""Agents and queues become switches and pipelines, and transfer the same values."""

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import LateOrder, MemoryOrder, ProgramOrder, RandomOrder
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps

PASS = "convert-tileaa-to-tileas"
QUEUE = "!nv_tileaa.queue<i32, tensor<4xi32>>"
PTR = "!nv_tileaa.ptr<i32>"
TOKEN = "!nv_tileaa.mem_token"
ORDERS: tuple[MemoryOrder, ...] = (ProgramOrder(), RandomOrder(1), LateOrder())


def kernel(body: str) -> str:
    """A kernel that stores to `%p`; `%c0` to `%c9` are numbers."""
    numbers = "\n".join(f"%c{i} = arith.constant {i} : i32" for i in range(10))
    return f"""
    nv_tileaa.func @k(%p: {PTR}) attributes
        {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      {numbers}
      {body}
      nv_tileaa.return
    }}
    """


def agents(*bodies: str, group: int = 1, stages: int = 2, more: str = "") -> str:
    """Agents that share one queue, in each of them `%q`."""
    regions = " ".join(f"{{ ^bb0(%q: {QUEUE}): {body} nv_tileaa.yield }}" for body in bodies)
    return f"""
      %queue = nv_tileaa.create_queue {{stages = {stages} : i32}} : {QUEUE}
      nv_tileaa.execute(%queue : {QUEUE})
        attributes {{num_agents_per_group = {group} : i32 {more}}} {regions}
    """


def put(number: str, queue: str = "%q") -> str:
    """Puts a number, and a tile of it."""
    return f"""
      nv_tileaa.queue.put {queue} : {QUEUE} {{
        %tile = nv_tileaa.splat {number} : i32 -> tensor<4xi32>
        nv_tileaa.queue.yield {number}, %tile : i32, tensor<4xi32>
      }}
    """


def store(number: str, place: str) -> str:
    """Stores a number at `%p[place]`."""
    name = place.strip("%")
    return f"""
      %at_{name} = nv_tileaa.addptr %p, {place} : {PTR}, i32
      %stored_{name} = nv_tileaa.store weak %at_{name}, {number} : {PTR}, i32 -> {TOKEN}
    """


def total(place: str, rounds: str = "%c9", consumer: str = "") -> str:
    """Sums number * tile over some rounds."""
    return f"""
      %zeros = nv_tileaa.splat %c0 : i32 -> tensor<4xi32>
      %total = scf.for %i = %c0 to {rounds} step %c1 iter_args(%sum = %zeros) -> (tensor<4xi32>) : i32 {{
        %number, %tile = nv_tileaa.queue.get %q {consumer} : {QUEUE} -> i32, tensor<4xi32>
        %many = nv_tileaa.splat %number : i32 -> tensor<4xi32>
        %product = arith.muli %many, %tile : tensor<4xi32>
        %next = arith.addi %sum, %product : tensor<4xi32>
        scf.yield %next : tensor<4xi32>
      }}
      %last = nv_tileaa.extract %total[%c1 : i32] : tensor<4xi32> -> i32
      {store("%last", place)}
    """


LOOP = f"scf.for %i = %c0 to %c9 step %c1 : i32 {{ {put('%i')} }}"
SQUARES = sum(i * i for i in range(9))


def results(body: str) -> list[int]:
    """What the kernel stores at both levels, under every order of accesses."""
    found: list[list[int]] = []
    text = kernel(body)
    for converted in (False, True):
        for order in ORDERS:
            module = tools.parse(text)
            if converted:
                tools.run_passes(module, PASS)
                tools.roundtrip(tools.to_text(module))
            out = np.full(10, -1, np.int32)
            launch(module, "k", (1, 1, 1), [out], memory_order=order)
            found.append(out.tolist())
    assert all(out == found[0] for out in found)
    return found[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("stages", [1, 2, 3, 20])
def test_a_loop_of_handshakes(stages: int):
    assert results(agents(LOOP, total("%c0"), stages=stages))[0] == SQUARES


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_the_ptx_of_a_loop_of_handshakes(stages: int, gpu: str):
    """Agents of PTX transfer a number and a tile at once, as those of the interpreter do."""
    body = agents(LOOP, total("%c0"), stages=stages)
    module = tools.parse(
        f'builtin.module attributes {{nv_tileaa.target_spec = "{gpu}"}} {{ {kernel(body)} }}'
    )
    for step in steps(gpu)[1:]:
        step.module_pass.apply(tools.context(), module)
    out = np.full(10, -1, np.int32)
    emulator.load(emit(module)).launch(
        "k",
        (1, 1, 1),
        [out],
        dynamic_shared=dynamic_shared_memory(module, "k"),
        late=True,
        races=True,
    )
    assert out.tolist() == results(body)


def test_the_ir():
    module = tools.run_passes(tools.parse(kernel(agents(LOOP, total("%c0")))), PASS)
    tools.check(
        tools.to_text(module),
        """
        // CHECK: %[[A:.*]] = nv_tileas.alloc_tensor : tensor<2xi32, #nv_tileas.memory<smem>>
        // CHECK-NEXT: %[[B:.*]] = nv_tileas.alloc_tensor : tensor<2x4xi32, #nv_tileas.memory<smem>>
        // CHECK-NEXT: %[[P:.*]], %[[C:.*]] = nv_tileas.async.pipeline.create_pipeline %[[A]], %[[B]] {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true}
        // CHECK-NEXT: %[[I:.*]] = nv_tileas.async.pipeline.create_iterator %[[P]] :
        // CHECK-NEXT: %[[J:.*]] = nv_tileas.async.pipeline.create_iterator %[[C]] :
        // CHECK-NEXT: nv_tileas.async.pipeline.agent_switch %[[P]], %[[C]], %[[I]], %[[J]] {num_agents_per_group = 1 : i32, isolated = false}
        // CHECK-NEXT: ^bb0(%[[P1:.*]] : !nv_tileas.async.pipeline.producer_token, %{{.*}} : !nv_tileas.async.pipeline.consumer_token, %[[I1:.*]] : !nv_tileas.async.pipeline.iterator<i32, tile<4xi32>>, %{{.*}}):
        // CHECK-NEXT: %{{.*}} = scf.for %[[N:.*]] = {{.*}} iter_args(%[[I2:.*]] = %[[I1]])
        // CHECK-NEXT: %{{.*}} = nv_tileas.async.pipeline.produce_one %[[P1]], %[[I2]] {producer_types = [i32, tile<4xi32>]}
        // CHECK-NEXT: ^bb0(%{{.*}} : i32, %{{.*}} : tile<4xi32>):
        // CHECK-NEXT: %[[T:.*]] = nv_tileaa.splat %[[N]] :
        // CHECK-NEXT: nv_tileas.async.pipeline.yield %[[N]], %[[T]] :
        // CHECK: %[[I3:.*]] = nv_tileas.async.pipeline.inc_iter %[[I2]] :
        // CHECK-NEXT: scf.yield %[[I3]] :
        // CHECK: nv_tileas.async.pipeline.yield
        // CHECK: %total, %{{.*}} = scf.for {{.*}} iter_args(%sum = %zeros, %[[J2:.*]] = %{{.*}})
        // CHECK-NEXT: %{{.*}}, %number, %{{.*}} = nv_tileas.async.pipeline.consume_one %{{.*}}, %[[J2]] {consumer_idx = 0 : i32, consumer_types = [i32, tile<4xi32>]}
        """,
    )


def test_what_was_got_outlives_its_stage():
    both = f"""
      %a, %at = nv_tileaa.queue.get %q : {QUEUE} -> i32, tensor<4xi32>
      %b, %bt = nv_tileaa.queue.get %q : {QUEUE} -> i32, tensor<4xi32>
      %x = nv_tileaa.extract %at[%c0 : i32] : tensor<4xi32> -> i32
      %y = nv_tileaa.extract %bt[%c0 : i32] : tensor<4xi32> -> i32
      {store("%x", "%c0")} {store("%y", "%c1")}
    """
    out = results(agents(put("%c5") + put("%c7"), both, stages=1))
    assert out[:2] == [5, 7]


def test_iterators_go_through_branches_and_while_loops():
    producer = f"""
      %last = scf.while (%i = %c0) : (i32) -> i32 {{
        %go = arith.cmpi slt, %i, %c9 : i32
        scf.condition(%go) %i : i32
      }} do {{
      ^bb0(%i: i32):
        %low = arith.cmpi slt, %i, %c4 : i32
        scf.if %low {{ {put("%i")} }}
        %high = arith.cmpi sgt, %i, %c5 : i32
        %x = scf.if %high -> (i32) {{ {put("%i")} scf.yield %i : i32 }} else {{ scf.yield %c0 : i32 }}
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }}
    """
    assert results(agents(producer, total("%c0", "%c7")))[0] == SQUARES - 16 - 25


def test_a_pragma_hands_iterators_on():
    producer = f"nv_tileaa.pragma {{ {put('%c3')} nv_tileaa.yield }} {put('%c4')}"
    assert results(agents(producer, total("%c0", "%c2")))[0] == 25


def test_a_put_before_the_agents_begin():
    queue = agents(put("%c4"), total("%c0", "%c2"))
    create, rest = queue.split("nv_tileaa.execute", 1)
    assert results(f"{create} {put('%c3', '%queue')} nv_tileaa.execute{rest}")[0] == 25


def test_consumers_of_one_group_get_everything():
    consumers = [total(f"%c{i}", consumer=f"{{consumer_idx = {i} : i32}}") for i in range(2)]
    out = results(agents(LOOP, "", *consumers, group=2))
    assert out[:2] == [SQUARES, SQUARES]


def test_a_put_that_gets_from_another_queue():
    body = f"""
      %first = nv_tileaa.create_queue {{stages = 1 : i32}} : {QUEUE}
      %second = nv_tileaa.create_queue {{stages = 2 : i32}} : {QUEUE}
      nv_tileaa.execute(%first, %second : {QUEUE}, {QUEUE}) attributes {{num_agents_per_group = 1 : i32}}
      {{ ^bb0(%a: {QUEUE}, %b: {QUEUE}): {LOOP.replace("%q", "%a")} nv_tileaa.yield }}
      {{ ^bb0(%a: {QUEUE}, %b: {QUEUE}):
        scf.for %i = %c0 to %c9 step %c1 : i32 {{
          nv_tileaa.queue.put %b : {QUEUE} {{
            %x, %xt = nv_tileaa.queue.get %a : {QUEUE} -> i32, tensor<4xi32>
            %y = arith.addi %x, %c1 : i32
            nv_tileaa.queue.yield %y, %xt : i32, tensor<4xi32>
          }}
        }}
        nv_tileaa.yield }}
      {{ ^bb0(%a: {QUEUE}, %q: {QUEUE}): {total("%c0")} nv_tileaa.yield }}
    """
    assert results(body)[0] == sum(i * (i + 1) for i in range(9))


def test_agents_without_queues():
    one, two = (
        f"{{ ^bb0(%x: i32): {store('%x', place)} nv_tileaa.yield }}" for place in ("%c0", "%c1")
    )
    body = f"nv_tileaa.execute(%c7 : i32) attributes {{num_agents_per_group = 2 : i32, max_regs = array<i32: 40, 80>}} {one} {two}"
    assert results(body)[:2] == [7, 7]
    text = tools.to_text(tools.run_passes(tools.parse(kernel(body)), PASS))
    assert "max_regs = array<i32: 40, 80>" in text


def test_isolated_agents_get_all_they_use():
    producer = f"%n = arith.constant 3 : i32 {put('%n')}"
    consumer = f"%n, %t = nv_tileaa.queue.get %q : {QUEUE} -> i32, tensor<4xi32>"
    body = agents(producer, consumer, more=", isolated")
    module = tools.run_passes(tools.parse(kernel(body)), PASS)
    assert "isolated = true" in tools.to_text(module)


def test_a_mark_for_reuse_stays_for_the_tokens():
    body = agents(f"{put('%c3')} nv_tileaa.mark_for_reuse %q : {QUEUE}", total("%c0", "%c1"))
    module = tools.run_passes(tools.parse(kernel(body)), PASS)
    tools.check(
        tools.to_text(module),
        "// CHECK: nv_tileaa.mark_for_reuse %{{.*}}, %{{.*}} : !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token",
    )
    assert results(body)[0] == 9


@pytest.mark.parametrize(
    ("payload", "buffers"),
    [
        ("tensor<8x4xf16>", ["3x8x4xf16"]),
        ("f32", ["3xf32"]),
        (
            "i1, !nv_tileaa.ptr<f32>, tensor<8xf4E2M1FN>",
            ["3xi1", "3x!nv_tileaa.ptr<f32>", "3x8xf4E2M1FN"],
        ),
    ],
)
def test_storage_of_the_stages(payload: str, buffers: list[str]):
    body = f"%q = nv_tileaa.create_queue {{stages = 3 : i32}} : !nv_tileaa.queue<{payload}>"
    module = tools.run_passes(tools.parse(kernel(body)), PASS)
    types = [f"tensor<{buffer}, #nv_tileas.memory<smem>>" for buffer in buffers]
    allocations = [op for op in module.walk() if isinstance(op, nv_tileas.AllocTensorOp)]
    assert [str(op.result.type) for op in allocations] == types


GET = f"%n, %t = nv_tileaa.queue.get %q : {QUEUE} -> i32, tensor<4xi32>"
FAILURE = "failed to convert nv_tileaa to nv_tileas"
SECOND = f"%n2, %t2 = nv_tileaa.queue.get %queue : {QUEUE} -> i32, tensor<4xi32>"


@pytest.mark.parametrize(
    ("body", "message", "op"),
    [
        pytest.param(agents(put("%c1"), put("%c2"), GET), FAILURE, "queue.put", id="producers"),
        pytest.param(agents(put("%c1"), GET, GET), FAILURE, "queue.get", id="consumers"),
        pytest.param(agents(put("%c1"), GET) + SECOND, FAILURE, "queue.get", id="after"),
        pytest.param(
            f"%queue = nv_tileaa.create_queue {{stages = 1 : i32}} : {QUEUE}"
            "scf.for %i = %c0 to %c9 step %c1 : i32 {"
            + agents(put("%c1"), GET).split(f": {QUEUE}", 1)[1]
            + "}",
            FAILURE,
            "queue.put",
            id="switch in a loop",
        ),
        pytest.param(
            agents(put("%c1"), GET, GET.replace("%q", "%q {consumer_idx = 0 : i32}"), group=3),
            FAILURE,
            "queue.get",
            id="numbered and not",
        ),
        pytest.param(
            agents(put("%c1"), GET, GET.replace("%q", "%q {consumer_idx = 1 : i32}"), group=3),
            FAILURE,
            "queue.get",
            id="the second numbered and the first not",
        ),
        pytest.param(
            agents(put("%c1"), GET.replace("%q", "%q {consumer_idx = 1 : i32}")),
            "consumer_idx out of range for consumer group",
            "queue.get",
            id="consumer_idx",
        ),
        pytest.param(
            f"""%queue = nv_tileaa.create_queue {{stages = 1 : i32}} : {QUEUE}
            %other = nv_tileaa.optimization_barrier %queue : {QUEUE} -> {QUEUE}""",
            FAILURE,
            "optimization_barrier",
            id="other use",
        ),
        pytest.param(
            f"%q = nv_tileaa.create_queue {{stages = 1 : i32}} : !nv_tileaa.queue<{TOKEN}>",
            FAILURE,
            "create_queue",
            id="no bytes",
        ),
        pytest.param(
            """%t = "test.op"() : () -> !nv_tileas.async.pipeline.producer_token
            nv_tileaa.mark_for_reuse %t : !nv_tileas.async.pipeline.producer_token""",
            "expect operands with queue types",
            "mark_for_reuse",
            id="mark",
        ),
    ],
)
def test_what_is_no_pipeline(body: str, message: str, op: str):
    with pytest.raises(PassFailedException) as caught:
        tools.run_passes(tools.parse(kernel(body)), PASS)
    assert caught.value.args == (message,)
    assert caught.value.__notes__[0].startswith(f"see 'nv_tileaa.{op}' op")


@pytest.mark.parametrize(
    "body", ["", f"%n, %t = nv_tileaa.queue.get %q : {QUEUE} -> i32, tensor<4xi32>"]
)
def test_a_queue_from_a_caller(body: str):
    text = f"nv_tileaa.func @f(%q: {QUEUE}) {{ {body} nv_tileaa.return }}"
    with pytest.raises(PassFailedException) as caught:
        tools.run_passes(tools.parse(text), PASS)
    assert caught.value.args == (FAILURE,)
