"""Loads of every kind start into a stage of a pipeline, and keep all that they say."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from tileir_xdsl.analysis.access.async_loads import AsyncLoad, StartedLoad
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_materialize_async.rewrite import start_load

POINTERS = "tensor<16x16x!nv_tileaa.ptr<f16>>"
MASK = "tensor<16x16xi1>"
SHARED = "tensor<16x16xf16, #nv_tileas.memory<smem>>"
TOKEN = "!nv_tileaa.mem_token"
VIEW = "!nv_tileaa.tiled_view<16x16xf16>"
DESCRIPTOR = "!nv_tileas.tma_desc"
WAIT = f"%tile = nv_tileas.async.future_wait %started : !async.value<{SHARED}> -> {SHARED}"
ATOM = "{atom = #nv_tileas<atom ldgsts_128>}"

SYNCHRONOUS = {
    "pointers": f"%tile = nv_tileas.load weak %p {ATOM} : {POINTERS} -> {SHARED}",
    "mask": f"%tile = nv_tileas.load weak %p mask = %mask : {MASK} {ATOM} : {POINTERS} -> {SHARED}",
    "padding": f"%tile = nv_tileas.load weak %p mask = %mask : {MASK} other = %o : {SHARED} {ATOM} "
    f": {POINTERS} -> {SHARED}",
    "token": f"%tile, %done = nv_tileas.load weak %p token = %t {ATOM} "
    f": {POINTERS} -> {SHARED}, {TOKEN}",
    "view": f"%tile = nv_tileas.tiled_load weak %v[%i, %j] {ATOM} : {VIEW}[i32, i32] -> {SHARED}",
    "view with a token": f"%tile, %done = nv_tileas.tiled_load weak %v[%i, %j] token = %t {ATOM} "
    f": {VIEW}[i32, i32] -> {SHARED}, {TOKEN}",
}
BUFFERED = {
    "copy": f"%started = nv_tileas.async.load weak %p into %b : {SHARED} {ATOM} "
    f": {POINTERS} -> !async.value<{SHARED}>",
    "copy with a mask and a token": "%started = nv_tileas.async.load weak %p mask = %mask : "
    f"{MASK} token = %t into %b : {SHARED} {ATOM} : {POINTERS} -> !async.value<{SHARED}>",
    "copy of a view": f"%started = nv_tileas.async.tiled_load weak %v[%i, %j] into %b : {SHARED} "
    f"{ATOM} : {VIEW}[i32, i32] -> !async.value<{SHARED}>",
    "bulk copy": "%started = nv_tileas.async.tiled_tma_load %d, %b[%i, %j], %t {atom = "
    f"#nv_tileas<atom tma_load_2d>}} : {DESCRIPTOR}, {SHARED}, i32, i32, {TOKEN} "
    f"-> !async.value<{SHARED}>",
}


def started(text: str) -> tuple[Operation, Operation, Operation]:
    """A load, the op that starts it, and the op of its stage, all of them in a valid module."""
    arguments = (
        '%p, %mask, %o, %t, %v, %i, %j, %b, %d = "test.op"() : () -> '
        f"({POINTERS}, {MASK}, {SHARED}, {TOKEN}, {VIEW}, i32, i32, {SHARED}, {DESCRIPTOR})\n"
    )
    stage = f'%stage = "test.op"() : () -> {SHARED}\n'
    module = tools.parse(arguments + stage + text)
    _, buffer, load, *rest = module.ops
    wait = rest[0] if rest else load
    assert isinstance(load, StartedLoad)
    op = start_load(AsyncLoad(load, wait.results[0]), buffer.results[0])
    module.body.block.add_op(op)
    module.verify()
    return load, op, buffer


@pytest.mark.parametrize("name", [*SYNCHRONOUS, *BUFFERED])
def test_a_load_goes_to_its_stage(name: str):
    text = SYNCHRONOUS.get(name) or f"{BUFFERED[name]}\n{WAIT}"
    load, op, stage = started(text)
    kinds = nv_tileas.AsyncLoadOp | nv_tileas.AsyncTiledLoadOp | nv_tileas.AsyncTiledTmaLoadOp
    result = op.results[0].type
    assert isinstance(op, kinds) and isinstance(result, ValueType)
    payload = result.payload
    assert isinstance(payload, TensorType) and payload == stage.results[0].type
    assert stage.results[0] in op.operands
    # All else that it reads, it reads in the same roles.
    buffers = {stage.results[0], *(value for value in load.operands if value.name_hint == "b")}
    given = [value for value in load.operands if value not in buffers]
    assert [value for value in op.operands if value not in buffers] == given
    for role in ("pointers", "mask", "other", "token", "view", "atom", "mem_semantic"):
        assert getattr(op, role, None) == getattr(load, role, None), role
