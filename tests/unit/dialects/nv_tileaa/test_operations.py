"""The ops of the dialect: which there are, their text, what their constructors build."""

from collections.abc import Callable
from typing import TypedDict

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    TensorType,
    f16,
    f32,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tests.unit.dialects.nv_tileaa import samples
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import (
    PaddingValue,
    PointerKind,
    RMWMode,
    RoundingMode,
    Signedness,
    Visibility,
)
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.convolution import ActivationLayout
from tileir_xdsl.dialects.nv_tileaa.integer import IntegerOp
from tileir_xdsl.testing.tools import parse, roundtrip, to_text

MNEMONICS = [
    "addf",
    "addptr",
    "assert",
    "assume",
    "atomic_cas",
    "atomic_rmw",
    "bitcast",
    "block_tile",
    "broadcast",
    "call",
    "call_elementwise_intrinsic",
    "cancel_next_program_id",
    "cat",
    "clampf",
    "conv_dot",
    "conv_tile",
    "create_mem_token",
    "create_queue",
    "divf",
    "dot",
    "elementwise_inline_asm",
    "execute",
    "exp2",
    "expand_dims",
    "extern_elementwise",
    "extract",
    "extract_slice",
    "fma",
    "fp_to_fp",
    "func",
    "gather_load",
    "generate",
    "get_dim_size",
    "get_global",
    "get_num_programs",
    "get_program_id",
    "global",
    "histogram",
    "inject_ir",
    "int_to_ptr",
    "is_valid_program_id",
    "join_mem_token",
    "launch_func",
    "load",
    "make_memref",
    "make_range",
    "mark_for_reuse",
    "message",
    "mulf",
    "mulhiui",
    "optimization_barrier",
    "permute",
    "plugin",
    "pragma",
    "print",
    "ptr_to_int",
    "queue.get",
    "queue.put",
    "queue.yield",
    "reduce",
    "return",
    "rsqrt",
    "scan",
    "scatter_store",
    "splat",
    "sqrt",
    "store",
    "subf",
    "tiled_atomic_rmw",
    "tiled_load",
    "tiled_store",
    "view",
    "yield",
]
"""The mnemonics of the tile dialect that TileAS is lowered from."""


def test_every_mnemonic_has_a_class():
    names = [op.name for op in NVTileAA.operations]
    assert len(names) == len(set(names))
    assert {f"nv_tileaa.{name}" for name in MNEMONICS} <= set(names)
    assert len(MNEMONICS) == 73


@pytest.mark.parametrize("name", samples.VALID)
def test_text_round_trips(name: str):
    roundtrip(samples.text(samples.VALID[name]))


def test_every_op_is_in_a_lit_test():
    shown = {op.name for path in samples.VALID.values() for op in parse(samples.text(path)).walk()}
    expected = {op.name for op in NVTileAA.operations} - {op.name for op in NAMED_ONLY}
    assert expected <= shown
    assert "nv_tileaa.mulhiui" in shown, "the syntax that the others inherit"


NAMED_ONLY = [
    op
    for op in NVTileAA.operations
    if issubclass(op, IntegerOp) and not {"__init__", "assembly_format"} & set(vars(op))
]
"""Ops that inherit syntax and constructor from their family: built, printed and parsed below."""


TILE = TensorType(f32, [16, 8])
NUMBERS = TensorType(i32, [16, 8])
MASK = TensorType(i1, [16, 8])
HALF = TensorType(f16, [16, 8])
BYTES = TensorType(i8, [16, 16])
WORDS = TensorType(i32, [16, 16])
POINTER = nv_tileaa.PointerType(f32)
POINTERS = TensorType(POINTER, [16, 8])
MEMREF = nv_tileaa.MemRefType([DYNAMIC_INDEX, 64], f32, [64, 1])
EVERYWHERE = nv_tileaa.MemRefType([64, 64], f32, [64, 1], kind=PointerKind.MULTICAST)
IMAGES = nv_tileaa.MemRefType([2, 8, 4], f32, [32, 4, 1])
VIEW = nv_tileaa.TiledViewType([16, 8], f32, MEMREF)
SHARED_VIEW = nv_tileaa.TiledViewType([16, 8], f32, EVERYWHERE)
TOKEN = nv_tileaa.MemTokenType()
QUEUE = nv_tileaa.QueueType([i32])
CONVOLUTION = nv_tileaa.ConvParamsAttr([1], [1], [1])


class Order(TypedDict):
    mem_semantic: MemSemantic
    mem_scope: MemScope | None


RELAXED: Order = {"mem_semantic": MemSemantic.RELAXED, "mem_scope": MemScope.GPU}


def body(*types: Attribute) -> Region:
    """A region that yields its first argument."""
    block = Block(arg_types=types)
    block.add_op(nv_tileaa.YieldOp([block.args[0]]))
    return Region(block)


def silent(*types: Attribute) -> Region:
    """A region that yields nothing."""
    block = Block(arg_types=types)
    block.add_op(nv_tileaa.YieldOp())
    return Region(block)


Build = Callable[[Callable[[Attribute], SSAValue]], Operation]


def integer_op(op: type[IntegerOp]) -> Build:
    return lambda v: op(v(NUMBERS), v(NUMBERS))


CONSTRUCTORS: dict[str, Build] = {
    **{op.name.removeprefix("nv_tileaa."): integer_op(op) for op in NAMED_ONLY},
    "addf": lambda v: nv_tileaa.AddFOp(v(TILE), v(TILE), RoundingMode.ZERO, True),
    "subf": lambda v: nv_tileaa.SubFOp(v(TILE), v(TILE)),
    "mulf": lambda v: nv_tileaa.MulFOp(v(f32), v(f32), RoundingMode.NEGATIVE_INF),
    "divf": lambda v: nv_tileaa.DivFOp(v(TILE), v(TILE), RoundingMode.FULL),
    "fma": lambda v: nv_tileaa.FmaOp(v(TILE), v(TILE), v(TILE), flush_to_zero=True),
    "sqrt": lambda v: nv_tileaa.SqrtOp(v(TILE), RoundingMode.APPROX, True),
    "rsqrt": lambda v: nv_tileaa.RsqrtOp(v(TILE), True),
    "exp2": lambda v: nv_tileaa.Exp2Op(v(HALF)),
    "exp": lambda v: nv_tileaa.ExpOp(v(TILE), RoundingMode.APPROX),
    "log2": lambda v: nv_tileaa.Log2Op(v(HALF)),
    "sin": lambda v: nv_tileaa.SinOp(v(TILE)),
    "cos": lambda v: nv_tileaa.CosOp(v(TILE)),
    "tanh": lambda v: nv_tileaa.TanhOp(v(f32)),
    "maxf": lambda v: nv_tileaa.MaxFOp(v(TILE), v(TILE), propagate_nan=True),
    "minf": lambda v: nv_tileaa.MinFOp(v(TILE), v(TILE), flush_to_zero=True),
    "clampf": lambda v: nv_tileaa.ClampFOp(v(TILE), v(TILE), v(TILE), propagate_nan=True),
    "remf": lambda v: nv_tileaa.RemFOp(v(TILE), v(TILE)),
    "fpowi": lambda v: nv_tileaa.FPowIOp(v(TILE), v(NUMBERS)),
    "addi": lambda v: nv_tileaa.AddIOp(v(NUMBERS), v(NUMBERS)),
    "trunci": lambda v: nv_tileaa.TruncIOp(v(NUMBERS), MASK),
    "fp_to_fp": lambda v: nv_tileaa.FpToFpOp(v(TILE), HALF, RoundingMode.ZERO),
    "fp_to_int": lambda v: nv_tileaa.FpToIntOp(v(TILE), NUMBERS, Signedness.UNSIGNED, True),
    "fp_to_ue5m3": lambda v: nv_tileaa.FpToUE5M3Op(v(TILE), TensorType(i8, [16, 8])),
    "ue5m3_to_fp": lambda v: nv_tileaa.UE5M3ToFpOp(v(i8), f32),
    "bitcast": lambda v: nv_tileaa.BitcastOp(v(TILE), NUMBERS),
    "int_to_ptr": lambda v: nv_tileaa.IntToPtrOp(v(i64), POINTER),
    "ptr_to_int": lambda v: nv_tileaa.PtrToIntOp(v(POINTERS), TensorType(i64, [16, 8])),
    "pack": lambda v: nv_tileaa.PackOp(v(TensorType(f16, [4])), TensorType(i8, [8])),
    "unpack": lambda v: nv_tileaa.UnpackOp(v(TensorType(i8, [8])), TensorType(f16, [4])),
    "return": lambda v: nv_tileaa.ReturnOp(),
    "get_program_id": lambda v: nv_tileaa.GetProgramIdOp(1, v(nv_tileaa.ProgramIdType())),
    "get_cta_id": lambda v: nv_tileaa.GetCtaIdOp(1),
    "get_num_programs": lambda v: nv_tileaa.GetNumProgramsOp(2),
    "make_range": lambda v: nv_tileaa.MakeRangeOp(v(i32), v(i32), TensorType(i32, [8])),
    "assume": lambda v: nv_tileaa.AssumeOp(v(POINTER), nv_tileaa.DivByAttr(16)),
    "splat": lambda v: nv_tileaa.SplatOp(v(f32), TILE),
    "broadcast": lambda v: nv_tileaa.BroadcastOp(v(TensorType(f32, [16, 1])), TILE),
    "view": lambda v: nv_tileaa.ViewOp(v(TILE), TensorType(f32, [128])),
    "extract": lambda v: nv_tileaa.ExtractOp(v(TILE), [v(i32)]),
    "expand_dims": lambda v: nv_tileaa.ExpandDimsOp(v(TILE), TensorType(f32, [16, 8, 1]), 2),
    "permute": lambda v: nv_tileaa.PermuteOp(v(TILE), [1, 0]),
    "cat": lambda v: nv_tileaa.CatOp(v(TILE), v(TILE), 1),
    "extract_slice": lambda v: nv_tileaa.ExtractSliceOp(
        v(TILE), [v(i32), v(i32)], TensorType(f32, [4, 8])
    ),
    "insert_slice": lambda v: nv_tileaa.InsertSliceOp(
        v(TensorType(f32, [4, 8])), v(TILE), [v(i32), v(i32)]
    ),
    "generate": lambda v: nv_tileaa.GenerateOp(NUMBERS, body(i32, i32)),
    "histogram": lambda v: nv_tileaa.HistogramOp(v(NUMBERS), TensorType(i32, [16])),
    "reduce": lambda v: nv_tileaa.ReduceOp([v(TILE)], 1, None, body(f32, f32)),
    "scan": lambda v: nv_tileaa.ScanOp([v(TILE)], 0, None, body(f32, f32), reverse=True),
    "dot": lambda v: nv_tileaa.DotOp(
        v(BYTES),
        v(BYTES),
        v(WORDS),
        signedness_a=Signedness.SIGNED,
        signedness_b=Signedness.UNSIGNED,
    ),
    "conv_dot": lambda v: nv_tileaa.ConvDotOp(
        v(TensorType(i8, [1, 4, 8])),
        v(TensorType(i8, [2, 4, 3])),
        v(TensorType(i32, [1, 2, 8])),
        CONVOLUTION,
        ActivationLayout.CHANNELS_FIRST,
        SignednessAttr(Signedness.SIGNED),
        SignednessAttr(Signedness.SIGNED),
    ),
    "create_mem_token": lambda v: nv_tileaa.CreateMemTokenOp(),
    "join_mem_token": lambda v: nv_tileaa.JoinMemTokenOp([v(TOKEN), v(TOKEN)]),
    "addptr": lambda v: nv_tileaa.AddPtrOp(v(POINTERS), v(NUMBERS)),
    "alloca": lambda v: nv_tileaa.AllocaOp(4, 16, POINTER, is_global=True),
    "memory_fence_alias": lambda v: nv_tileaa.MemoryFenceAliasOp(v(TOKEN)),
    "gdc_wait": lambda v: nv_tileaa.GdcWaitOp(v(TOKEN)),
    "gdc_launch_dependents": lambda v: nv_tileaa.GdcLaunchDependentsOp(),
    "atomic_rmw": lambda v: nv_tileaa.AtomicRMWOp(
        v(POINTERS), v(TILE), v(MASK), v(TOKEN), rmw_mode=RMWMode.ADDF, **RELAXED
    ),
    "atomic_cas": lambda v: nv_tileaa.AtomicCASOp(v(POINTERS), v(TILE), v(TILE), **RELAXED),
    "tiled_atomic_rmw": lambda v: nv_tileaa.TiledAtomicRMWOp(
        v(VIEW), v(TILE), [v(i32), v(i32)], v(TOKEN), rmw_mode=RMWMode.MAX, **RELAXED
    ),
    "global": lambda v: nv_tileaa.GlobalOp(
        "g", nv_tileaa.ElementsAttr(TILE, bytes(4)), 16, True, Visibility.PRIVATE
    ),
    "make_memref": lambda v: nv_tileaa.MakeMemRefOp(v(POINTER), [v(i32)], [], MEMREF),
    "get_dim_size": lambda v: nv_tileaa.GetDimSizeOp(v(MEMREF), 1, i32),
    "block_tile": lambda v: nv_tileaa.BlockTileOp(v(MEMREF), [16, 8], [[0], [1]], [1, 8]),
    "conv_tile": lambda v: nv_tileaa.ConvTileOp(
        v(IMAGES), [8, 4], [[0, 1], [2]], [3], CONVOLUTION, 2
    ),
    "gather_load": lambda v: nv_tileaa.GatherLoadOp(
        v(VIEW),
        [v(TensorType(i32, [16])), v(i32)],
        sparse_dim=0,
        padding_value=PaddingValue.NAN,
        **RELAXED,
    ),
    "scatter_store": lambda v: nv_tileaa.ScatterStoreOp(
        v(VIEW), v(TILE), [v(i32), v(TensorType(i32, [8]))], v(TOKEN), sparse_dim=1
    ),
    "multimem_load_reduce": lambda v: nv_tileaa.MultimemLoadReduceOp(
        v(SHARED_VIEW), [v(i32), v(i32)], rmw_mode=RMWMode.ADD
    ),
    "multimem_reduce": lambda v: nv_tileaa.MultimemReduceOp(
        v(SHARED_VIEW), v(TILE), [v(i32), v(i32)], rmw_mode=RMWMode.ADD, **RELAXED
    ),
    "multimem_store": lambda v: nv_tileaa.MultimemStoreOp(
        v(SHARED_VIEW), v(TILE), [v(i32), v(i32)], v(TOKEN)
    ),
    "assert": lambda v: nv_tileaa.AssertOp(v(MASK), "message"),
    "print": lambda v: nv_tileaa.PrintOp("%f", [v(TILE)], v(TOKEN)),
    "message": lambda v: nv_tileaa.MessageOp("text"),
    "mark_for_reuse": lambda v: nv_tileaa.MarkForReuseOp([v(QUEUE)]),
    "optimization_barrier": lambda v: nv_tileaa.OptimizationBarrierOp([v(TILE), v(i32)]),
    "pragma": lambda v: nv_tileaa.PragmaOp([], silent(), ["nounroll"], ["unroll"]),
    "extern_elementwise": lambda v: nv_tileaa.ExternElementwiseOp("f", [v(TILE)], [TILE], "lib"),
    "call_elementwise_intrinsic": lambda v: nv_tileaa.CallElementwiseIntrinsicOp(
        "llvm.fabs", [v(TILE)], [TILE], pure=False
    ),
    "elementwise_inline_asm": lambda v: nv_tileaa.ElementwiseInlineAsmOp(
        "neg.f32 $0, $1;", "=f,f", [v(TILE)], [TILE], packed=1
    ),
    "inject_ir": lambda v: nv_tileaa.InjectIROp("ret void", [v(i32)], []),
    "plugin": lambda v: nv_tileaa.PluginOp("p", [v(TILE)], [TILE], {"registers": 8}, [i32], [i32]),
    "cancel_next_program_id": lambda v: nv_tileaa.CancelNextProgramIdOp(),
    "current_program_id": lambda v: nv_tileaa.CurrentProgramIdOp(),
    "is_valid_program_id": lambda v: nv_tileaa.IsValidProgramIdOp(v(nv_tileaa.ProgramIdType())),
    "create_queue": lambda v: nv_tileaa.CreateQueueOp(2, QUEUE),
    "queue.get": lambda v: nv_tileaa.QueueGetOp(v(QUEUE), 1),
    "execute": lambda v: nv_tileaa.ExecuteOp([v(QUEUE)], [silent(QUEUE)], 1, [64], True),
}

BUILT_ELSEWHERE = {
    "nv_tileaa.call": "names a function",
    "nv_tileaa.func": "takes a body that returns",
    "nv_tileaa.get_global": "names a global",
    "nv_tileaa.launch_func": "names a kernel",
    "nv_tileaa.load": "built from operands and properties",
    "nv_tileaa.queue.put": "yields from its body",
    "nv_tileaa.queue.yield": "stands in a queue.put",
    "nv_tileaa.store": "built from operands and properties",
    "nv_tileaa.tiled_load": "built from operands and properties",
    "nv_tileaa.tiled_store": "built from operands and properties",
    "nv_tileaa.yield": "stands in every region",
}


@pytest.mark.parametrize("mnemonic", CONSTRUCTORS)
def test_constructor_builds_what_the_text_says(mnemonic: str):
    defined: list[Operation] = []

    def value(type: Attribute) -> SSAValue:
        defined.append(test.TestOp(result_types=[type]))
        return defined[-1].results[0]

    op = CONSTRUCTORS[mnemonic](value)
    assert op.name == f"nv_tileaa.{mnemonic}"
    block = Block([*defined, op])
    if mnemonic != "return":
        op.verify()
        block.add_op(nv_tileaa.ReturnOp())
    function = nv_tileaa.FuncOp("f", FunctionType.from_lists([], []), Region(block))
    roundtrip(to_text(function))


def test_every_op_has_a_constructor_test():
    tested = {f"nv_tileaa.{mnemonic}" for mnemonic in CONSTRUCTORS} | set(BUILT_ELSEWHERE)
    assert tested == {op.name for op in NVTileAA.operations}
