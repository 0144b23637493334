"""A change of the IR after any pass changes the PTX or the launch, or is refused."""

import re
from collections.abc import Callable, Mapping
from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl as tileir
from tests.attribute_changes import (
    Change,
    Outcome,
    last_with_pair,
    layouts_in,
    other_layouts,
    silent,
)
from tests.unit.road.levels_agree.test_going_on import LABELS, PROGRAMS

LARGER = "more memory than the op needs; another place contradicts the total"
NAME = "it only tells things apart"
NOTED = "a note for the launch: the maps themselves say it"
PROMISE = "a promise that may allow other code, and no choice depends on it"
NOT_ELECTED = "no thread is elected: it issues nothing, or its region is of one thread"
STATED = "the buffers say their memory, and their number of stages is known"
REASONS: Mapping[tuple[str, str], str] = {
    ("arith.constant", "value"): "of a constant that nothing uses",
    ("builtin.module", "sym_name"): "PTX has no name for a module",
    ("nv_tileaa.func", "nv_tileas.smem_alignment"): "a function without buffers aligns none",
    ("nv_tileaa.func", "nv_tileas.num-device-tmas"): NOTED,
    ("nv_tileaa.func", "nv_tileas.num-host-tmas"): NOTED,
    ("nv_tileas.async.pipeline.create_pipeline", "consumerGroupId"): NAME,
    ("nv_tileas.async.pipeline.create_pipeline", "producerGroupId"): NAME,
    ("nv_tileas.async.pipeline.create_pipeline", "dynamic"): STATED,
    ("nv_tileas.async.pipeline.create_pipeline", "sharedMem"): STATED,
    ("nv_tileas.async.tiled_tma_load", "tmaIdx"): "the operand is the tensor map",
    ("nv_tileas.async.tiled_tma_store", "tmaIdx"): "the operand is the tensor map",
    ("nv_tileaa.exp", "rounding_mode"): "the strategy says how it is computed",
    ("nv_tileaa.func", "nv_tileas.smem"): LARGER,
    ("nv_tileas.alloc_tensor", "nv_tileas.smem"): LARGER,
    ("nv_tileas.async.dot", "nv_tileas.smem"): LARGER,
    ("nv_tileas.async.to_async", "nv_tileas.tmem"): LARGER,
    ("nv_tileas.async.pipeline.consumer_release", "nv_tileas.issuer"): NOT_ELECTED,
    ("nv_tileas.async.to_async", "nv_tileas.issuer"): NOT_ELECTED,
    ("nv_tileas.async.wait", "nv_tileas.issuer"): NOT_ELECTED,
    ("nv_tileas.async.pipeline.create_pipeline", "nv_tileas.smem"): LARGER,
    ("nv_tileas.convert_layout", "nv_tileas.scratch"): LARGER,
    ("nv_tileas.reduce", "nv_tileas.scratch"): LARGER,
    ("nv_tileas.async.pipeline.consumer_read", "consumer_idx"): NAME,
    ("nv_tileas.async.pipeline.consumer_wait", "consumer_idx"): NAME,
    ("nv_tileas.async.pipeline.produce_one", "nv_tileas.strategy"): "its agent is one thread",
    ("nv_tileas.fence", "mem_semantic"): "fences of a block are one instruction",
    ("llvm.func", "no_inline"): PROMISE,
    ("llvm.func", "no_unwind"): PROMISE,
    ("llvm.func", "optimize_none"): PROMISE,
    ("llvm.func", "visibility_"): PROMISE,
    ("llvm.getelementptr", "inbounds"): PROMISE,
    ("llvm.mlir.global", "constant"): PROMISE,
    ("llvm.mlir.global", "dso_local"): PROMISE,
    ("llvm.mlir.global", "thread_local_"): PROMISE,
}
"""Pairs of op and attribute that nothing tells of, and why."""


def silent_pairs(name: str) -> set[tuple[str, str]]:
    path, gpu = PROGRAMS[name]
    program, modules = tileir.load(path, gpu), list[ModuleOp]()
    for label in LABELS:
        program = program.lower(label)
        modules.append(program.module)
    found: set[tuple[str, str]] = set()
    for module, last in zip(modules, last_with_pair(modules), strict=True):

        def wanted(change: Change, last: set[tuple[str, str]] = last) -> bool:
            # Where a decision is left out it is made again.
            return change.pair in last and change.value is not None

        found |= {change.pair for change in silent([module], compiler(gpu), wanted)}
    return found


def compiler(gpu: str) -> Callable[[ModuleOp | str], Outcome]:
    """Compiles a module or a text from where it is, with all that its launch needs."""

    def compile(module: ModuleOp | str) -> Outcome:
        try:
            compiled = tileir.load(module, gpu).compile()
        except tileir.CompileError as error:
            return Outcome(None, (str(error),))
        return Outcome(compiled.text + repr(compiled.kernels), list(map(str, compiled.remarks)))

    return compile


BARRIERS, COPIES = "tileas-insert-barriers", "lower-ldgsts-load-to-async"
LAYOUT = "nv_tileas.layout = <((4, 2), 32, 4, 1), "


@cache
def text_after(name: str, label: str) -> str:
    return tileir.load(*PROGRAMS[name]).lower(label).text


@pytest.mark.parametrize(
    ("name", "label", "before", "after", "message"),
    [
        ("matmul_90", BARRIERS, "tx_count = 8192", "tx_count = 4096", "expects tx_count 8192, but"),
        ("matmul_90", BARRIERS, "consumerGroupId = 1", "consumerGroupId = 0", "but two agents"),
        (
            "matmul_90",
            BARRIERS,
            "consumer_idx = 0",
            "consumer_idx = 3",
            "consumer_idx out of range",
        ),
        (
            "matmul_90",
            BARRIERS,
            "strides = array<i32: 4, 4",
            "strides = array<i32: 4, 8",
            "agent_strides 4, 4",
        ),
        ("matmul_90", BARRIERS, "smem_bytes = 131200", "smem_bytes = 65536", "to be 131200, but"),
        (
            "matmul_90",
            BARRIERS,
            "tmem_columns = 0",
            "tmem_columns = 64",
            "tmem_columns to be 0, but",
        ),
        (
            "matmul_90",
            BARRIERS,
            "strategy<one_thread>]",
            "strategy<pairs>]",
            "one_thread as the strategy",
        ),
        (
            "matmul_90",
            COPIES,
            "swizzle_mode<128B>",
            "swizzle_mode<64B>",
            "expects swizzle_mode 128B",
        ),
        ("matmul_90", COPIES, "tmaIdx = 0 : i32, tx", "tmaIdx = 1 : i32, tx", "of its tensor map"),
        (
            "matmul_90",
            BARRIERS,
            "numStages = 8",
            "numStages = 4",
            "expects a buffer view whose first extent is 4",
        ),
        ("add", BARRIERS, LAYOUT, LAYOUT.replace("4, 2", "2, 4"), "nv_tileas.layout to equal"),
        ("add", BARRIERS, "atom ldg_128", "atom ldg_64", None),
        ("add", BARRIERS, "atom ldg_128", "atom ldg_16", "an atom that moves at least 4 bytes"),
        (
            "matmul_80",
            BARRIERS,
            "atom stg_128",
            "atom stg_256",
            "stg_256, which sm_80 does not have",
        ),
        ("matmul_80", BARRIERS, "f16_f16_f32>", "f16_f16_f16>", "of f32, but got mma_f16_f16_f16"),
        ("matmul_90", BARRIERS, "tma_load_2d", "tma_load_3d", "of rank 2, but got tma_load_3d"),
    ],
)
def test_an_edit_counts(name: str, label: str, before: str, after: str, message: str | None):
    text = text_after(name, label)
    assert before in text
    edited = text.replace(before, after, 1)
    if message is None:
        assert tileir.load(edited).compile().text != tileir.load(text).compile().text
        return
    with pytest.raises(tileir.CompileError) as raised:
        tileir.load(edited).compile()
    assert message in str(raised.value) and raised.value.line is not None


DOT = "((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)"


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (DOT.replace("(2, 64)", "(2, 32)"), "sums of its strides carry"),
        (DOT.replace("1024", "2048"), "outside a tile"),
        (DOT.replace("(2, 2, 8)", "(2, 2, 4)"), "has elements that no thread holds"),
        ("(32, 32, 4, 1), (1, 32, 1024, 0)", "in the fragment layout of a wgmma instruction"),
    ],
)
def test_an_edited_layout_is_checked(layout: str, message: str):
    text = text_after("matmul_90", BARRIERS)
    assert DOT in text
    with pytest.raises(tileir.CompileError, match=message) as raised:
        tileir.load(text.replace(DOT, layout)).compile()
    assert raised.value.line is not None


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"sm_90a"', '"sm_90b"', "is for an unknown target, sm_90b, did you mean 'sm_90"),
        (
            "capability = 90",
            "capability = 80",
            "compute_capability must be the compute capability of sm_90a",
        ),
    ],
)
def test_a_target_is_checked(before: str, after: str, message: str):
    with pytest.raises(tileir.CompileError, match=message):
        tileir.load(text_after("add", BARRIERS).replace(before, after, 1))


@pytest.mark.one_in(40)
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_instead_of_a_kernel_is_refused(name: str, label: str):
    text = text_after(name, label)
    spec = r"nv_tileaa\.kernel_spec = #nv_tileaa\.kernel_spec<[^>]*>(, )?"
    changed, count = re.subn(spec, "", text)
    if not count:
        # It is a function of `llvm` then, or still an entry of `cuda_tile`.
        assert "nv_tileaa.func" not in text
        return
    with pytest.raises(tileir.CompileError, match=r"kernel|KernelSpec") as raised:
        tileir.load(changed).compile()
    assert raised.value.line is not None


SHORT = "add"
KERNELS = [
    SHORT,
    *(pytest.param(name, marks=pytest.mark.soak) for name in PROGRAMS if name != SHORT),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", KERNELS)
def test_no_attribute_is_silent(name: str):
    left = {pair for pair in silent_pairs(name) - REASONS.keys() if not is_promise(*pair)}
    assert left == set()


@pytest.mark.soak
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_layout_is_silent(name: str):
    """A number of a layout, after the last pass that has it: everywhere, and where it is first."""
    compile = compiler(PROGRAMS[name][1])
    last = {layout: label for label in LABELS for layout in layouts_in(text_after(name, label))}
    assert last
    for layout, label in last.items():
        text = text_after(name, label)
        before = compile(text)
        for other in other_layouts(layout):
            for count in (-1, 1):
                after = compile(text.replace(layout, other, count))
                assert after != before, (label, layout, other)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("<((4, 1), 32, 8, 1), ((1, 0), 4, 128, 0)>", "a layout of 8 warps, but its kernel has 4"),
        (
            "<((4, 2), 32, 4, 2), ((1, 512), 4, 128, 0)>",
            "a layout of 2 blocks, but its kernel has 1",
        ),
    ],
)
def test_layouts_of_more_threads_than_execute(other: str, message: str):
    text = text_after("add", BARRIERS)
    (layout,) = (each for each in layouts_in(text) if each.startswith("<("))
    with pytest.raises(tileir.CompileError, match=message) as raised:
        tileir.load(text.replace(layout, other)).compile()
    assert raised.value.line is not None


PROMISES = {
    "alignment",
    "fast_acc",
    "isDisjoint",
    "isExact",
    "noWrapFlags",
    "nonNeg",
    "nontemporal",
    "overflowFlags",
    "propagate_nan",
}
"""Attributes that allow other code, on whichever op."""


def is_promise(_op: str, attribute: str) -> bool:
    """Whether an attribute allows other code, or is a place in a schedule that is carried out."""
    return attribute in PROMISES or attribute.startswith("nv_tile.aws.")
