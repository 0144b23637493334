"""Pipelines between agents: what arrives, and which misuse is reported."""

import io

import numpy as np
import pytest

from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.interpreters.memory_order import LateOrder, MemoryOrder, RandomOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools

P = "!nv_tileas.async.pipeline.producer_token"
C = "!nv_tileas.async.pipeline.consumer_token"
I = "!nv_tileas.async.pipeline.iterator<tile<8xf32>>"  # noqa: E741
VIEW = "!nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<48xf32, strides = [1]>>"
AA = "nv_tileaa"
PIPE = "nv_tileas.async.pipeline"


def kernel(body: str, stages: int = 2) -> str:
    """A kernel over six tiles of `%in` and `%out`; `%p` and `%c` are the tokens of a pipeline.

    Loops over the tiles go from `%zero` to `%six` by `%one`.
    """
    return f"""
nv_tileaa.func @k(%in_ptr: !nv_tileaa.ptr<f32>, %out_ptr: !nv_tileaa.ptr<f32>)
    attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %six = arith.constant 6 : i32
  %in_ref = {AA}.make_memref %in_ptr : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<48xf32, strides = [1]>
  %out_ref = {AA}.make_memref %out_ptr : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<48xf32, strides = [1]>
  %in = {AA}.block_tile %in_ref {{tileSizes = array<i64: 8>, dimGroups = [[0 : i64]]}} : !nv_tileaa.memref<48xf32, strides = [1]> -> {VIEW}
  %out = {AA}.block_tile %out_ref {{tileSizes = array<i64: 8>, dimGroups = [[0 : i64]]}} : !nv_tileaa.memref<48xf32, strides = [1]> -> {VIEW}
  %buffer = nv_tileas.alloc_tensor : tensor<{stages}x8xf32, #nv_tileas.memory<smem>>
  %p, %c = {PIPE}.create_pipeline %buffer {{numStages = {stages} : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8}} : tile<{stages}x8xf32, #nv_tileas.memory<smem>> -> {P}, {C}
  %i = {PIPE}.create_iterator %p : {P} -> {I}
{body}
  {AA}.return
}}
"""


ACQUIRE = f"%p1 = {PIPE}.producer_acquire %pt, %it : {P}, {I} -> {P}\n"
LOAD = f"%tile = nv_tileas.tiled_load weak %in[%n] : {VIEW}[i32] -> tensor<8xf32>\n"
WRITE = f"%p2 = {PIPE}.producer_write %p1, %tile : {P}, tile<8xf32> -> {P}\n"
COMMIT = f"%p3 = {PIPE}.producer_commit %p2 : {P} -> {P}\n"
WAIT = f"%c1 = {PIPE}.consumer_wait %ct, %it {{consumer_idx = 0 : i32}} : {C}, {I} -> {C}\n"
READ = (
    f"%c2, %tile = {PIPE}.consumer_read %c1 {{consumer_idx = 0 : i32}} : {C} -> {C}, tile<8xf32>\n"
)
STORE = f"nv_tileas.tiled_store weak %sum, %out[%n] : tensor<8xf32>, {VIEW}[i32]\n"
DOUBLE = "%sum = nv_tileaa.addf %tile, %tile : tensor<8xf32>\n"
RELEASE = f"%c3 = {PIPE}.consumer_release %c2 : {C} -> {C}\n"


def loop(body: str, token: str, result: str, type_: str) -> str:
    """Six rounds, each with the next iterator and the token that the round before gave."""
    last = f"%next = {PIPE}.inc_iter %it : {I} -> {I}\n"
    return f"""
    %last, %end = scf.for %n = %zero to %six step %one iter_args(%{token} = %{token[0]}, %it = %i)
        -> ({type_}, {I}) : i32 {{
      {body} {last}
      scf.yield %{result}, %next : {type_}, {I}
    }}
"""


def producer(body: str = ACQUIRE + LOAD + WRITE + COMMIT, result: str = "p3") -> str:
    return loop(body, "pt", result, P)


def consumer(body: str = WAIT + READ + DOUBLE + STORE + RELEASE, result: str = "c3") -> str:
    return loop(body, "ct", result, C)


def agents(*bodies: str) -> str:
    ends = [f"{{{body}\n    {PIPE}.yield\n  }}" for body in bodies]
    return f"{PIPE}.agent_switch {{num_agents_per_group = 1 : i32}} {', '.join(ends)}"


def run(text: str, order: MemoryOrder | None = None) -> Array:
    data = np.arange(48, dtype=np.float32)
    out = np.zeros_like(data)
    module = tools.parse(text)
    tools.roundtrip(text)
    launch(module, "k", (1, 1, 1), [data, out], output=io.StringIO(), memory_order=order)
    return out


def error(text: str) -> str:
    with pytest.raises(InterpreterError) as raised:
        run(text)
    return str(raised.value)


DOUBLED = 2 * np.arange(48, dtype=np.float32)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("stages", [1, 2, 3, 7])
@pytest.mark.parametrize(
    "order", [None, RandomOrder(3), LateOrder()], ids=("program", "random", "late")
)
def test_single_steps(stages: int, order: MemoryOrder | None):
    out = run(kernel(agents(producer(), consumer()), stages), order)
    np.testing.assert_array_equal(out, DOUBLED)


def produce_one(body: str, *, asynchronous: bool = False) -> str:
    name, results, types = "produce_one", "%p3", P
    if asynchronous:
        name, results, types = "produce_one_async", "%p3, %done", f"{P}, !nv_tileas.async_token"
    return (
        f"{results} = {PIPE}.{name} %pt, %it {{producer_types = [tile<8xf32>]}} : ({P}, {I}) -> {types} {{\n"
        f"^bb0(%stage: tile<8xf32>):\n{body}\n}}\n"
    )


def consume_one(body: str, *, asynchronous: bool = False) -> str:
    name, results, types = "consume_one", "%c3", C
    if asynchronous:
        name, results, types = "consume_one_async", "%c3, %done", f"{C}, !nv_tileas.async_token"
    return (
        f"{results} = {PIPE}.{name} %ct, %it {{consumer_idx = 0 : i32, consumer_types = [tile<8xf32>]}} : ({C}, {I}) -> {types} {{\n"
        f"^bb0(%tile: tile<8xf32>):\n{body}\n{PIPE}.yield %tile : tile<8xf32>\n}}\n"
    )


PRODUCE = LOAD + f"{PIPE}.yield %tile : tile<8xf32>"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_whole_handshakes(asynchronous: bool):
    made = producer(produce_one(PRODUCE, asynchronous=asynchronous))
    used = consumer(consume_one(DOUBLE + STORE, asynchronous=asynchronous))
    np.testing.assert_array_equal(run(kernel(agents(made, used))), DOUBLED)


def test_a_body_may_wait_and_release_by_itself():
    body = WAIT + DOUBLE + STORE + RELEASE.replace("%c2", "%c1").replace("%c3", "%cr")
    np.testing.assert_array_equal(
        run(kernel(agents(producer(), consumer(consume_one(body))))), DOUBLED
    )


def test_without_agents_stages_are_filled_ahead():
    """One program fills a stage and empties it, in phases."""
    both = produce_one(PRODUCE) + consume_one(DOUBLE + STORE)
    body = both.replace("%pt", "%p").replace("%ct", "%c").replace("%p3", "%pn")
    text = loop(body, "ct", "c3", C).replace("iter_args(%ct = %c", "iter_args(%unused = %c")
    np.testing.assert_array_equal(run(kernel(text)), DOUBLED)


def test_a_stage_may_be_kept_until_the_turn_after():
    """The consumer releases the stage of the iteration before; at first there is none to release."""
    late = (
        WAIT.replace("%ct", "%c")
        + READ
        + DOUBLE
        + STORE
        + f"%freed = {PIPE}.consumer_release %ct : {C} -> {C}\n"
    )
    start = f"%held = {PIPE}.create_null_token : {C}\n"
    keeping = start + loop(late, "ct", "c2", C).replace("%ct = %c", "%ct = %held")
    np.testing.assert_array_equal(run(kernel(agents(producer(), keeping))), DOUBLED)
    with pytest.raises(InterpreterError, match="full since iteration 0, not released"):
        run(kernel(agents(producer(), keeping), stages=1))


def test_two_consumers():
    """A stage is empty once both have released it."""
    second = consumer(
        WAIT + READ + "%sum = nv_tileaa.mulf %tile, %tile : tensor<8xf32>\n" + STORE + RELEASE
    ).replace("consumer_idx = 0", "consumer_idx = 1")
    slow = producer()
    text = kernel(
        f"{PIPE}.agent_switch {{num_agents_per_group = 2 : i32}} "
        + ", ".join(f"{{{body}\n    {PIPE}.yield\n  }}" for body in (slow, "", consumer(), second))
    )
    squares = np.arange(48, dtype=np.float32) ** 2
    out = run(text)
    assert ((out == DOUBLED) | (out == squares)).all()


def test_agents_take_tokens_as_arguments():
    text = agents(producer(), consumer())
    text = text.replace(
        "agent_switch {num_agents_per_group = 1 : i32}",
        "agent_switch %p, %c, %i {num_agents_per_group = 1 : i32, isolated = false} : "
        f"({P}, {C}, {I})",
    )
    head = f"^bb0(%pa: {P}, %ca: {C}, %ia: {I}):\n"
    text = (
        text.replace("{\n    %last", "{" + head + "    %last")
        .replace("%pt = %p", "%pt = %pa")
        .replace("%ct = %c", "%ct = %ca")
        .replace("%it = %i)", "%it = %ia)")
    )
    np.testing.assert_array_equal(run(kernel(text)), DOUBLED)


MISUSES: dict[str, tuple[str, str]] = {
    "a missing commit": (
        agents(producer(ACQUIRE + LOAD + WRITE, "p2"), consumer()),
        "acquires a stage before committing the stage of iteration 0",
    ),
    "a missing commit, and a fresh token": (
        agents(producer(ACQUIRE + LOAD + WRITE, "pt"), consumer()),
        "waits for ever: every agent waits for another (agent 0 waits in "
        "'nv_tileas.async.pipeline.producer_acquire' to fill iteration 2 of a pipeline with stage 0 "
        "being filled for iteration 0, stage 1 being filled for iteration 1; agent 1 waits in "
        "'nv_tileas.async.pipeline.consumer_wait' for iteration 0 of a pipeline with stage 0 being "
        "filled for iteration 0, stage 1 being filled for iteration 1)",
    ),
    "an early release": (
        agents(producer(), consumer(WAIT + READ + RELEASE + DOUBLE + STORE)),
        "uses a value of iteration 0 after releasing its stage",
    ),
    "a missing release": (
        agents(producer(), consumer(WAIT + READ + DOUBLE + STORE, "c2")),
        "waits for a stage before releasing the stage of iteration 0",
    ),
    "a missing release, and a fresh token": (
        agents(producer(), consumer(WAIT + READ + DOUBLE + STORE, "ct")),
        "(agent 0 waits in 'nv_tileas.async.pipeline.producer_acquire' to fill iteration 2 of a "
        "pipeline with stage 0 full since iteration 0, not released by consumers [1], stage 1 full "
        "since iteration 1, not released by consumers [1]; agent 1 waits in "
        "'nv_tileas.async.pipeline.consumer_wait' for iteration 2",
    ),
    "a release without a wait": (
        agents(producer(), consumer(f"%c3 = {PIPE}.consumer_release %ct : {C} -> {C}\n")),
        "releases a stage without owning one",
    ),
    "two releases": (
        agents(
            producer(),
            consumer(WAIT + READ + RELEASE + RELEASE.replace("%c3", "%c4"), "c4"),
        ),
        "releases the stage of iteration 0 twice",
    ),
    "a read without a wait": (
        agents(producer(), consumer(READ.replace("%c1", "%ct"), "c2")),
        "reads a stage without owning one",
    ),
    "two commits": (
        agents(producer(ACQUIRE + LOAD + WRITE + COMMIT + COMMIT.replace("%p3", "%p4"), "p4"), ""),
        "commits iteration 0 twice",
    ),
    "a commit without an acquire": (
        agents(producer(f"%p3 = {PIPE}.producer_commit %pt : {P} -> {P}\n"), ""),
        "commits a stage without owning one",
    ),
    "a write without an acquire": (
        agents(producer(LOAD + WRITE.replace("%p1", "%pt"), "p2"), ""),
        "writes a stage without owning one",
    ),
    "the iterator of another pipeline": (
        f"%buffer2 = nv_tileas.alloc_tensor : tensor<2x8xf32, #nv_tileas.memory<smem>>\n"
        f"%q, %d = {PIPE}.create_pipeline %buffer2 {{numStages = 2 : i32, producerGroupId = 0 : i8, "
        f"consumerGroupId = 1 : i8}} : tile<2x8xf32, #nv_tileas.memory<smem>> -> {P}, {C}\n"
        + agents(producer().replace("%pt = %p", "%pt = %q"), ""),
        "takes a token and an iterator of different pipelines",
    ),
    "a token of no pipeline": (
        f"%q = {PIPE}.create_null_token : {P}\n"
        + agents(producer().replace("%pt = %p", "%pt = %q"), ""),
        "takes a token that belongs to no pipeline",
    ),
    "an iterator that stays": (
        agents(producer().replace("scf.yield %p3, %next", "scf.yield %p3, %it"), consumer()),
        "acquires iteration 0, which is committed already",
    ),
    "a consumer that goes back": (
        agents(producer(), consumer().replace("scf.yield %c3, %next", "scf.yield %c3, %it")),
        "waits for iteration 0, which consumer 1 has released",
    ),
    "too few stages": (
        # Two stages are wanted at once.
        agents(
            producer(
                ACQUIRE
                + LOAD
                + WRITE
                + f"%ahead = {PIPE}.inc_iter %it : {I} -> {I}\n"
                + f"%q1 = {PIPE}.producer_acquire %p, %ahead : {P}, {I} -> {P}\n"
                + COMMIT
            ),
            consumer(),
        ),
        "to fill iteration 1 of a pipeline with stage 0 being filled for iteration 0",
    ),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse(name: str):
    body, message = MISUSES[name]
    assert message in error(kernel(body, 1 if name == "too few stages" else 2))


def test_a_wait_without_other_agents():
    text = kernel(consumer())
    found = error(text)
    assert "waits for ever: no other agent runs" in found
    assert "for iteration 0 of a pipeline with stage 0 never filled, stage 1 never filled" in found
