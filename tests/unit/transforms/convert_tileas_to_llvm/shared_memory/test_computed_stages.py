"""What threads compute goes through stages: tiles and scalars, by every form of the handshake."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.computed_stages import (
    CONSUMER,
    CONSUMERS,
    ITERATOR,
    PAYLOAD,
    PIPE,
    PRODUCER,
    PRODUCERS,
    SUM,
    TARGETS,
    TILE,
    TYPES,
    VIEW,
    Kernel,
    expected,
    one_agent,
    problem,
    two_agents,
    two_unrolled_agents,
)
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.runtime.ptxas import assemble

FORMS: dict[str, Callable[[str, str, int], str]] = {"agents": two_agents, "one": one_agent}
WAYS = [(p, c) for p in PRODUCERS for c in CONSUMERS]


@pytest.mark.one_in(10)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("producer", "consumer"), WAYS)
def test_ptx_computes_what_the_interpreter_does(producer: str, consumer: str, form: str):
    kernels = [
        Kernel(FORMS[form](PRODUCERS[producer], CONSUMERS[consumer], stages), gpu)
        for stages, gpu in zip((1, 2, 3, 2), TARGETS, strict=True)
    ]
    for kernel in kernels:
        np.testing.assert_array_equal(kernel.run_ptx(late=True, races=True), expected())
    np.testing.assert_array_equal(kernels[0].run_interpreter(), expected())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", ["in a region", "in steps"])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_a_stage_is_waited_for_from_its_second_use_on(way: str, stages: int):
    """Out of loops the compiler knows the first uses, before which no stage needs to be empty."""
    kernel = Kernel(two_unrolled_agents(PRODUCERS[way], CONSUMERS[way], stages))
    for modes in ({"late": True}, {"warp_seed": 1}):
        np.testing.assert_array_equal(kernel.run_ptx(races=True, **modes), expected())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", WAYS)
def test_there_are_no_races_before_the_conversion(way: tuple[str, str], form: str):
    producer, consumer = way
    kernel = Kernel(FORMS[form](PRODUCERS[producer], CONSUMERS[consumer], 2))
    races: list[OnChipRace] = []
    listeners = (OnChipRaces(races.append),)
    launch(kernel.allocated, "k", (1, 1, 1), problem(), output=io.StringIO(), listeners=listeners)
    assert races == []


@pytest.mark.parametrize("way", [("in a region", "in a region"), ("in steps", "in steps")])
def test_the_assembler_takes_it(way: tuple[str, str]):
    producer, consumer = way
    kernel = Kernel(two_agents(PRODUCERS[producer], CONSUMERS[consumer], 2))
    assemble(kernel.ptx, kernel.gpu)


_SHARED = "tensor<16x32xf32, #nv_tileas.memory<smem, <(16, 32), (32, 1)>>>"
COPIED = f"""
    %produced = {PIPE}.produce_one %prod, %at {{producer_types = [{TYPES}]}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER} {{
    ^bb0(%n0: i32, %f0: i1, %t0: {TILE}):
      %number = arith.index_cast %k : index to i32
      %flag = arith.cmpi slt, %number, %three : i32
      %load = nv_tileas.async.tiled_load weak %a[%c0, %c0] into %t0 : {TILE} {{atom = #nv_tileas<atom ldgsts_128>}} : {VIEW}[index, index] -> !async.value<{TYPES.split("i1, ")[1]}>
      {PIPE}.yield %number, %flag, %t0 : {PAYLOAD}
    }}
"""
"""Threads copy A itself to the stage, next to the number and the flag that they store."""


def _in_shared_memory(kernel: str) -> str:
    """A kernel whose stages have a tile that is laid out; threads copy it out before they sum."""
    kernel = kernel.replace(SUM, SUM.replace("%t,", "%held,"))
    kernel = kernel.replace(
        f"%t: {TILE}):", f"%t: {TILE}):\n%held = nv_tileas.copy %t : {TILE} -> X"
    )
    in_stage = (PAYLOAD, TYPES, f"into %t0 : {TILE}", f"%t0: {TILE}", f"%t: {TILE}", f"%t : {TILE}")
    for text in (*in_stage, f"!async.value<{TYPES.split('i1, ')[1]}>"):
        shared = _SHARED if "tensor" in text else _SHARED.replace("tensor", "tile")
        kernel = kernel.replace(text, re.sub(r"(tensor|tile)<16x32xf32>", shared, text))
    return kernel.replace("-> X", f"-> {TILE}")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gpu", TARGETS)
def test_scalars_are_stored_next_to_copies(gpu: str, form: str):
    """A stage is full when the copies of a thread are done and what it has stored is visible."""
    for stages in (1, 2):
        body = FORMS[form](COPIED, CONSUMERS["in a region"], stages)
        kernel = Kernel(_in_shared_memory(body), gpu)
        assert "cp.async.c" in kernel.ptx
        for modes in ({}, {"late": True, "races": True, "warp_seed": 1}):
            np.testing.assert_array_equal(kernel.run_ptx(**modes), 3 * problem()[0])


ENCODED = "tile<16x32xf32, #nv_tileas.memory<smem, <(16, 32), (32, 1)>>>"
SWAPPED = f"""
    %b0 = nv_tileas.alloc_tensor : tensor<1x16x32xf32, #nv_tileas.memory<smem>>
    %b1 = nv_tileas.alloc_tensor : tensor<1x16x32xf32, #nv_tileas.memory<smem>>
    %p, %c = {PIPE}.create_pipeline %b0, %b1 {{numStages = 1 : i32, producerGroupId = 0 : i8, consumerGroupId = 0 : i8}} : tensor<1x16x32xf32, #nv_tileas.memory<smem>>, tensor<1x16x32xf32, #nv_tileas.memory<smem>> -> {PRODUCER}, {CONSUMER}
    %i = {PIPE}.create_iterator %p : {PRODUCER} -> !{PIPE}.iterator<{ENCODED}, {ENCODED}>
    %p1 = {PIPE}.produce_one %p, %i {{producer_types = [{ENCODED}, {ENCODED}]}} : ({PRODUCER}, !{PIPE}.iterator<{ENCODED}, {ENCODED}>) -> {PRODUCER} {{
    ^bb0(%a0: {ENCODED}, %a1: {ENCODED}):
      {PIPE}.yield %a1, %a0 : {ENCODED}, {ENCODED}
    }}
"""


def test_tiles_of_a_stage_do_not_change_places():
    with pytest.raises(PassFailedException, match="yield' op must yield the tiles of the stage"):
        _ = Kernel(SWAPPED).ptx


def test_a_stage_holds_a_value_of_each_buffer():
    text = SWAPPED.replace(f"{ENCODED}, {ENCODED}", ENCODED)
    body = text.replace(f"%a0: {ENCODED}, %a1: {ENCODED}", f"%a1: {ENCODED}")
    kernel = Kernel(body.replace("%a1, %a0", "%a1"))
    with pytest.raises(PassFailedException, match="one value for each buffer"):
        _ = kernel.ptx
