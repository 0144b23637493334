"""What the patterns of the last conversion are: one per op type, and no state between two ops."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, partial
from itertools import chain, zip_longest
from typing import Any, cast

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker
from xdsl.rewriter import InsertPoint

from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms import convert_tileas_to_llvm as conversion
from tileir_xdsl.transforms.convert_tileas_to_llvm.families import (
    EVERYWHERE,
    FAMILIES,
    all_patterns,
    load,
)
from tileir_xdsl.transforms.convert_tileas_to_llvm.global_memory.memory_order import LowerToken
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.patterns import Lowering, LowerOp
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.program import ThreadProgram
from tileir_xdsl.transforms.convert_tileas_to_llvm.tiles.hints import LowerNote
from tileir_xdsl.transforms.pipeline_road import steps

SHARED = (Lowering, ThreadProgram)
"""What patterns share: for a module, and for a function."""

MOST_FIELDS = 8

WITHOUT_CODE = {LowerNote, LowerToken}
"""Patterns of ops that mean nothing to a thread."""

KERNELS = [
    ("vector_add", "sm_80"),
    ("attention", "sm_90a"),
    ("divisible/matmul_f16_warpgroup", "sm_90a"),
    ("divisible/matmul_f16_warpgroup", "sm_100a"),
    ("cumulative", "sm_90a"),
    ("atomic_updates_i32", "sm_80"),
]


def pattern_classes() -> list[type[LowerOp[Any]]]:
    """The classes of all patterns of ops in functions."""
    made = [
        pattern.func if isinstance(pattern, partial) else pattern
        for pattern in cast(Iterable[Callable[..., Any]], all_patterns().values())
    ]
    return sorted({cast(type[LowerOp[Any]], cls) for cls in made}, key=lambda cls: cls.__name__)


@cache
def _scheduled(name: str, gpu: str) -> ModuleOp:
    source = (REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / f"{name}.mlir").read_text(
        encoding="utf-8"
    )
    module = tools.parse(source)
    for step in steps(gpu)[:-1]:
        step.module_pass.apply(tools.context(), module)
    return module


def scheduled(name: str, gpu: str) -> ModuleOp:
    """A kernel before the last conversion."""
    return _scheduled(name, gpu).clone()


def convert(module: ModuleOp) -> list[llvm.FuncOp]:
    """The functions of a module, after the last conversion."""
    conversion.ConvertTileASToLLVMPass().apply(tools.context(), module)
    return [op for op in module.body.block.ops if isinstance(op, llvm.FuncOp)]


def test_an_op_type_has_one_pattern():
    families = [load(family) for family in (*EVERYWHERE, *FAMILIES)]
    assert sum(map(len, families)) == len(all_patterns())
    assert all(issubclass(cls, LowerOp) for cls in pattern_classes())


@pytest.mark.parametrize("context", SHARED)
def test_what_patterns_share_is_small_and_stays(context: type):
    """Tables by op, region, block or value grow; no field is set to another object."""
    assert is_dataclass(context)
    assert len(fields(context)) <= MOST_FIELDS
    assert context.__dataclass_params__.frozen  # pyright: ignore


def test_patterns_have_no_state():
    for cls in pattern_classes():
        assert {field.name for field in fields(cls)} <= {"lowering", "emitter", "divide", "signed"}
        assert cls.match_and_rewrite is LowerOp[Any].match_and_rewrite


def test_every_pattern_uses_its_rewriter():
    unused = set[type]()
    for cls in pattern_classes():
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls.lower)))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if "rewriter" not in names:
            unused.add(cls)
    assert unused == WITHOUT_CODE


@pytest.mark.parametrize(("name", "gpu"), KERNELS)
def test_all_code_is_inserted_by_a_rewriter(monkeypatch: pytest.MonkeyPatch, name: str, gpu: str):
    inserted, insert = set[Operation](), PatternRewriter.insert

    def recorded(
        rewriter: PatternRewriter, op: Any, insertion_point: InsertPoint | None = None
    ) -> Any:
        inserted.update((op,) if isinstance(op, Operation) else op)
        return insert(rewriter, op, insertion_point)

    module = scheduled(name, gpu)
    monkeypatch.setattr(PatternRewriter, "insert", recorded)
    for function in convert(module):
        assert {op for op in function.body.walk() if op not in inserted} == set()


class InterleavedOps(Region):
    """What a walker visits: ops of several functions interleaved; those of each in their order."""

    def __init__(self, region: Region):
        super().__init__()
        self.functions = [op for op in region.walk() if isinstance(op, nv_tileaa.FuncOp)]

    def walk(self, *, reverse: bool = False, region_first: bool = False) -> Iterator[Operation]:
        assert reverse and region_first, "the walker has a stack"
        interleaved = zip_longest(*(function.walk() for function in self.functions))
        return reversed([op for op in chain(*interleaved) if op is not None])


class Alternating(PatternRewriteWalker):
    """Visits the ops of several functions interleaved."""

    def rewrite_region(self, region: Region) -> bool:
        return super().rewrite_region(InterleavedOps(region))


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
def test_no_pattern_depends_on_the_op_before_it(monkeypatch: pytest.MonkeyPatch, gpu: str):
    """Patterns that knew the current function, thread or block would take that of another kernel."""
    names = ("attention", "divisible/matmul_f16_warpgroup", "cumulative")
    alone = [str(function) for name in names for function in convert(scheduled(name, gpu))]
    modules = [scheduled(name, gpu) for name in names]
    together = ModuleOp([op for module in modules for op in detached(module)])
    for name, attribute in modules[0].attributes.items():
        together.attributes[name] = attribute
    monkeypatch.setattr(conversion, "Walker", Alternating)
    assert [str(function) for function in convert(together)] == alone


def detached(module: ModuleOp) -> list[Operation]:
    """The ops of a module, in none."""
    ops = [*module.body.block.ops]
    for op in ops:
        op.detach()
    return ops
