"""Mutexes: participants take turns, in the interpreter and by named barriers in PTX."""

import re

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    MODES,
    PIPE,
    RESULT,
    TILE,
    Kernel,
    problem,
)
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.interpreters.errors import InterpreterError
from tileir_xdsl.lint import lint
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

MUTEX = f"!{PIPE}.mutex"
VIEW = f"!nv_tileaa.tiled_view<64x32xf32, {RESULT}>"
ROUNDS = 5


def create(participants: int, name: str = "Mutex_0") -> str:
    keys = "nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32"
    return (
        f"%{name} = {PIPE}.create_mutex {{participants = {participants} : i32, {keys}}} : {MUTEX}\n"
    )


def acquire(participant: int | None, mutex: str = "%Mutex_0") -> str:
    return _op("acquire_mutex", participant, mutex)


def release(participant: int | None, mutex: str = "%Mutex_0") -> str:
    return _op("release_mutex", participant, mutex)


def _op(name: str, participant: int | None, mutex: str) -> str:
    which = "" if participant is None else f" {{participant = {participant} : i32}}"
    return f"{PIPE}.{name} {mutex}{which} : {MUTEX}\n"


def update(number: int) -> str:
    """out = 2 * out + number: the order shows."""
    return f"""
    %x = nv_tileas.tiled_load weak %out[%n0, %n0] {{atom = #nv_tileas<atom ldg_128>}} : {VIEW}[index, index] -> {TILE}
    %c = arith.constant dense<{number}.0> : {TILE}
    %twice = nv_tileaa.addf %x, %x : {TILE}
    %y = nv_tileaa.addf %twice, %c : {TILE}
    nv_tileas.tiled_store weak %y, %out[%n0, %n0] {{atom = #nv_tileas<atom stg_128>}} : {TILE}, {VIEW}[index, index]
    """


def agent(number: int, body: str) -> str:
    return f"{{ scf.for %k = %n0 to %n{ROUNDS} step %n1 {{ {body} }} {PIPE}.yield }}"


def kernel(participants: int, order: tuple[int, ...] | None = None) -> Kernel:
    """Agents of four warps that update one tile; `order` gives them their numbers."""
    numbers = range(participants) if order is None else order
    bodies = [agent(n, acquire(n) + update(n + 1) + release(n)) for n in numbers]
    return Kernel(
        create(participants)
        + f"{PIPE}.agent_switch {{num_agents_per_group = 1 : i32}} {', '.join(bodies)}"
    )


def warpgroups(participants: int) -> Kernel:
    """The warpgroups of one agent, beside an agent that does nothing."""
    layout = TILE.replace(
        "(4, 4), 32, 4, 1)", f"(4, {4 // participants}), 32, {4 * participants}, 1)"
    )
    layout = layout.replace("((1, 512), 4, 128, 0)", f"((1, {512 * participants}), 4, 128, 0)")
    body = acquire(None) + update(1).replace(TILE, layout) + release(None)
    return Kernel(
        create(participants)
        + f"{PIPE}.agent_switch {{num_agents_per_group = 1 : i32, num_warps = array<i32: "
        f"{4 * participants}, 1>}} {agent(0, body)}, {{ {PIPE}.yield }}"
    )


def turns(participants: int) -> float:
    value = 0.0
    for _ in range(ROUNDS):
        for number in range(participants):
            value = 2 * value + number + 1
    return value


def run(kernel: Kernel, **modes: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    arrays = problem()
    arrays["out"][:] = 0
    maps = [emulator.TensorMap(arrays[name], (64, 32), 128) for name in kernel.maps]
    emulator.load(kernel.ptx).launch(
        "k",
        (1, 1, 1),
        [*arrays.values(), *maps],
        dynamic_shared=dynamic_shared_memory(kernel.lowered, "k"),
        **modes,  # pyright: ignore[reportArgumentType]
    )
    return arrays["out"]


KERNELS = {
    "two agents": (kernel(2), turns(2)),
    "in another order": (kernel(2, (1, 0)), turns(2)),
    "three agents": (kernel(3), turns(3)),
    "two warpgroups": (warpgroups(2), turns(1)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", KERNELS)
def test_participants_take_turns(name: str, mode: str):
    kernel, expected = KERNELS[name]
    np.testing.assert_array_equal(run(kernel, **MODES[mode]), np.float32(expected))


@pytest.mark.parametrize("name", KERNELS)
def test_the_interpreter_agrees(name: str):
    kernel, expected = KERNELS[name]
    arrays = problem()
    arrays["out"][:] = 0
    module = tools.parse(kernel.text(maps_are_arguments=False))
    interpreters.launch(module, "k", (1, 1, 1), list(arrays.values()))
    np.testing.assert_array_equal(arrays["out"], np.float32(expected))


def test_barriers():
    """Each participant waits at its own, with the threads of the one before."""
    ptx = KERNELS["two agents"][0].ptx
    assert re.findall(r"bar\.(?:sync|arrive) [^;]+", ptx) == [
        "bar.arrive 3, 256",
        "bar.sync 3, 256",
        "bar.arrive 4, 256",
        "bar.sync 4, 256",
        "bar.arrive 3, 256",
    ]
    assemble(ptx, "sm_90a")
    assert not [finding for finding in lint(ptx) if finding.code == "barrier"]


def test_agents_of_another_switch_have_barriers_of_their_own():
    """The third agent of the second one meets at barrier 3."""
    bodies = ", ".join(agent(number, "nv_tileas.barrier agent") for number in range(3))
    switch = f"{PIPE}.agent_switch {{num_agents_per_group = 1 : i32}} {bodies}"
    ptx = Kernel(f"{KERNELS['two agents'][0].body}\n{switch}").ptx
    mutex, agents = (
        set(re.findall(rf"bar\.(?:sync|arrive) (\d+), {threads};", ptx)) for threads in (256, 128)
    )
    assert (mutex, agents) == ({"4", "5"}, {"1", "2", "3"})


def refused(text: str) -> str:
    with pytest.raises(PassFailedException) as failure:
        tools.run_passes(tools.parse(text), tools.TO_LLVM)
    return str(failure.value.args[0])


def test_too_many_barriers():
    text = KERNELS["two agents"][0].text(maps_are_arguments=True)
    assert refused(text.replace("participants = 2", "participants = 14")) == (
        "fails to assign named barrier"
    )


def test_what_cannot_be_lowered():
    text = KERNELS["two agents"][0].text(maps_are_arguments=True)
    assert "exactly one group of warps to act as each participant" in refused(
        text.replace("participants = 2", "participants = 3")
    )
    inside = text.replace(create(2), f"scf.for %i = %n0 to %n2 step %n1 {{\n{create(2)}").replace(
        "nv_tileaa.return", "}\nnv_tileaa.return"
    )
    assert "must be directly in the body of a function" in refused(inside)
    groups = KERNELS["two warpgroups"][0].text(maps_are_arguments=True)
    assert "expects 3 warpgroups to execute it, but 8 warps do" in refused(
        groups.replace("participants = 2", "participants = 3")
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (acquire(0) + acquire(0), "acquires a mutex that it already holds"),
        (release(0), "releases a mutex without holding it"),
        (acquire(0) + release(1), "releases a mutex without holding it"),
        (acquire(1), "waits for ever"),
    ],
)
def test_wrong_turns_are_found(body: str, message: str):
    text = Kernel(create(2) + body).text(maps_are_arguments=False)
    with pytest.raises(InterpreterError, match=message):
        interpreters.launch(tools.parse(text), "k", (1, 1, 1), list(problem().values()))


def test_a_turn_that_does_not_end_is_a_deadlock():
    kernel = KERNELS["two agents"][0]
    with pytest.raises(emulator.EmulatorError, match="deadlock: barrier 3 has 128 of 256 threads"):
        run(Kernel(kernel.body.replace(release(0), "")))
