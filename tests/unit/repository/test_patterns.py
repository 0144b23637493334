"""Passes are patterns that walkers drive: nothing else changes a program, and none is a function's.

Every registered pass runs on its example in `tests/filecheck/transforms`, the conversions on whole
kernels: once with walkers that visit nothing, which has to leave the program as it is, and once
with patterns that note the ops at which they change something.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass, PassPipeline
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.utils.worklist import Worklist

from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.cuda_tile.core import FunctionOperation
from tileir_xdsl.options import Options
from tileir_xdsl.rewriting import OpDispatch
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.universe import PASSES

EXAMPLES = REPOSITORY / "tests" / "filecheck" / "transforms"
KERNELS = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "divisible"

FUNCTIONS = (nv_tileaa.FuncOp, FunctionOperation, llvm.FuncOp, ModuleOp)

OF_SIGNATURES = {
    "ConvertEntry": "a function of another dialect",
    "ConvertModule": "a module of another dialect",
    "EraseCalledFunction": "a function that its callers have copies of",
    "LowerFunc": "a function of another dialect",
}
"""Patterns that are rooted at functions since these are made or erased, and what they make."""

OF_BODIES = {
    "StructureControlFlow": "what `break`, `continue` and `return` leave passes through all around",
}
"""Patterns that are rooted at functions since no op of these can be rewritten alone, and why."""

OF_ATTRIBUTES = {
    "AddArguments": "tensor maps as arguments",
    "CountMaps": "how many tensor maps a kernel makes",
    "MarkKernel": "that a kernel makes its tensor maps",
    "PutInScope": "the location",
    "RaiseWarps": "the warps of a kernel",
    "SetClusterShape": "the thread blocks of a cluster",
    "WriteAttributes": "totals of memory, and that barriers are there",
    "WriteLaunchedWarps": "the warps of a launch",
}
"""Patterns that change a function itself, and none of its ops, and what they change."""

LISTED = {*OF_SIGNATURES, *OF_BODIES, *OF_ATTRIBUTES}

EXAMPLE_OF = {"tileas-attach-tma-desc-args": "lower-tma-load-store-to-async"}
"""The file that has the example of a pass, where it has not the name of that."""

WHOLE_KERNELS = {
    "convert-cuda-tile-to-tileaa",
    "convert-tileaa-to-tileas",
    "convert-tileas-to-llvm",
    "lower-ldgsts-load-to-async",
    "tileas-assign-dot-layouts",
    "tileas-insert-barriers",
}
"""Passes that are looked at on whole kernels."""

Change = tuple[str, type[Operation]]
"""The name of a pattern, and the class of the op at which it changed something."""


class Noting(RewritePattern):
    """Applies a pattern, and notes the op if it changes anything."""

    def __init__(self, pattern: RewritePattern, changes: set[Change]):
        self.pattern, self.changes = pattern, changes

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        pattern, name = self.pattern, type(self.pattern).__name__
        if isinstance(pattern, OpDispatch):
            name = type(pattern.pattern_of(op)).__name__
        before, rewriter.has_done_action = rewriter.has_done_action, False
        inside = list(op.walk()) if isinstance(op, FUNCTIONS) and name in OF_ATTRIBUTES else None
        pattern.match_and_rewrite(op, rewriter)
        if rewriter.has_done_action:
            self.changes.add((name, type(op)))
            assert inside is None or list(op.walk()) == inside, f"{name} changes ops of functions"
        rewriter.has_done_action |= before


def changes_of(module_pass: ModulePass, module: ModuleOp) -> set[Change]:
    """Runs a pass; returns which patterns changed something, and where."""
    changes: set[Change] = set()
    process = PatternRewriteWalker._process_worklist  # pyright: ignore[reportPrivateUsage]

    def noting(walker: PatternRewriteWalker, listener: PatternRewriterListener) -> bool:
        if not isinstance(walker.pattern, Noting):
            walker.pattern = Noting(walker.pattern, changes)
        return process(walker, listener)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PatternRewriteWalker, "_process_worklist", noting)
        module_pass.apply(tools.context(), module)
    return changes


def check_idle(module_pass: ModulePass, module: ModuleOp) -> None:
    """Checks that a pass whose walkers visit nothing leaves a program as it is."""

    def skip(walker: PatternRewriteWalker, listener: PatternRewriterListener) -> bool:
        del listener
        walker._worklist = Worklist()  # pyright: ignore[reportPrivateUsage]
        return False

    copy = module.clone()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PatternRewriteWalker, "_process_worklist", skip)
        # What a later walk expects of an earlier one is not there.
        with suppress(Exception):
            module_pass.apply(tools.context(), copy)
    # The conversion notes its target on the module.
    copy.attributes = module.attributes.copy()
    assert copy.is_structurally_equivalent(module), f"{module_pass.name} needs no patterns"


def examples(name: str) -> Iterator[tuple[list[ModulePass], str]]:
    """The passes that run on the example of a pass, and its programs without diagnostics."""
    text = (EXAMPLES / f"{EXAMPLE_OF.get(name, name)}.mlir").read_text()
    specs = re.findall(r"^// RUN: xdsl-opt %s.*? -p (?:'([^']*)'|(\S+))", text, re.MULTILINE)
    for quoted, bare in dict.fromkeys(specs):
        for program in text.split("// -----"):
            if "// CHECK: Cannot" not in program:
                yield list(PassPipeline.parse_spec(PASSES, quoted or bare).passes), program


def check_roots(name: str, changes: set[Change]) -> None:
    """Checks that no pattern changed a program at a function, but those that are listed."""
    for pattern, root in changes:
        if issubclass(root, FUNCTIONS):
            assert pattern in LISTED, f"{name}: {pattern}"


@pytest.mark.parametrize("name", sorted({*PASSES} - WHOLE_KERNELS - {"tileir-pipeline"}))
def test_passes_are_patterns(name: str):
    found: set[Change] = set()
    for passes, program in examples(name):
        module = tools.parse(program)
        for module_pass in passes:
            if module_pass.name == name:
                check_idle(module_pass, module)
                found |= changes_of(module_pass, module)
            else:
                module_pass.apply(tools.context(), module)
    assert found, "no pattern has changed anything"
    check_roots(name, found)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("kernel", "gpu", "options"),
    [
        ("matmul_f16_warpgroup", "sm_90a", Options()),
        ("persistent_matmul_warpgroup", "sm_100a", Options(dynamic_persistent=True)),
        ("attention", "sm_80", Options()),
    ],
)
def test_whole_kernels(kernel: str, gpu: str, options: Options):
    module, found = tools.parse((KERNELS / f"{kernel}.mlir").read_text()), set[str]()
    for step in steps(gpu, options):
        name = step.module_pass.name
        # xDSL's own pass erases dead code after its walks.
        if name != "canonicalize":
            check_idle(step.module_pass, module)
        changes = changes_of(step.module_pass, module)
        check_roots(name, changes)
        found |= {name} if changes else set()
    missing = WHOLE_KERNELS - found
    assert missing <= {"lower-ldgsts-load-to-async", "tileas-assign-dot-layouts"}


def test_every_pattern_that_names_functions_is_listed():
    for path in Path(REPOSITORY / "tileir_xdsl" / "transforms").rglob("*.py"):
        for name, root in re.findall(
            r"^class (\w+)\((?:[^)]*Pattern[^)]*)\):(?:(?!^class ).)*?"
            r"def match_and_rewrite\(\s*self, op: ([\w.]+)",
            path.read_text(),
            re.MULTILINE | re.DOTALL,
        ):
            if root.rpartition(".")[2] in {kind.__name__ for kind in FUNCTIONS}:
                assert name in LISTED, f"{path}: {name}"
