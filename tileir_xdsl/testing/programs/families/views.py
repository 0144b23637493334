"""Views of tensors, of all kinds; some tiles are partly outside the tensor."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tileir_xdsl.dialects.cuda_tile import (
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    LoadViewTkoOp,
    StoreViewTkoOp,
)
from tileir_xdsl.testing.programs.accesses import (
    any_token,
    follow,
    load_options,
    maybe_follow,
    store_options,
)
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import MEMORY_ELEMENTS, WIDE_INTEGERS, tile
from tileir_xdsl.testing.programs.tensors import (
    Tensor,
    make_tensor,
    make_view,
    promise,
    tile_indices,
    tile_type,
)
from tileir_xdsl.testing.programs.values import holding


def _input(b: Builder) -> Tensor:
    return make_tensor(b, b.draft.input(b.choose(MEMORY_ELEMENTS)), b.array)


def _load(b: Builder, tensor: Tensor, token: SSAValue | None) -> SSAValue:
    view = make_view(b, tensor, loads=True)
    indices = tile_indices(b, view, loads=True)
    load = LoadViewTkoOp(view.value, indices, token, **load_options(b))
    if (inbounds := promise(b, view)) is not None:
        load.properties["inbounds"] = inbounds
    b.keep(b.add(load).tile)
    return load.result_token


def _emit_load(b: Builder) -> None:
    buffers = b.buffers()
    if buffers and b.chance(0.4):
        buffer = b.choose(buffers)
        tensor = make_tensor(b, buffer.base, buffer.size)
        follow(b, buffer, [_load(b, tensor, b.tokens[buffer])])
    else:
        maybe_follow(b, _load(b, _input(b), any_token(b)))


def _store(b: Builder, tensor: Tensor, token: SSAValue | None) -> SSAValue:
    view = make_view(b, tensor, loads=False)
    indices = tile_indices(b, view, loads=False)
    value = b.value(tile_type(view, tensor))
    store = StoreViewTkoOp(value, view.value, indices, token, **store_options(b))
    if (inbounds := promise(b, view)) is not None:
        store.properties["inbounds"] = inbounds
    return b.add(store).result_token


def _can_store(b: Builder) -> bool:
    return not b.repeated or bool(b.buffers())


def _emit_store(b: Builder) -> None:
    buffers = b.buffers()
    if buffers and (b.repeated or b.chance(0.6)):
        buffer = b.choose(buffers)
        tensor = make_tensor(b, buffer.base, buffer.size)
        follow(b, buffer, [_store(b, tensor, b.tokens[buffer])])
    else:
        size = b.draft.scale.buffer
        base = b.output(b.choose(MEMORY_ELEMENTS), size)
        _store(b, make_tensor(b, base, size), any_token(b))


def _emit_tensor_shape(b: Builder) -> None:
    tensor = _input(b)
    result = tile(b.choose(holding(WIDE_INTEGERS, max(tensor.sizes))))
    b.keep(*b.add(GetTensorShapeOp(tensor.value, result)).results)


def _emit_index_space(b: Builder) -> None:
    view = make_view(b, _input(b), loads=True)
    result = tile(b.choose(holding(WIDE_INTEGERS, max(view.counts))))
    b.keep(*b.add(GetIndexSpaceShapeOp(view.value, result)).results)


ROWS: Rows = {
    GetIndexSpaceShapeOp: Row(1, _emit_index_space),
    GetTensorShapeOp: Row(1, _emit_tensor_shape),
    LoadViewTkoOp: Row(3, _emit_load),
    StoreViewTkoOp: Row(2.5, _emit_store, _can_store),
}
