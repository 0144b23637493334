"""What the constructors of ops build verifies, and reads back from its text."""

from collections.abc import Callable, Sequence

import pytest
from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    StringAttr,
    TensorType,
    f16,
    f32,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from tests.unit.builders.building import build
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, PaddingValueAttr
from tileir_xdsl.dialects.nv_tileas import (
    AtomAttr,
    NVTileAS,
    agents,
    compute,
    control,
    conversions,
    copy_groups,
    device_tensor_maps,
    mutexes,
    padding,
    pipeline_regions,
    slices,
    synchronization,
    tma,
)
from tileir_xdsl.dialects.nv_tileas import async_handshakes as handshakes
from tileir_xdsl.dialects.nv_tileas import async_pipeline as pipeline
from tileir_xdsl.dialects.nv_tileas import async_tokens as tokens
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.dialects.nv_tileas.slices import Slice
from tileir_xdsl.dialects.nv_tileas.tensor_maps import KernelArgument, TensorMapRecipe
from tileir_xdsl.dialects.nv_tileas.types import (
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
    TiledViewType,
    TmaDescType,
)
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.testing.tools import parse, to_text

TILE = TensorType(f16, [16, 64])
PRODUCER, CONSUMER = PipelineProducerTokenType(), PipelineConsumerTokenType()
ITERATOR = PipelineIteratorType([TILE])
TOKEN, DONE = nv_tileaa.MemTokenType(), AsyncTokenType()
INDEX = IndexType()
BUFFER = TensorType(f16, [2, 16, 64], MemoryAttr(Residency.SHARED))
SHARED = TiledViewType([16, 64], f16, Residency.SHARED)
OBJECT = nv_tileaa.MemRefType([DYNAMIC_INDEX, 64], f16, [64, 1])
ROWS = TensorType(i32, [16])
ENCODED = TensorType(f16, [16, 64], register_layout(blocked((16, 64), vector=4, warps=4)))
RECIPE = TensorMapRecipe((16, 64), f16, KernelArgument(0), (KernelArgument(1), 64), (64, 1))
PART = TensorType(f16, [4, 64])
PLACE = Slice((0, 0), (4, 64), (1, 1))


def atom(name: str) -> AtomAttr:
    return AtomAttr(name)


def stage(yielded: int | None = 0) -> Region:
    """A region of a pipeline op that yields what it gets."""
    block = Block(arg_types=[TILE] if yielded is not None else [])
    block.add_op(pipeline_regions.PipelineYieldOp(block.args))
    return Region(block)


def body(*types: Attribute) -> Region:
    """A region that yields its first argument."""
    block = Block(arg_types=types)
    block.add_op(control.YieldOp(block.args[:1]))
    return Region(block)


Construct = Callable[[Sequence[SSAValue]], Operation]

CASES: dict[str, tuple[Sequence[Attribute], Construct]] = {
    "async.pipeline.create_pipeline": (
        [BUFFER],
        lambda v: pipeline.CreatePipelineOp([v[0]], 2, 0, 1, True, False),
    ),
    "async.pipeline.produce_one": (
        [PRODUCER, ITERATOR],
        lambda v: pipeline.ProduceOneOp(v[0], v[1], [TILE], stage()),
    ),
    "async.pipeline.produce_one_async": (
        [PRODUCER, ITERATOR],
        lambda v: pipeline.ProduceOneAsyncOp(v[0], v[1], [TILE], stage()),
    ),
    "async.pipeline.consume_one": (
        [CONSUMER, ITERATOR],
        lambda v: pipeline.ConsumeOneOp(v[0], v[1], 1, [TILE], stage(), [TILE]),
    ),
    "async.pipeline.consume_one_async": (
        [CONSUMER, ITERATOR],
        lambda v: pipeline.ConsumeOneAsyncOp(v[0], v[1], 0, [TILE], stage()),
    ),
    "async.pipeline.create_iterator": (
        [CONSUMER],
        lambda v: handshakes.CreateIteratorOp(v[0], [TILE, i32]),
    ),
    "async.pipeline.inc_iter": ([ITERATOR], lambda v: handshakes.IncIterOp(*v)),
    "async.pipeline.create_mutex": ([], lambda _: mutexes.CreateMutexOp(2, 0, 3)),
    "async.pipeline.acquire_mutex": (
        [mutexes.MutexType()],
        lambda v: mutexes.AcquireMutexOp(v[0], 1),
    ),
    "async.pipeline.release_mutex": (
        [mutexes.MutexType()],
        lambda v: mutexes.ReleaseMutexOp(v[0]),
    ),
    "async.pipeline.create_null_token": ([], lambda _: handshakes.CreateNullTokenOp(CONSUMER)),
    "async.pipeline.producer_acquire": (
        [PRODUCER, ITERATOR],
        lambda v: handshakes.ProducerAcquireOp(*v),
    ),
    "async.pipeline.producer_write": (
        [PRODUCER, TILE],
        lambda v: handshakes.ProducerWriteOp(v[0], [v[1]]),
    ),
    "async.pipeline.producer_commit": ([PRODUCER], lambda v: handshakes.ProducerCommitOp(*v)),
    "async.pipeline.consumer_wait": (
        [CONSUMER, ITERATOR],
        lambda v: handshakes.ConsumerWaitOp(v[0], v[1], 1),
    ),
    "async.pipeline.consumer_read": (
        [CONSUMER],
        lambda v: handshakes.ConsumerReadOp(v[0], 0, [TILE]),
    ),
    "async.pipeline.consumer_release": ([CONSUMER], lambda v: handshakes.ConsumerReleaseOp(*v)),
    "async.pipeline.agent_switch": (
        [],
        lambda _: agents.AgentSwitchOp([], [stage(None), stage(None)], 2, [40, -1], True, [4, 4]),
    ),
    "async.wait": (
        [DONE, ValueType(TILE)],
        lambda v: tokens.WaitOp(v, with_token=True),
    ),
    "async.future_wait": ([ValueType(TILE)], lambda v: tokens.FutureWaitOp(*v)),
    "async.to_async": ([TILE], lambda v: tokens.ToAsyncOp(*v)),
    "async.token_to_async": ([TOKEN], lambda v: tokens.TokenToAsyncOp(*v)),
    "async.commit_copies": ([], lambda _: copy_groups.CommitCopiesOp()),
    "async.wait_copies": ([], lambda _: copy_groups.WaitCopiesOp(1)),
    "async.wait_mmas": ([], lambda _: synchronization.WaitMMAsOp(1)),
    "barrier": ([], lambda _: synchronization.BarrierOp()),
    "fence_proxy": ([], lambda _: synchronization.FenceProxyOp()),
    "fence_tmem": ([], lambda _: synchronization.FenceTmemOp(synchronization.FenceSide.AFTER)),
    "pad": (
        [TILE, nv_tileaa.TiledViewType([16, 64], f16, OBJECT), INDEX],
        lambda v: padding.PadOp(v[0], v[1], [v[2], v[2]], [], PaddingValueAttr(PaddingValue.NAN)),
    ),
    "create_none": ([], lambda _: tokens.CreateNoneOp(TILE)),
    "alloc_tensor": ([], lambda _: slices.AllocTensorOp(BUFFER)),
    "extract_slice": ([TILE], lambda v: slices.ExtractSliceOp(v[0], PLACE, PART)),
    "insert_slice": (
        [PART, TILE, INDEX],
        lambda v: slices.InsertSliceOp(v[0], v[1], Slice((v[2], 0), (4, 64), (1, 1))),
    ),
    "async.extract_slice": (
        [ValueType(TILE)],
        lambda v: slices.AsyncExtractSliceOp(v[0], PLACE, ValueType(PART)),
    ),
    "async.insert_slice": (
        [PART, ValueType(TILE)],
        lambda v: slices.AsyncInsertSliceOp(v[0], v[1], PLACE),
    ),
    "convert_layout": ([TILE], lambda v: conversions.ConvertLayoutOp(v[0], ENCODED)),
    "shuffle": ([ENCODED], lambda v: conversions.ShuffleOp(v[0], ENCODED)),
    "view": (
        [BUFFER, INDEX],
        lambda v: conversions.ViewOp(v[0], TensorType(f16, [16, 64], BUFFER.encoding), offset=v[1]),
    ),
    "expand_dims": (
        [TILE],
        lambda v: conversions.ExpandDimsOp(v[0], TensorType(f16, [1, 16, 64]), 0),
    ),
    "reinterpret": (
        [TILE],
        lambda v: conversions.ReinterpretOp(v[0], TensorType(i8, [16, 128])),
    ),
    "generate": (
        [],
        lambda _: conversions.GenerateOp(TensorType(i32, [4, 8]), body(i32, i32)),
    ),
    "pragma": (
        [],
        lambda _: control.PragmaOp([], Region(Block([control.YieldOp()])), ["a"], ["b"]),
    ),
    "fence": ([], lambda _: control.FenceOp(MemSemantic.ACQ_REL, MemScope.GPU)),
    "cancel_next_program_id": ([], lambda v: control.CancelNextProgramIdOp(*v)),
    "async.cancel_next_program_id": ([], lambda v: control.AsyncCancelNextProgramIdOp(*v)),
    "read_program_id": ([control.ANSWER], lambda v: control.ReadProgramIdOp(*v)),
    "make_tiled_tma_desc": (
        [OBJECT, INDEX],
        lambda v: tma.MakeTiledTmaDescOp(v[0], [v[1], v[1]], atom("tma_load_2d"), tma_index=1),
    ),
    "make_device_tma_descs": (
        [nv_tileaa.PointerType(f16), i32],
        lambda v: device_tensor_maps.MakeDeviceTmaDescsOp(v, [RECIPE, RECIPE], 384),
    ),
    "async.tiled_tma_load": (
        [TmaDescType(), SHARED, INDEX, TOKEN],
        lambda v: tma.AsyncTiledTmaLoadOp(
            v[0], v[1], [v[2], v[2]], v[3], atom("tma_load_2d"), ValueType(TILE)
        ),
    ),
    "async.tiled_tma_store": (
        [TmaDescType(), SHARED, INDEX],
        lambda v: tma.AsyncTiledTmaStoreOp(v[0], v[1], [v[2]], atom("tma_store_2d")),
    ),
    "async.tiled_tma_reduce": (
        [TmaDescType(), SHARED, INDEX],
        lambda v: tma.AsyncTiledTmaReduceOp(v[0], v[1], [v[2]], atom("tma_redg_add_2d")),
    ),
    "async.gather_tma_load": (
        [TmaDescType(), SHARED, INDEX, ROWS, TOKEN],
        lambda v: tma.AsyncGatherTmaLoadOp(v[0], v[1], [v[2]], v[3], v[4], atom("tma_gather4_2d")),
    ),
    "async.scatter_tma_store": (
        [TmaDescType(), SHARED, INDEX, ROWS],
        lambda v: tma.AsyncScatterTmaStoreOp(v[0], v[1], [v[2]], v[3], atom("tma_scatter4_2d")),
    ),
    "dot": (
        [TILE, TensorType(f16, [64, 8]), TensorType(f32, [16, 8])],
        lambda v: compute.DotOp(
            v[0], v[1], v[2], properties={"input_precision": StringAttr("ieee")}
        ),
    ),
    "async.dot": (
        [TILE, TensorType(f16, [64, 8]), TensorType(f32, [16, 8])],
        lambda v: compute.AsyncDotOp(v[0], v[1], v[2], result_type=ValueType(v[2].type)),
    ),
    "wgmma": (
        [TILE, TensorType(f16, [64, 8]), TensorType(f32, [16, 8])],
        lambda v: compute.WgmmaOp(*v),
    ),
    "reduce": (
        [TensorType(f32, [16, 8])],
        lambda v: compute.ReduceOp([v[0]], 1, None, body(f32, f32)),
    ),
    "scan": (
        [TensorType(f32, [16, 8])],
        lambda v: compute.ScanOp([v[0]], 0, None, body(f32, f32), reverse=True),
    ),
}

LITERALS: dict[str, str] = {
    "async.pipeline.create_pipeline": "{numStages = 2 : i32, producerGroupId = 0 : i8, "
    "consumerGroupId = 1 : i8, sharedMem = true, dynamic = false}",
    "async.pipeline.consume_one": "{consumer_idx = 1 : i32, consumer_types = [",
    "async.pipeline.consume_one_async": "{consumer_idx = 0 : i32, consumer_types = [",
    "async.pipeline.create_mutex": "{participants = 2 : i32, nv_tile.aws.stage = 0 : i32, "
    "nv_tile.aws.order = 3 : i32}",
    "async.pipeline.acquire_mutex": "{participant = 1 : i32}",
    "async.pipeline.consumer_wait": "{consumer_idx = 1 : i32}",
    "async.pipeline.consumer_read": "{consumer_idx = 0 : i32}",
    "async.pipeline.agent_switch": "{num_agents_per_group = 2 : i32, "
    "max_regs = array<i32: 40, -1>, isolated = true, num_warps = array<i32: 4, 4>}",
    "async.wait_copies": "{pending = 1 : i32}",
    "async.wait_mmas": "{pending = 1 : i32}",
    "fence_tmem": "fence_tmem after",
    "pad": "pad %a of %b[%c, %c] {padding_value = #nv_tileaa.padding_value<nan>}",
    "extract_slice": "extract_slice %a[0, 0][4, 64][1, 1] :",
    "insert_slice": "insert_slice %a into %b[%c, 0][4, 64][1, 1] :",
    "async.extract_slice": "extract_slice %a[0, 0][4, 64][1, 1] :",
    "async.insert_slice": "insert_slice %a into %b[0, 0][4, 64][1, 1] :",
    "expand_dims": "{axis = 0 : i32}",
    "pragma": '{ocgEnterDirectives = ["a"], ocgLeaveDirectives = ["b"]}',
    "fence": "fence acq_rel gpu",
    "make_tiled_tma_desc": "[%b, %b] {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 1 : i32}",
    "async.tiled_tma_load": "%a, %b[%c, %c], %d {atom = #nv_tileas<atom tma_load_2d>}",
    "async.gather_tma_load": "%a, %b[%c], %d, %e {atom = #nv_tileas<atom tma_gather4_2d>}",
    "async.scatter_tma_store": "%a, %b[%c], %d {atom = #nv_tileas<atom tma_scatter4_2d>}",
    "dot": 'dot %a, %b, %c {input_precision = "ieee"} :',
    "reduce": "{axis = 1 : i32}",
    "scan": "{axis = 0 : i32, inclusive = true, reverse = true}",
}
"""What the text must hold of the arguments, which reading it back does not tell apart."""

BUILT_ELSEWHERE = {
    "async.copy": "built from operands and properties",
    "async.load": "built from operands and properties",
    "async.pipeline.yield": "stands in the regions of pipelines",
    "async.store": "built from operands and properties",
    "async.tiled_atomic_rmw": "built from operands and properties",
    "async.tiled_load": "built from operands and properties",
    "copy": "built from operands and properties",
    "gather_load": "built from operands and properties",
    "load": "built from operands and properties",
    "scatter_store": "built from operands and properties",
    "store": "built from operands and properties",
    "tiled_atomic_rmw": "built from operands and properties",
    "tiled_load": "built from operands and properties",
    "tiled_store": "built from operands and properties",
    "yield": "stands in every other region",
}


@pytest.mark.parametrize("mnemonic", CASES)
def test_constructor_builds_what_the_text_says(mnemonic: str):
    types, construct = CASES[mnemonic]

    def insert(builder: Builder, arguments: Sequence[BlockArgument]) -> None:
        op = builder.insert(construct(arguments))
        assert op.name == f"nv_tileas.{mnemonic}"

    text = build(types, insert)
    assert to_text(parse(text)) == text
    assert LITERALS.get(mnemonic, "") in text


def test_every_op_has_a_constructor_test():
    tested = {f"nv_tileas.{mnemonic}" for mnemonic in [*CASES, *BUILT_ELSEWHERE]}
    assert tested == {op.name for op in NVTileAS.operations}


def test_select_between_two_buffers():
    def insert(builder: Builder, arguments: Sequence[BlockArgument]) -> None:
        builder.insert(SelectOp(*arguments))

    assert "tile.select %a, %b, %c : " in build([i1, BUFFER, BUFFER], insert)
