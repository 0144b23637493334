"""Types and attributes: text, parameters, what they reject."""

import pytest
from xdsl.dialects.builtin import IntAttr, NoneAttr, f32, i32
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tileir_xdsl.dialects.enumerations import PointerKind
from tileir_xdsl.dialects.nv_tileaa import (
    DivByAttr,
    MemRefType,
    PointerType,
    QueueType,
)
from tileir_xdsl.testing.tools import context

TYPES = [
    "!nv_tileaa.ptr<f32>",
    "!nv_tileaa.ptr<f32, 3>",
    "!nv_tileaa.ptr<i8, multicast>",
    "!nv_tileaa.ptr<i8, 3, unicast>",
    "!nv_tileaa.memref<f32>",
    "!nv_tileaa.memref<?x64xf32, strides = [?, 1]>",
    "!nv_tileaa.memref<8xf32, strides = [1], 3>",
    "!nv_tileaa.memref<8xf32, strides = [1], multicast>",
    "!nv_tileaa.memref<8xf32, strides = [1], 3, unicast>",
    "!nv_tileaa.memref<f32, multicast>",
    "!nv_tileaa.tiled_view<4x8xf32>",
    "!nv_tileaa.tiled_view<4xf32, !nv_tileaa.memref<8xf32, strides = [1]>>",
    "!nv_tileaa.mem_token",
    "!nv_tileaa.program_id",
    "!nv_tileaa.queue<i32>",
    "!nv_tileaa.queue<tensor<8xf32>, i32, isolated>",
]


@pytest.mark.parametrize("text", TYPES)
def test_type_round_trips(text: str):
    assert str(Parser(context(), text).parse_type()) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("!nv_tileaa.ptr<f32, 1>", "!nv_tileaa.ptr<f32>"),
        ("!nv_tileaa.ptr<f32, none>", "!nv_tileaa.ptr<f32>"),
        ("!nv_tileaa.ptr<f32, 1, unicast>", "!nv_tileaa.ptr<f32, unicast>"),
    ],
)
def test_defaults_are_left_out(text: str, printed: str):
    assert str(Parser(context(), text).parse_type()) == printed


@pytest.mark.parametrize(
    "text", ["!nv_tileaa.ptr<f32, both>", "!nv_tileaa.ptr<f32,>", "!nv_tileaa.memref<8xf32>"]
)
def test_bad_type_is_a_parse_error(text: str):
    with pytest.raises(ParseError):
        Parser(context(), text).parse_type()


def test_kinds_of_pointers_are_different_types():
    kinds = {PointerType(f32, kind=kind) for kind in PointerKind}
    assert len(kinds) == len(PointerKind)
    assert MemRefType([8], f32, [1]) != MemRefType([8], f32, [1], kind=PointerKind.MULTICAST)


def test_queue_carries_values():
    assert QueueType([i32], isolated=True) != QueueType([i32])
    with pytest.raises(VerifyException, match=r"^expects a queue to carry at least one value$"):
        QueueType([])


def test_every_needs_along():
    with pytest.raises(VerifyException, match="'every'/'along' must be used in combination"):
        DivByAttr.new([IntAttr(4), IntAttr(2), NoneAttr()])


def test_memref_needs_a_stride_for_every_size():
    with pytest.raises(VerifyException, match=r"^expected 2 strides, got 1$"):
        MemRefType([8, 8], f32, [1])
